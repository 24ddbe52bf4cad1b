/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include <sys/stat.h>

bool cli_is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
