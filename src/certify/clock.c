/* SPDX-License-Identifier: Apache-2.0
 *
 * Our clock against those of the servers. An answer that was asked for at s, was complete at e, and says Date d was
 * made between s and e, and d counts whole seconds: so the server's clock minus ours lies
 * in [d - e, d + 1 s - s]. Answers from caches (Age) say nothing and are left out.
 *
 * As long as these ranges have something in common, both clocks run alike. Where an answer
 * does not fit to those before by more than STEP, one of the clocks was set: a step is noted.
 */
#include "certify_int.h"

#include <stdlib.h>

#define STEP (2 * SHARC_SEC)

struct reading {
    uint32_t download;
    struct sharc_span host;
    sharc_time low, high;
};

struct steps {
    struct {
        uint32_t download;
        sharc_time by;
    } * items;
    size_t count, room;
};

struct sharc_span sharc__certify_host(struct sharc_span url)
{
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    struct sharc_span rest = at == SHARC_NPOS ? url : sharc_span_from(url, at + 3);
    size_t n = 0;
    while (n < rest.n && rest.p[n] != '/' && rest.p[n] != '?' && rest.p[n] != '#') n++;
    return sharc_span_sub(rest, 0, n);
}

static int by_host(const void *a, const void *b, void *arg)
{
    const struct sharc_certify_facts *f = arg;
    const struct reading *x = a, *y = b;
    const struct download *p = &f->all.items[x->download], *q = &f->all.items[y->download];
    int c = sharc_span_cmp(x->host, y->host);
    if (!c) c = p->file == q->file ? 0 : strcmp(f->files[p->file].name, f->files[q->file].name);
    return c ? c : p->offset < q->offset ? -1 : p->offset > q->offset;
}

static int by_value(const void *a, const void *b)
{
    sharc_time x = *(const sharc_time *)a, y = *(const sharc_time *)b;
    return x < y ? -1 : x > y;
}

static sharc_time median(sharc_time *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

static size_t readings_of(const struct sharc_certify_facts *f, struct reading *out)
{
    size_t n = 0;
    for (size_t i = 0; i < f->all.count; i++) {
        const struct download *d = &f->all.items[i];
        bool ours = (d->flags & DOWNLOAD_OWN) && d->capture == f->capture;
        if (!ours || d->date == SHARC_TIME_NONE || d->to == SHARC_TIME_NONE || d->age > 0) continue;
        out[n++] = (struct reading){.download = (uint32_t)i,
                                    .host = sharc__certify_host(certify_text(f, d->url)),
                                    .low = d->date - d->to,
                                    .high = d->date + SHARC_SEC - d->from};
    }
    return n;
}

static void find_steps(const struct reading *r, size_t n, struct steps *steps)
{
    sharc_time low = r[0].low, high = r[0].high;
    for (size_t i = 1; i < n; i++) {
        sharc_time apart = r[i].low > high ? r[i].low - high : low > r[i].high ? r[i].high - low : 0;
        if (apart > STEP || apart < -STEP) {
            SHARC_GROW(steps->items, steps->room, steps->count + 1);
            steps->items[steps->count].download = r[i].download;
            steps->items[steps->count++].by = apart;
            low = r[i].low;
            high = r[i].high;
        } else if (apart == 0) {
            low = r[i].low > low ? r[i].low : low;
            high = r[i].high < high ? r[i].high : high;
        }
    }
}

/* One server; the median of its offsets. */
static sharc_time put_server(const struct reading *r, size_t n, sharc_time *scratch, struct sharc_json *j)
{
    sharc_time least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = r[i].low + (r[i].high - r[i].low) / 2;
        least = scratch[i] < least ? scratch[i] : least;
        most = scratch[i] > most ? scratch[i] : most;
    }
    sharc_time middle = median(scratch, n);
    sharc_json_object(j, NULL);
    sharc_json_uint(j, "answers", n);
    sharc_json_span(j, "host", r[0].host);
    sharc_json_int(j, "least", least);
    sharc_json_int(j, "median", middle);
    sharc_json_int(j, "most", most);
    sharc_json_end(j);
    return middle;
}

static void put_steps(const struct sharc_certify_facts *f, const struct steps *s, struct sharc_json *j)
{
    sharc_json_array(j, "steps");
    for (size_t i = 0; i < s->count; i++) {
        const struct download *d = &f->all.items[s->items[i].download];
        sharc_json_object(j, NULL);
        sharc_json_int(j, "by", s->items[i].by);
        sharc_json_uint(j, "file", f->files[d->file].number);
        sharc_json_uint(j, "offset", d->offset);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

void sharc__certify_clock(const struct sharc_certify_facts *f, struct sharc_json *j)
{
    SHARC_AUTO(sharc_freep) struct reading *r = SHARC_NEW_ARRAY(struct reading, f->all.count);
    size_t n = readings_of(f, r), servers = 0;
    SHARC_AUTO(sharc_freep) sharc_time *scratch = SHARC_NEW_ARRAY(sharc_time, n);
    SHARC_AUTO(sharc_freep) sharc_time *medians = SHARC_NEW_ARRAY(sharc_time, n);
    struct steps steps = {0};
    qsort_r(r, n, sizeof *r, by_host, (void *)(uintptr_t)f);
    sharc_json_object(j, NULL);
    sharc_json_array(j, "servers");
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && sharc_span_eq(r[next].host, r[i].host); next++) continue;
        medians[servers++] = put_server(r + i, next - i, scratch, j);
        find_steps(r + i, next - i, &steps);
    }
    sharc_json_end(j);
    put_steps(f, &steps, j);
    if (servers) {
        sharc_time middle = median(medians, servers);
        sharc_json_object(j, "together");
        sharc_json_int(j, "median", middle);
        sharc_json_int(j, "spread", medians[servers - 1] - medians[0]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    free(steps.items);
}
