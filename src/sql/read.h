/*
 * From PostgreSQL's tree to ours, inside the folder. Every function that takes
 * nodes refuses what it does not know; closed_check has already refused every
 * node and every field that nobody here looks at.
 */
#ifndef SQL_READ_H
#define SQL_READ_H

#include "sql/pg.h"
#include "sql/tree.h"

enum {
    SQL_TEXT_MAX = 65536,
    SQL_NODES_MAX = 20000, /* expressions of one query, copies included,
                              and as an engine counts them */
};

/* Where an expression stands. */
enum place {
    PLACE_TARGET,
    PLACE_WHERE,
    PLACE_GROUP_BY,
    PLACE_HAVING,
    PLACE_ORDER_BY,
    PLACE_AGGREGATE, /* inside one */
};

struct sql_reader {
    arena *a;
    const char *sql; /* what is parsed: the text with its blanks */
    const struct sql_token *tokens;
    size_t n_tokens;
    struct query *query;
    enum place place;
    size_t nodes;
    custos_err *err;
};

/* Refuses, by name and position, whatever is not in the list of closed.c. */
CUSTOS_MUST_USE custos_status closed_check(struct sql_reader *r,
                                           const PgQuery__ParseResult *tree);

/* Where the node begins, or `otherwise` when it does not know. */
int node_at(const pg_node *node, int otherwise);

CUSTOS_MUST_USE custos_status select_read(struct sql_reader *r,
                                          const PgQuery__SelectStmt *s);

/* One expression. */
CUSTOS_MUST_USE custos_status expr_read(struct sql_reader *r,
                                        const pg_node *node, struct expr **out);
CUSTOS_MUST_USE custos_status call_read(struct sql_reader *r,
                                        const PgQuery__FuncCall *f,
                                        struct expr **out);
CUSTOS_MUST_USE custos_status operator_read(struct sql_reader *r,
                                            const PgQuery__AExpr *e,
                                            struct expr **out);
CUSTOS_MUST_USE custos_status const_read(struct sql_reader *r,
                                         const PgQuery__AConst *c,
                                         struct expr **out);
CUSTOS_MUST_USE custos_status cast_read(struct sql_reader *r,
                                        const PgQuery__TypeCast *c,
                                        struct expr **out);

/*
 * Is this the call of an aggregate or an interval? Then *out or an error;
 * otherwise *found is false.
 */
CUSTOS_MUST_USE custos_status aggregate_read(struct sql_reader *r,
                                             const PgQuery__FuncCall *f,
                                             bool *found, struct expr **out);

/* The pieces: new nodes with room for n arguments. */
CUSTOS_MUST_USE custos_status expr_new(struct sql_reader *r,
                                       enum expr_kind kind, int at, size_t n,
                                       struct expr **out);
CUSTOS_MUST_USE custos_status call_new(struct sql_reader *r, enum call call,
                                       int at, size_t n, struct expr **out);
CUSTOS_MUST_USE custos_status text_new(struct sql_reader *r, str text, int at,
                                       struct expr **out);
CUSTOS_MUST_USE custos_status expr_args_read(struct sql_reader *r,
                                             pg_node *const *nodes, size_t n,
                                             struct expr **out);

/* The text of a String node; NULL when it is none. */
const char *node_string(const pg_node *node);

/* The last part of a dotted name; the others must be pg_catalog. NULL: not
   such a name. */
const char *name_last(pg_node *const *names, size_t n);

/* What PostgreSQL calls an output column without an alias. */
const char *target_name(const pg_node *node);

/* A whole number past 64 bits is a decimal, as in PostgreSQL. */
void literal_settle(struct expr *e);

/* Whole numbers that are literals. */
bool expr_is_whole(const struct expr *e, i128 *out);

CUSTOS_MUST_USE custos_status fail_memory(custos_err *err);

#endif
