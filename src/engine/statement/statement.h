/*
 * A statement for an engine, as a tree. The files that bound, fold and join build
 * such trees; only the printer of an engine's dialect (duck_print.h) makes text of
 * them. Expressions of a query stay what they are in the closed tree
 * (sql/tree.h): a term refers to them.
 *
 * Trees are taken from the arena of a builder and never freed singly. Failures
 * are sticky: when memory runs out, the builder's `failed` is set, and what is
 * returned must not be used except to build on.
 */
#ifndef ENGINE_STATEMENT_H
#define ENGINE_STATEMENT_H

#include "base/arena.h"
#include "base/base.h"
#include "base/datum.h"
#include "sql/tree.h"

struct builder;
struct engine;

/* ------------------------------------------------------------------ types -- */

enum store_kind {
    STORE_BOOL,
    STORE_U8,
    STORE_U16,
    STORE_U32,
    STORE_I32,
    STORE_I64,
    STORE_I128,
    STORE_F64,
    STORE_TEXT,
    STORE_DATE,
    STORE_TIMESTAMP,
    STORE_DECIMAL,
};

/* How a value is stored; digits and scale are of a decimal. */
struct store_type {
    enum store_kind kind;
    int digits, scale;
};

#define STORED(kind_) ((struct store_type){.kind = STORE_##kind_})
#define STORED_DECIMAL(digits_, scale_)                                        \
    ((struct store_type){STORE_DECIMAL, digits_, scale_})

/* A column of a table that a statement makes. */
struct stored_column {
    const char *name;
    struct store_type type;
};

/* ------------------------------------------------------------------ terms -- */

/* Functions that an engine must have. Those of duck_own.h are total. */
enum term_function {
    TERM_COALESCE,
    TERM_LEAST,        /* skips NULL */
    TERM_GREATEST,     /* skips NULL */
    TERM_CLAMP,        /* whole number, least, most */
    TERM_WHOLE_OF,     /* double, least, most: the nearest whole number */
    TERM_WHOLE_INDEX,  /* whole number, first, how many */
    TERM_PERIOD,       /* day or time, enum period: the number of its period */
    TERM_MICROSECONDS, /* of a timestamp, since 1970 */
    TERM_CALENDAR,     /* a day or time; NULL outside the years 1 to 9999 */
    TERM_POWER,
    TERM_ROUND, /* to the nearest whole number, half away from 0 */
    TERM_IS_NAN,
    TERM_IS_FINITE,   /* neither NaN nor infinite */
    TERM_BYTES,       /* of a text */
    TERM_CONTAINS,    /* does a text contain another? */
    TERM_STARTS_WITH, /* does a text start with another? */
    TERM_LEFT,        /* of a text: its first characters, how many */
    TERM_REPLACE,     /* in a text: what, by what */
    TERM_JOINED,      /* texts of all that are not NULL, one after the other */
    TERM_HASH,        /* of any values, 64 bits, without salt */
    TERM_SALTED,      /* of a text, 128 bits: duck_hash_add */
    TERM_ORDINAL,     /* of a value in its unit: duck_ordinal_add */
    TERM_FUNCTIONS,
};

/* Operators: comparisons, concatenation, sums, products. */
enum term_operator {
    TERM_EQUAL,
    TERM_DIFFERS,
    TERM_DISTINCT, /* differs, where NULL is a value like others */
    TERM_LESS,
    TERM_AT_MOST,
    TERM_MORE,
    TERM_AT_LEAST,
    TERM_APPEND, /* of texts */
    TERM_PLUS,
    TERM_MINUS,
    TERM_TIMES,
    TERM_OVER, /* division */
    TERM_MODULO,
    TERM_OPERATORS,
};

enum term_aggregate {
    TERM_COUNT, /* without an argument: rows */
    TERM_COUNT_DISTINCT,
    TERM_SUM,
    TERM_MIN,
    TERM_MAX,
    TERM_ROW_NUMBER, /* these three only over a window */
    TERM_DENSE_RANK,
    TERM_LAG, /* the value of the row before */
    TERM_AGGREGATES,
};

enum term_kind {
    TERM_NAME,      /* of.name */
    TERM_COLUMN,    /* a column of a file, by any name that it has there */
    TERM_EXPR,      /* an expression; its columns are of.column_<slot> */
    TERM_CONDITION, /* the same; stored steps are of.steps_<slot> */
    TERM_PUBLIC,    /* the same, in a statement that reads public tables only */
    TERM_NUMBER,    /* a whole number in the engine's own type */
    TERM_TEXT,
    TERM_DAY, /* the text of a date or timestamp, of `type` */
    TERM_TRUE,
    TERM_FALSE,
    TERM_NULL,
    TERM_CALL,
    TERM_BINARY,
    TERM_NEGATIVE, /* args: the term */
    TERM_CAST,     /* to `type`; must not fail on any value */
    TERM_TRY_CAST, /* to `type`; NULL where that fails */
    TERM_CASE,     /* args: WHEN, THEN, ..., ELSE or nothing */
    TERM_CHOOSE,   /* args: what is compared, then as TERM_CASE */
    TERM_LABELS,   /* args: a text, then labels: the index of the equal one */
    TERM_LIST,     /* args: its items, of one type */
    TERM_ITEM,     /* args: a list; number: of which item, from 1 */
    TERM_NOT,
    TERM_ALL,     /* args: conditions, at least one; do all hold? */
    TERM_ANY,     /* the same: does any hold? */
    TERM_PRESENT, /* is args[0] not NULL? */
    TERM_ABSENT,  /* is args[0] NULL? */
    TERM_BETWEEN, /* args: term, least, most */
    TERM_AMONG,   /* args: term, then numbers */
    TERM_AGGREGATE,
};

struct term_link {
    const struct term *term;
    struct term_link *next;
};

struct terms {
    struct term_link *first, *last;
    size_t n;
};

/* Over which rows an aggregate goes, if not over those of a group. */
struct window {
    struct terms partition, order;
    bool so_far; /* only the rows up to this one */
};

struct term {
    enum term_kind kind;
    union {
        enum term_function function;
        enum term_operator operator;
        enum term_aggregate aggregate;
    };
    struct store_type type;
    const char *of; /* the name of an input; NULL: there is only one */
    const char *name;
    str text;
    i128 number;
    const struct expr *expr;
    const bool *stepped; /* TERM_CONDITION: by slot */
    struct terms args;
    const struct term *filter; /* TERM_AGGREGATE: which rows; NULL: all */
    const struct window *window;
};

void terms_add(struct builder *b, struct terms *list, const struct term *t);

/* of may be NULL. */
const struct term *term_name(struct builder *b, const char *of,
                             const char *format, ...) CUSTOS_PRINTF(3, 4);
/* Copies the name. */
const struct term *term_column(struct builder *b, str name);
const struct term *
term_expr(struct builder *b, const struct expr *e, const char *of);
const struct term *term_condition(struct builder *b, const struct expr *e,
                                  const char *of, const bool *stepped);
const struct term *
term_public(struct builder *b, const struct expr *e, const char *of);
const struct term *term_number(struct builder *b, i128 n);
/* Copies the text. */
const struct term *term_text(struct builder *b, str text);
const struct term *
term_day(struct builder *b, struct store_type type, const char *text);
const struct term *term_true(struct builder *b);
const struct term *term_false(struct builder *b);
const struct term *term_null(struct builder *b);

/* A whole number, or any value, of a stated type; a value as a text. */
const struct term *
term_whole(struct builder *b, i128 n, struct store_type type);
const struct term *
term_value(struct builder *b, const struct datum *d, struct store_type type);
const struct term *term_written(struct builder *b, const struct datum *d);

/* term_call(b, f, x, y, NULL): arguments end with NULL. */
const struct term *term_call_of(struct builder *b, enum term_function f,
                                const struct term *const *args);
#define term_call(b, f, ...)                                                   \
    term_call_of(b, f, (const struct term *const[]){__VA_ARGS__})
const struct term *
term_calls(struct builder *b, enum term_function f, const struct terms *args);
const struct term *term_binary(struct builder *b, const struct term *left,
                               enum term_operator o, const struct term *right);
const struct term *term_negative(struct builder *b, const struct term *t);
const struct term *
term_cast(struct builder *b, const struct term *t, struct store_type type);
const struct term *
term_try_cast(struct builder *b, const struct term *t, struct store_type type);
/* The kinds whose args are any number of terms: TERM_CASE, TERM_CHOOSE,
   TERM_LABELS, TERM_LIST, TERM_ALL, TERM_ANY, TERM_AMONG. Those of term_of end
   with NULL. */
const struct term *
term_of_list(struct builder *b, enum term_kind kind, const struct terms *args);
const struct term *term_of_args(struct builder *b, enum term_kind kind,
                                const struct term *const *args);
#define term_of(b, kind, ...)                                                  \
    term_of_args(b, kind, (const struct term *const[]){__VA_ARGS__})
/* CASE WHEN condition THEN value END */
const struct term *term_if(struct builder *b, const struct term *condition,
                           const struct term *value);
/* The item of a list, counted from 1. */
const struct term *
term_item(struct builder *b, const struct term *list, size_t number);
const struct term *term_not(struct builder *b, const struct term *t);
const struct term *term_present(struct builder *b, const struct term *t);
const struct term *term_absent(struct builder *b, const struct term *t);
const struct term *
term_between(struct builder *b, const struct term *t, const struct term *least,
             const struct term *most);

/* of NULL: rows. */
const struct term *
term_aggregate(struct builder *b, enum term_aggregate a, const struct term *of);
const struct term *
term_filtered(struct builder *b, enum term_aggregate a, const struct term *of,
              const struct term *filter);
const struct term *term_window(struct builder *b, enum term_aggregate a,
                               const struct term *of, const struct window *w);

/* ---------------------------------------------------------------- selects -- */

enum file_kind {
    FILE_LINES, /* the lines of a text, in a column named line */
    FILE_CSV,   /* all its columns are texts */
    FILE_PARQUET,
    FILE_DATABASE, /* a table of a database that was attached */
};

enum { FILE_LINE_BYTES = 1 << 20 }; /* a longer line cannot be read */

/* How a file is read; an engine may take the path for a pattern of files. */
struct file {
    enum file_kind kind;
    const char *path;
    /* FILE_CSV; its first line has the names of the columns */
    char separator;
    const str *columns;
    size_t n_columns;
    /* FILE_DATABASE: the name under which it is attached, and a table of it */
    const char *database;
    str table;
};

enum input_kind {
    INPUT_TABLE,   /* a table of the policy, as the engine reads it: view.h */
    INPUT_KEPT,    /* a public part that was computed before: prepare.h */
    INPUT_NAMED,   /* another table, by its name in the engine */
    INPUT_FILE,    /* the rows of a file */
    INPUT_SELECT,  /* a select, in parentheses */
    INPUT_COLUMNS, /* of a select: column_name, column_type; it does not run */
    INPUT_JOIN,
};

/* What follows FROM. */
struct input {
    enum input_kind kind;
    size_t table; /* the number of the table or part */
    const char *name;
    const char *as; /* its name in the statement; NULL: none */
    const struct file *file;
    const struct select *select;
    const struct input *left, *right;
    bool outer;      /* rows of `left` without a match are kept */
    struct terms on; /* all must hold */
};

struct item {
    const struct term *term;
    const char *as; /* NULL: no name */
    struct item *next;
};

enum sort_nulls { SORT_NULLS_ANY, SORT_NULLS_FIRST, SORT_NULLS_LAST };

struct sort {
    const struct term *term;
    bool stated, descending; /* stated: ASC or DESC is written */
    enum sort_nulls nulls;
    struct sort *next;
};

/* A query of IN (SELECT ...), which the expressions refer to by its name. */
struct with {
    const char *name;
    const struct select *select;
    struct with *next;
};

/* A number in group_by or order_by is the position of an item. */
struct select {
    struct with *with, *with_last;
    bool distinct;
    bool all;           /* all columns of the input come first */
    const char *all_of; /* those of this input; NULL: of all */
    struct item *items, *items_last;
    const struct input *from; /* NULL: none */
    struct terms where;       /* all must hold */
    struct terms group_by;
    bool group_by_all; /* by all items that are no aggregates */
    const struct term *having;
    struct sort *order_by, *order_by_last;
    bool has_limit;
    uint64_t limit, offset;
    const struct select *and_all; /* UNION ALL */
};

struct builder {
    arena *a;
    struct engine *engine; /* that runs the statement */
    bool public_only;      /* the statement reads no private table */
    bool failed;
    struct select no_select; /* returned when it failed; never run */
    struct input no_input;
};

void builder_init(struct builder *b, struct engine *e);
void builder_clear(struct builder *b);

struct select *select_new(struct builder *b, const struct input *from);
void select_add(struct builder *b, struct select *s, const struct term *t,
                const char *as, ...) CUSTOS_PRINTF(4, 5);
void select_add_bare(struct builder *b, struct select *s, const struct term *t);
void
select_where(struct builder *b, struct select *s, const struct term *condition);
void select_group(struct builder *b, struct select *s, const struct term *t);
void select_order(struct builder *b, struct select *s, const struct sort *by);
void select_with(struct builder *b, struct select *s, const char *name,
                 const struct select *q);

const struct input *input_table(struct builder *b, size_t table);
const struct input *input_kept(struct builder *b, size_t part);
const struct input *
input_named(struct builder *b, const char *format, ...) CUSTOS_PRINTF(2, 3);
/* Keeps the pointer. */
const struct input *input_file(struct builder *b, const struct file *f);
const struct input *input_select(struct builder *b, const struct select *s);
const struct input *input_columns(struct builder *b, const struct select *s);
/* The same input under a name. */
const struct input *input_as(struct builder *b, const struct input *in,
                             const char *format, ...) CUSTOS_PRINTF(3, 4);
/* An inner join; the caller adds conditions, or makes it an outer one. */
struct input *input_join(struct builder *b, const struct input *left,
                         const struct input *right);

#endif
