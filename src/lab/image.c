/* SPDX-License-Identifier: Apache-2.0
 *
 * Small pictures: PNG with a palette of two, its data stored and not
 * compressed, so that every byte is determined here and by no library's version.
 */
#include "lab_int.h"

#include "sharc/base_codec.h"

enum { WIDTH = 64, HEIGHT = 48, ROW = 1 + WIDTH / 8 }; /* a filter byte, then one bit per point */

static void put_u32(struct sharc_buf *out, uint32_t v)
{
    char b[4] = {(char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v};
    sharc_buf_put(out, sharc_span(b, 4));
}

static void put_chunk(struct sharc_buf *out, const char *name, struct sharc_span data)
{
    put_u32(out, (uint32_t)data.n);
    sharc_buf_put_str(out, name);
    sharc_buf_put(out, data);
    put_u32(out, sharc_crc32(sharc_crc32(0, sharc_span_of(name)), data));
}

static uint32_t adler32(const uint8_t *p, size_t n)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* A hill and a sun: each version has another coast line. */
static void draw(struct sharc_rng *r, uint8_t rows[HEIGHT * ROW])
{
    int level = HEIGHT / 2, sun_x = (int)sharc_rng_below(r, WIDTH), sun_y = 4 + (int)sharc_rng_below(r, 12);
    memset(rows, 0, (size_t)HEIGHT * ROW);
    for (int x = 0; x < WIDTH; x++) {
        level += (int)sharc_rng_below(r, 5) - 2;
        if (level < 12) level = 12;
        if (level > HEIGHT - 4) level = HEIGHT - 4;
        for (int y = 0; y < HEIGHT; y++) {
            int dx = x - sun_x, dy = y - sun_y;
            bool ink = y > level || dx * dx + dy * dy < 20;
            if (ink) rows[y * ROW + 1 + x / 8] |= (uint8_t)(0x80 >> x % 8);
        }
    }
}

void sharc__lab_image(uint64_t seed, uint32_t item, uint32_t edit, struct sharc_buf *out)
{
    struct sharc_rng r = sharc__lab_draw(seed, item, edit, 'I');
    uint8_t rows[HEIGHT * ROW];
    draw(&r, rows);
    uint8_t ink[3] = {(uint8_t)sharc_rng_below(&r, 140), (uint8_t)sharc_rng_below(&r, 140),
                      (uint8_t)sharc_rng_below(&r, 140)};
    const uint8_t palette[6] = {0xf4, 0xee, 0xdd, ink[0], ink[1], ink[2]};
    static const uint8_t head[13] = {0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 1 /* bit */, 3 /* palette */, 0, 0, 0};

    SHARC_AUTO(sharc_buf_done) struct sharc_buf data = SHARC_BUF_INIT(HEIGHT * ROW + 64);
    const uint16_t n = HEIGHT * ROW;
    const uint8_t stored[7] = {0x78,           0x01, 1 /* last block, stored */, n & 0xff, n >> 8, 0xff - (n & 0xff),
                               0xff - (n >> 8)};
    sharc_buf_put(&data, sharc_span(stored, sizeof stored));
    sharc_buf_put(&data, sharc_span(rows, sizeof rows));
    put_u32(&data, adler32(rows, sizeof rows));

    sharc_buf_put(out, SHARC_SPAN("\x89PNG\r\n\x1a\n"));
    put_chunk(out, "IHDR", sharc_span(head, sizeof head));
    put_chunk(out, "PLTE", sharc_span(palette, sizeof palette));
    put_chunk(out, "IDAT", sharc_buf_span(&data));
    put_chunk(out, "IEND", SHARC_SPAN(""));
}
