/*
 * Standard input of `custos noise`: cli/values.c parses the bytes of any file.
 * The result must be the same whether they come in one piece or byte by byte,
 * and every whole number that is accepted must be the same after it is written
 * and read again.
 */
#include "cli/values.c" /* the command is not a library */

#include "custos.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
require(bool fact)
{
    if (!fact)
        abort();
}

/* Writes the accepted numbers and reads them back. */
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
