/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates from anybody, and pages of them, checked without any archive file: never a crash, every finding has
 * a text and a place that is in the file, and a certificate by our rules whose files are not there does not hold.
 */
#include "sharc/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], name[] = "/tmp/fuzz-certificate-file-XXXXXX";
    int fd = mkstemp(name);
    SHARC_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    unlink(name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const char *paths[] = {"/proc/self/fdinfo"}; /* a directory without archive files */
    struct sharc_certify_checking o = {.certificate = path, .paths = paths, .count = 1, .threads = 1};
    struct sharc_certify_checked checked;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_certify_check(&o, &checked, &err) == 0) {
        for (size_t i = 0; i < checked.count; i++) {
            const struct sharc_certify_finding *f = &checked.findings[i];
            SHARC_ASSERT(f->file && f->text && f->text[0]);
            SHARC_ASSERT(f->offset == SHARC_NOWHERE || f->offset <= size);
        }
        SHARC_ASSERT(checked.total > 0 || checked.page || checked.rules[0]);
    }
    sharc_certify_checked_done(&checked);
    close(fd);
    return 0;
}
