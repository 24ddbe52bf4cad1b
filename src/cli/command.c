/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of commands: help, completion, the documentation check and main()
 * read these rows and nothing else.
 */
#include "cli.h"

const struct cli_command cli_commands[] = {
    {"crawl", cmd_crawl, "URL...", "capture sites into an archive, and report which pages existed together"},
    {"watch", cmd_watch, "[URL...]", "look at pages again and again under a budget, and keep every version seen"},
    {"worker", cmd_worker, "", "capture and watch the sites that are queued, beside other workers"},
    {"jobs", cmd_jobs, "[list|show|explain|pause|resume|cancel|retry|forget] [JOB|SITE...]",
     "show the queue of jobs, explain why one does not run, and pause, cancel or retry it"},
    {"plan", cmd_plan, "URL|ARCHIVE|DATASET", "predict the quality of a capture for each strategy, and recommend one"},
    {"rates", cmd_rates, "estimate|train|predict|evaluate|show ...",
     "estimate, learn and predict how often pages change"},
    {"sim", cmd_sim, "", "run strategies in virtual time on synthetic sites and recorded histories"},
    {"lab", cmd_lab, "serve|run|watch|judge ARCHIVE [CAPTURE]",
     "serve a changing web site on loopback, crawl it, and judge captures by its log"},
    {"url", cmd_url, "URL...", "show how sharc reads a URL: parts, keys, and whether it is in scope"},
    {"import", cmd_import, "FILE...", "read archive files of any crawler into the catalogue of an archive"},
    {"status", cmd_status, "[ARCHIVE]", "show what an archive holds, what runs on it, and what is unfinished"},
    {"quality", cmd_quality, "ARCHIVE|FILE... [CAPTURE]",
     "show what captures prove: coherence, blur, complete pages, the answer for a time"},
    {"verify", cmd_verify, "FILE...|ARCHIVE",
     "check archive files, containers and indexes, and write corrected copies"},
    {"certify", cmd_certify, "ARCHIVE [CAPTURE]",
     "write a certificate of a capture that anybody can check against its files"},
    {"key", cmd_key, "FILE", "create a signing key, or show what a key file holds"},
    {"index", cmd_index, "FILE...", "make indexes of archive files, or look up captures in them"},
    {"diff", cmd_diff, "A B", "show what changed between two pages or two captures, and how much it matters"},
    {"export", cmd_export, "FILE...", "make a WACZ, one WARC, an index, a table or a local mirror of archive files"},
    {"report", cmd_report, "[ARCHIVE]", "make a report for people, or a picture, of captures"},
    {"serve", cmd_serve, "FILE...|ARCHIVE", "show archives in a browser, and answer by URL and time"},
    {"view", cmd_view, "ARCHIVE URL|CAPTURE",
     "open an archived page in Chromium, exactly as it was, without any network"},
    {"completion", cmd_completion, "bash|zsh|fish", "print a completion script for a shell"},
    {"help", cmd_help, "[COMMAND]", "list the commands, or explain one"},
    {"version", cmd_version, "", "print the version of sharc and of its libraries"},
    {NULL, NULL, NULL, NULL},
};

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}
