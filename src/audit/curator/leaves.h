/*
 * The leaves of the grammar's expressions.
 */
#ifndef AUDIT_CURATOR_LEAVES_H
#define AUDIT_CURATOR_LEAVES_H

#include "audit/curator/grammar.h"

/* Adds a leaf: a letter of forms.c that is not expanded further. */
void grammar_leaf(struct grammar *g, char type);

/* A literal for $K. */
const char *leaf_offset(struct grammar *g);

#endif
