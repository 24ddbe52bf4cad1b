/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_version.h"

#include <stdio.h>

static void header_library_and_build_agree(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SHARC_VERSION_MAJOR, SHARC_VERSION_MINOR, SHARC_VERSION_PATCH);
    assert_string_equal(SHARC_VERSION, text);
    assert_string_equal(SHARC_VERSION, SHARC_BUILD_VERSION); /* of meson.build */
    assert_string_equal(sharc_version(), SHARC_VERSION);
    assert_int_equal(sharc_version_number(), SHARC_VERSION_NUMBER);
    assert_int_equal(SHARC_VERSION_NUMBER,
                     1000000 * SHARC_VERSION_MAJOR + 1000 * SHARC_VERSION_MINOR + SHARC_VERSION_PATCH);
}

static void libraries_come_in_order(void **state)
{
    (void)state;
    assert_true(sharc_libraries_count() >= 7);
    for (size_t i = 0; i < sharc_libraries_count(); i++) {
        struct sharc_library l = sharc_library_at(i);
        assert_true(l.name[0] && sharc_is_digit(l.version[0]));
        if (i) assert_true(strcmp(sharc_library_at(i - 1).name, l.name) < 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(header_library_and_build_agree),
    cmocka_unit_test(libraries_come_in_order),
};
TEST_MAIN(tests)
