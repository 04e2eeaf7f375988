/*
 * Data that fits a schema, made to hurt: a few hundred people whose values lie
 * all over the public domain, at its ends and outside; with more rows than count;
 * with NULLs, dangling references and texts in every encoding that the import
 * takes. The rows of some target persons are kept apart, so that neighbouring
 * stores can be made: with one of them, and without.
 *
 * The same schema, options and seed give the same bytes.
 */
#ifndef AUDIT_STRANGER_DATA_H
#define AUDIT_STRANGER_DATA_H

#include "audit/stranger/schema.h"

enum { DATA_TARGETS_MAX = 16, DATA_HINTS_MAX = 64 };

struct data_options {
    uint64_t seed;
    size_t people;  /* who are in every store; 0: 200 */
    size_t targets; /* 1 to DATA_TARGETS_MAX */
    /* Values that a query is about: targets prefer those that a column can
       have. */
    const str *hints;
    size_t n_hints;
};

/* The tables in pieces; all are lines of CSV. */
struct data_table {
    struct buf head;   /* the names of the columns */
    struct buf others; /* rows of everybody else */
    struct buf target[DATA_TARGETS_MAX];
    struct buf substitute; /* change-one: who is there instead of a target */
};

struct generated {
    struct data_table *tables; /* one for each of the schema's */
    size_t n_tables, n_targets;
    custos_adjacency adjacency;
};

/* May fail: CUSTOS_ENOMEM (also if the tables are longer than 256 MiB). */
CUSTOS_MUST_USE custos_status data_make(const struct schema *schema,
                                        const struct data_options *options,
                                        struct generated *out, custos_err *err);
void data_clear(struct generated *generated);

/*
 * Writes the CSV files of one store: with the given target, or, for DATA_NOBODY,
 * without any (under change-one: with the substitute). Any two stores of which
 * one is DATA_NOBODY are neighbours. csv[i] is table i's file; the caller owns
 * it. May fail: CUSTOS_ENOMEM.
 */
enum { DATA_NOBODY = -1 };
CUSTOS_MUST_USE custos_status data_write(const struct generated *generated,
                                         int target, struct buf *csv,
                                         custos_err *err);

/* Hints for data_options: the literals of an SQL text, borrowed from it. Returns
   how many. */
size_t data_hints_of(const char *sql, str hints[DATA_HINTS_MAX]);

#endif
