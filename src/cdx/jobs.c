/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of what an index is made of: archive files and other indexes, with the names they get in
 * its lines.
 */
#include "jobs.h"

#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_remote.h"

#include <errno.h>
#include <stdlib.h>

void sharc__cdx_jobs_done(struct cdx_jobs *j)
{
    for (size_t i = 0; i < j->count; i++) free(j->items[i].name);
    free(j->items);
    sharc_warc_inputs_done(&j->inputs);
    *j = (struct cdx_jobs){0};
}

/* A WARC inside a container is named alone: that is how the container's own index does it. */
static int name_of(const struct sharc_warc_input *input, const char *root, char **ret, struct sharc_err *reterr)
{
    if (!root || input->zip || strcmp(input->path, "-") == 0) {
        *ret = sharc_strdup(sharc_warc_input_name(input));
        return 0;
    }
    if (sharc_remote_is(input->path)) { /* lies below no directory; its name is full as it is */
        *ret = sharc_strdup(input->path);
        return 0;
    }
    SHARC_AUTO(sharc_freep) char *full = realpath(input->path, NULL);
    SHARC_FAIL_IF(!full, reterr, sharc_error_from_errno(errno), "%s: %s", input->path, strerror(errno));
    SHARC_AUTO(sharc_freep) char *base = realpath(root, NULL);
    SHARC_FAIL_IF(!base, reterr, sharc_error_from_errno(errno), "%s: %s", root, strerror(errno));
    struct sharc_span f = sharc_span_of(full), b = sharc_span_of(base);
    if (sharc_span_ends(b, SHARC_SPAN("/"))) b.n--;
    SHARC_FAIL_IF(!sharc_span_starts(f, b) || full[b.n] != '/', reterr, SHARC_EINVAL, "%s: does not lie below %s",
                  input->path, root);
    *ret = sharc_strdup(full + b.n + 1);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const struct sharc_warc_input *x = ((const struct cdx_job *)a)->input, *y = ((const struct cdx_job *)b)->input;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : strcmp(x->path, y->path);
}

static int check_names(const struct cdx_jobs *j, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *names = sharc_intern_new();
    for (size_t i = 0; i < j->count; i++) {
        bool fresh;
        sharc_intern_add(names, sharc_span_of(j->items[i].name), &fresh);
        SHARC_FAIL_IF(!fresh, reterr, SHARC_EINVAL,
                      "%s: another file is also named %s, and an index could not tell them apart; name a common "
                      "directory with setting \"root\"",
                      j->items[i].input->path, j->items[i].name);
    }
    return 0;
}

int sharc__cdx_jobs_find(struct cdx_jobs *j, const char *const *paths, size_t count, const char *root,
                         struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(&j->inputs, paths[i], reterr);
    j->items = SHARC_NEW_ARRAY(struct cdx_job, j->inputs.count);
    for (; r == 0 && j->count < j->inputs.count; j->count++) {
        struct cdx_job *job = &j->items[j->count];
        job->input = &j->inputs.items[j->count];
        r = name_of(job->input, root, &job->name, reterr);
    }
    if (r == 0) r = check_names(j, reterr);
    if (r == 0 && j->count) qsort(j->items, j->count, sizeof *j->items, by_size);
    return r;
}
