/*
 * From PostgreSQL's tree to ours: what the files of this folder share. Every
 * function that takes nodes refuses what it does not know; closed_check has
 * already refused every node and field that no function here reads.
 */
#ifndef SQL_READ_H
#define SQL_READ_H

#include "base/error.h"
#include "sql/pg.h"
#include "sql/tree.h"

enum {
    SQL_TEXT_MAX = 65536,
    SQL_LEVELS_MAX = 300, /* of our tree, with WITH expanded */
};

/* Where an expression occurs. */
enum clause {
    CLAUSE_TARGET,
    CLAUSE_WHERE,
    CLAUSE_GROUP_BY,
    CLAUSE_HAVING,
    CLAUSE_ORDER_BY,
    CLAUSE_AGGREGATE, /* inside an aggregate */
    CLAUSE_ON,
};

/* A name that WITH defined. Its own query sees the names from `next` on. */
struct sql_cte {
    const char *name;
    const PgQuery__CommonTableExpr *node;
    struct query *first; /* its tree, already read, for the first use */
    size_t height;       /* levels of that tree */
    struct sql_cte *next;
};

/* A message of PostgreSQL's tree and those of its fields that may be set. */
struct shape {
    const char *message, *fields;
};

struct sql_reader {
    arena *a;
    const struct shape *more; /* additions to the list of closed.c */
    size_t n_more;
    const char *sql; /* what is parsed: the text, with GoogleSQL blanked out */
    const struct sql_token *tokens;
    size_t n_tokens;
    bool subquery;       /* the whole text is read as a subquery */
    struct query *query; /* the query being read */
    enum clause clause;
    bool exchanged; /* the query's FROM has a RIGHT JOIN */
    int below;      /* how many queries enclose `query` */
    struct sql_cte *ctes;
    struct sql_params *params; /* NULL: there are none */
    size_t nodes;
    size_t levels, deepest; /* the current level, and the deepest so far */
    custos_err *err;
};

/* Refuses what is too long or not UTF-8: CUSTOS_EOVERFLOW, CUSTOS_ESYNTAX. */
CUSTOS_MUST_USE custos_status text_check(str text, custos_err *err);

/* Refuses, by name and position, whatever is not in the list of closed.c. */
CUSTOS_MUST_USE custos_status closed_check(struct sql_reader *r,
                                           const PgQuery__ParseResult *tree);

/* Where the node begins, or `otherwise` where it has no position. */
int node_at(const pg_node *node, int otherwise);

/*
 * query_read reads the query of the whole text into r->query; query_read_below
 * reads a subquery, with everything that UNION ALL adds, as a query of its own.
 */
CUSTOS_MUST_USE custos_status query_read(struct sql_reader *r,
                                         const PgQuery__SelectStmt *s);
CUSTOS_MUST_USE custos_status query_read_below(struct sql_reader *r,
                                               const pg_node *node,
                                               struct query **out);

/* The query of a name of WITH, read again for each use after the first. *found
   is NULL when there is no such name. */
CUSTOS_MUST_USE custos_status cte_read(struct sql_reader *r, const char *name,
                                       const struct sql_cte **found,
                                       struct query **out);

/* The clauses of one SELECT into r->query. */
CUSTOS_MUST_USE custos_status select_read(struct sql_reader *r,
                                          const PgQuery__SelectStmt *s);
CUSTOS_MUST_USE custos_status from_read(struct sql_reader *r,
                                        const PgQuery__SelectStmt *s);

/* Checks of r->query that can be made only once all of it is read. */
CUSTOS_MUST_USE custos_status query_check(struct sql_reader *r);

/* x IN (SELECT ...); every other subquery in an expression is refused. */
CUSTOS_MUST_USE custos_status sublink_read(struct sql_reader *r,
                                           const PgQuery__SubLink *s,
                                           bool negated, struct expr **out);

/* select_at: where a SELECT begins. word_before: where the last of `words`
   (NULL-terminated) before `at` begins, or `at` if there is none. */
int select_at(const struct sql_reader *r, const PgQuery__SelectStmt *s);
int word_before(const struct sql_reader *r, int at, const char *const *words);

/* Count a node, or levels, of the tree: both are limited. A caller that goes n
   levels down comes up again by r->levels -= n. */
CUSTOS_MUST_USE custos_status node_counts(struct sql_reader *r, int at);
CUSTOS_MUST_USE custos_status levels_down(struct sql_reader *r, size_t n,
                                          int at);

/* One expression. */
CUSTOS_MUST_USE custos_status expr_read(struct sql_reader *r,
                                        const pg_node *node, struct expr **out);
CUSTOS_MUST_USE custos_status call_read(struct sql_reader *r,
                                        const PgQuery__FuncCall *f,
                                        struct expr **out);
/* A call with OVER; CUSTOS_EUNSUPPORTED unless it is sum(count(*)). */
CUSTOS_MUST_USE custos_status window_read(struct sql_reader *r,
                                          const PgQuery__FuncCall *f,
                                          struct expr **out);
/* groups_read: GROUP BY into r->query. group_key_read: one expression of it,
   where a number is that of an output of s. grouping_read: GROUPING(...). */
CUSTOS_MUST_USE custos_status groups_read(struct sql_reader *r,
                                          const PgQuery__SelectStmt *s);
CUSTOS_MUST_USE custos_status group_key_read(struct sql_reader *r,
                                             const PgQuery__SelectStmt *s,
                                             const pg_node *node,
                                             struct expr **out);
CUSTOS_MUST_USE custos_status grouping_read(struct sql_reader *r,
                                            const PgQuery__GroupingFunc *f,
                                            struct expr **out);
CUSTOS_MUST_USE custos_status operator_read(struct sql_reader *r,
                                            const PgQuery__AExpr *e,
                                            struct expr **out);
CUSTOS_MUST_USE custos_status const_read(struct sql_reader *r,
                                         const PgQuery__AConst *c,
                                         struct expr **out);
CUSTOS_MUST_USE custos_status list_read(struct sql_reader *r,
                                        const PgQuery__AExpr *e,
                                        const char *name, struct expr **out);
/* The values of a list that is written out: ARRAY[1, 2] or '{1,2}', with or without
   a type. */
CUSTOS_MUST_USE custos_status list_values(struct sql_reader *r,
                                          const pg_node *node,
                                          struct expr ***out, size_t *n);
CUSTOS_MUST_USE custos_status cast_read(struct sql_reader *r,
                                        const PgQuery__TypeCast *c,
                                        struct expr **out);

CUSTOS_MUST_USE custos_status param_read(struct sql_reader *r,
                                         const PgQuery__ParamRef *p,
                                         struct expr **out);

/*
 * param_use: the parameter of a node, used as a single value or as a list
 * (`use`); a parameter must have the same use in the whole text. param_stand:
 * the literal for it, a stand-in if it has no value; for a list without a
 * value, a stand-in for one of its values.
 */
CUSTOS_MUST_USE custos_status param_use(struct sql_reader *r,
                                        const PgQuery__ParamRef *p,
                                        enum sql_param_use use,
                                        struct sql_param **out);
CUSTOS_MUST_USE custos_status param_stand(struct sql_reader *r,
                                          struct sql_param *param, int at,
                                          struct expr **out);

/*
 * Says that e must be a literal of this type. If e is a parameter without a
 * value, it gets this type, unless its type is known, and the number
 * `otherwise` or the empty text as its stand-in. If e is a parameter whose
 * value is a text, that is read as this type if possible.
 */
void param_expect(struct expr *e, enum data_type type, int otherwise);

/* The text of a quoted literal or of a parameter; `otherwise` if the parameter
   has no value. NULL: the node is neither. */
const char *
param_text(struct sql_reader *r, const pg_node *node, const char *otherwise);

/* percentile_cont(ARRAY[...]): is it an aggregate of several ranks? Then one
   expression for each of them. */
bool is_percentiles(const pg_node *node);
CUSTOS_MUST_USE custos_status percentiles_read(struct sql_reader *r,
                                               const PgQuery__FuncCall *f,
                                               struct expr ***out, size_t *n);

/*
 * Is this a call of an aggregate or an interval? If so, gives *out or an error;
 * if not, *found is false.
 */
CUSTOS_MUST_USE custos_status aggregate_read(struct sql_reader *r,
                                             const PgQuery__FuncCall *f,
                                             bool *found, struct expr **out);

/* New nodes, with room for n arguments. */
CUSTOS_MUST_USE custos_status expr_new(struct sql_reader *r,
                                       enum expr_kind kind, int at, size_t n,
                                       struct expr **out);
CUSTOS_MUST_USE custos_status call_new(struct sql_reader *r, enum call call,
                                       int at, size_t n, struct expr **out);
CUSTOS_MUST_USE custos_status datum_new(struct sql_reader *r,
                                        enum data_type type, const char *text,
                                        int at, struct expr **out);
CUSTOS_MUST_USE custos_status text_new(struct sql_reader *r, str text, int at,
                                       struct expr **out);
CUSTOS_MUST_USE custos_status expr_args_read(struct sql_reader *r,
                                             pg_node *const *nodes, size_t n,
                                             struct expr **out);

/* The text of a String node; NULL when it is not one. */
const char *node_string(const pg_node *node);

/* The type of a list's values: integer for integer[]. */
CUSTOS_MUST_USE custos_status list_type_read(struct sql_reader *r,
                                             const PgQuery__TypeName *t,
                                             enum data_type *out);

/* The text of a quoted literal; NULL when it is not one. */
const char *node_quoted(const pg_node *node);

/* The last part of a dotted name; the others must be pg_catalog. NULL: not
   such a name. */
const char *name_last(pg_node *const *names, size_t n);

/* Is it the schema of all tables, which clients write before their names? */
bool is_public(const char *schema);

/* What PostgreSQL calls an output column without an alias. */
const char *target_name(const pg_node *node);

/* Makes a whole number past 64 bits a decimal, as PostgreSQL does. */
void literal_settle(struct expr *e);

/* Is it a literal whole number? */
bool expr_is_whole(const struct expr *e, i128 *out);

/* Inline, so that static analysers see that it never returns CUSTOS_OK. */
static inline custos_status
fail_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

#endif
