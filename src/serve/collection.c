/* SPDX-License-Identifier: Apache-2.0
 *
 * A collection: its paths, and the newest edition of what lies there.
 */
#include "serve_int.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"

#include <stdlib.h>

/* The same files are looked at again and again; what is wrong with them is told once. Indexing warns from one
 * thread at a time, and nobody else does meanwhile. */
void sharc__serve_warn(struct sharc_collection *c, const struct sharc_err *what)
{
    bool fresh;
    if (!c->o.warn || sharc_intern_count(c->warned) > 10000) return;
    sharc_intern_add(c->warned, sharc_span_of(what->text), &fresh);
    if (fresh) c->o.warn(c->o.warn_arg, what);
}

/* An archive in which the first capture runs, or waits, has no file yet: it is served for what its catalogue has. */
static bool has_archive(const struct sharc_collection *c)
{
    for (size_t i = 0; i < c->path_count; i++)
        if (sharc_archive_is(c->paths[i])) return true;
    return false;
}

int sharc_collection_open(const char *const *paths, size_t count, const struct sharc_collection_options *o,
                          struct sharc_collection **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_collection_freep) struct sharc_collection *c = SHARC_NEW(struct sharc_collection);
    pthread_mutex_init(&c->lock, NULL);
    c->warned = sharc_intern_new();
    if (o) c->o = *o;
    if (!c->o.temporary) c->o.temporary = "/tmp";
    c->paths = SHARC_NEW_ARRAY(char *, count);
    for (; c->path_count < count; c->path_count++) c->paths[c->path_count] = sharc_strdup(paths[c->path_count]);
    c->catalogues = sharc__serve_catalogues_new(c->paths, c->path_count);
    int r = sharc_filemap_guard(reterr);
    if (r == 0) r = sharc__serve_edition_new(c, 0, &c->newest, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!c->newest->source_count && !has_archive(c), reterr, SHARC_ENOENT,
                  "%s: there is no archive file to serve; name WARC, ARC or WACZ files, or a directory of them",
                  count ? paths[0] : ".");
    c->newest->users = 1;
    *ret = SHARC_TAKE(c);
    return 0;
}

void sharc_collection_free(struct sharc_collection *c)
{
    if (!c) return;
    sharc__serve_edition_free(c->newest);
    sharc__serve_catalogues_free(c->catalogues);
    for (size_t i = 0; i < c->path_count; i++) free(c->paths[i]);
    free(c->paths);
    sharc_intern_free(c->warned);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void sharc_collection_freep(struct sharc_collection **c)
{
    sharc_collection_free(*c);
    *c = NULL;
}

int sharc_collection_refresh(struct sharc_collection *c, struct sharc_err *reterr)
{
    struct sharc_edition *fresh = NULL;
    int r = sharc__serve_edition_new(c, c->newest->signature, &fresh, reterr);
    if (r < 0 || !fresh) return r;
    fresh->users = 1;
    pthread_mutex_lock(&c->lock);
    struct sharc_edition *old = c->newest;
    c->newest = fresh;
    pthread_mutex_unlock(&c->lock);
    sharc_collection_release(c, old);
    return 1;
}

const struct sharc_edition *sharc_collection_hold(struct sharc_collection *c)
{
    pthread_mutex_lock(&c->lock);
    struct sharc_edition *e = c->newest;
    e->users++;
    pthread_mutex_unlock(&c->lock);
    return e;
}

void sharc_collection_release(struct sharc_collection *c, const struct sharc_edition *e)
{
    struct sharc_edition *mine = (struct sharc_edition *)e;
    pthread_mutex_lock(&c->lock);
    bool last = --mine->users == 0;
    pthread_mutex_unlock(&c->lock);
    if (last) sharc__serve_edition_free(mine);
}
