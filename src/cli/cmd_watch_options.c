/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc watch: its options and what they mean.
 */
#include "cmd_watch.h"

#include "sharc/base_file.h"
#include "sharc/schedule_watch.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ZONES "/usr/share/zoneinfo"

void watch_settings_done(struct watch_settings *s)
{
    crawl_settings_done(&s->crawl);
    cli_list_done(&s->lists);
    cli_list_done(&s->set);
    free(s->days);
}

int watch_read_options(struct cli *c, struct watch_settings *s, int *argc, char **argv)
{
    static const char *const objectives[] = {"freshness", "completeness", "importance", "coherence",
                                             "blur",      "evidence",     NULL};
    static const char *const reaches[] = {"page", "prefix", "host", "domain", "any", NULL};
    static const char *const robots[] = {"obey", "ignore", NULL};
    const struct sharc_watching_options defaults = SHARC_WATCHING_OPTIONS;
    *s = (struct watch_settings){.o = defaults, .objective = SHARC_OBJECTIVE_COMPLETENESS};
    struct crawl_settings *k = &s->crawl;
    struct sharc_crawl_options *o = &k->o;
    *o = defaults.crawl;
    k->depth = UINT64_MAX;
    k->due = SHARC_TIME_NONE;
    k->reach = SHARC_REACH_PAGE;
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &o->archive, "DIR", "write to this archive; create it if it does not exist"),
        OPT_STRING('b', "budget", &s->budget, "N/PERIOD",
                   "make this many requests on average, such as 500/day or 20/h (default: 100/day)"),
        OPT_STRINGS('l', "list", &s->lists, "FILE", "watch the pages of this file, one per line (-: standard input)"),
        OPT_CHOICE(0, "objective", &s->objective, objectives, "say what the archive should be (default: completeness)"),
        OPT_STRING('s', "strategy", &s->strategy, "NAME", "choose pages by this strategy (default: by objective)"),
        OPT_STRING('c', "contact", &o->contact, "URL|ADDRESS", "tell sites whom to contact; required for public sites"),
        OPT_HEADING("When"),
        OPT_DURATION_IN(1, CLI_DURATION_MOST, 0, "shortest", &s->o.shortest, "TIME",
                        "look at no page again before this time has passed"),
        OPT_DURATION_IN(1, CLI_DURATION_MOST, 0, "longest", &s->o.longest, "TIME",
                        "look at every page again within this time (default: 30d)"),
        OPT_STRING(0, "zone", &s->zone, "ZONE",
                   "take hours of the day in this time zone: +02:00, Europe/Berlin (default: UTC)"),
        OPT_STRING(0, "holidays", &s->holidays, "FILE", "treat the days in this file (2026-12-25) like Sundays"),
        OPT_STRING(0, "snapshot", &s->snapshot, "TIME",
                   "also capture each site as a whole at this interval: daily, weekly, monthly or a time"),
        OPT_DURATION_IN(1, CLI_DURATION_MOST, 0, "limit-time", &s->o.time, "TIME", "stop after this time"),
        OPT_UINT_IN(1, 1e12, 0, "limit-requests", &s->requests, "N", "stop after this many requests"),
        OPT_HEADING("Pages that join"),
        OPT_CHOICE(0, "reach", &k->reach, reaches,
                   "let pages join that links and lists lead to, as far as this from those named (default: page)"),
        OPT_STRINGS(0, "include", &k->include, "RULE", "also let URLs join that match this scope rule"),
        OPT_STRINGS('x', "exclude", &k->exclude, "RULE", "keep URLs out that match this scope rule"),
        OPT_UINT_IN(1, 1e7, 'n', "limit-pages", &o->pace.pages, "N",
                    "watch at most N pages of each site (default: 10000)"),
        OPT_STRINGS(0, "source", &k->sources, "URL", "read this sitemap or feed for pages and changes"),
        OPT_FLAG(0, "no-sitemaps", &o->no_sitemaps, "do not read the sitemaps that robots.txt names"),
        OPT_HEADING("Politeness and network"),
        OPT_DURATION('d', "delay", &o->pace.delay, "TIME", "wait between requests to one host (default: 3s)"),
        OPT_STRINGS(0, "host-group", &k->groups, "HOSTS", "let these hosts, separated by spaces, share one delay"),
        OPT_CHOICE(0, "robots", &k->robots, robots, "obey or ignore robots.txt (default: obey)"),
        OPT_STRING(0, "user-agent", &k->user_agent, "TEXT", "send this User-Agent instead of sharc's own"),
        OPT_FLAG(0, "allow-private", &o->allow_private, "allow loopback and private addresses"),
        OPT_SIZE_IN(1, 1e18, 0, "max-body", &o->max_body, "SIZE", "cut bodies that are longer than this (default: 1G)"),
        OPT_DURATION_IN(1, CLI_DURATION_MOST, 0, "max-time", &k->max_time, "TIME",
                        "give up a download after this long (default: 20min)"),
        OPT_STRING(0, "proxy", &k->proxy, "URL", "fetch through this proxy (http:// or socks5h://)"),
        OPT_STRING(0, "ca-file", &k->ca_file, "FILE", "trust the certificates in this PEM file"),
        OPT_FLAG(0, "insecure", &k->insecure, "accept any TLS certificate"),
        OPT_HEADING("Archive and output"),
        OPT_STRING(0, "store", &k->store, "URL", "keep the catalogue in sqlite:PATH or postgresql://…"),
        OPT_STRING(0, "operator", &o->operator_, "TEXT", "name the operator in the WARC files"),
        OPT_STRING(0, "description", &o->description, "TEXT", "describe the watch in the WARC files"),
        OPT_FLAG(0, "changes", &s->changes_only, "print changes only, not every look"),
        OPT_HEADING("Queue"),
        OPT_FLAG(0, "queue", &k->queue, "do not watch now: queue a job for each site, which workers do"),
        OPT_STRING(0, "collection", &k->collection, "NAME",
                   "queue the jobs in this collection; collections take turns"),
        OPT_TIME(0, "due", &k->due, "TIME", "queue them for this time (default: now)"),
        OPT_HEADING("A watch that is running"),
        OPT_STRINGS(0, "set", &s->set, "WISH",
                    "ask it: pause, resume, look=URL, add=URL, drop=URL, budget=…, delay=…, save"),
        OPT_END,
    };
    c->said = &k->said;
    int r = cli_parse(c, argc, argv, options);
    c->said = NULL;
    if (r) return r;
    crawl_take_shared(k);
    return 0;
}

/* --- words -------------------------------------------------------------------------------- */

static int choose_strategy(struct cli *c, struct watch_settings *s)
{
    s->o.strategy = s->strategy ? sharc_watch_find(s->strategy) : sharc_watch_for((enum sharc_objective)s->objective);
    if (s->o.strategy) return 0;
    const char *names[64];
    size_t n = 0;
    for (; n < sharc_watch_count() && n < SHARC_LENGTH(names) - 1; n++) names[n] = sharc_watch_name(sharc_watch_at(n));
    names[n] = NULL;
    const char *near = cli_nearest(s->strategy, names);
    if (near) return cli_usage(c, "there is no strategy \"%s\"; did you mean \"%s\"?", s->strategy, near);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < n; i++) sharc_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    return cli_usage(c, "there is no strategy \"%s\"; choose from %s", s->strategy, sharc_buf_str(&all));
}

static sharc_time fixed_zone(void *arg, sharc_time when)
{
    const struct watch_settings *s = arg;
    (void)when;
    return s->east;
}

static sharc_time named_zone(void *arg, sharc_time when)
{
    time_t t = (time_t)(when / SHARC_SEC);
    struct tm tm;
    (void)arg;
    return localtime_r(&t, &tm) ? tm.tm_gmtoff * SHARC_SEC : 0;
}

/* "+02:00", "-0530", "+2". */
static bool read_offset(const char *text, sharc_time *ret)
{
    unsigned h = 0, m = 0, digits = 0;
    if (text[0] != '+' && text[0] != '-') return false;
    for (const char *p = text + 1; *p; p++) {
        if (*p == ':' && digits >= 1) continue;
        if (*p < '0' || *p > '9' || ++digits > 4) return false;
        if (digits <= 2)
            h = 10 * h + (unsigned)(*p - '0');
        else
            m = 10 * m + (unsigned)(*p - '0');
    }
    if (digits == 0 || h > 14 || m > 59) return false;
    *ret = (sharc_time)(text[0] == '-' ? -1 : 1) * (h * SHARC_HOUR + m * SHARC_MINUTE);
    return true;
}

/* Other files lie beside the zones; of them the C library makes UTC without a word. */
static bool is_zone(const char *name)
{
    if (strstr(name, "..") || name[0] == '/') return false;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/%s", ZONES, name);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    return sharc_file_read(path, &text, &err) == 0 && text.n > 4 && memcmp(sharc_buf_str(&text), "TZif", 4) == 0;
}

static int choose_zone(struct cli *c, struct watch_settings *s)
{
    if (!s->zone || strcmp(s->zone, "UTC") == 0) return 0;
    s->o.zone_arg = s;
    if (read_offset(s->zone, &s->east)) {
        s->o.zone = fixed_zone;
        return 0;
    }
    if (!is_zone(s->zone))
        return cli_usage(c, "--zone: \"%s\" is neither an offset such as +02:00 nor a zone in %s", s->zone, ZONES);
    setenv("TZ", s->zone, 1);
    tzset();
    s->o.zone = named_zone;
    return 0;
}

static int read_holidays(struct cli *c, struct watch_settings *s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT((size_t)1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    size_t room = 0, number = 0;
    if (!s->holidays) return 0;
    if (sharc_file_read_any(s->holidays, &text, &err) < 0) return cli_fail(c, &err);
    struct sharc_span rest = sharc_buf_span(&text), line, word;
    if (rest.n >= 3 && memcmp(rest.p, "\xef\xbb\xbf", 3) == 0)
        rest = sharc_span_from(rest, 3); /* as some editors write */
    while (sharc_span_next(&rest, '\n', &line)) {
        sharc_time day;
        number++;
        line = sharc_span_trim(line);
        if (line.n == 0 || line.p[0] == '#') continue;
        size_t n = 0;
        while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t') n++;
        word = sharc_span_sub(line, 0, n);
        if (n != 10 || word.p[4] != '-' || sharc_time_parse(word, &day, &err) < 0)
            return cli_usage(c, "%s:%zu: \"%.*s\" is no day; write 2026-12-25", s->holidays, number,
                             SHARC_SPAN_ARG(word));
        SHARC_GROW(s->days, room, s->days_count + 1);
        s->days[s->days_count++] = (int32_t)sharc_floor_div(day, SHARC_DAY);
    }
    s->o.holidays = s->days;
    s->o.holidays_count = s->days_count;
    return 0;
}

static int choose_snapshot(struct cli *c, struct watch_settings *s)
{
    static const struct {
        const char *word;
        sharc_time time;
    } words[] = {{"daily", SHARC_DAY}, {"weekly", 7 * SHARC_DAY}, {"monthly", 30 * SHARC_DAY}};
    struct sharc_err err = SHARC_ERR_INIT;
    if (!s->snapshot) return 0;
    for (size_t i = 0; i < SHARC_LENGTH(words); i++)
        if (strcmp(s->snapshot, words[i].word) == 0) s->o.snapshot = words[i].time;
    if (s->o.snapshot > 0) return 0;
    if (sharc_duration_parse(sharc_span_of(s->snapshot), &s->o.snapshot, &err) < 0 || s->o.snapshot < SHARC_MINUTE)
        return cli_usage(c, "--snapshot: write daily, weekly, monthly or a time of a minute at least");
    return 0;
}

int watch_choose(struct cli *c, struct watch_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (s->budget && sharc_watching_budget_parse(sharc_span_of(s->budget), &s->o.per_hour, &err) < 0)
        return cli_usage(c, "--budget: %s", err.text);
    if (s->o.longest == 0) s->o.longest = 30 * SHARC_DAY;
    s->o.requests = s->requests;
    int code = crawl_check(c, &s->crawl);
    if (!code) code = choose_strategy(c, s);
    if (!code) code = choose_zone(c, s);
    if (!code) code = read_holidays(c, s);
    if (!code) code = choose_snapshot(c, s);
    return code;
}
