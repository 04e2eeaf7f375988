/*
 * Numbers as text: a number that rat_read accepts is written and read again. It
 * must be the same number, and must be written as the same text. A text that is
 * rejected must leave the output unchanged and give a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "num/rat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { WRITTEN_MAX = 8192 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
check_refused(custos_status st, const rat *x, const custos_err *err)
{
    require(st == CUSTOS_EPARSE && err->code == st);
    require(rat_cmp_i64(x, 7) == 0);
    require(err->said[0] && memchr(err->said, '\0', sizeof err->said));
}

static void
check_taken(const rat *x)
{
    struct buf first, second;
    custos_err err = CUSTOS_ERR_INIT;
    rat again;

    rat_init(&again);
    buf_init(&first, NULL, WRITTEN_MAX);
    buf_init(&second, NULL, WRITTEN_MAX);
    rat_write(x, &first);
    require(!first.failed && first.len > 0);
    /* A long fraction may be written with more digits than rat_read accepts. */
    if (first.len <= RAT_TEXT_MAX) {
        require(!rat_read(buf_text(&first), "number", &again, &err));
        require(rat_cmp(x, &again) == 0);
        rat_write(&again, &second);
        require(first.len == second.len &&
                !memcmp(buf_text(&first), buf_text(&second), first.len));
    }
    buf_clear(&first);
    buf_clear(&second);
    rat_clear(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = malloc(len + 1);
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    rat x;

    require(text != NULL);
    if (len > 0)
        memcpy(text, data, len);
    text[len] = '\0';
    rat_init(&x);
    rat_set_i64(&x, 7, 1);
    st = rat_read(text, "number", &x, &err);
    if (st)
        check_refused(st, &x, &err);
    else
        check_taken(&x);
    rat_clear(&x);
    free(text);
    return 0;
}
