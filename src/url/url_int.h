/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room url share.
 */
#ifndef SHARC_URL_INT_H
#define SHARC_URL_INT_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_limits.h"
#include "sharc/url.h"
#include "sharc/url_canon.h"

/* --- chars.c: classes of bytes, percent-encoding -------------------------- */

static inline bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* The standard's percent-encode sets and forbidden code points, one bit each. */
enum {
    SET_C0 = 1u << 0,
    SET_FRAGMENT = 1u << 1,
    SET_QUERY = 1u << 2,
    SET_SPECIAL_QUERY = 1u << 3,
    SET_PATH = 1u << 4,
    SET_USERINFO = 1u << 5,
    NOT_IN_HOST = 1u << 6,
    NOT_IN_DOMAIN = 1u << 7,
    SET_GOOGLE = 1u << 8,           /* <= 32, >= 127, '#', '%' */
    SET_GOOGLE_PATH = 1u << 9,      /* and '?' */
    SET_GOOGLE_USERINFO = 1u << 10, /* and ':' '@' */
    SET_GOOGLE_QUERY = 1u << 11,    /* and '&' '=' */
    SET_LOOSE_HOST = 1u << 15,      /* google, and '/' '?' '@' ':' '\\' */
    SET_LOOSE_BRACKETS = 1u << 16,  /* the same without ':', for [::1] */
    IN_SCHEME = 1u << 12,           /* letter, digit, + - . */
    JUNK = 1u << 13,                /* C0 control or space */
    BREAK = 1u << 14,               /* tab, line feed, carriage return */
};
extern const uint32_t sharc__url_class[256];
#define CLASS(c) (sharc__url_class[(unsigned char)(c)])

/* Write s to out with the bytes of `set` percent-encoded in upper case; out must
 * hold 3 * s.n bytes. Returns the end of what was written. */
char *sharc__url_encode(char *out, struct sharc_span s, unsigned set);
/* Bits of all bytes of s, or-ed. */
unsigned sharc__url_classes(struct sharc_span s);
/* Decode %XX once; out may be s.p itself. Returns the length written. */
size_t sharc__url_decode(struct sharc_span s, char *out);
/* Decode until nothing changes, in linear time. */
size_t sharc__url_decode_all(struct sharc_span s, char *out);
/* s without tabs and line ends, and without junk at both ends; out holds s.n
 * bytes and is used only if something must go from the middle. */
struct sharc_span sharc__url_clean(struct sharc_span s, char *out);
bool sharc__url_is_ascii(struct sharc_span s);
void sharc__url_lower(char *p, size_t n);

/* Special schemes by name (lower case) and their ports. */
enum sharc_scheme sharc__url_scheme_of(struct sharc_span name);
unsigned sharc__url_default_port(enum sharc_scheme scheme); /* 0: none */

/* --- build.c: a serialisation that grows ---------------------------------- */

struct build {
    char *p;
    size_t n, room;
};
void sharc__url_reserve(struct build *b, size_t more);
static inline void build_put(struct build *b, struct sharc_span s)
{
    if (b->room - b->n <= s.n) sharc__url_reserve(b, s.n);
    if (s.n) memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
}
static inline void build_char(struct build *b, char c)
{
    if (b->room - b->n <= 1) sharc__url_reserve(b, 1);
    b->p[b->n++] = c;
}
void sharc__url_put_encoded(struct build *b, struct sharc_span s, unsigned set);
/* Decimal digits of v (at most 10) to out; returns how many. */
size_t sharc__url_number_text(unsigned v, char *out);

/* --- host.c ---------------------------------------------------------------- */

/* Parse a host and append its serialisation. NULL, or what is wrong with it. */
const char *sharc__url_put_host(struct build *b, struct sharc_span host, bool special, enum sharc_host_kind *ret_kind);
/* The standard's IPv4 parser: 1 and *ret, 0 when s is no address at all, -1
 * when it must be one (its last part is a number) but is wrong. */
int sharc__url_ipv4(struct sharc_span s, uint32_t *ret);
bool sharc__url_ipv6(struct sharc_span s, uint16_t ret[8]); /* without brackets */
#define IPV4_TEXT 16
#define IPV6_TEXT 48
size_t sharc__url_ipv4_text(uint32_t a, char out[IPV4_TEXT]);
size_t sharc__url_ipv6_text(const uint16_t a[8], char out[IPV6_TEXT]);

/* --- idna.c ---------------------------------------------------------------- */

/* UTF-8 domain with at least one non-ASCII byte -> ASCII in out (room bytes).
 * Length, or 0 when it has no valid form or does not fit. */
size_t sharc__url_idna(struct sharc_span domain, char *out, size_t room);

/* --- charset.c ------------------------------------------------------------- */

/* Append query, converted from UTF-8 and percent-encoded by set. */
void sharc__url_put_query(struct build *b, struct sharc_span query, unsigned set, struct sharc_url_charset *charset);

/* --- parse.c --------------------------------------------------------------- */

/* Pieces of the parser that the setters use again. */
struct job {
    struct build b;
    struct sharc_url u; /* offsets; p, n and room live in b */
    const struct sharc_url *base;
    struct sharc_span rest, query, fragment; /* .p == NULL: not there */
    struct sharc_url_charset *charset;
    const char *wrong; /* set on failure */
    bool special;
};
/* 1 for "." and "%2e", 2 for ".." in its spellings, else 0. */
unsigned sharc__url_count_dots(struct sharc_span segment);
/* Append the segments of path (without its first slash) to what stands at
 * j->u.path_start. */
void sharc__url_put_path(struct job *j, struct sharc_span path);
/* The path is complete: keep it from looking like an authority. */
void sharc__url_guard_path(struct job *j);
/* host[:port] with checks; false sets j->wrong. */
bool sharc__url_put_host_port(struct job *j, struct sharc_span s);
void sharc__url_put_port(struct job *j, unsigned port);

/* --- loose.c: any bytes taken apart as if they were a URL ------------------ */

struct piece {
    char *p;
    size_t n;
};
static inline struct sharc_span piece_span(struct piece p)
{
    return sharc_span(p.p, p.n);
}

/* In the order of a URL; nothing is lost: written back they are the input. */
struct loose {
    struct sharc_arena arena; /* memory of all pieces, which may be changed in place */
    bool failed;              /* the arena is full */
    enum sharc_scheme scheme_kind;
    struct piece lead, scheme;
    bool has_scheme; /* ':' */
    struct piece slashes, user;
    bool has_password; /* ':' */
    struct piece password;
    bool has_at;
    struct piece host;
    bool has_port; /* ':' */
    struct piece port, path;
    bool has_query; /* '?' */
    struct piece query;
    bool has_fragment; /* '#' */
    struct piece fragment, trail;
};

/* keep: tabs, line ends and junk at the ends stay. */
void sharc__url_loose_split(struct loose *l, struct sharc_span s, bool keep);
/* The region between scheme and query, read again by the scheme's rules. */
void sharc__url_loose_pathish(struct loose *l, struct piece s);
void sharc__url_loose_write(const struct loose *l, enum sharc_url_layout layout, struct sharc_buf *out);
/* Bytes of the arena; NULL when it is full (and l->failed). */
char *sharc__url_loose_room(struct loose *l, size_t n);
/* Lenient IPv4: a part left out is 0. */
bool sharc__url_loose_ipv4(struct sharc_span s, uint32_t *ret);

/* --- steps.c, session.c: what canonical forms are made of ------------------ */

/* Resolve the dots of a path that begins with a separator, in place; returns the
 * new length. */
size_t sharc__url_resolve_dots(char *path, size_t n, bool special);

typedef void sharc__url_step(struct loose *l);
sharc__url_step sharc__url_step_default_http, sharc__url_step_find_host, sharc__url_step_no_repeated_scheme,
    sharc__url_step_slashes, sharc__url_step_port, sharc__url_step_port_http_only, sharc__url_step_no_user,
    sharc__url_step_tidy_user, sharc__url_step_encode_user, sharc__url_step_lenient_authority, sharc__url_step_host,
    sharc__url_step_no_www, sharc__url_step_no_www_ever, sharc__url_step_decode_path, sharc__url_step_backslashes,
    sharc__url_step_encode_path, sharc__url_step_escape_path, sharc__url_step_escape_google, sharc__url_step_root,
    sharc__url_step_dots, sharc__url_step_join_slashes, sharc__url_step_join_slashes_host, sharc__url_step_lower_path,
    sharc__url_step_no_closing_slash, sharc__url_step_guard, sharc__url_step_encode_query, sharc__url_step_recode_query,
    sharc__url_step_google_query, sharc__url_step_lower_query, sharc__url_step_sort_query, sharc__url_step_sort_pairs,
    sharc__url_step_no_idle_ampersands, sharc__url_step_no_empty_query, sharc__url_step_encode_fragment,
    sharc__url_step_recode_fragment, sharc__url_step_no_fragment, sharc__url_step_https_to_http;
sharc__url_step sharc__url_step_no_sessions, sharc__url_step_no_query_sessions_ia, sharc__url_step_no_path_sessions_ia;

#endif
