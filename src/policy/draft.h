/*
 * A first policy from the schema of files. It uses only the names and types of
 * columns, so it reveals nothing about anybody. Where only the owner knows the
 * answer, it contains a question (# ?), or TODO if an answer is required:
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
    str source; /* the path as it appears in the policy */
    enum source_kind kind;
    str source_table; /* SOURCE_DUCKDB */
    const struct draft_column *columns;
    size_t n_columns;
};

/* Writes the policy to out. A failure shows only in out->failed. */
void policy_draft(const struct draft_table *tables, size_t n, struct buf *out);

#endif
