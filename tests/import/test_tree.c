/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "../../src/import/import_int.h"

/* 0 -> 1 2, 1 -> 3, 2 -> 3 4, 5 -> 0; nothing leads to 5. */
static uint64_t at[] = {0, 2, 3, 5, 5, 5, 6};
static uint32_t to[] = {1, 2, 3, 3, 4, 0};
static const struct sharc_store_graph graph = {.n = 6, .at = at, .to = to};

static void the_earlier_download_is_the_parent(void **state)
{
    (void)state;
    const sharc_time when[] = {0, 20, 10, 30, 40, 50};
    const bool root[] = {true, false, false, false, false, false};
    uint32_t parent[6];
    int32_t hops[6];
    for (int i = 0; i < 6; i++) {
        parent[i] = SHARC_NO_ID;
        hops[i] = -1;
    }
    struct import_tree t = {.graph = &graph, .when = when, .root = root, .parent = parent, .hops = hops};
    sharc__import_tree(&t);
    const uint32_t want_parent[] = {SHARC_NO_ID, 0, 0, 2, 2, SHARC_NO_ID};
    const int32_t want_hops[] = {0, 1, 1, 2, 2, -1};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(parent[i], want_parent[i]);
        assert_int_equal(hops[i], want_hops[i]);
    }
}

static void what_metadata_said_stays(void **state)
{
    (void)state;
    const sharc_time when[] = {0, 1, 2, 3, 4, 5};
    const bool root[] = {true, false, false, false, false, true};
    uint32_t parent[] = {SHARC_NO_ID, SHARC_NO_ID, SHARC_NO_ID, 1, SHARC_NO_ID, SHARC_NO_ID};
    int32_t hops[] = {-1, 4, -1, -1, -1, -1};
    struct import_tree t = {.graph = &graph, .when = when, .root = root, .parent = parent, .hops = hops};
    sharc__import_tree(&t);
    assert_int_equal(hops[1], 4);
    assert_int_equal(parent[1], 0);
    assert_int_equal(hops[3], 5);
    assert_int_equal(hops[5], 0);
    assert_int_equal(hops[0], 0);
    assert_int_equal(parent[0], SHARC_NO_ID);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_earlier_download_is_the_parent),
    cmocka_unit_test(what_metadata_said_stays),
};
TEST_MAIN(tests)
