/*
 * The boundary of standard input: values.c reads the bytes of a stranger's
 * file. In one piece or byte by byte, the result must be the same, and every
 * whole number it takes must be written as it was read.
 */
#include "cli/values.c" /* the command is no library */

#include "custos.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
require(bool fact)
{
    if (!fact)
        abort();
}

/* Writes what was taken and reads it back. */
static void
check_fixpoint(const struct values *v)
{
    struct values again;
    char text[41];

    values_init(&again, VALUES_INTS);
    for (size_t i = 0; i < v->n; i++) {
        values_feed(&again, text, custos_int_write(v->ints[i], text));
        values_feed(&again, "\n", 1);
    }
    require(values_end(&again) && again.n == v->n);
    for (size_t i = 0; i < v->n; i++)
        require(again.ints[i] == v->ints[i]);
    values_clear(&again);
}

static void
check(enum values_kind kind, const char *text, size_t len)
{
    struct values whole, pieces;
    bool good;

    values_init(&whole, kind);
    values_init(&pieces, kind);
    values_feed(&whole, text, len);
    for (size_t i = 0; i < len; i++)
        values_feed(&pieces, text + i, 1);
    good = values_end(&whole);
    require(good == values_end(&pieces));
    require(good == !whole.wrong && whole.wrong == pieces.wrong);
    require(whole.n == pieces.n && whole.line == pieces.line);
    if (good && kind == VALUES_INTS)
        check_fixpoint(&whole);
    for (size_t i = 0; i < whole.n && kind == VALUES_REALS; i++)
        require(isfinite(whole.reals[i]));
    values_clear(&whole);
    values_clear(&pieces);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    check(VALUES_INTS, (const char *)data, len);
    check(VALUES_REALS, (const char *)data, len);
    return 0;
}
