/*
 * The public facts of a store: its tables, columns, prices and limits, as its
 * policy states them. Everything that meets the curator as a stranger starts
 * from them: data is generated to fit them (data.h), a policy is written from
 * them for the stores that are attacked (server.h), and queries can be.
 *
 * The structs borrow all texts and arrays.
 */
#ifndef AUDIT_STRANGER_SCHEMA_H
#define AUDIT_STRANGER_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/datum.h"
#include "base/str.h"
#include "custos.h"

enum { SCHEMA_NONE = -1 }; /* references_table: no reference */

struct schema_column {
    str name;
    enum data_type type;
    int scale; /* TYPE_DECIMAL */
    bool nullable;
    bool has_range;
    struct datum lower, upper;
    const struct datum *values; /* NULL: none are listed */
    size_t n_values;
    size_t text_max;       /* TYPE_TEXT: bytes; 0: the default */
    int references_table;  /* index in the schema's tables, or SCHEMA_NONE */
    int references_column; /* index in that table's columns */
};

struct schema_table {
    str name;
    bool is_public;
    bool attached;    /* stays in its file */
    bool unit_is_row; /* private tables: this, or a column */
    size_t unit_column;
    uint64_t rows_per_unit;   /* 0: not given */
    uint64_t groups_per_unit; /* 0: not given */
    uint64_t rows_per_group;  /* rows_per_unit_and_group; 0: not given */
    uint64_t max_rows;        /* 0: not given; init then counts, for a price */
    bool before_where;        /* rows of a unit are chosen before WHERE */
    const struct schema_column *columns;
    size_t n_columns;
};

struct schema_view {
    str name, sql;
};

/* Amounts are texts as in a policy; an empty one is left out. */
struct schema {
    custos_adjacency adjacency;
    str budget_epsilon, budget_delta; /* delta empty or "0": pure */
    uint64_t people;                  /* 0: not given */
    str query_epsilon, max_epsilon, max_rho, query_delta, min_epsilon, min_rho;
    uint64_t min_units;                         /* 0: the default */
    uint64_t max_groups, max_fanout;            /* 0: the default */
    uint64_t max_unit_work, max_planning_steps; /* 0: the default */
    const struct schema_table *tables;
    size_t n_tables;
    const struct schema_view *views;
    size_t n_views;
};

/*
 * Raises the budget and the highest price, which say only when the curator
 * stops answering, so that a query can be asked often. A pure budget stays
 * pure: how noise is drawn depends on that.
 */
void schema_raise_budget(struct schema *schema);

/*
 * Writes the schema as a policy (custos-policy(5)) whose table number i is read
 * from the file "i.csv", with the given number of analysts, called analyst0,
 * analyst1 ... Queries that take too long do not suspend anybody: on a busy
 * machine that would end an audit.
 */
void schema_write_policy(const struct schema *schema, size_t analysts,
                         struct buf *out);

#endif
