/* SPDX-License-Identifier: Apache-2.0
 *
 * From pairs of downloads to a set of judged pages.
 */
#include "set.h"

#include <stdlib.h>

#define BATCH 512
#define TEXTS ((size_t)4 << 30) /* of all pages kept */

/* A pair and what came of it. Strings of its own until it is folded. */
struct job {
    struct sharc_diff_entry entry;
    char *redirect[2], *remark;
    bool read, unreadable;
};

/* Memory of one thread. */
struct worker {
    struct sharc_diff_version before, after;
    struct sharc_diff_page page;
};

struct filler {
    struct sharc_diff_set *set;
    const struct sharc_diff_options *o;
    struct sharc_pool *pool;
    struct worker *workers;
    struct sharc_arena texts; /* of this batch */
    struct job jobs[BATCH];
    size_t count;
};

/* --- life --------------------------------------------------------------------------- */

struct filler *sharc__diff_filler_new(struct sharc_diff_set *set, const struct sharc_diff_options *o)
{
    struct filler *f = SHARC_NEW(struct filler);
    f->set = set;
    f->o = o;
    f->pool = sharc_pool_new(o->threads);
    f->workers = SHARC_NEW_ARRAY(struct worker, sharc_pool_threads(f->pool));
    sharc_arena_init(&f->texts, TEXTS);
    if (!set->names) set->names = sharc_intern_new();
    if (!set->texts.max) sharc_arena_init(&set->texts, TEXTS);
    return f;
}

static void job_done(struct job *j)
{
    free(j->redirect[0]);
    free(j->redirect[1]);
    free(j->remark);
}

void sharc__diff_filler_free(struct filler *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->count; i++) job_done(&f->jobs[i]);
    for (unsigned i = 0; i < sharc_pool_threads(f->pool); i++) {
        sharc_diff_page_done(&f->workers[i].page);
        sharc_diff_version_done(&f->workers[i].before);
        sharc_diff_version_done(&f->workers[i].after);
    }
    free(f->workers);
    sharc_pool_free(f->pool);
    sharc_arena_done(&f->texts);
    free(f);
}

void sharc__diff_filler_freep(struct filler **f)
{
    sharc__diff_filler_free(*f);
    *f = NULL;
}

struct sharc__diff_memory sharc__diff_filler_memory(struct filler *f)
{
    return (struct sharc__diff_memory){.texts = &f->texts, .names = f->set->names};
}

void sharc_diff_set_done(struct sharc_diff_set *s)
{
    free(s->entries);
    free(s->templates);
    sharc_arena_done(&s->texts);
    sharc_intern_free(s->names);
    sharc_diff_side_free(s->catalogue);
    free(s->weakened[0]);
    free(s->weakened[1]);
    *s = (struct sharc_diff_set)SHARC_DIFF_SET_INIT;
}

/* --- judging ------------------------------------------------------------------------- */

/* What the status of a record says before it is read. A 304 in a revisit record stands for
 * the content that it refers to. */
static enum sharc_change_answer told(const struct sharc_diff_facts *f)
{
    if (f->status < 0) return SHARC_ANSWER_FAILED;
    return f->revisit && f->status == 304 ? SHARC_ANSWER_CONTENT : sharc_page_answer(f->status);
}

static bool same_digest(const struct sharc_diff_facts *a, const struct sharc_diff_facts *b)
{
    return told(a) == SHARC_ANSWER_CONTENT && told(b) == SHARC_ANSWER_CONTENT && a->digest.n && b->digest.n &&
           sharc_digest_eq(&a->digest, &b->digest);
}

/* Does the verdict depend on what stands in the records? */
static bool must_read(const struct sharc_diff_facts *before, const struct sharc_diff_facts *after)
{
    if (!before->there || !after->there) return false;
    enum sharc_change_answer b = told(before), a = told(after);
    if (a == SHARC_ANSWER_FAILED || a == SHARC_ANSWER_GONE || b == SHARC_ANSWER_FAILED) return false;
    if (b == SHARC_ANSWER_GONE) return a == SHARC_ANSWER_REDIRECT;
    return true;
}

/* A version of which only the status is known. */
static void stub(struct sharc_diff_version *v, const struct sharc_diff_facts *f)
{
    struct sharc_page page = v->page;
    struct sharc_page_prints prints = v->prints;
    struct sharc__diff_scratch *scratch = v->scratch;
    prints.link_count = prints.part_count = prints.element_count = 0;
    *v = (struct sharc_diff_version){.answer = told(f),
                                     .status = f->status,
                                     .when = f->when,
                                     .last_modified = SHARC_TIME_NONE,
                                     .content_type = f->mime,
                                     .page = page,
                                     .prints = prints,
                                     .scratch = scratch};
}

static void read_side(struct job *j, int side, struct sharc_diff_facts *f, struct sharc_diff_version *v,
                      const struct filler *fill)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_diff_side *sides[2] = {fill->set->sides[side], fill->set->sides[1 - side]};
    if (sharc__diff_version_read(v, f, sides, fill->o, &err) < 0) {
        stub(v, f);
        v->answer = SHARC_ANSWER_FAILED;
        if (!j->remark) j->remark = sharc_strdup(err.text);
        j->unreadable = true;
        return;
    }
    if (v->remark && !j->remark) j->remark = sharc_strdup(v->remark);
    if (v->redirect.n) j->redirect[side] = sharc_span_dup(v->redirect);
}

/* Equal payload digests decide, unless the heads differ in what a reader would notice. */
static bool judge_heads(struct sharc_diff_entry *e)
{
    if (!e->before.there || !e->after.there || !same_digest(&e->before, &e->after)) return false;
    e->basis = sharc__diff_basis_of_heads(&e->before, &e->after);
    if (e->basis == SHARC_DIFF_NO_BASIS) return false;
    e->verdict = (struct sharc_change_verdict){.change = SHARC_UNCHANGED,
                                               .step = SHARC_STEP_PAYLOAD,
                                               .similarity = 1,
                                               .stated = SHARC_TIME_NONE};
    if (e->basis == SHARC_DIFF_ATTESTED) e->verdict.step = SHARC_STEP_NOT_MODIFIED;
    e->kind = SHARC_UNCHANGED;
    return true;
}

static int judge(size_t i, unsigned thread, void *arg)
{
    struct filler *f = arg;
    struct job *j = &f->jobs[i];
    struct sharc_diff_entry *e = &j->entry;
    struct worker *w = &f->workers[thread];
    if (judge_heads(e)) return 0;
    stub(&w->before, &e->before);
    stub(&w->after, &e->after);
    j->read = must_read(&e->before, &e->after);
    if (j->read || (e->after.there && told(&e->after) == SHARC_ANSWER_REDIRECT))
        read_side(j, 1, &e->after, &w->after, f);
    if (j->read) read_side(j, 0, &e->before, &w->before, f);
    sharc_diff_page_make(&w->page, e->before.there ? &w->before : NULL, e->after.there ? &w->after : NULL, f->o,
                         /* details= */ false);
    e->verdict = w->page.verdict;
    e->kind = w->page.kind;
    e->basis = j->read ? sharc__diff_basis_of_versions(&e->verdict, &w->before, &w->after) : SHARC_DIFF_NO_BASIS;
    if (j->read && e->verdict.step == SHARC_STEP_PAYLOAD && e->kind == SHARC_UNCHANGED && !e->basis && !j->remark)
        j->remark = sharc_strdup("the same content, but with another status or Content-Type");
    e->importance = w->page.importance;
    e->ops = w->page.ops;
    e->edit = w->page.edit;
    e->outer_only = w->page.outer_only;
    return 0;
}

/* --- folding ------------------------------------------------------------------------- */

static struct sharc_span kept(struct sharc_diff_set *s, const char *text)
{
    return text ? sharc_arena_copy(&s->texts, sharc_span_of(text)) : SHARC_SPAN_NONE;
}

static bool may_be_template(const struct sharc_diff_entry *e)
{
    return e->edit != 0 && (e->verdict.change == SHARC_TEXT_CHANGED || e->verdict.change == SHARC_LINKS_CHANGED ||
                            e->verdict.change == SHARC_INSIGNIFICANT);
}

static bool may_have_moved(const struct sharc_diff_entry *e)
{
    return e->kind == SHARC_MISSING || e->kind == SHARC_NEW || e->kind == SHARC_REDIRECTED;
}

static int fold(struct filler *f, struct job *j, struct sharc_err *reterr)
{
    struct sharc_diff_set *s = f->set;
    struct sharc_diff_entry *e = &j->entry;
    s->pages++;
    s->read += j->read;
    s->unreadable += j->unreadable;
    s->classes[e->kind]++;
    if (s->graded_by && s->trusted) e->basis = sharc__diff_basis_of_grade(e->basis, e->after.graded);
    s->graded_same += e->basis == SHARC_DIFF_GRADED && e->kind != SHARC_UNCHANGED && e->kind != SHARC_INSIGNIFICANT;
    if (e->basis == SHARC_DIFF_GRADED && sharc_grade_of(e->after.graded) == SHARC_GRADE_VOLATILE)
        *(e->after.graded == SHARC_GRADED_OWN_CONTROL ? &s->together.by_own : &s->together.by_kind) += 1;
    if (e->basis) sharc__diff_together_add(&s->together, e->basis, e->before.ended, e->after.when);
    if (!(f->o->keep >> e->kind & 1) && !may_be_template(e) && !may_have_moved(e)) return 0;
    e->url = sharc_arena_copy(&s->texts, e->url);
    e->before.redirect = kept(s, j->redirect[0]);
    e->after.redirect = kept(s, j->redirect[1]);
    e->remark = kept(s, j->remark).p;
    SHARC_FAIL_IF(!e->url.p, reterr, SHARC_ELIMIT, "too many pages differ to be listed; ask for fewer classes");
    SHARC_GROW(s->entries, s->room, s->count + 1);
    s->entries[s->count++] = *e;
    return 0;
}

static int flush(struct filler *f, struct sharc_err *reterr)
{
    int r = sharc_pool_each(f->pool, f->count, judge, f);
    for (size_t i = 0; i < f->count; i++) {
        if (r == 0) r = fold(f, &f->jobs[i], reterr);
        job_done(&f->jobs[i]);
    }
    f->count = 0;
    sharc_arena_clear(&f->texts);
    if (f->o->progress) f->o->progress(f->o->arg, f->set->pages, 0);
    return r;
}

int sharc__diff_filler_add(struct filler *f, struct sharc_span url, const struct sharc_diff_facts *before,
                           const struct sharc_diff_facts *after, struct sharc_err *reterr)
{
    struct job *j = &f->jobs[f->count++];
    *j = (struct job){.entry = {.url = sharc_arena_copy(&f->texts, url), .before = *before, .after = *after}};
    return f->count < BATCH ? 0 : flush(f, reterr);
}

/* --- finishing ------------------------------------------------------------------------ */

static int by_importance(const void *a, const void *b)
{
    const struct sharc_diff_entry *x = a, *y = b;
    if (x->importance != y->importance) return x->importance > y->importance ? -1 : 1;
    return sharc_span_cmp(x->url, y->url);
}

static int by_pages(const void *a, const void *b)
{
    const struct sharc_diff_template *x = a, *y = b;
    if (x->pages != y->pages) return x->pages > y->pages ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample); /* the entries are in order: no tie depends on chance */
}

static void drop_unwanted(struct sharc_diff_set *s, unsigned keep)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (keep >> s->entries[i].kind & 1) s->entries[n++] = s->entries[i];
    s->count = n;
}

/* Gather the templates over the entries that are marked, by their edit. */
static void gather(struct sharc_diff_set *s, const bool *marked)
{
    struct sharc_map64 number;
    size_t room = 0;
    sharc_map64_init(&number);
    for (size_t i = 0; i < s->count; i++) {
        if (!marked[i]) continue;
        uint64_t *id = sharc_map64_at(&number, s->entries[i].edit);
        if (*id == 0) {
            SHARC_GROW(s->templates, room, s->template_count + 1);
            s->templates[s->template_count] = (struct sharc_diff_template){.edit = s->entries[i].edit, .sample = i};
            *id = ++s->template_count;
        }
        struct sharc_diff_template *t = &s->templates[*id - 1];
        t->pages++;
        t->importance += s->entries[i].importance;
        s->classes[s->entries[i].kind]--;
        s->template_classes[s->entries[i].kind]++;
    }
    if (s->template_count > 1) qsort(s->templates, s->template_count, sizeof *s->templates, by_pages);
    for (size_t k = 0; k < s->template_count; k++) {
        s->templates[k].importance /= (double)s->templates[k].pages;
        *sharc_map64_at(&number, s->templates[k].edit) = k + 1;
    }
    for (size_t i = 0; i < s->count; i++)
        if (marked[i]) s->entries[i].template_id = (uint32_t)*sharc_map64_at(&number, s->entries[i].edit);
    sharc_map64_done(&number);
}

/* An edit outside of what a page says is its template's when a few pages share it. One in
 * the text may be a correction that was made to an article and its copies, and must not be
 * hidden: it takes many pages, and a good part of all, to be called a template's. */
#define MANY_PAGES 10u
#define GOOD_PART 10u /* one in this many */

/* Counters and the like differ from page to page. The same few words changed in the text of
 * two pages were changed on purpose, however small a part of them they are. */
static void promote(struct sharc_diff_set *s, struct sharc_diff_entry *e)
{
    if (e->kind != SHARC_INSIGNIFICANT || !e->shared || e->outer_only) return;
    s->classes[e->kind]--;
    e->kind = SHARC_TEXT_CHANGED;
    s->classes[e->kind]++;
}

static void mark_templates(struct sharc_diff_set *s, size_t pages, const uint64_t *prints, bool *marked)
{
    struct sharc_map64 count, inner;
    sharc_map64_init(&count);
    sharc_map64_init(&inner);
    sharc_change_templates(prints, s->count, pages, marked);
    for (size_t i = 0; i < s->count; i++) {
        if (!prints[i]) continue;
        ++*sharc_map64_at(&count, prints[i]);
        if (!s->entries[i].outer_only) *sharc_map64_at(&inner, prints[i]) = 1;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (!prints[i]) continue;
        uint64_t n = *sharc_map64_at(&count, prints[i]);
        bool many = n >= MANY_PAGES && n * GOOD_PART >= s->pages;
        if (n > 1) s->entries[i].shared = (uint32_t)n;
        marked[i] = marked[i] && (many || !*sharc_map64_at(&inner, prints[i]));
        if (!marked[i]) promote(s, &s->entries[i]);
    }
    sharc_map64_done(&count);
    sharc_map64_done(&inner);
}

/* Samples are entries; entries have moved since. */
static void find_samples(struct sharc_diff_set *s)
{
    for (size_t k = 0; k < s->template_count; k++) s->templates[k].sample = SHARC_NPOS;
    for (size_t i = s->count; i-- > 0;)
        if (s->entries[i].template_id) s->templates[s->entries[i].template_id - 1].sample = i;
}

int sharc__diff_filler_finish(struct filler *f, struct sharc_err *reterr)
{
    struct sharc_diff_set *s = f->set;
    int r = flush(f, reterr);
    if (r < 0) return r;
    sharc__diff_find_moved(s, f->o);
    if (s->count > 1) qsort(s->entries, s->count, sizeof *s->entries, by_importance);
    SHARC_AUTO(sharc_freep) uint64_t *prints = SHARC_NEW_ARRAY(uint64_t, s->count);
    SHARC_AUTO(sharc_freep) bool *marked = SHARC_NEW_ARRAY(bool, s->count);
    for (size_t i = 0; i < s->count; i++) prints[i] = may_be_template(&s->entries[i]) ? s->entries[i].edit : 0;
    mark_templates(s, f->o->template_pages, prints, marked);
    gather(s, marked);
    drop_unwanted(s, f->o->keep);
    find_samples(s);
    return 0;
}
