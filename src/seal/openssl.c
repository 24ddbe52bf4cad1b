/* SPDX-License-Identifier: Apache-2.0 */
#include "seal_int.h"

#include "sharc/base_exhausted.h"

#include <limits.h>
#include <openssl/err.h>

BIO *sharc__seal_bio(struct sharc_span s)
{
    if (s.n > INT_MAX) return NULL;
    BIO *b = BIO_new_mem_buf(s.n ? s.p : "", (int)s.n);
    if (!b) sharc__no_memory();
    return b;
}

const char *sharc__seal_why(void)
{
    unsigned long first = ERR_get_error();
    const char *why = first ? ERR_reason_error_string(first) : NULL;
    ERR_clear_error();
    return why ? why : "OpenSSL gives no reason";
}
