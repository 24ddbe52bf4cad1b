/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_version.h"

#include "sharc/base_library.h"

#include <brotli/decode.h>
#ifdef SHARC_ISAL
#include <isa-l.h>
#endif
#include <libdeflate.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <xxhash.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

static struct sharc_library rows[32];
static size_t count;

void sharc_library_add(const char *name, const char *version)
{
    SHARC_ASSERT(count < SHARC_LENGTH(rows));
    size_t at = count++;
    for (; at > 0 && strcmp(rows[at - 1].name, name) > 0; at--) rows[at] = rows[at - 1];
    rows[at] = (struct sharc_library){name, version};
}

const char *sharc_version(void)
{
    return SHARC_VERSION;
}

int sharc_version_number(void)
{
    return SHARC_VERSION_NUMBER;
}

size_t sharc_libraries_count(void)
{
    return count;
}

struct sharc_library sharc_library_at(size_t i)
{
    SHARC_ASSERT(i < count);
    return rows[i];
}

__attribute__((constructor)) static void add_own(void)
{
    static char brotli[16], xxhash[16];
    unsigned b = BrotliDecoderVersion(), x = XXH_versionNumber();
    snprintf(brotli, sizeof brotli, "%u.%u.%u", b >> 24, b >> 12 & 0xfff, b & 0xfff);
    snprintf(xxhash, sizeof xxhash, "%u.%u.%u", x / 10000, x / 100 % 100, x % 100);
    sharc_library_add("brotli", brotli);
#ifdef SHARC_ISAL
    static char isal[16];
    snprintf(isal, sizeof isal, "%d.%d.%d", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
    sharc_library_add("isa-l", isal);
#endif
    sharc_library_add("libdeflate", LIBDEFLATE_VERSION_STRING);
    sharc_library_add("libyaml", yaml_get_version_string());
    sharc_library_add("openssl", OpenSSL_version(OPENSSL_VERSION_STRING));
    sharc_library_add("xxhash", xxhash);
    sharc_library_add("zlib", zlibVersion());
    sharc_library_add("zstd", ZSTD_versionString());
}
