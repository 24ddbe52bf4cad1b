/* SPDX-License-Identifier: Apache-2.0
 *
 * Instants, durations and sizes: what is read can be written and read again.
 */
#include "sharc/base_clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_instant(struct sharc_span s)
{
    sharc_time t, back;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_time_parse(s, &t, &err) < 0) {
        SHARC_ASSERT(err.text[0]);
        return;
    }
    char text[SHARC_TIME_TEXT];
    struct sharc_date d = sharc_date_of(t);
    sharc_time_iso(t, 6, text);
    if (d.year < 0 || d.year > 9999) return; /* by @seconds only */
    SHARC_ASSERT(sharc_time_parse(sharc_span_of(text), &back, NULL) == 0 && back == t);
    SHARC_ASSERT(sharc_date_to_time(&d, &back) == 0 && back == t);
    sharc_time_compact(t, 17, text);
    SHARC_ASSERT(sharc_time_parse(sharc_span_of(text), &back, NULL) == 0 && back <= t && t - back < 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span s = sharc_span(data, size);
    char text[SHARC_TIME_TEXT];
    sharc_time d;
    uint64_t n;
    check_instant(s);
    if (sharc_duration_parse(s, &d, NULL) == 0) {
        SHARC_ASSERT(d >= 0);
        SHARC_ASSERT(sharc_duration_parse(sharc_span_of(sharc_duration_text(d, text)), &d, NULL) == 0);
    }
    if (sharc_size_parse(s, &n, NULL) == 0) sharc_size_text(n, text);
    if (size >= sizeof d) { /* and any instant there is */
        memcpy(&d, data, sizeof d);
        sharc_time_iso(d, 6, text);
        sharc_time_compact(d, 17, text);
        sharc_duration_text(d, text);
        sharc_size_text((uint64_t)d, text);
    }
    return 0;
}
