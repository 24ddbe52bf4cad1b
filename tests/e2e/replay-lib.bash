# SPDX-License-Identifier: Apache-2.0
# For stories that open a WACZ in an independent replay engine: ReplayWeb.page in
# headless Chromium, through the judge beside the source tree. Sourced.
judges=${SHARC_SHARED:-$here/../../../shared}/judges
judge_missing= judge_modules=

# Sets judge_missing to what this machine lacks: node, npm and its registry, chromium, the
# judges. The packages are installed once per list of versions, outside the tree.
judge_prepare() {
    local tool
    for tool in node npm chromium; do command -v $tool >/dev/null || judge_missing="$judge_missing $tool"; done
    [ -f "$judges/replay-judge.mjs" ] || judge_missing="$judge_missing judges"
    [ -z "$judge_missing" ] || return 0
    judge_modules=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/judges-$(sha256sum "$judges/package-lock.json" | cut -c1-12)
    if [ ! -f "$judge_modules/.complete" ]; then
        mkdir -p "$judge_modules"
        (
            flock 8
            [ -f "$judge_modules/.complete" ] && exit
            cat "$judges/package.json" >"$judge_modules/package.json"
            cat "$judges/package-lock.json" >"$judge_modules/package-lock.json"
            cd "$judge_modules" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund >"$dir/log" 2>&1 && touch .complete
        ) 8>"$judge_modules/.lock"
    fi
    [ -f "$judge_modules/.complete" ] || judge_missing=" packages (npm could not install them)"
}

# judge WHAT WACZ ARGUMENT...: a test. On a busy machine the browser needs its time; a judge that
# could not run is no verdict.
judge() {
    local what=$1 wacz=$2 code
    shift 2
    if [ -n "$judge_missing" ]; then skip "$what" "missing:$judge_missing"; return; fi
    node "$judges/replay-judge.mjs" --modules "$judge_modules" --chromium "$headless" --archive "$wacz" --timeout 90 "$@" >"$dir/log" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$what" "the judge could not run"; else point $code "$what"; fi
}

# click_through WHAT WACZ PLAN: the steps of replay-click.mjs, each a test.
click_through() {
    local what=$1 line
    if [ -n "$judge_missing" ]; then skip "$what, clicked through in ReplayWeb.page" "missing:$judge_missing"; return; fi
    node "$here/replay-click.mjs" "$judge_modules" "$2" "$headless" <"$3" >"$dir/clicks" 2>"$dir/log"
    if [ $? = 2 ]; then skip "$what, clicked through in ReplayWeb.page" "the browser could not run"; return; fi
    while IFS= read -r line <&6; do
        case $line in
        'ok - '*) point 0 "${line#ok - }" ;;
        'not ok - '*) : >"$dir/log"; point 1 "${line#not ok - }" ;;
        *) echo "$line" ;;
        esac
    done 6<"$dir/clicks"
}
