/*
 * str borrows text, which need not be NUL-terminated; buf owns text that grows
 * up to a limit set by buf_init.
 *
 * A buf has a sticky failed bit: functions that add text return nothing, and
 * the caller checks once at the end. After a failure nothing more is added.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"

typedef struct str {
    const char *ptr;
    size_t len;
} str;

/* Borrows a NUL-terminated text; NULL counts as empty. */
str str_of(const char *text);

bool str_equal(str a, str b);

/* Equal except for the case of ASCII letters. */
bool str_equal_but_case(str a, str b);

struct buf {
    custos_alloc alloc;
    char *ptr; /* NUL-terminated at ptr[len]; NULL before the first byte */
    size_t len;
    size_t room;
    size_t limit;
    bool failed;
};

/* An empty buf that may grow to limit bytes, including the NUL. */
void buf_init(struct buf *b, const custos_alloc *alloc, size_t limit);
void buf_clear(struct buf *b);

void buf_add(struct buf *b, const char *ptr, size_t len);
void buf_add_text(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...) CUSTOS_PRINTF(2, 3);

/* The text, NUL-terminated and owned by b; "" when empty or failed. */
const char *buf_text(const struct buf *b);

#endif
