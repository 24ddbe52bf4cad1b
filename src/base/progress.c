/* SPDX-License-Identifier: Apache-2.0
 *
 * Progress display. One line is composed in a buffer and written at once, so
 * that a slow terminal never shows half of it.
 */
#include "base_int.h"
#include "sharc/base_buf.h"
#include "sharc/base_progress.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_EVERY (100 * SHARC_MSEC)
#define LINES_EVERY (10 * SHARC_SEC)
#define MEMORY (5 * SHARC_SEC) /* how long the shown rate remembers */
#define STILL (10 * SHARC_SEC) /* nothing moved for this long, and for as long as … */
#define STILL_UNITS 5          /* … this many units take: the old rate says nothing any more */
#define BAR_CELLS 20u          /* at most; it has what the words leave … */
#define BAR_LEAST 6u           /* … and when that is less, only the percentage is shown */
#define COLUMNS_UNKNOWN 80u
#define ERASE "\r\033[K"

struct sharc_progress {
    FILE *out;
    enum sharc_progress_style style;
    char *what, *unit;
    bool bytes;                   /* the unit is bytes: written as sizes */
    pthread_mutex_t lock;         /* guards all below */
    uint64_t done, total, before; /* before: of done, by sharc_progress_begin */
    sharc_time start, drawn_at;
    sharc_time moved_at; /* last drawn with something new done … */
    uint64_t moved_done; /* … which was this much */
    double rate;         /* units per second, smoothed; 0: not known */
    sharc_time left;     /* as the caller says */
    bool left_given;
    char *note;
    bool drawn, finished;
};

static char *printable_copy(const char *s)
{
    char *copy = sharc_strdup(s ? s : "");
    sharc__base_printable(copy);
    return copy;
}

struct sharc_progress *sharc_progress_new(FILE *out, enum sharc_progress_style style, const char *what,
                                          const char *unit, uint64_t total, sharc_time now)
{
    struct sharc_progress *p = SHARC_NEW(struct sharc_progress);
    p->out = out;
    p->style = style;
    p->what = printable_copy(what);
    p->unit = printable_copy(unit);
    p->note = printable_copy(NULL);
    p->bytes = strcmp(p->unit, "bytes") == 0;
    p->total = total;
    p->start = p->drawn_at = p->moved_at = now;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

/* --- what the line says --------------------------------------------------- */

static void put_amount(const struct sharc_progress *p, struct sharc_buf *b, uint64_t n)
{
    char text[SHARC_TIME_TEXT];
    if (p->bytes)
        sharc_buf_put_str(b, sharc_size_text(n, text));
    else
        sharc_buf_put_u64(b, n);
}

/* " pages", " page" */
static void put_unit(const struct sharc_progress *p, struct sharc_buf *b, uint64_t n)
{
    size_t length = strlen(p->unit);
    if (n == 1 && length && p->unit[length - 1] == 's') length--;
    if (!p->bytes) sharc_buf_printf(b, " %.*s", (int)length, p->unit);
}

static void put_rate(const struct sharc_progress *p, struct sharc_buf *b, double rate)
{
    char text[SHARC_TIME_TEXT];
    if (p->bytes)
        sharc_buf_printf(b, "%s/s", sharc_size_text((uint64_t)rate, text));
    else if (rate < 0.095) /* no %f: it would ask the locale for its point */
        sharc_buf_printf(b, "%d.%d %s/min", (int)(rate * 600 + 0.5) / 10, (int)(rate * 600 + 0.5) % 10, p->unit);
    else if (rate < 9.95)
        sharc_buf_printf(b, "%d.%d %s/s", (int)(rate * 10 + 0.5) / 10, (int)(rate * 10 + 0.5) % 10, p->unit);
    else
        sharc_buf_printf(b, "%" PRIu64 " %s/s", (uint64_t)(rate + 0.5), p->unit);
}

/* "1200 of 5000 pages", "1200 pages", "3.1 MB of 1.0 GB". */
static void put_count(const struct sharc_progress *p, struct sharc_buf *b)
{
    put_amount(p, b, p->done);
    if (p->total) {
        sharc_buf_put_str(b, " of ");
        put_amount(p, b, p->total);
    }
    put_unit(p, b, p->total ? p->total : p->done);
}

static unsigned percent(const struct sharc_progress *p)
{
    if (p->done >= p->total) return 100;
    return (unsigned)((double)p->done / (double)p->total * 100);
}

static bool stands_still(const struct sharc_progress *p, sharc_time now)
{
    double idle = (double)(now - p->moved_at) / (double)SHARC_SEC;
    return now - p->moved_at > STILL && idle * p->rate > STILL_UNITS;
}

/* Whole seconds; SHARC_TIME_NONE: nobody knows. */
static sharc_time time_left(const struct sharc_progress *p, bool still)
{
    const double second = (double)SHARC_SEC;
    if (p->left_given)
        return p->left == SHARC_TIME_NONE ? p->left : sharc_time_of_seconds(floor((double)p->left / second + 0.5));
    if (still || p->rate <= 0 || p->total <= p->done) return SHARC_TIME_NONE;
    double left = (double)(p->total - p->done) / p->rate;
    if (left > 1e9) return SHARC_TIME_NONE; /* more than thirty years says nothing */
    return sharc_time_of_seconds(floor(left + 0.5));
}

/* Rate and time left, as far as they can be known. */
static void put_speed(const struct sharc_progress *p, struct sharc_buf *b, const char *between)
{
    char text[SHARC_TIME_TEXT];
    bool still = stands_still(p, p->drawn_at);
    sharc_time left = time_left(p, still);
    if (p->rate > 0 && !still) {
        sharc_buf_put_str(b, between);
        put_rate(p, b, p->rate);
    }
    if (left != SHARC_TIME_NONE) sharc_buf_printf(b, "%s%s left", between, sharc_duration_text(left, text));
}

/* "[===>   ]  42 %  ", in as many columns as there are. */
static void put_bar(const struct sharc_progress *p, struct sharc_buf *b, size_t room)
{
    enum { AROUND = 10 }; /* brackets, percentage, blanks */
    unsigned cells = room >= AROUND + BAR_CELLS ? BAR_CELLS : room > AROUND ? (unsigned)(room - AROUND) : 0;
    unsigned full = percent(p) * cells / 100;
    if (cells >= BAR_LEAST) {
        sharc_buf_put_char(b, '[');
        for (unsigned i = 0; i < cells; i++) sharc_buf_put_char(b, i < full ? '=' : i == full ? '>' : ' ');
        sharc_buf_put_str(b, "] ");
    }
    if (room >= AROUND - 3) sharc_buf_printf(b, "%3u %%  ", percent(p));
}

static unsigned columns_of(FILE *out)
{
    struct winsize size;
    int fd = fileno(out);
    if (fd < 0 || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) return COLUMNS_UNKNOWN;
    return size.ws_col;
}

/* A line that wraps cannot be erased: keep one column free. */
static void cut_to_columns(struct sharc_buf *b, unsigned columns)
{
    size_t at = 0;
    for (unsigned i = 1; i < columns && at < b->n; i++) {
        uint32_t ignored;
        at += sharc_utf8_decode(sharc_span(b->p + at, b->n - at), &ignored);
    }
    sharc_buf_truncate(b, at);
}

/* What is done now matters more than how fast, where there is no room for both. */
static void put_words(const struct sharc_progress *p, struct sharc_buf *b, size_t columns)
{
    put_count(p, b);
    size_t count = b->n;
    put_speed(p, b, "  ");
    if (!p->note[0]) return;
    if (b->n + 2 + strlen(p->note) > columns) sharc_buf_truncate(b, count);
    sharc_buf_printf(b, "  %s", p->note);
}

static void draw_bar(struct sharc_progress *p)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096), words = SHARC_BUF_INIT(4096);
    unsigned columns = columns_of(p->out);
    sharc_buf_printf(&b, "%s ", p->what);
    size_t room = columns > b.n + 1 ? columns - 1 - b.n : 0;
    put_words(p, &words, room);
    if (p->total) put_bar(p, &b, room > words.n ? room - words.n : 0);
    sharc_buf_put(&b, sharc_buf_span(&words));
    if (b.failed || words.failed) return;
    cut_to_columns(&b, columns);
    fprintf(p->out, ERASE "%s", sharc_buf_str(&b));
    fflush(p->out);
}

static void draw_line(struct sharc_progress *p)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    sharc_buf_printf(&b, "%s: ", p->what);
    put_count(p, &b);
    if (p->total) sharc_buf_printf(&b, " (%u %%)", percent(p));
    put_speed(p, &b, ", ");
    if (p->note[0]) sharc_buf_printf(&b, ", %s", p->note);
    if (b.failed) return;
    fprintf(p->out, "%s\n", sharc_buf_str(&b));
    fflush(p->out);
}

/* --- when ----------------------------------------------------------------- */

/* A mean whose memory fades with time, so that the time left follows a change
 * of pace without trembling. */
static void update_rate(struct sharc_progress *p, sharc_time now)
{
    if (p->done == p->moved_done || now <= p->moved_at) return; /* a pause counts when it is over */
    double seconds = (double)(now - p->moved_at) / (double)SHARC_SEC;
    double recent = (double)(p->done - p->moved_done) / seconds;
    double weight = p->rate > 0 ? 1 - exp(-seconds * (double)SHARC_SEC / (double)MEMORY) : 1;
    p->rate += weight * (recent - p->rate);
    p->moved_at = now;
    p->moved_done = p->done;
}

void sharc_progress_add(struct sharc_progress *p, uint64_t more, sharc_time now)
{
    if (p->style == SHARC_PROGRESS_QUIET) return;
    bool bar = p->style == SHARC_PROGRESS_BAR;
    pthread_mutex_lock(&p->lock);
    p->done += more;
    if (!p->finished && now - p->drawn_at >= (bar ? BAR_EVERY : LINES_EVERY)) {
        update_rate(p, now);
        p->drawn_at = now;
        p->drawn = true;
        if (bar)
            draw_bar(p);
        else
            draw_line(p);
    }
    pthread_mutex_unlock(&p->lock);
}

void sharc_progress_total(struct sharc_progress *p, uint64_t total)
{
    pthread_mutex_lock(&p->lock);
    p->total = total;
    pthread_mutex_unlock(&p->lock);
}

void sharc_progress_begin(struct sharc_progress *p, uint64_t done)
{
    pthread_mutex_lock(&p->lock);
    p->done = p->before = p->moved_done = done;
    pthread_mutex_unlock(&p->lock);
}

void sharc_progress_left(struct sharc_progress *p, sharc_time left)
{
    pthread_mutex_lock(&p->lock);
    p->left = left;
    p->left_given = true;
    pthread_mutex_unlock(&p->lock);
}

void sharc_progress_note(struct sharc_progress *p, const char *note)
{
    char *copy = printable_copy(note);
    pthread_mutex_lock(&p->lock);
    char *old = p->note;
    p->note = copy;
    pthread_mutex_unlock(&p->lock);
    free(old);
}

static void erase(struct sharc_progress *p)
{
    if (p->style == SHARC_PROGRESS_BAR && p->drawn) fputs(ERASE, p->out);
    p->drawn = false;
}

void sharc_progress_finish(struct sharc_progress *p, sharc_time now)
{
    if (p->style == SHARC_PROGRESS_QUIET) return;
    pthread_mutex_lock(&p->lock);
    if (!p->finished) {
        p->finished = true;
        erase(p);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
        char text[SHARC_TIME_TEXT];
        uint64_t done = p->done > p->before ? p->done - p->before : 0;
        put_amount(p, &b, done);
        put_unit(p, &b, done);
        sharc_buf_printf(&b, " in %s", sharc_duration_text(now - p->start, text));
        if (now > p->start && done) {
            sharc_buf_put_str(&b, " (");
            put_rate(p, &b, (double)done / ((double)(now - p->start) / (double)SHARC_SEC));
            sharc_buf_put_char(&b, ')');
        }
        fprintf(p->out, "%s: %s\n", p->what, sharc_buf_str(&b));
        fflush(p->out);
    }
    pthread_mutex_unlock(&p->lock);
}

void sharc_progress_free(struct sharc_progress *p)
{
    if (!p) return;
    if (!p->finished) erase(p);
    pthread_mutex_destroy(&p->lock);
    free(p->what);
    free(p->unit);
    free(p->note);
    free(p);
}

void sharc_progress_freep(struct sharc_progress **p)
{
    sharc_progress_free(*p);
    *p = NULL;
}

enum sharc_progress_style sharc_progress_style_for(FILE *out, const char *term, bool quiet)
{
    if (quiet) return SHARC_PROGRESS_QUIET;
    int fd = fileno(out);
    bool terminal = fd >= 0 && isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
    return terminal ? SHARC_PROGRESS_BAR : SHARC_PROGRESS_LINES;
}
