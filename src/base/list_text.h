/*
 * Lists as PostgreSQL writes arrays: {a,"b c",NULL}. One dimension; blanks
 * around a value belong to it only inside quotes.
 */
#ifndef BASE_LIST_TEXT_H
#define BASE_LIST_TEXT_H

#include "base/str.h"

struct list_text {
    const char *at, *end;
    bool first;
};

enum list_item { LIST_END, LIST_VALUE, LIST_NULL, LIST_BAD };

/* Begins to read a list; the text is borrowed. False if it has no braces. */
bool list_text_begin(str text, struct list_text *l);

/* Reads the next value into `one`, which is emptied first. Must not be called
   again after LIST_BAD or LIST_END. */
enum list_item list_text_next(struct list_text *l, struct buf *one);

#endif
