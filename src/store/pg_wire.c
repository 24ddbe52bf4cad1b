/* SPDX-License-Identifier: Apache-2.0 */
#include "pg_wire.h"

enum { OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_TEXT = 25 };
enum { OID_FLOAT4 = 700, OID_FLOAT8 = 701, OID_BPCHAR = 1042, OID_VARCHAR = 1043, OID_NAME = 19, OID_UNKNOWN = 705 };

static void put_number(struct sharc_buf *out, uint64_t v, unsigned bytes)
{
    char b[8];
    for (unsigned i = 0; i < bytes; i++) b[i] = (char)(v >> (8 * (bytes - 1 - i)));
    sharc_buf_put(out, sharc_span(b, bytes));
}

static uint64_t get_number(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n && i < 8; i++) v = v << 8 | (unsigned char)p[i];
    return v;
}

static uint64_t bits_of(double d)
{
    uint64_t v;
    memcpy(&v, &d, sizeof v);
    return v;
}

static unsigned element_type(char type)
{
    switch (type) {
    case 'i': return OID_INT8;
    case 'r': return OID_FLOAT8;
    case 'b': return OID_BYTEA;
    default: return OID_TEXT;
    }
}

enum { ARRAY_NULLS = 4, ARRAY_COUNT = 12 }; /* where they stand in the head of an array */

void sharc__store_pg_array_begin(struct sharc_buf *out, char type)
{
    sharc_buf_clear(out);
    put_number(out, 1, 4);
    put_number(out, 0, 4);
    put_number(out, element_type(type), 4);
    put_number(out, 0, 4);
    put_number(out, 1, 4);
}

void sharc__store_pg_array_add(struct sharc_buf *out, char type, const struct sharc_store_value *v)
{
    switch (v->type) {
    case SHARC_STORE_NULL:
        put_number(out, UINT32_MAX, 4);
        out->p[ARRAY_NULLS + 3] = 1;
        break;
    case SHARC_STORE_INTEGER:
        put_number(out, 8, 4);
        put_number(out, type == 'r' ? bits_of((double)v->i) : (uint64_t)v->i, 8);
        break;
    case SHARC_STORE_REAL:
        put_number(out, 8, 4);
        put_number(out, bits_of(v->d), 8);
        break;
    case SHARC_STORE_TEXT:
    case SHARC_STORE_BYTES:
        put_number(out, v->s.n, 4);
        sharc_buf_put(out, v->s);
        break;
    }
}

void sharc__store_pg_array_end(struct sharc_buf *out, size_t n)
{
    for (unsigned i = 0; i < 4; i++) out->p[ARRAY_COUNT + i] = (char)(n >> (8 * (3 - i)));
}

void sharc__store_pg_array(struct sharc_buf *out, const int64_t *v, size_t n)
{
    sharc__store_pg_array_begin(out, 'i');
    for (size_t i = 0; i < n; i++) {
        put_number(out, 8, 4);
        put_number(out, (uint64_t)v[i], 8);
    }
    sharc__store_pg_array_end(out, n);
}

static double float4(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static double float8(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

void sharc__store_pg_value(unsigned type, const char *p, size_t n, struct sharc_store_value *ret)
{
    *ret = (struct sharc_store_value){.type = SHARC_STORE_INTEGER};
    switch (type) {
    case OID_BOOL: ret->i = get_number(p, n) != 0; break;
    case OID_INT2: ret->i = (int16_t)get_number(p, n); break;
    case OID_INT4: ret->i = (int32_t)get_number(p, n); break;
    case OID_INT8: ret->i = (int64_t)get_number(p, n); break;
    case OID_FLOAT4:
        ret->type = SHARC_STORE_REAL;
        ret->d = float4((uint32_t)get_number(p, n));
        break;
    case OID_FLOAT8:
        ret->type = SHARC_STORE_REAL;
        ret->d = float8(get_number(p, n));
        break;
    case OID_TEXT:
    case OID_VARCHAR:
    case OID_BPCHAR:
    case OID_NAME:
    case OID_UNKNOWN:
        ret->type = SHARC_STORE_TEXT;
        ret->s = sharc_span(p, n);
        break;
    case OID_BYTEA:
    default:
        ret->type = SHARC_STORE_BYTES;
        ret->s = sharc_span(p, n);
        break;
    }
}
