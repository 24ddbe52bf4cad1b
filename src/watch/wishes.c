/* SPDX-License-Identifier: Apache-2.0
 *
 * Control while running: who wants something drops a wish into the archive's box.
 */
#include "watching.h"

#include "sharc/archive_box.h"

#include <math.h>
#include <stdlib.h>

#define WISH_PAUSE SHARC_SEC

int sharc_watching_budget_parse(struct sharc_span text, double *ret, struct sharc_err *reterr)
{
    static const struct {
        const char *name;
        double hours;
    } units[] = {{"min", 1.0 / 60}, {"minute", 1.0 / 60}, {"h", 1},   {"hour", 1},
                 {"d", 24},         {"day", 24},          {"w", 168}, {"week", 168}};
    struct sharc_span rest = text, number;
    double n;
    if (sharc_span_next(&rest, '/', &number) && rest.p && sharc_span_to_double(number, &n) == 0 && n > 0 && n <= 1e9)
        for (size_t i = 0; i < SHARC_LENGTH(units); i++)
            if (sharc_span_is(rest, units[i].name)) {
                *ret = n / units[i].hours;
                return 0;
            }
    return sharc_fail(reterr, SHARC_ESYNTAX, "\"%.*s\" is no budget: write 500/day, 20/h, 3/min or 1000/week",
                      SHARC_SPAN_ARG(text));
}

enum wish { WISH_PAUSE_NOW, WISH_RESUME, WISH_SAVE, WISH_LOOK, WISH_ADD, WISH_DROP, WISH_BUDGET, WISH_DELAY, WISHES };

static const char *const names[WISHES] = {"pause", "resume", "save", "look", "add", "drop", "budget", "delay"};

/* What is wanted, and its value. */
static int read_wish(struct sharc_span text, enum wish *ret, struct sharc_span *value, struct sharc_err *reterr)
{
    struct sharc_span rest = text, name;
    double per_hour;
    sharc_time delay;
    (void)sharc_span_next(&rest, '=', &name);
    if (!rest.p) rest = SHARC_SPAN_NONE;
    for (int i = 0; i < WISHES; i++) {
        if (!sharc_span_is(name, names[i])) continue;
        *ret = (enum wish)i;
        *value = i < WISH_LOOK ? SHARC_SPAN_NONE : rest;
        SHARC_FAIL_IF(i >= WISH_LOOK && rest.n == 0, reterr, SHARC_ESYNTAX, "\"%s\" needs a value: %s=…", names[i],
                      names[i]);
        SHARC_FAIL_IF(i < WISH_LOOK && rest.n > 0, reterr, SHARC_ESYNTAX, "\"%s\" takes no value", names[i]);
        if (i == WISH_BUDGET) return sharc_watching_budget_parse(rest, &per_hour, reterr);
        return i == WISH_DELAY ? sharc_duration_parse(rest, &delay, reterr) : 0;
    }
    return sharc_fail(
        reterr, SHARC_ESYNTAX,
        "\"%.*s\" cannot be asked of a watch; pause, resume, save, look=URL, add=URL, drop=URL, budget=…, "
        "delay=… can",
        SHARC_SPAN_ARG(text));
}

int sharc_watching_set(const char *archive, struct sharc_span setting, sharc_time patience, struct sharc_err *reterr)
{
    enum wish wish;
    struct sharc_span value;
    int r = read_wish(setting, &wish, &value, reterr);
    return r < 0 ? r : sharc_box_ask(archive, SHARC_ARCHIVE_WATCH, setting, patience, reterr);
}

/* --- taking up ---------------------------------------------------------------------------- */

/* The watched page of a URL; SHARC_NO_ID: there is none. */
static uint32_t find(struct sharc_watching *w, struct sharc_span url)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse_typed(&u, url, NULL) < 0) return SHARC_NO_ID;
    sharc_url_strip_credentials(&u);
    for (uint32_t i = 0; i < w->count; i++) {
        if (!w->pages[i].on) continue;
        const struct sharc_span known = sharc_looks_url(w->looks, w->pages[i].look), page = sharc_url_page(&u);
        if (known.n == page.n && memcmp(known.p, page.p, page.n) == 0) return i;
    }
    return SHARC_NO_ID;
}

static void set_delay(struct sharc_watching *w, struct sharc_span value)
{
    struct sharc_crawl_pace pace = w->o.crawl.pace;
    (void)sharc_duration_parse(value, &pace.delay, NULL);
    w->o.crawl.pace.delay = pace.delay;
    sharc_looks_set_pace(w->looks, &pace);
}

static void set_paused(struct sharc_watching *w, bool paused)
{
    if (w->paused == paused) return;
    w->paused = paused;
    sharc__watching_event(w, (struct sharc_watching_event){.kind = paused ? SHARC_WATCHING_PAUSED
                                                                          : SHARC_WATCHING_RESUMED});
}

/* Something that concerns one page. */
static int do_page(struct sharc_watching *w, enum wish wish, struct sharc_span url, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (wish == WISH_ADD) {
        int r = sharc_watching_name_line(w, url, &err);
        if (r < 0) sharc__watching_remark(w, "not added: %s", err.text);
        return r < 0 && r != SHARC_ESYNTAX && r != SHARC_EACCESS ? sharc_fail(reterr, r, "%s", err.text) : 0;
    }
    const uint32_t number = find(w, url);
    if (number == SHARC_NO_ID)
        sharc__watching_remark(w, "%.*s: is not watched", SHARC_SPAN_ARG(url));
    else if (wish == WISH_LOOK)
        sharc_watch_want(w->plan, number);
    else
        return sharc__watching_drop(w, number, "somebody took it out", reterr);
    return 0;
}

static int take(struct sharc_watching *w, struct sharc_span text, struct sharc_err *reterr)
{
    enum wish wish = 0;
    struct sharc_span value;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = 0;
    if (read_wish(text, &wish, &value, &err) < 0) {
        sharc__watching_remark(w, "setting not taken: %s", err.text);
        return 0;
    }
    if (wish == WISH_PAUSE_NOW || wish == WISH_RESUME) set_paused(w, wish == WISH_PAUSE_NOW);
    if (wish == WISH_BUDGET) {
        (void)sharc_watching_budget_parse(value, &w->per_hour, NULL);
        sharc_watch_budget(w->plan, w->per_hour, watching_now(w));
    }
    if (wish == WISH_DELAY) set_delay(w, value);
    if (wish == WISH_LOOK || wish == WISH_ADD || wish == WISH_DROP) r = do_page(w, wish, value, reterr);
    w->next_try = watching_now(w);
    sharc__watching_event(w, (struct sharc_watching_event){.kind = SHARC_WATCHING_SETTING, .url = text});
    return r;
}

int sharc__watching_wishes(struct sharc_watching *w, struct sharc_err *reterr)
{
    struct sharc_box box;
    const sharc_time now = watching_now(w);
    if (!w->o.crawl.control || w->blocked || now < w->next_wish) return 0;
    w->next_wish = now + WISH_PAUSE;
    if (!sharc_box_open(w->o.crawl.archive, &box)) return 0;
    size_t taken = 0;
    int r = 0;
    for (size_t i = 0; i < box.count && r == 0; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_BOX_WISH);
        if (!sharc_box_read(&box, i, &b)) continue;
        r = take(w, sharc_span_trim(sharc_buf_span(&b)), reterr);
        taken++;
    }
    /* The wish is safe before its file goes. */
    if (r == 0 && taken) r = sharc__watching_save(w, reterr);
    if (r == 0 && taken) r = sharc_looks_commit(w->looks, reterr);
    for (size_t i = 0; i < box.count && r == 0; i++) sharc_box_remove(&box, i);
    sharc_box_done(&box);
    return r == SHARC_ENOSPC ? 0 : r;
}
