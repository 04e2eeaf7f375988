/*
 * The JSON that a verb prints: one object, as contract/contract.txt describes it. It
 * begins with the version of these documents.
 *
 * What is written is kept in memory until document_flush or document_end hands it to
 * standard output, so that a verb that fails can print nothing.
 */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include "base/json.h"
#include "cli/out.h"

struct document {
    struct json json; /* open: the document's object */
    struct buf text;
    struct out *o; /* borrowed */
};

void document_begin(struct document *d, struct out *o);

/* For long lists: prints what is written so far. */
void document_flush(struct document *d);

/* Closes the object and prints the rest. If memory ran out, the error is in `out`. */
void document_end(struct document *d);

/* Frees d instead, and prints no more. */
void document_drop(struct document *d);

#endif
