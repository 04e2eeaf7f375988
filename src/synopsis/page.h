/*
 * Pages that are one file: no script, nothing loaded from elsewhere, light or dark as
 * the reader's system says.
 */
#ifndef SYNOPSIS_PAGE_H
#define SYNOPSIS_PAGE_H

#include "base/str.h"

/* Errors stay in the buf. */
void page_begin(struct buf *out, const char *title);
void page_end(struct buf *out);

/* A text of the schema or the policy, escaped. */
void page_text(struct buf *out, str text);

/* A row of a table: a heading and a text; nothing if the text is empty. */
void page_fact(struct buf *out, const char *heading, str text);

/* A cell with a bar of this share of its width, and a text. */
void page_bar(struct buf *out, double share, const char *text);

#endif
