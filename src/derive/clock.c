/* SPDX-License-Identifier: Apache-2.0
 *
 * Our clock against those of the servers. An answer that was asked for at s, was complete at e, and says Date d was
 * made between s and e, and d counts whole seconds: so the server's clock minus ours lies
 * in [d - e, d + 1 s - s]. Answers from caches (Age) say nothing and are left out.
 *
 * Within a process our clock cannot be set. A process begins a new file: where the median of a server's answers in one
 * file differs from that in the file before by more than STEP, one of the clocks was set, and a step is noted. Single
 * answers say nothing: behind one name there may be several servers.
 */
#include "derive_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

#define STEP (2 * SHARC_SEC)

struct reading {
    uint32_t download;
    struct sharc_span host;
    sharc_time low, high;
};

struct sharc_span sharc_derive_host(struct sharc_span url)
{
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    struct sharc_span rest = at == SHARC_NPOS ? url : sharc_span_from(url, at + 3);
    size_t n = 0;
    while (n < rest.n && rest.p[n] != '/' && rest.p[n] != '?' && rest.p[n] != '#') n++;
    return sharc_span_sub(rest, 0, n);
}

static int by_host(const void *a, const void *b, void *arg)
{
    const struct sharc_derived *f = arg;
    const struct reading *x = a, *y = b;
    const struct sharc_download *p = &f->all.items[x->download], *q = &f->all.items[y->download];
    int c = sharc_span_cmp(x->host, y->host);
    if (c) return c;
    if (p->file != q->file) return p->file < q->file ? -1 : 1;
    return p->offset < q->offset ? -1 : p->offset > q->offset;
}

static sharc_time median(sharc_time *values, size_t n)
{
    qsort(values, n, sizeof *values, sharc_order_i64);
    return values[n / 2];
}

static size_t readings_of(const struct sharc_derived *f, struct reading *out)
{
    size_t n = 0;
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        bool ours = (d->flags & SHARC_DOWNLOAD_OWN) && d->capture == f->capture;
        if (!ours || d->date == SHARC_TIME_NONE || d->to == SHARC_TIME_NONE || d->age > 0) continue;
        out[n++] = (struct reading){.download = (uint32_t)i,
                                    .host = sharc_derive_host(sharc_derived_text(f, d->url)),
                                    .low = d->date - d->to,
                                    .high = d->date + SHARC_SEC - d->from};
    }
    return n;
}

static sharc_time middle_of(const struct reading *r)
{
    return r->low + (r->high - r->low) / 2;
}

/* Of one server, file by file. */
static void find_steps(struct sharc_derived *f, const struct reading *r, size_t n, sharc_time *scratch)
{
    sharc_time before = SHARC_TIME_NONE;
    for (size_t i = 0, next; i < n; i = next) {
        uint32_t file = f->all.items[r[i].download].file;
        for (next = i; next < n && f->all.items[r[next].download].file == file; next++)
            scratch[next - i] = middle_of(&r[next]);
        sharc_time now = median(scratch, next - i);
        sharc_time by = before == SHARC_TIME_NONE ? 0 : now - before;
        before = now;
        if (by >= -STEP && by <= STEP) continue;
        SHARC_GROW(f->steps, f->step_room, f->step_count + 1);
        f->steps[f->step_count++] = (struct sharc_derived_step){.download = r[i].download, .by = by};
    }
}

static size_t one_host(const struct reading *r, size_t n, size_t from)
{
    size_t next = from + 1;
    while (next < n && sharc_span_eq(r[next].host, r[from].host)) next++;
    return next;
}

void sharc__derive_steps(struct sharc_derived *f)
{
    SHARC_AUTO(sharc_freep) struct reading *r = SHARC_NEW_ARRAY(struct reading, f->all.count);
    size_t n = readings_of(f, r);
    SHARC_AUTO(sharc_freep) sharc_time *scratch = SHARC_NEW_ARRAY(sharc_time, n);
    f->dated = SHARC_NEW_ARRAY(bool, f->file_count);
    for (size_t i = 0; i < n; i++) f->dated[f->all.items[r[i].download].file] = true;
    qsort_r(r, n, sizeof *r, by_host, f);
    for (size_t i = 0, next; i < n; i = next) {
        next = one_host(r, n, i);
        find_steps(f, r + i, next - i, scratch);
    }
}

static int by_place(const struct sharc_derived *f, uint32_t a, uint32_t b)
{
    const struct sharc_download *p = &f->all.items[a], *q = &f->all.items[b];
    if (p->file != q->file) return p->file < q->file ? -1 : 1;
    return p->offset < q->offset ? -1 : p->offset > q->offset;
}

bool sharc__derive_stepped(const struct sharc_derived *f, uint32_t from, uint32_t to)
{
    /* Another file may be of another process, whose clock nobody vouches for when no server states the time. */
    uint32_t a = f->all.items[from].file, b = f->all.items[to].file;
    if (a != b && !(f->dated[a] && f->dated[b])) return true;
    for (size_t i = 0; i < f->step_count; i++)
        if (by_place(f, from, f->steps[i].download) < 0 && by_place(f, f->steps[i].download, to) <= 0) return true;
    return false;
}

/* One server; the median of its offsets. */
static sharc_time put_server(const struct reading *r, size_t n, sharc_time *scratch, struct sharc_json *j)
{
    sharc_time least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = middle_of(&r[i]);
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

static void put_steps(const struct sharc_derived *f, struct sharc_json *j)
{
    sharc_json_array(j, "steps");
    for (size_t i = 0; i < f->step_count; i++) {
        const struct sharc_download *d = &f->all.items[f->steps[i].download];
        sharc_json_object(j, NULL);
        sharc_json_int(j, "by", f->steps[i].by);
        sharc_json_uint(j, "file", f->files[d->file].number);
        sharc_json_uint(j, "offset", d->offset);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

void sharc_derive_clock(const struct sharc_derived *f, struct sharc_json *j)
{
    SHARC_AUTO(sharc_freep) struct reading *r = SHARC_NEW_ARRAY(struct reading, f->all.count);
    size_t n = readings_of(f, r), servers = 0;
    SHARC_AUTO(sharc_freep) sharc_time *scratch = SHARC_NEW_ARRAY(sharc_time, n);
    SHARC_AUTO(sharc_freep) sharc_time *medians = SHARC_NEW_ARRAY(sharc_time, n);
    qsort_r(r, n, sizeof *r, by_host, (void *)(uintptr_t)f);
    sharc_json_object(j, NULL);
    sharc_json_array(j, "servers");
    for (size_t i = 0, next; i < n; i = next) {
        next = one_host(r, n, i);
        medians[servers++] = put_server(r + i, next - i, scratch, j);
    }
    sharc_json_end(j);
    put_steps(f, j);
    if (servers) {
        sharc_time middle = median(medians, servers);
        sharc_json_object(j, "together");
        sharc_json_int(j, "median", middle);
        sharc_json_int(j, "spread", medians[servers - 1] - medians[0]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}
