/* SPDX-License-Identifier: Apache-2.0
 *
 * Object stores on the command line: keys and region from where other tools have them, too.
 *
 *   AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN   or ~/.aws/credentials
 *   AWS_REGION, AWS_DEFAULT_REGION                                or ~/.aws/config
 *   AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL                         or ~/.aws/config
 *   AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_CA_BUNDLE
 *   SHARC_S3_STYLE=virtual   the bucket is a part of the endpoint's host name
 */
#ifndef SHARC_CLI_OBJECTS_H
#define SHARC_CLI_OBJECTS_H

#include "cli.h"
#include "sharc/object.h"

/* Before a command runs: whoever opens a file may be given s3://…. Nothing is read before somebody does. That
 * the store lets a command wait is said on c->err. */
void cli_objects_prepare(struct cli *c);
/* The store; NULL: libcurl cannot be started. Lives as long as the program. */
struct sharc_object_store *cli_objects_store(struct sharc_err *reterr);
/* At the end. */
void cli_objects_done(void);

#endif
