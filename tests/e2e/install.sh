#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The library as a stranger uses it: installed into a folder of its own, found
# by pkg-config, linked both ways, with the examples and from C++; then taken away again
# without a trace.
set -u
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
site=
trap '[ -z "$site" ] || kill "$site" 2>/dev/null; rm -rf "$dir"' EXIT
n=0 bad=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 20; bad=1; fi; }

root=$dir/root
{ DESTDIR=$root meson install -C "$SHARC_BUILD" --no-rebuild --quiet &&
  tools/make-man "$dir/man" "$SHARC" && tools/install-extra install "$root/usr/local" "$SHARC" "$dir/man"; } >"$dir/log" 2>&1
point $? "installs into a folder"

pc=$(dirname "$(find "$root" -name sharc.pc)")
lib=$(dirname "$(find "$root" -name libsharc.a)")
headers=$root/usr/local/include
# What a user's build asks; the prefix is where DESTDIR put it.
flags() { PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$root/usr/local" "$@" sharc; }

[ "$(flags --cflags | xargs)" = "-I$headers" ]; code=$?
flags --cflags >"$dir/log"; point $code "a user's compiler sees the headers of sharc and of nothing else"
[ "$(flags --libs | xargs)" = "-L$lib -lsharc" ]; code=$?
flags --libs >"$dir/log"; point $code "a user of the shared library links sharc and nothing else"

build_examples() { # build_examples FOLDER FLAGS...
    local to=$1; shift
    mkdir -p "$to"
    for e in examples/*.c; do
        gcc -std=c17 -Wall -Wextra -Werror "$e" "$@" -o "$to/$(basename "$e" .c)" || return 1
    done
}
export LD_LIBRARY_PATH=$lib
build_examples "$dir/shared" $(flags --cflags --libs) >"$dir/log" 2>&1
point $? "the examples link with the shared library"
soname=$(readelf -d "$dir/shared/pages" | sed -n 's/.*NEEDED.*\[\(libsharc[^]]*\)\].*/\1/p')
echo "$soname" >"$dir/log"; [ -e "$lib/$soname" ] && [[ $soname =~ ^libsharc\.so\.[0-9.]+$ ]]
point $? "they ask for the library by its soname"

# A folder without the shared library, so that -lsharc means the static one.
mkdir "$dir/only"; cp "$lib/libsharc.a" "$dir/only"
PKG_CONFIG_PATH=$pc; export PKG_CONFIG_PATH
build_examples "$dir/static" $(pkg-config --define-variable=prefix="$root/usr/local" --define-variable=libdir="$dir/only" \
    --static --cflags --libs sharc) >"$dir/log" 2>&1 && ! readelf -d "$dir/static/pages" | grep -q libsharc >>"$dir/log"
point $? "the examples link with the static library, by pkg-config --static"
unset PKG_CONFIG_PATH

for form in shared static; do
    "$dir/$form/pages" tests/data/garden.warc.gz >"$dir/log" 2>&1 &&
        grep -qx '200    6 http://garden.example/' "$dir/log" && [ "$(grep -c . "$dir/log")" = 10 ]
    point $? "pages ($form) lists every response with its links"
done
"$SHARC" index -q -o "$dir/garden.cdxj" tests/data/garden.warc.gz >"$dir/log" 2>&1 &&
    "$dir/shared/lookup" "$dir/garden.cdxj" tests/data http://garden.example/style.css >"$dir/log" 2>&1 &&
    grep -q '^body { font-family' "$dir/log"
point $? "lookup prints the body of a page of the index"
! "$dir/shared/lookup" "$dir/garden.cdxj" tests/data http://garden.example/nothing >"$dir/log" 2>&1 &&
    grep -q 'no capture of http://garden.example/nothing' "$dir/log"
point $? "lookup says so when there is none"

"$SHARC" lab serve --quiet --pages 12 --seed 5 --ready-file "$dir/url" >"$dir/lab.log" 2>&1 &
site=$!
while [ ! -e "$dir/url" ] && kill -0 "$site" 2>/dev/null; do sleep 0.05; done
"$dir/shared/capture" "$dir/archive" "$(cat "$dir/url")" private >"$dir/log" 2>&1 &&
    grep -qE '^127\.0\.0\.1:[0-9]+: [0-9]+ pages, [0-9]+ of [0-9]+ were the same before and after' "$dir/log"
point $? "capture captures a site and prints its verdict"
"$SHARC" verify "$dir/archive" >"$dir/log" 2>&1
point $? "sharc verify finds nothing in that archive"
kill "$site"; wait "$site" 2>/dev/null; site=

for h in "$headers"/sharc/*.h; do echo "#include <sharc/${h##*/}>"; done >"$dir/all.cc"
cat >>"$dir/all.cc" <<'CC'
#include <cstdio>
int main()
{
    struct sharc_err err;
    struct sharc_url u = {};
    if (sharc_url_parse(&u, sharc_span_of("HTTP://Example.org/a/../b"), nullptr, &err) < 0) return 1;
    struct sharc_span href = sharc_url_href(&u);
    std::printf("%.*s %s %d\n", SHARC_SPAN_ARG(href), sharc_version(), sharc_version_number() == SHARC_VERSION_NUMBER);
    sharc_url_done(&u);
}
CC
g++ -std=c++17 -Wall -Wextra -Werror "$dir/all.cc" -o "$dir/all" $(flags --cflags --libs) >"$dir/log" 2>&1 &&
    "$dir/all" >"$dir/log" 2>&1 && grep -qx "http://example.org/b $("$SHARC" version | sed -n 's/^sharc //p') 1" "$dir/log"
point $? "a C++17 program includes every installed header and runs"
unset LD_LIBRARY_PATH

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
