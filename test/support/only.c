/*
 * CUSTOS_ONLY names the only case that a test program runs; * and ? stand for any
 * characters. Linked into every program, so that no main needs to know of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void
choose_case(void)
{
    const char *name = getenv("CUSTOS_ONLY");

    if (name)
        cmocka_set_test_filter(name);
}
