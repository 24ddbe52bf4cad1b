#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time and memory of whole experiments: planning, crawling, the synthetic history
# and its scoring, at 10,000, 100,000 and 1,000,000 pages on one thread. Prints
# CPU seconds and peak memory of the process per page.
set -eu
: "${SHARC:?path of sharc}"
printf '%-26s %9s %9s %12s\n' strategy pages 'CPU s' 'bytes/page'
for strategy in sharc-offline sharc-online sharc-selective-offline sharc-selective-online sharc-focus sharc-optimal; do
    for pages in 10000 100000 1000000; do
        used=$({ /usr/bin/time -f '%U %S %M' "$SHARC" sim -q --pages $pages --threads 1 --no-bound \
            --strategy $strategy >/dev/null; } 2>&1)
        awk -v s=$strategy -v n=$pages '{ printf "%-26s %9d %9.2f %12.0f\n", s, n, $1 + $2, $3 * 1024 / n }' <<<"$used"
    done
done
