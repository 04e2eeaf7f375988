/*
 * PostgreSQL's text of a list: {a,"b c",NULL}. One dimension; blanks around
 * values are none of theirs unless they are quoted.
 */
#ifndef BASE_LIST_TEXT_H
#define BASE_LIST_TEXT_H

#include "base/str.h"

struct list_text {
    const char *at, *end;
    bool first;
};

enum list_item { LIST_END, LIST_VALUE, LIST_NULL, LIST_BAD };

/* False: it is no list. The text is borrowed. */
bool list_text_begin(str text, struct list_text *l);

/* The next value into `one`, which is emptied before. After LIST_BAD and
   LIST_END there is no next. */
enum list_item list_text_next(struct list_text *l, struct buf *one);

#endif
