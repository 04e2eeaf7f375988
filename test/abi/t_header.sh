#!/bin/sh
# The public header compiles alone and without warnings, under two C standards
# and as C++, and needs no feature macro.
cd "$SRC" || exit 1
flags="-pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -Iinclude"
case ${CC:-cc} in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac
n=0

try() {
    n=$((n + 1))
    # Included twice, to test its include guard.
    if printf '#include "custos.h"\n#include "custos.h"\n' | "$@" $flags -; then
        echo "ok $n - $*"
    else
        echo "not ok $n - $*"
        failed=1
    fi
}

echo 1..4
failed=0
try "${CC:-cc}" -x c -std=c11 -Wstrict-prototypes
try "${CC:-cc}" -x c -std=c17 -Wstrict-prototypes
try $cxx -x c++ -std=c++11
try $cxx -x c++ -std=c++20
exit $failed
