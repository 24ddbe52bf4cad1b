/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target on files (or on every file of a directory) once each and
 * prints TAP: what a fuzzer once found must stay found.
 */
#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_file.h"

#include <stdio.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count;

static void replay_file(const char *path)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_read(path, &b, &err) < 0) {
        printf("not ok %d - %s # %s\n", ++count, path, err.text);
        return;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)sharc_buf_str(&b), b.n);
    printf("ok %d - %s\n", ++count, path);
}

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) return; /* a parser without repro/ yet */
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path);
        return;
    }
    char **names = NULL;
    size_t n = 0;
    if (sharc_dir_list(path, &names, &n, NULL) < 0) return;
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_freep) char *full = sharc_path_join(path, names[i]);
        replay_file(full);
    }
    sharc_names_free(names, n);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) replay(argv[i]);
    printf("1..%d\n", count);
    return 0;
}
