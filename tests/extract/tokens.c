/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the tokens of pages, for the judge in judge_parse5.mjs. Standard input:
 * any number of "LENGTH\nPAGE"; standard output: one line per token, a line "."
 * behind each page. Everything but letters and digits is written as %XX.
 */
#include "sharc/extract_html.h"

#include <stdio.h>
#include <stdlib.h>

static void put_escaped(struct sharc_span s, bool lower)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = lower ? sharc_to_lower(s.p[i]) : s.p[i];
        if (sharc_is_alnum(c))
            putchar(c);
        else
            printf("%%%02X", (uint8_t)c);
    }
}

static void put_decoded(struct sharc_span s, bool references, bool attribute, bool lower)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    if (references)
        sharc_html_decode(s, attribute, &b);
    else
        sharc_html_decode_raw(s, &b);
    put_escaped(sharc_buf_span(&b), lower);
}

static void put_tag(const struct sharc_html_token *t)
{
    printf(t->type == SHARC_HTML_START ? "S " : "E ");
    put_decoded(t->name, false, false, true);
    if (t->type == SHARC_HTML_START) {
        printf(" %d", t->self_closing);
        for (unsigned i = 0; i < t->attr_count; i++) {
            putchar(' ');
            put_decoded(t->attrs[i].name, false, false, true);
            putchar('=');
            put_decoded(t->attrs[i].value, true, true, false);
        }
    }
    putchar('\n');
}

static void put_tokens(struct sharc_span page, enum sharc_html_dialect dialect)
{
    static struct sharc_html h;
    struct sharc_html_token t;
    bool in_text = false;
    sharc_html_init(&h, page, dialect);
    while (sharc_html_next(&h, &t)) {
        if (t.type == SHARC_HTML_TEXT) {
            if (!in_text) printf("T ");
            in_text = true;
            put_decoded(t.body, t.mode == SHARC_HTML_DATA || t.mode == SHARC_HTML_RCDATA, false, false);
            continue;
        }
        if (t.raw.n == 3 && memcmp(t.raw.p, "</>", 3) == 0) continue; /* nothing at all to the standard */
        if (in_text) putchar('\n');
        in_text = false;
        if (t.type == SHARC_HTML_COMMENT) {
            printf("C ");
            put_decoded(t.body, false, false, false);
            putchar('\n');
        } else if (t.type == SHARC_HTML_DOCTYPE) {
            printf("D ");
            put_decoded(t.name, false, false, true);
            putchar('\n');
        } else
            put_tag(&t);
    }
    puts(in_text ? "\n." : ".");
}

int main(int argc, char **argv)
{
    unsigned long n;
    char *page = NULL;
    while (scanf("%lu", &n) == 1 && getchar() == '\n') {
        page = realloc(page, n + 1);
        if (!page || fread(page, 1, n, stdin) != n) return 1;
        put_tokens(sharc_span(page, n), argc > 1 && strcmp(argv[1], "--xml") == 0 ? SHARC_XML : SHARC_HTML);
    }
    free(page);
    return 0;
}
