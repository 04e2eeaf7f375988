/*
 * A first policy from the schema of files. It uses the names and types of
 * columns only, so it reveals nothing about anybody. What only the owner can
 * know is a question in it (# ?), or TODO where an answer is required:
 * policy_read rejects TODO.
 */
#ifndef POLICY_DRAFT_H
#define POLICY_DRAFT_H

#include "policy/policy.h"

struct draft_column {
    str name;
    enum data_type type; /* TYPE_NULL: unknown (CSV) or not supported */
    int scale;
};

struct draft_table {
    str source; /* as the policy is to name it */
    enum source_kind kind;
    str source_table; /* SOURCE_DUCKDB */
    const struct draft_column *columns;
    size_t n_columns;
};

/* Fails only by out. */
void policy_draft(const struct draft_table *tables, size_t n, struct buf *out);

#endif
