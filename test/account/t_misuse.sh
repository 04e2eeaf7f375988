#!/bin/sh
# The compiler keeps plans and filters apart: code that mixes them does not
# compile. Each snippet is a function body. The good ones show that the compiler
# rejects the mistake in a bad one and nothing else.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
wrong=0

compiles() { # BODY
    cat >"$tmp/snippet.c" <<EOF
#include "custos.h"
custos_status use(custos_plan *plan, custos_filter *filter,
                  custos_odometer *odometer, const custos_charge *charge,
                  custos_bound *bound, custos_err *err);
custos_status use(custos_plan *plan, custos_filter *filter,
                  custos_odometer *odometer, const custos_charge *charge,
                  custos_bound *bound, custos_err *err)
{
    (void)plan, (void)filter, (void)odometer, (void)charge, (void)bound;
    return $1;
}
EOF
    "${CC:-cc}" -std=c17 -pedantic-errors -Werror -I"$SRC/include" -c \
        "$tmp/snippet.c" -o "$tmp/snippet.o" 2>"$tmp/said"
}

good() { # BODY
    compiles "$1" || { echo "does not compile: $1"; cat "$tmp/said"; wrong=1; }
}

bad() { # BODY
    ! compiles "$1" || { echo "compiles, and must not: $1"; wrong=1; }
}

good 'custos_plan_epsilon(plan, CUSTOS_BY_RDP, "1e-6", bound, err)'
good 'custos_filter_admit(filter, charge, err)'
good 'custos_odometer_add(odometer, charge, err)'
good 'custos_plan_add(plan, "laplace:epsilon=0.1", err)'

# An adaptive history is not a plan.
bad 'custos_plan_epsilon(filter, CUSTOS_BY_RDP, "1e-6", bound, err)'
bad 'custos_plan_epsilon(odometer, CUSTOS_BY_RDP, "1e-6", bound, err)'
bad 'custos_plan_add(plan, filter, err)'
bad 'custos_plan_add(plan, charge, err)'
bad 'custos_plan_add(filter, "laplace:epsilon=0.1", err)'
# A plan cannot be admitted like a charge or used as a filter.
bad 'custos_filter_admit(filter, plan, err)'
bad 'custos_filter_admit(plan, charge, err)'
bad 'custos_odometer_add(filter, charge, err)'
# The status of an admission must not be ignored.
bad '0; } void drop(custos_filter *f, const custos_charge *c);
void drop(custos_filter *f, const custos_charge *c) { custos_filter_admit(f, c, 0)'
# The members of a filter are not accessible.
bad 'filter->kind'
bad 'charge->charge'

# No public function takes a plan together with a filter, odometer or charge.
mixed=$(tr '\n' ' ' <"$SRC/include/custos.h" | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' |
    tr ';' '\n' | grep 'custos_plan \*' |
    grep -E 'custos_(filter|odometer|charge) \*' || true)
[ -z "$mixed" ] || { echo "one function for both worlds: $mixed"; wrong=1; }
exit $wrong
