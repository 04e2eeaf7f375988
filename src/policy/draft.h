/*
 * A first policy, from the schema of files: names and types of columns and
 * nothing else, so it says nothing about anybody. What only the owner can
 * know stands in it as a question (# ?), and as TODO where it must be
 * answered: policy_read refuses that by its line.
 */
#ifndef POLICY_DRAFT_H
#define POLICY_DRAFT_H

#include "policy/policy.h"

struct draft_column {
    str name;
    enum data_type type; /* TYPE_NULL: of a CSV not known, else not read */
    int scale;
};

struct draft_table {
    str source; /* as the policy will name it */
    enum source_kind kind;
    str source_table; /* SOURCE_DUCKDB */
    const struct draft_column *columns;
    size_t n_columns;
};

/* Cannot fail but by out. */
void policy_draft(const struct draft_table *tables, size_t n, struct buf *out);

#endif
