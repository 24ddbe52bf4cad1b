/* SPDX-License-Identifier: Apache-2.0
 *
 * Edit scripts and rows of two texts, parted by the first zero byte. The script
 * must turn one into the other, the rows must hold every line that differs, and
 * marks must lie inside their lines.
 */
#include "sharc/change_diff.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_script(struct sharc_span a, struct sharc_span b, uint64_t steps)
{
    SHARC_AUTO(sharc_freep) uint64_t *x = SHARC_NEW_ARRAY(uint64_t, a.n);
    SHARC_AUTO(sharc_freep) uint64_t *y = SHARC_NEW_ARRAY(uint64_t, b.n);
    SHARC_AUTO(sharc_freep) bool *goes = SHARC_NEW_ARRAY(bool, a.n);
    SHARC_AUTO(sharc_freep) bool *comes = SHARC_NEW_ARRAY(bool, b.n);
    for (size_t i = 0; i < a.n; i++) x[i] = (uint8_t)a.p[i];
    for (size_t i = 0; i < b.n; i++) y[i] = (uint8_t)b.p[i];
    sharc_change_script(x, a.n, y, b.n, &steps, goes, comes);
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.n && goes[i]) i++;
        while (j < b.n && comes[j]) j++;
        if (i == a.n || j == b.n) break;
        SHARC_ASSERT(x[i] == y[j]);
        i++, j++;
    }
    SHARC_ASSERT(i == a.n && j == b.n);
}

static void check_marks(const struct sharc_change_mark *m, uint32_t n, struct sharc_span line)
{
    size_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        SHARC_ASSERT(m[i].n > 0 && m[i].at >= end && (i == 0 || m[i].at > end) && m[i].at + m[i].n <= line.n);
        end = m[i].at + m[i].n;
    }
}

static void check_rows(struct sharc_span a, struct sharc_span b, size_t most)
{
    SHARC_AUTO(sharc_change_rows_done) struct sharc_change_rows r = SHARC_CHANGE_ROWS_INIT;
    sharc_change_rows_make(&r, a, b, &(struct sharc_change_rows_options){.context = 2, .most = most});
    size_t added = 0, removed = 0;
    for (size_t i = 0; i < r.count; i++) {
        const struct sharc_change_row *row = &r.rows[i];
        check_marks(row->old_marks, row->n_old_marks, row->old);
        check_marks(row->now_marks, row->n_now_marks, row->now);
        added += row->kind == SHARC_ROW_ADDED || row->kind == SHARC_ROW_UPDATED;
        removed += row->kind == SHARC_ROW_REMOVED || row->kind == SHARC_ROW_UPDATED;
        SHARC_ASSERT(row->kind != SHARC_ROW_KEPT || sharc_span_eq(row->old, row->now));
    }
    SHARC_ASSERT(most ? r.count <= most : added == r.added && removed == r.removed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span all = sharc_span(data, size), a = all, b = SHARC_SPAN("");
    size_t zero = sharc_span_find(all, 0, 0);
    if (zero != SHARC_NPOS) a = sharc_span_sub(all, 0, zero), b = sharc_span_from(all, zero + 1);
    check_script(a, b, SHARC_CHANGE_STEPS);
    check_script(b, a, 10);
    check_rows(a, b, 0);
    check_rows(b, a, 5);
    return 0;
}
