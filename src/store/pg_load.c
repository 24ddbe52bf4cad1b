/* SPDX-License-Identifier: Apache-2.0
 *
 * Many rows into a table of PostgreSQL: an array for each column, and one statement that inserts what they hold.
 *
 *   INSERT INTO url (key, text) SELECT * FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS TEXT[])) ON CONFLICT …
 *
 * Not COPY: a server that waits for the rest of a COPY does not count as idle, and no timeout of its ends the
 * transaction of a sender that is suspended in the middle of it. While it waits for the rest of a statement it does
 * count as idle (idle_in_transaction_session_timeout). Nor does COPY know ON CONFLICT: it needs a temporary
 * table, emptied each time, which costs three statements more and dead rows in the server's own tables.
 */
#include "pg_wire.h"

#define STATEMENT_BYTES (4u << 20) /* of arrays: then the statement is sent */

static const char *column_type(char type)
{
    switch (type) {
    case 'i': return "BIGINT";
    case 'r': return "DOUBLE PRECISION";
    case 'b': return "BYTEA";
    default: return "TEXT";
    }
}

static void statement(const struct sharc__store_load *l, struct sharc_buf *out)
{
    sharc_buf_printf(out, "INSERT INTO %s (", l->table);
    for (size_t i = 0; l->types[i]; i++) sharc_buf_printf(out, "%s%s", i ? ", " : "", l->columns[i]);
    sharc_buf_put_str(out, ") SELECT * FROM unnest(");
    for (size_t i = 0; l->types[i]; i++)
        sharc_buf_printf(out, "%sCAST($%zu AS %s[])", i ? ", " : "", i + 1, column_type(l->types[i]));
    sharc_buf_printf(out, ") AS rows %s", l->conflict);
}

struct arrays {
    const struct sharc__store_load *load;
    struct sharc_buf column[SHARC__LOAD_COLUMNS];
    size_t columns, rows, bytes;
};

static void arrays_begin(struct arrays *a)
{
    for (size_t i = 0; i < a->columns; i++) sharc__store_pg_array_begin(&a->column[i], a->load->types[i]);
    a->rows = a->bytes = 0;
}

static int arrays_add(struct arrays *a, const struct sharc_store_value *v, struct sharc_err *reterr)
{
    int r = 0;
    a->bytes = 0;
    for (size_t i = 0; i < a->columns && r == 0; i++) {
        sharc__store_pg_array_add(&a->column[i], a->load->types[i], &v[i]);
        r = sharc_buf_result(&a->column[i], reterr);
        a->bytes += a->column[i].n;
    }
    a->rows++;
    return r;
}

static int arrays_send(struct arrays *a, struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    struct sharc_store_value p[SHARC__LOAD_COLUMNS];
    for (size_t i = 0; i < a->columns; i++) {
        sharc__store_pg_array_end(&a->column[i], a->rows);
        p[i] = sharc__store_bytes(sharc_buf_span(&a->column[i]));
    }
    return db->ops->run(db, sql, p, a->columns, NULL, reterr);
}

int sharc__store_pg_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n,
                         sharc__store_row_fn *row, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf sql = SHARC_BUF_INIT(16u << 10);
    struct arrays a = {.load = l, .columns = strlen(l->types)};
    struct sharc_store_value v[SHARC__LOAD_COLUMNS];
    statement(l, &sql);
    for (size_t i = 0; i < a.columns; i++) sharc_buf_init(&a.column[i], 1u << 30);
    arrays_begin(&a);
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        row(arg, i, v);
        r = arrays_add(&a, v, reterr);
        if (r < 0 || (a.bytes < STATEMENT_BYTES && i + 1 < n)) continue;
        r = arrays_send(&a, db, sharc_buf_str(&sql), reterr);
        arrays_begin(&a);
    }
    for (size_t i = 0; i < a.columns; i++) sharc_buf_done(&a.column[i]);
    return r;
}
