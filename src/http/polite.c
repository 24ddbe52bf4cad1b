/* SPDX-License-Identifier: Apache-2.0
 *
 * What answers mean for the next request: robots.txt that could or could not be
 * had, servers that ask to be left alone, the pause between two requests.
 */
#include "sharc/http_robots.h"

/* --- robots.txt ---------------------------------------------------------- */

static struct sharc_robots_plan plan(enum sharc_robots_act act, sharc_time expires, const char *why)
{
    return (struct sharc_robots_plan){act, expires, why};
}

/* It cannot be fetched for now: old rules serve on; without them nothing may be
 * fetched, because there may be rules. */
static struct sharc_robots_plan unreachable(sharc_time kept_since, sharc_time now, const char *why)
{
    bool keep = kept_since != SHARC_TIME_NONE && now - kept_since < SHARC_ROBOTS_STALE;
    return plan(keep ? SHARC_ROBOTS_KEEP : SHARC_ROBOTS_DISALLOW, now + SHARC_ROBOTS_RETRY, why);
}

struct sharc_robots_plan sharc_robots_judge(enum sharc_fetch_state state, int status, unsigned redirects,
                                            sharc_time kept_since, sharc_time now)
{
    sharc_time day = now + SHARC_ROBOTS_KEPT;
    bool whole = state == SHARC_FETCH_OK || state == SHARC_FETCH_TOO_LARGE;
    if (status == 0 || (!whole && status / 100 == 2))
        return unreachable(kept_since, now, "robots.txt could not be fetched: nothing else is fetched until it can be");
    if (status / 100 == 2) return plan(SHARC_ROBOTS_PARSE, day, "robots.txt was read");
    if (status == 304 && kept_since != SHARC_TIME_NONE)
        return plan(SHARC_ROBOTS_KEEP, day, "robots.txt has not changed");
    if (status / 100 == 3 && redirects < SHARC_ROBOTS_REDIRECTS)
        return plan(SHARC_ROBOTS_FOLLOW, SHARC_TIME_NONE, "robots.txt is elsewhere");
    if (status / 100 == 3)
        return plan(SHARC_ROBOTS_ALLOW, day, "robots.txt redirects too often: taken as if there were none");
    if (status == 429)
        return unreachable(kept_since, now, "the server refused robots.txt for now (429): nothing is fetched");
    if (status / 100 == 4) return plan(SHARC_ROBOTS_ALLOW, day, "the site has no robots.txt");
    return unreachable(kept_since, now, "the server failed to deliver robots.txt: nothing is fetched until it does");
}

/* --- staying away -------------------------------------------------------- */

int sharc_http_retry_after(struct sharc_span value, sharc_time now, sharc_time *ret)
{
    enum { YEAR_DAYS = 365 };
    const sharc_time most = YEAR_DAYS * SHARC_DAY;
    uint64_t seconds;
    sharc_time when;
    value = sharc_span_trim(value);
    int r = sharc_span_to_u64(value, &seconds);
    if (r == 0 || r == SHARC_ELIMIT) {
        *ret = r == 0 && seconds < (uint64_t)(most / SHARC_SEC) ? (sharc_time)seconds * SHARC_SEC : most;
        return 0;
    }
    if (sharc_http_date_parse(value, &when) < 0) return SHARC_ESYNTAX;
    *ret = when <= now ? 0 : when - now < most ? when - now : most;
    return 0;
}

bool sharc_backoff_wanted(int status)
{
    return status == 429 || status == 503;
}

/* 60 s doubled step times, at most a day. */
static sharc_time doubled(unsigned step)
{
    sharc_time wait = SHARC_BACKOFF_FIRST;
    while (step-- > 0 && wait < SHARC_BACKOFF_MOST) wait *= 2;
    return wait < SHARC_BACKOFF_MOST ? wait : SHARC_BACKOFF_MOST;
}

sharc_time sharc_backoff_trouble(struct sharc_backoff *b, sharc_time now, sharc_time retry_after, struct sharc_rng *rng)
{
    sharc_time wait;
    if (retry_after != SHARC_TIME_NONE) {
        wait = retry_after < SHARC_SEC ? SHARC_SEC : retry_after;
    } else {
        double jitter = 1 + SHARC_BACKOFF_JITTER * (2 * sharc_rng_uniform(rng) - 1);
        wait = (sharc_time)((double)doubled(b->step) * jitter);
        if (b->step < 31) b->step++;
    }
    if (wait > SHARC_BACKOFF_MOST) wait = SHARC_BACKOFF_MOST;
    b->last = now;
    /* An answer that was under way when the wait began must not shorten it. */
    if (now + wait > b->until) b->until = now + wait;
    return b->until;
}

void sharc_backoff_quiet(struct sharc_backoff *b, sharc_time now)
{
    if (b->step > 0 && now - b->until >= SHARC_BACKOFF_FORGIVEN) b->step = 0;
}

sharc_time sharc_polite_delay(sharc_time wanted, sharc_time robots, sharc_time last_took, double factor,
                              sharc_time most)
{
    double adaptive = factor * (double)last_took;
    sharc_time delay = adaptive < (double)most ? (sharc_time)adaptive : most;
    if (delay < wanted) delay = wanted;
    return delay > robots ? delay : robots;
}
