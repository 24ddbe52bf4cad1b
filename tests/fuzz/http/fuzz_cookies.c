/* SPDX-License-Identifier: Apache-2.0
 *
 * Cookie files and headers: the first line is a URL, the second a header, the
 * rest the file. Nothing may crash, no field may hold a line break, and nothing
 * goes to a host that none of them names.
 */
#include "sharc/http_secret.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Could the input name hosts of ".invalid"? Percent-encoded or in other letters, too. */
static bool names_invalid(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] >= 0x80 || data[i] == '%') return true;
    for (size_t i = 0; i + 7 <= size; i++)
        if (sharc_span_ieq(sharc_span(data + i, 7), SHARC_SPAN("invalid"))) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span file = sharc_span(data, size), text, header;
    if (!sharc_span_next(&file, '\n', &text) || !sharc_span_next(&file, '\n', &header)) return 0;
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = sharc_secrets_new();
    struct sharc_url url = SHARC_URL_INIT;
    struct sharc_secret_fields f = {0};
    struct sharc_cookie_count count;
    struct sharc_err err;
    (void)sharc_secrets_add_header(s, header, &err);
    (void)sharc_secrets_add_cookies(s, file.p ? file : SHARC_SPAN(""), "fuzz", 0, &count, &err);
    if (sharc_url_parse(&url, text, NULL, NULL) == 0 && sharc_url_is_http(&url)) {
        if (sharc_secrets_for(s, &url, 0, &f, &err) == 0)
            for (size_t i = 0; i < f.count; i++)
                if (memchr(f.fields[i].value.p, '\n', f.fields[i].value.n) || f.fields[i].name.n == 0) abort();
        if (sharc_url_parse(&url, SHARC_SPAN("http://no-such.invalid/"), NULL, NULL) < 0 ||
            !names_invalid(data, size)) {
            if (sharc_secrets_for(s, &url, 0, &f, &err) == 0 && f.count > 0) abort();
        }
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf head = SHARC_BUF_INIT(1 << 20);
    sharc_buf_put(&head, sharc_span(data, size));
    sharc_secrets_redact(s, &head);
    sharc_secret_fields_done(&f);
    sharc_url_done(&url);
    return 0;
}
