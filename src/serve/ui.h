/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of the web interface, as tools/build-ui.mjs makes them of web/. A build without Node has none.
 */
#ifndef SHARC_SERVE_UI_H
#define SHARC_SERVE_UI_H

#include <stddef.h>

struct serve_ui_file {
    const char *name, *type, *etag;
    const unsigned char *gzip;
    size_t gzip_n, n; /* bytes compressed, and not */
};
/* Ended by one without a name. */
extern const struct serve_ui_file sharc__serve_ui_files[];
extern const size_t sharc__serve_ui_count;

#endif
