/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a certificate and what belongs to it are: files of a directory, or entries of the WACZ that carries them.
 */
#include "check.h"

#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_zip.h"

#include <errno.h>
#include <unistd.h>

#define INSIDE "certificate/" CERTIFY_NAME

int sharc__certify_beside(const struct checking *x, const char *name, struct sharc_buf *out, struct sharc_err *reterr)
{
    if (x->zip) {
        const struct sharc_zip_entry *e = sharc_zip_find(x->zip, sharc_span_of(name + x->inside));
        int r = e ? sharc_zip_read(x->zip, e, out, reterr) : 0;
        return r < 0 ? r : e != NULL;
    }
    if (access(name, F_OK) < 0 && errno == ENOENT) return 0;
    int r = sharc_file_read(name, out, reterr);
    return r < 0 ? r : 1;
}

bool sharc__certify_is_container(struct sharc_span bytes)
{
    return sharc_span_starts(bytes, SHARC_SPAN("PK\3\4"));
}

int sharc__certify_open_container(const char *path, struct sharc_span bytes, struct sharc_zip *zip,
                                  struct sharc_buf *text, char **ret_name, struct sharc_err *reterr)
{
    int r = sharc_zip_open_bytes(zip, path, bytes, reterr);
    if (r < 0) return r;
    const struct sharc_zip_entry *e = sharc_zip_find(zip, SHARC_SPAN(INSIDE));
    SHARC_FAIL_IF(!e, reterr, SHARC_ENOENT,
                  "%s: there is no certificate in it: sharc export --to wacz --sign puts one into a WACZ, and sharc "
                  "certify writes one beside it",
                  path);
    r = sharc_zip_read(zip, e, text, reterr);
    if (r == 0) *ret_name = sharc_asprintf("%s/" INSIDE, path);
    return r;
}
