#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every question of the web interface to a catalogue of 10 captures of 100,000 pages, SQLite and PostgreSQL (ui_bench.py):
# `bench/run build/bench ui-bench`. The catalogue is made once, in UI_ARCHIVE (build/ui-archive), which takes some minutes.
# QUESTIONS: only these.
set -eu
cd "$(dirname "$0")/.."
archive=${UI_ARCHIVE:-$PWD/build/ui-archive}
# shellcheck disable=SC2086
{
    echo "SQLite"
    python3 bench/ui_bench.py "$SHARC" "$archive" ${QUESTIONS:-}
    echo "PostgreSQL"
    tools/pg-temp run python3 bench/ui_bench.py "$SHARC" "$archive" ${QUESTIONS:-}
}
