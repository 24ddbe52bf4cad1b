/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders as a chain of gamma priors. Looking back from a visit, the time to the
 * last change of a page of rate λ is exponential; cut off at the window it adds
 * one event and `age` of time, or no event and the whole window. Both simply add
 * up per folder, so a page can be left out of its own folder by subtraction.
 */
#include "sharc/rate_near.h"

#include "rate_int.h"
#include "sharc/base_map.h"

#include <math.h>
#include <stdlib.h>

#define WORTH 10.0                  /* changes that the folder above is worth to the one below */
#define DEPTH 7                     /* folders on the way; deeper pages belong to the seventh */
#define FOLDERS ((uint32_t)1 << 18) /* no more are told apart: a site can make up any number of them */

struct folder {
    double events, time;
};
#define ROOT 0u

struct sharc_rate_near {
    double window, grain;
    struct sharc_intern *names;
    struct folder *folder; /* by id */
    uint32_t *parent;      /* by id: smaller than it; the root is its own */
    size_t room, parent_room;
};

struct sharc_rate_near *sharc_rate_near_new(double window, double grain)
{
    SHARC_ASSERT(window > 0 && grain > 0);
    struct sharc_rate_near *n = SHARC_NEW(struct sharc_rate_near);
    n->window = window;
    n->grain = grain;
    n->names = sharc_intern_new();
    return n;
}

void sharc_rate_near_free(struct sharc_rate_near *n)
{
    if (!n) return;
    sharc_intern_free(n->names);
    free(n->folder);
    free(n->parent);
    free(n);
}

void sharc_rate_near_freep(struct sharc_rate_near **n)
{
    sharc_rate_near_free(*n);
    *n = NULL;
}

/* The next longer prefix that ends with a slash: *at is its length so far, and
 * moves. The empty one, for all pages, comes first (*at == SHARC_NPOS). */
static bool next_folder(struct sharc_span url, size_t *at, unsigned *depth)
{
    if (*at == SHARC_NPOS) {
        *depth = 0;
        *at = sharc__rate_after_scheme(url); /* the slashes of "https://" lead nowhere */
        return true;
    }
    if (++*depth > DEPTH) return false;
    for (size_t i = *at; i < url.n && url.p[i] != '?' && url.p[i] != '#'; i++) {
        if (url.p[i] != '/') continue;
        *at = i + 1;
        return true;
    }
    return false;
}

static struct folder evidence(const struct sharc_rate_near *n, double age)
{
    if (isnan(age)) return (struct folder){0, 0};
    age = fmax(age, 0) + n->grain;
    return age < n->window ? (struct folder){1, age} : (struct folder){0, n->window};
}

uint32_t sharc_rate_near_place(struct sharc_rate_near *n, struct sharc_span url)
{
    uint32_t place = ROOT;
    unsigned depth = 0;
    for (size_t at = SHARC_NPOS; next_folder(url, &at, &depth);) {
        const struct sharc_span name = sharc_span_sub(url, 0, depth ? at : 0);
        bool fresh = false;
        const bool full = sharc_intern_count(n->names) >= FOLDERS;
        uint32_t id = full ? sharc_intern_find(n->names, name) : sharc_intern_add(n->names, name, &fresh);
        if (id == SHARC_NO_ID) break;
        SHARC_GROW(n->folder, n->room, (size_t)id + 1);
        SHARC_GROW(n->parent, n->parent_room, (size_t)id + 1);
        if (fresh) {
            n->folder[id] = (struct folder){0, 0};
            n->parent[id] = place;
        }
        place = id;
    }
    return place;
}

static void add_at(struct sharc_rate_near *n, uint32_t place, struct folder e)
{
    for (;; place = n->parent[place]) {
        n->folder[place].events += e.events;
        n->folder[place].time += e.time;
        if (place == ROOT) return;
    }
}

static void add(struct sharc_rate_near *n, struct sharc_span url, struct folder e)
{
    add_at(n, sharc_rate_near_place(n, url), e);
}

void sharc_rate_near_replace(struct sharc_rate_near *n, uint32_t place, double before, double age)
{
    const struct folder old = evidence(n, before), new = evidence(n, age);
    add_at(n, place, (struct folder){new.events - old.events, new.time - old.time});
}

void sharc_rate_near_age(struct sharc_rate_near *n, struct sharc_span url, double age)
{
    add(n, url, evidence(n, age));
}

void sharc_rate_near_add(struct sharc_rate_near *n, struct sharc_span url, double changes, double time)
{
    add(n, url, (struct folder){changes, time});
}

void sharc_rate_near_of_age(const struct sharc_rate_near *n, double age, double *ret_changes, double *ret_time)
{
    const struct folder e = evidence(n, age);
    *ret_changes = e.events;
    *ret_time = e.time;
}

/* The deepest folder that is known. */
static uint32_t known_place(const struct sharc_rate_near *n, struct sharc_span url)
{
    uint32_t place = ROOT;
    unsigned depth = 0;
    for (size_t at = SHARC_NPOS; next_folder(url, &at, &depth);) {
        const uint32_t id = sharc_intern_find(n->names, sharc_span_sub(url, 0, depth ? at : 0));
        if (id == SHARC_NO_ID) break;
        place = id;
    }
    return place;
}

static double mean_at(const struct sharc_rate_near *n, uint32_t place, struct folder e)
{
    double mean = 0.5 / n->window;
    if (sharc_intern_count(n->names) == 0) return mean;
    uint32_t way[DEPTH + 1];
    unsigned depth = 0;
    for (way[0] = place; way[depth] != ROOT; depth++) way[depth + 1] = n->parent[way[depth]];
    for (unsigned k = depth + 1; k > 0; k--) {
        const struct folder *f = &n->folder[way[k - 1]];
        /* All pages together outvote the first guess at once. */
        const double worth = k <= depth ? WORTH : 0.5;
        mean = (worth + fmax(f->events - e.events, 0)) / (worth / mean + fmax(f->time - e.time, 0));
    }
    return mean;
}

static double mean_of(const struct sharc_rate_near *n, struct sharc_span url, struct folder e)
{
    return mean_at(n, known_place(n, url), e);
}

struct sharc_rate_gamma sharc_rate_near_prior(const struct sharc_rate_near *n, struct sharc_span url, double own)
{
    return sharc_rate_prior(mean_of(n, url, evidence(n, own)), 1);
}

struct sharc_rate_gamma sharc_rate_near_prior_at(const struct sharc_rate_near *n, uint32_t place, double own)
{
    return sharc_rate_prior(mean_at(n, place, evidence(n, own)), 1);
}

struct sharc_rate_gamma sharc_rate_near_others(const struct sharc_rate_near *n, struct sharc_span url, double changes,
                                               double time)
{
    return sharc_rate_prior(mean_of(n, url, (struct folder){changes, time}), 1);
}

double sharc_rate_near_rate(const struct sharc_rate_near *n, struct sharc_span url, double age)
{
    const struct sharc_rate_gamma prior = sharc_rate_near_prior(n, url, age);
    return (prior.shape + 1) / (prior.time + fmax(age, 0) + n->grain);
}
