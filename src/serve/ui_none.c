/* SPDX-License-Identifier: Apache-2.0
 *
 * Instead of the web interface, where it is not built.
 */
#include "ui.h"

const struct serve_ui_file sharc__serve_ui_files[] = {{0}};
const size_t sharc__serve_ui_count = 0;
