#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How soon each view of the web interface can be used over a capture of 100,000 pages, and how smoothly its pictures follow a finger
# (ui_frames.mjs): `bench/run build/bench ui-frames`. The catalogue is that of ui-bench.sh. VIEWS: only these.
set -eu
cd "$(dirname "$0")/.."
archive=${UI_ARCHIVE:-$PWD/build/ui-archive}
modules=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/playwright-core
dir=$(mktemp -d)
serving=
trap '[ -z "$serving" ] || { kill "$serving"; wait "$serving"; } 2>/dev/null; rm -rf "$dir"' EXIT
for tool in node npm chromium; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 0; }
done
[ -d "$modules/node_modules/playwright-core" ] || {
    mkdir -p "$modules"
    (cd "$modules" && npm install --no-save --ignore-scripts --no-audit --no-fund playwright-core@1.57.0 >"$dir/log" 2>&1) || { tail -n 5 "$dir/log"; exit 1; }
}
python3 bench/ui_bench.py "$SHARC" "$archive" words >"$dir/log"
"$SHARC" serve -q --port 0 --ready-file "$dir/ready" "$archive" >"$dir/log" 2>&1 &
serving=$!
while [ ! -s "$dir/ready" ]; do sleep 0.05; done
# shellcheck disable=SC2086
node bench/ui_frames.mjs "$modules" "$(command -v chromium)" "$(sed -n 1p "$dir/ready")" ${VIEWS:-}
