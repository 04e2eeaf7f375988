#!/bin/sh
# What `make install` installs is enough to build against: a program that knows
# only pkg-config compiles, links and runs. And `make install` builds all that it
# installs, and nothing else.
set -eu
# A sanitized library cannot be linked without the sanitizer.
! nm -D "$BUILD/src/libcustos.so" | grep -q '__asan_init' || exit 77
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

meson introspect "$BUILD" --installed | tr ',' '\n' |
    sed -n "s|.*\"$BUILD/\([^\"]*\)\": .*|\1|p" | grep -v '^meson-private/' |
    sort >"$tree/installed"
"$SRC/tools/installed" "$BUILD" | sort | diff "$tree/installed" -
grep -q '^src/libcustos' "$tree/installed"

DESTDIR=$tree meson install -C "$BUILD" --no-rebuild --quiet
pc=$(find "$tree" -name custos.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$tree
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
pkg-config --print-requires-private custos | sort | tr '\n' ' ' |
    grep -qx 'gmp libsodium mpfr '

cat >"$tree/user.c" <<'EOF'
#include <custos.h>
#include <string.h>

int main(void)
{
    return strcmp(custos_version(), CUSTOS_VERSION) != 0;
}
EOF
"${CC:-cc}" "$tree/user.c" -o "$tree/user" $(pkg-config --cflags --libs custos)
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$tree/user"
[ "$(pkg-config --modversion custos)" = \
    "$(sed -n 's/#define CUSTOS_VERSION "\(.*\)"/\1/p' "$SRC/include/custos.h")" ]
