/* SPDX-License-Identifier: Apache-2.0
 *
 * Words, titles and paragraphs that look like a site about a coast, drawn from
 * a seed.
 */
#include "lab_int.h"

#include "sharc/base_digest.h"

static const char *const words[] = {
    "anchor",  "autumn",  "badger",  "barley",   "basket",  "beacon",  "birch",   "boat",    "bramble",  "bridge",
    "bronze",  "candle",  "canvas",  "cedar",    "chalk",   "cliff",   "clover",  "coast",   "copper",   "coral",
    "cottage", "crane",   "current", "dune",     "ebb",     "elm",     "estuary", "falcon",  "fern",     "ferry",
    "field",   "flint",   "foam",    "fog",      "forge",   "gable",   "garden",  "gate",    "granite",  "grove",
    "gull",    "harbour", "harvest", "hawthorn", "hazel",   "heather", "hedge",   "herring", "hill",     "horizon",
    "island",  "ivory",   "jetty",   "juniper",  "kelp",    "kiln",    "ladder",  "lagoon",  "lamp",     "lantern",
    "larch",   "lichen",  "lime",    "linen",    "lobster", "loom",    "maple",   "marble",  "marsh",    "meadow",
    "mill",    "mist",    "moor",    "moss",     "net",     "oak",     "oar",     "orchard", "otter",    "oyster",
    "path",    "pebble",  "pier",    "pine",     "plover",  "pond",    "poplar",  "quarry",  "quay",     "rain",
    "reed",    "ridge",   "river",   "robin",    "roof",    "rope",    "rowan",   "rudder",  "sail",     "salt",
    "sand",    "shale",   "shell",   "shore",    "slate",   "snow",    "sparrow", "spring",  "starling", "stone",
    "storm",   "stream",  "summer",  "swallow",  "tar",     "thistle", "tide",    "timber",  "tower",    "trail",
    "tulip",   "turf",    "valley",  "vessel",   "village", "wall",    "water",   "wave",    "weather",  "wharf",
    "wheat",   "willow",  "wind",    "winter",   "wood",    "wren",    "yarrow",  "yew",
};

static const char *const joints[] = {"and",       "beside",    "under",    "near",     "with", "before",
                                     "behind",    "of the",    "in the",   "past the", "over", "without",
                                     "until the", "along the", "from the", "like"};

struct sharc_rng sharc__lab_draw(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t key[3] = {a, b, c};
    return sharc_rng_stream(seed, sharc_fingerprint(sharc_span(key, sizeof key), seed));
}

const char *sharc__lab_word(struct sharc_rng *r)
{
    return words[sharc_rng_below(r, SHARC_LENGTH(words))];
}

static void put_capital(struct sharc_buf *out, const char *word)
{
    sharc_buf_put_char(out, sharc_to_upper(word[0]));
    sharc_buf_put_str(out, word + 1);
}

void sharc__lab_title(uint64_t seed, uint32_t item, struct sharc_buf *out)
{
    struct sharc_rng r = sharc__lab_draw(seed, item, 0, 'T');
    put_capital(out, sharc__lab_word(&r));
    sharc_buf_printf(out, " %s ", joints[sharc_rng_below(&r, SHARC_LENGTH(joints))]);
    sharc_buf_put_str(out, sharc__lab_word(&r));
}

void sharc__lab_paragraph(struct sharc_rng *r, unsigned n, struct sharc_buf *out)
{
    unsigned left = 0; /* words of the sentence still to come */
    for (unsigned i = 0; i < n; i++) {
        const char *word = i % 2 == 0 ? sharc__lab_word(r) : joints[sharc_rng_below(r, SHARC_LENGTH(joints))];
        if (left == 0) {
            put_capital(out, word);
            left = 7 + (unsigned)sharc_rng_below(r, 8);
        } else {
            sharc_buf_put_str(out, word);
            left--;
        }
        sharc_buf_put_str(out, i + 1 == n ? "." : left == 0 ? ". " : " ");
    }
}
