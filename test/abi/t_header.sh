#!/bin/sh
# The public header compiles alone and without warnings, as C99, C17 and C++17
# and under the oldest and newest C++ that we try; so do its _INIT macros. It needs
# no feature macro and no 128-bit type.
cd "$SRC" || exit 1
flags="-pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -Iinclude"
case ${CC:-cc} in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac
n=0
failed=0

report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        failed=1
    fi
}

# Includes the header twice, to test its guard, and starts every struct that has
# an _INIT macro with it.
program() {
    printf '#include "custos.h"\n#include "custos.h"\n'
    sed -n 's/^#define \(CUSTOS_\([A-Z_]*\)_INIT\).*/\1/p' include/custos.h |
        while read -r macro; do
            type=$(echo "$macro" | sed 's/_INIT$//' | tr '[:upper:]' '[:lower:]')
            echo "size_t size_of_$type(void);"
            echo "size_t size_of_$type(void)"
            echo "{ $type x = $macro; return x.size; }"
        done
}

try() {
    program | "$@" $flags -
    report $? "$*"
}

echo 1..6
try "${CC:-cc}" -x c -std=c99 -Wstrict-prototypes
try "${CC:-cc}" -x c -std=c17 -Wstrict-prototypes
try $cxx -x c++ -std=c++11
try $cxx -x c++ -std=c++17
try $cxx -x c++ -std=c++20
! grep -n '__int128\|_BitInt\|long double' include/custos.h
report $? "no type that other languages lack"
exit $failed
