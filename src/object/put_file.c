/* SPDX-License-Identifier: Apache-2.0 */
#include "object_int.h"

#include "sharc/object_outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ONE_PIECE ((uint64_t)64 << 20)

const char *sharc_object_type_of(const char *file)
{
    static const struct {
        const char *end, *type;
    } types[] = {{".gz", "application/gzip"},   {".zst", "application/zstd"}, {".warc", "application/warc"},
                 {".json", "application/json"}, {".html", "text/html"},       {".cdxj", "text/plain"},
                 {".files", "text/plain"},      {".csv", "text/csv"},         {".pdf", "application/pdf"},
                 {".wacz", "application/zip"}};
    for (size_t i = 0; i < SHARC_LENGTH(types); i++)
        if (sharc_span_ends(sharc_span_of(file), sharc_span_of(types[i].end))) return types[i].type;
    return "application/octet-stream";
}

/* The answer may be lost although the object is there: then an abort could take its parts away (object.h). What is not
 * there stays an upload under way, which sharc verify names. */
static int complete(struct sharc_object_store *s, const char *name, uint64_t size, const struct sharc_object_upload *u,
                    const struct sharc_object_part *parts, size_t count, struct sharc_err *reterr)
{
    struct sharc_object_facts facts;
    int r = sharc_object_upload_complete(s, name, u, parts, count, reterr);
    if (r < 0 && sharc_object_head(s, name, &facts, NULL) == 0 && facts.size == size) r = 0;
    return r;
}

static int put_parts(struct sharc_object_store *s, const char *name, int fd, uint64_t size,
                     const struct sharc_object_upload *u, struct sharc_err *reterr)
{
    const uint64_t each = size / (SHARC_OBJECT_PARTS - 1) > ONE_PIECE ? size / (SHARC_OBJECT_PARTS - 1) : ONE_PIECE;
    SHARC_AUTO(sharc_freep)
    struct sharc_object_part *parts = SHARC_NEW_ARRAY(struct sharc_object_part, (size_t)(size / each + 1));
    size_t count = 0;
    int r = 0;
    for (uint64_t at = 0; r == 0 && at < size; at += each) {
        const struct sharc_object_body body = {.fd = fd, .at = at, .size = size - at < each ? size - at : each};
        r = sharc_object_upload_part(s, name, u, (unsigned)count + 1, &body, &parts[count], reterr);
        count++;
    }
    if (r == 0) return complete(s, name, size, u, parts, count, reterr);
    (void)sharc_object_upload_abort(s, name, u, NULL);
    return r;
}

int sharc_object_put_file(struct sharc_object_store *s, const char *name, const char *path, const char *type,
                          struct sharc_err *reterr)
{
    struct stat st;
    SHARC_AUTO(sharc_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0 || fstat(fd, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    const struct sharc_object_body body = {.fd = fd, .size = (uint64_t)st.st_size};
    if (body.size <= ONE_PIECE) return sharc_object_put(s, name, &body, type, NULL, reterr);
    struct sharc_object_upload u;
    int r = sharc_object_upload_begin(s, name, type, &u, reterr);
    return r < 0 ? r : put_parts(s, name, fd, body.size, &u, reterr);
}
