/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc plan: the command line that makes the recommended capture.
 */
#include "cmd_plan.h"

#include "sharc/schedule.h"

/* As one word of a shell. */
static void put_word(struct sharc_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";
    if (*word && strspn(word, plain) == strlen(word)) {
        sharc_buf_put_str(out, word);
        return;
    }
    sharc_buf_put_char(out, '\'');
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            sharc_buf_put_str(out, "'\\''");
        else
            sharc_buf_put_char(out, *p);
    }
    sharc_buf_put_char(out, '\'');
}

static void put_option(struct sharc_buf *out, const char *name, const char *value)
{
    sharc_buf_printf(out, " --%s ", name);
    put_word(out, value);
}

/* Without rounding, unlike what people read. */
static void put_delay(struct sharc_buf *out, sharc_time delay)
{
    char text[32];
    bool seconds = delay % SHARC_SEC == 0, ms = delay % SHARC_MSEC == 0;
    snprintf(text, sizeof text, "%lld%s",
             (long long)(delay / (seconds ? SHARC_SEC
                                  : ms    ? SHARC_MSEC
                                          : 1)),
             seconds ? "s"
             : ms    ? "ms"
                     : "us");
    put_option(out, "delay", text);
}

/* The crawler's own choice for the purpose, or the better one that was found. A
 * strategy that must know all URLs beforehand is only proposed when they are known. */
static const char *strategy_of(const struct plan_settings *s, const struct sharc_sim_plan *plan, bool evidence)
{
    const struct sharc_strategy_ops *usual =
        sharc_strategy_usual(evidence ? SHARC_PURPOSE_COHERENCE : SHARC_PURPOSE_BLUR);
    const struct sharc_sim_result *best = sharc_sim_plan_best(plan, evidence);
    if (!best || best->strategy == usual) return NULL;
    if (best->strategy->offline && s->o.run.known < 1) return NULL;
    return best->strategy->name;
}

char *plan_command(const struct plan_settings *s, const struct sharc_sim_plan *plan, const char *seed, bool evidence)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    const char *strategy = strategy_of(s, plan, evidence);
    sharc_buf_put_str(&out, "sharc crawl");
    put_option(&out, "archive", s->archive ? s->archive : "ARCHIVE");
    if (evidence) put_option(&out, "for", "evidence");
    if (strategy) put_option(&out, "strategy", strategy);
    put_delay(&out, s->delay);
    if (s->contact) put_option(&out, "contact", s->contact);
    if (s->weights) put_option(&out, "weights", s->weights);
    for (size_t i = 0; i < s->include.count; i++) put_option(&out, "include", s->include.items[i]);
    for (size_t i = 0; i < s->exclude.count; i++) put_option(&out, "exclude", s->exclude.items[i]);
    if (s->no_sitemaps) sharc_buf_put_str(&out, " --no-sitemaps");
    if (s->allow_private) sharc_buf_put_str(&out, " --allow-private");
    sharc_buf_put_char(&out, ' ');
    put_word(&out, seed);
    return sharc_strdup(sharc_buf_str(&out));
}
