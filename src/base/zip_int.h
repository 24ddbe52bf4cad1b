/* SPDX-License-Identifier: Apache-2.0
 *
 * The ZIP structures, little endian (APPNOTE 6.3.x). OFFSET SIZE MEANING
 *
 * local header, 30 bytes, then name and extra, then the packed bytes
 *   0 4 PK\3\4    4 2 version needed   6 2 flags      8 2 method   10 4 time, date
 *  14 4 crc      18 4 packed          22 4 size      26 2 name's length   28 2 extra's
 * directory entry, 46 bytes, then name, extra, comment
 *   0 4 PK\1\2    4 2 made by          6 2 needed     8 2 flags    10 2 method  12 4 time, date
 *  16 4 crc      20 4 packed          24 4 size      28 2 name's   30 2 extra's  32 2 comment's length
 *  34 2 disk     36 2 internal        38 4 external  42 4 offset of the local header
 * end of directory, 22 bytes, then a comment
 *   0 4 PK\5\6    4 2 disk             6 2 directory's disk         8 2 entries here  10 2 entries
 *  12 4 directory's size              16 4 its offset              20 2 comment's length
 * ZIP64 locator, 20 bytes, right before the end of directory
 *   0 4 PK\6\7    4 4 disk             8 8 offset of the ZIP64 end 16 4 disks
 * ZIP64 end of directory, 56 bytes
 *   0 4 PK\6\6    4 8 size of the rest 12 2 made by  14 2 needed   16 4 disk  20 4 directory's disk
 *  24 8 entries here  32 8 entries    40 8 directory's size        48 8 its offset
 * ZIP64 extra field: 2 id 1, 2 size, then 8 bytes each of size, packed, offset, in
 * this order and only those whose field above is all ones
 */
#ifndef SHARC_WARC_ZIP_INT_H
#define SHARC_WARC_ZIP_INT_H

#include "sharc/base.h"

enum {
    ZIP_LOCAL = 0x04034b50,
    ZIP_ENTRY = 0x02014b50,
    ZIP_END = 0x06054b50,
    ZIP_LOCATOR64 = 0x07064b50,
    ZIP_END64 = 0x06064b50,
    ZIP_LOCAL_SIZE = 30,
    ZIP_ENTRY_SIZE = 46,
    ZIP_END_SIZE = 22,
    ZIP_LOCATOR64_SIZE = 20,
    ZIP_END64_SIZE = 56,
    ZIP_FLAG_ENCRYPTED = 1,
    ZIP_FLAG_UTF8 = 1 << 11,
};

static inline uint64_t zip_get(const char *p, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = bytes; i-- > 0;) v = v << 8 | (unsigned char)p[i];
    return v;
}

static inline void zip_put(char *p, size_t bytes, uint64_t v)
{
    for (size_t i = 0; i < bytes; i++, v >>= 8) p[i] = (char)(v & 0xff);
}

#endif
