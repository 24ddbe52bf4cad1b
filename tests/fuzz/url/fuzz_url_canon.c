/* SPDX-License-Identifier: Apache-2.0
 *
 * Input: a URL. What must hold: every form and layout refuses nothing but
 * length; the forms that promise it are idempotent; the page form of a URL that
 * parses is its serialisation without fragment.
 */
#include "sharc/url.h"
#include "sharc/url_canon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool promises_idempotence(enum sharc_url_form form)
{
    return form != SHARC_FORM_GOOGLE && form != SHARC_FORM_ARCHIVE;
}

static void check_form(struct sharc_span url, enum sharc_url_form form)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf once = SHARC_BUF_INIT(SHARC_LIMIT_URL), twice = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    for (unsigned layout = SHARC_AS_SURT; layout <= SHARC_AS_SSURT; layout++) {
        sharc_url_write(url, form, (enum sharc_url_layout)layout, &once, NULL);
        sharc_buf_clear(&once);
    }
    int r = sharc_url_write(url, form, SHARC_AS_URL, &once, NULL);
    SHARC_ASSERT(r == 0 || r == SHARC_ELIMIT);
    if (r < 0 || !promises_idempotence(form)) return;
    r = sharc_url_write(sharc_buf_span(&once), form, SHARC_AS_URL, &twice, NULL);
    SHARC_ASSERT(r == 0 && sharc_span_eq(sharc_buf_span(&once), sharc_buf_span(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span url = sharc_span(data, size);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf key = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
    for (unsigned form = 0; form < SHARC_URL_FORM_COUNT; form++) check_form(url, (enum sharc_url_form)form);
    if (sharc_url_key(url, &key, NULL) == 0) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
        SHARC_ASSERT(sharc_url_unkey(sharc_buf_span(&key), &text) == 0);
    }
    struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse(&u, url, NULL, NULL) == 0) {
        sharc_buf_clear(&key);
        SHARC_ASSERT(sharc_url_write(url, SHARC_FORM_PAGE, SHARC_AS_URL, &key, NULL) == 0);
        SHARC_ASSERT(sharc_span_eq(sharc_buf_span(&key), sharc_url_page(&u)));
    }
    sharc_url_done(&u);
    return 0;
}
