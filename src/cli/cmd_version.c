/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "sharc/base_version.h"

int cmd_version(struct cli *c, int argc, char **argv)
{
    const struct cli_option options[] = {OPT_END};
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc > 1) return cli_usage(c, "takes no arguments");
    if (!c->json) {
        fprintf(c->out, "sharc %s\n", SHARC_VERSION);
        for (size_t i = 0; i < sharc_libraries_count(); i++) {
            struct sharc_library l = sharc_library_at(i);
            fprintf(c->out, "  %-12s %s\n", l.name, l.version);
        }
        return EXIT_OK;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "version", SHARC_VERSION);
    sharc_json_object(&j, "libraries");
    for (size_t i = 0; i < sharc_libraries_count(); i++)
        sharc_json_str(&j, sharc_library_at(i).name, sharc_library_at(i).version);
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return EXIT_OK;
}
