#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The library as a stranger uses it: installed into a folder of its own, found
# by pkg-config, linked both ways; then taken away again without a trace.
set -u
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 bad=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 20; bad=1; fi; }

root=$dir/root
{ DESTDIR=$root meson install -C "$SHARC_BUILD" --no-rebuild --quiet &&
  tools/make-man "$dir/man" "$SHARC" && tools/install-extra install "$root/usr/local" "$SHARC" "$dir/man"; } >"$dir/log" 2>&1
point $? "installs into a folder"

pc=$(dirname "$(find "$root" -name sharc.pc)")
lib=$(dirname "$(find "$root" -name libsharc.a)")
cat >"$dir/user.c" <<'C'
#include <sharc/base.h>
#include <sharc/url.h>
#include <stdio.h>
int main(void)
{
    struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse(&u, SHARC_SPAN("HTTP://Example.org/a/../b"), NULL, NULL) < 0) return 1;
    printf("%.*s\n", SHARC_SPAN_ARG(sharc_url_href(&u)));
    sharc_url_done(&u);
    return 0;
}
C
flags() { PKG_CONFIG_PATH=$pc PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@" sharc; }
gcc -std=c17 "$dir/user.c" -o "$dir/shared" $(flags --cflags --libs) >"$dir/log" 2>&1 &&
    [ "$(LD_LIBRARY_PATH=$lib "$dir/shared" 2>>"$dir/log")" = http://example.org/b ]
point $? "a program links with the shared library"
# PKG_CONFIG_SYSROOT_DIR also moves the system's libraries; only ours is wanted from there.
gcc -std=c17 "$dir/user.c" -I"$root/usr/local/include" "$lib/libsharc.a" \
    $(tools/static-libs "$pc") -o "$dir/static" >"$dir/log" 2>&1 &&
    [ "$("$dir/static" 2>>"$dir/log")" = http://example.org/b ]
point $? "a program links with the static library"

ls "$root"/usr/local/share/man/man1/sharc.1 "$root"/usr/local/share/man/man7/sharc-exit-codes.7 \
    "$root"/usr/local/share/man/man7/sharc-scope.7 >"$dir/log" 2>&1
point $? "man pages are installed"
out=$(for page in "$root"/usr/local/share/man/man*/sharc*; do LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null; done)
echo "$out" >"$dir/log"; [ -z "$out" ]
point $? "man reads every page without a warning"
bash -n "$root/usr/local/share/bash-completion/completions/sharc" >"$dir/log" 2>&1
point $? "the bash completion is valid"
completed=$(bash -c "source '$root/usr/local/share/bash-completion/completions/sharc'; COMP_WORDS=(sharc url --re); COMP_CWORD=2; _sharc; echo \${COMPREPLY[@]}")
echo "$completed" >"$dir/log"; [ "$completed" = --reach ]
point $? "bash completes an option"
grep -q __fish_use_subcommand "$root/usr/local/share/fish/vendor_completions.d/sharc.fish" >"$dir/log" 2>&1
point $? "fish has its completion"

tools/install-extra uninstall "$root/usr/local" "$SHARC" "$dir/man" >"$dir/log" 2>&1
find "$root" -path '*man*' -name 'sharc*' >"$dir/log"; [ ! -s "$dir/log" ]
point $? "uninstall leaves no page behind"
echo "1..$n"
exit $bad
