/*
 * One function for each kind of node. The order of the alternatives is that of the
 * enums in statement.h.
 */
#include "engine/duckdb/duck_print.h"

#include "engine/duckdb/duck.h"
#include "engine/duckdb/open.h"
#include "sql/duckdb.h"

/* How tightly a term binds; a looser one is put in parentheses. */
enum {
    BIND_ANY = 1,
    BIND_ALL,
    BIND_NOT,
    BIND_COMPARISON,
    BIND_APPEND,
    BIND_SUM,
    BIND_PRODUCT,
    BIND_TIGHT
};

static void print_term(const struct term *t, int tight, struct buf *out);

void
duck_print_type(struct store_type type, struct buf *out)
{
    static const char *const names[] = {
        [STORE_BOOL] = "BOOLEAN",        [STORE_U8] = "UTINYINT",
        [STORE_U16] = "USMALLINT",       [STORE_U32] = "UINTEGER",
        [STORE_I32] = "INTEGER",         [STORE_I64] = "BIGINT",
        [STORE_I128] = "HUGEINT",        [STORE_F64] = "DOUBLE",
        [STORE_TEXT] = "VARCHAR",        [STORE_DATE] = "DATE",
        [STORE_TIMESTAMP] = "TIMESTAMP",
    };

    if (type.kind == STORE_DECIMAL)
        buf_printf(out, "DECIMAL(%d,%d)", type.digits, type.scale);
    else
        buf_add_text(out, names[type.kind]);
}

/* Prints a list with commas; `first` comes before its first term. */
static void
print_list(const struct term_link *l, const char *first, struct buf *out)
{
    for (; l; l = l->next) {
        buf_add_text(out, first);
        print_term(l->term, 0, out);
        first = ", ";
    }
}

/* ------------------------------------------------------------------ terms -- */

static void
print_call(const struct term *t, struct buf *out)
{
    static const char *const names[TERM_FUNCTIONS] = {
        [TERM_COALESCE] = "coalesce",
        [TERM_LEAST] = "least",
        [TERM_GREATEST] = "greatest",
        [TERM_CLAMP] = "whole_clamp",
        [TERM_WHOLE_OF] = "whole_of",
        [TERM_WHOLE_INDEX] = "whole_index",
        [TERM_PERIOD] = "period_number",
        [TERM_MICROSECONDS] = "epoch_us",
        [TERM_CALENDAR] = "calendar",
        [TERM_POWER] = "pow",
        [TERM_ROUND] = "round",
        [TERM_IS_NAN] = "isnan",
        [TERM_IS_FINITE] = "isfinite",
        [TERM_BYTES] = "strlen",
        [TERM_CONTAINS] = "contains",
        [TERM_STARTS_WITH] = "starts_with",
        [TERM_LEFT] = "left",
        [TERM_REPLACE] = "replace",
        [TERM_JOINED] = "concat",
        [TERM_HASH] = "hash",
        [TERM_SALTED] = "row_hash",
        [TERM_ORDINAL] = "value_ordinal",
    };

    buf_printf(out, "%s(", names[t->function]);
    print_list(t->args.first, "", out);
    buf_add_text(out, ")");
}

static int
bind_of(enum term_operator o)
{
    return o < TERM_APPEND  ? BIND_COMPARISON
           : o < TERM_PLUS  ? BIND_APPEND
           : o < TERM_TIMES ? BIND_SUM
                            : BIND_PRODUCT;
}

/* Operators are left-associative, but comparisons cannot be chained. */
static void
print_binary(const struct term *t, struct buf *out)
{
    static const char *const marks[TERM_OPERATORS] = {
        [TERM_EQUAL] = " = ",
        [TERM_DIFFERS] = " <> ",
        [TERM_DISTINCT] = " IS DISTINCT FROM ",
        [TERM_LESS] = " < ",
        [TERM_AT_MOST] = " <= ",
        [TERM_MORE] = " > ",
        [TERM_AT_LEAST] = " >= ",
        [TERM_APPEND] = " || ",
        [TERM_PLUS] = " + ",
        [TERM_MINUS] = " - ",
        [TERM_TIMES] = " * ",
        [TERM_OVER] = " / ",
        [TERM_MODULO] = " % ",
    };
    int bind = bind_of(t->operator);

    print_term(t->args.first->term, bind + (bind == BIND_COMPARISON), out);
    buf_add_text(out, marks[t->operator]);
    print_term(t->args.last->term, bind + 1, out);
}

static void
print_cast(const struct term *t, struct buf *out)
{
    buf_add_text(out, t->kind == TERM_CAST ? "CAST(" : "TRY_CAST(");
    print_term(t->args.first->term, 0, out);
    buf_add_text(out, " AS ");
    duck_print_type(t->type, out);
    buf_add_text(out, ")");
}

static void
print_case(const struct term *t, struct buf *out)
{
    const struct term_link *l = t->args.first;

    buf_add_text(out, "CASE");
    if (t->kind == TERM_CHOOSE) {
        buf_add_text(out, " ");
        print_term(l->term, 0, out);
        l = l->next;
    }
    for (; l && l->next; l = l->next->next) {
        buf_add_text(out, " WHEN ");
        print_term(l->term, 0, out);
        buf_add_text(out, " THEN ");
        print_term(l->next->term, 0, out);
    }
    if (l) {
        buf_add_text(out, " ELSE ");
        print_term(l->term, 0, out);
    }
    buf_add_text(out, " END");
}

/* The engine finds a label of an ENUM by hashing; CASE would try one by one. */
static void
print_labels(const struct term *t, struct buf *out)
{
    buf_add_text(out, "enum_code(TRY_CAST(");
    print_term(t->args.first->term, 0, out);
    print_list(t->args.first->next, " AS ENUM(", out);
    buf_add_text(out, ")))");
}

static void
print_window(const struct window *w, struct buf *out)
{
    buf_add_text(out, " OVER (");
    print_list(w->partition.first, "PARTITION BY ", out);
    print_list(w->order.first, w->partition.n ? " ORDER BY " : "ORDER BY ",
               out);
    if (w->so_far)
        buf_printf(out, "%sROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                   w->partition.n || w->order.n ? " " : "");
    buf_add_text(out, ")");
}

static void
print_aggregate(const struct term *t, struct buf *out)
{
    static const char *const names[TERM_AGGREGATES] = {
        [TERM_COUNT] = "count(",
        [TERM_COUNT_DISTINCT] = "count(DISTINCT ",
        [TERM_SUM] = "sum(",
        [TERM_MIN] = "min(",
        [TERM_MAX] = "max(",
        [TERM_ROW_NUMBER] = "row_number(",
        [TERM_DENSE_RANK] = "dense_rank(",
        [TERM_LAG] = "lag(",
    };

    buf_add_text(out, names[t->aggregate]);
    print_list(t->args.first, "", out);
    buf_add_text(out, t->aggregate == TERM_COUNT && !t->args.n ? "*)" : ")");
    if (t->filter) {
        buf_add_text(out, " FILTER (WHERE ");
        print_term(t->filter, 0, out);
        buf_add_text(out, ")");
    }
    if (t->window)
        print_window(t->window, out);
}

static void
print_between(const struct term *t, struct buf *out)
{
    print_term(t->args.first->term, BIND_APPEND, out);
    buf_add_text(out, " BETWEEN ");
    print_term(t->args.first->next->term, BIND_APPEND, out);
    buf_add_text(out, " AND ");
    print_term(t->args.last->term, BIND_APPEND, out);
}

static void
print_number(const struct term *t, struct buf *out)
{
    char text[41];

    custos_int_write(t->number, text);
    buf_add_text(out, text);
}

/* An item of a list; only a name needs no parentheses before the bracket. */
static void
print_item(const struct term *t, struct buf *out)
{
    const struct term *list = t->args.first->term;
    bool apart = list->kind != TERM_NAME;

    buf_add_text(out, apart ? "(" : "");
    print_term(list, 0, out);
    buf_add_text(out, apart ? ")[" : "[");
    print_number(t, out);
    buf_add_text(out, "]");
}

/* Is the term printed by sql/duckdb.h? It may then be an OR. */
static bool
is_expression(const struct term *t)
{
    return t->kind == TERM_EXPR || t->kind == TERM_CONDITION ||
           t->kind == TERM_PUBLIC;
}

/* Prints conditions with AND or OR between them. AND within OR and OR within AND
   are put in parentheses. */
static void
print_conditions(const struct terms *list, const char *before,
                 const char *between, struct buf *out)
{
    for (const struct term_link *l = list->first; l; l = l->next) {
        bool apart = list->n > 1 && is_expression(l->term);

        buf_add_text(out, l == list->first ? before : between);
        buf_add_text(out, apart ? "(" : "");
        print_term(l->term, list->n > 1 ? BIND_NOT : 0, out);
        buf_add_text(out, apart ? ")" : "");
    }
}

/* What a condition says of one term. */
static void
print_test(const struct term *t, struct buf *out)
{
    print_term(t->args.first->term, BIND_APPEND, out);
    if (t->kind == TERM_AMONG) {
        print_list(t->args.first->next, " IN (", out);
        buf_add_text(out, ")");
        return;
    }
    buf_add_text(out, t->kind == TERM_PRESENT ? " IS NOT NULL" : " IS NULL");
}

static void
print_bare(const struct term *t, struct buf *out)
{
    switch (t->kind) {
    case TERM_NAME:
        buf_printf(out, t->of ? "%s.%s" : "%s%s", t->of ? t->of : "", t->name);
        return;
    case TERM_COLUMN: duck_quote_name(out, t->text); return;
    case TERM_EXPR: duckdb_print_expr(t->expr, t->of, out); return;
    case TERM_CONDITION:
        duckdb_print_condition(t->expr, t->of, t->stepped, out);
        return;
    case TERM_PUBLIC: duckdb_print_public(t->expr, t->of, out); return;
    case TERM_NUMBER: print_number(t, out); return;
    case TERM_TEXT: duck_quote_text(out, t->text); return;
    case TERM_DAY:
        duck_print_type(t->type, out);
        buf_add_text(out, " ");
        duck_quote_text(out, t->text);
        return;
    case TERM_TRUE: buf_add_text(out, "true"); return;
    case TERM_FALSE: buf_add_text(out, "false"); return;
    case TERM_NULL: buf_add_text(out, "NULL"); return;
    case TERM_CALL: print_call(t, out); return;
    case TERM_BINARY: print_binary(t, out); return;
    case TERM_NEGATIVE:
        buf_add_text(out, "(- ");
        print_term(t->args.first->term, BIND_TIGHT, out);
        buf_add_text(out, ")");
        return;
    case TERM_CAST:
    case TERM_TRY_CAST: print_cast(t, out); return;
    case TERM_CASE:
    case TERM_CHOOSE: print_case(t, out); return;
    case TERM_LABELS: print_labels(t, out); return;
    case TERM_LIST:
        buf_add_text(out, "[");
        print_list(t->args.first, "", out);
        buf_add_text(out, "]");
        return;
    case TERM_ITEM: print_item(t, out); return;
    case TERM_NOT:
        buf_add_text(out, "NOT ");
        print_term(t->args.first->term, BIND_COMPARISON, out);
        return;
    case TERM_ALL: print_conditions(&t->args, "", " AND ", out); return;
    case TERM_ANY: print_conditions(&t->args, "", " OR ", out); return;
    case TERM_PRESENT:
    case TERM_ABSENT:
    case TERM_AMONG: print_test(t, out); return;
    case TERM_BETWEEN: print_between(t, out); return;
    case TERM_AGGREGATE: print_aggregate(t, out); return;
    }
    out->failed = true; /* UNREACHABLE: all kinds are above */
}

static int
bind_of_term(const struct term *t)
{
    switch (t->kind) {
    case TERM_ANY: return BIND_ANY;
    case TERM_ALL: return BIND_ALL;
    case TERM_NOT: return BIND_NOT;
    case TERM_BINARY: return bind_of(t->operator);
    case TERM_PRESENT:
    case TERM_ABSENT:
    case TERM_BETWEEN:
    case TERM_AMONG: return BIND_COMPARISON;
    default: return BIND_TIGHT;
    }
}

static void
print_term(const struct term *t, int tight, struct buf *out)
{
    bool loose = bind_of_term(t) < tight;

    buf_add_text(out, loose ? "(" : "");
    print_bare(t, out);
    buf_add_text(out, loose ? ")" : "");
}

void
duck_print_term(const struct term *t, struct buf *out)
{
    print_term(t, 0, out);
}

/* ---------------------------------------------------------------- selects -- */

void
duck_print_input(const struct input *in, const struct duck_table *tables,
                 struct buf *out)
{
    switch (in->kind) {
    case INPUT_TABLE: buf_add_text(out, tables[in->table].from); break;
    case INPUT_KEPT:
        buf_printf(out, DUCK_TEMPORARY DUCK_KEPT, in->table);
        break;
    case INPUT_NAMED: buf_add_text(out, in->name); break;
    case INPUT_FILE: duck_print_file(in->file, out); break;
    case INPUT_SELECT:
    case INPUT_COLUMNS:
        buf_add_text(out, in->kind == INPUT_SELECT ? "(" : "(DESCRIBE ");
        duck_print_select(in->select, tables, out);
        buf_add_text(out, ")");
        break;
    case INPUT_JOIN:
        duck_print_input(in->left, tables, out);
        buf_add_text(out, in->outer ? " LEFT JOIN " : " JOIN ");
        duck_print_input(in->right, tables, out);
        print_conditions(&in->on, " ON ", " AND ", out);
        break;
    }
    if (in->as)
        buf_printf(out, " AS %s", in->as);
}

static void
print_with(const struct with *w, const struct duck_table *tables,
           struct buf *out)
{
    buf_add_text(out, w ? "WITH " : "");
    for (; w; w = w->next) {
        buf_printf(out, "%s AS (", w->name);
        duck_print_select(w->select, tables, out);
        buf_add_text(out, w->next ? "), " : ") ");
    }
}

static void
print_items(const struct select *s, struct buf *out)
{
    buf_add_text(out, s->distinct ? "SELECT DISTINCT " : "SELECT ");
    if (s->all)
        buf_printf(out, "%s%s*", s->all_of ? s->all_of : "",
                   s->all_of ? "." : "");
    for (const struct item *i = s->items; i; i = i->next) {
        buf_add_text(out, i == s->items && !s->all ? "" : ", ");
        print_term(i->term, 0, out);
        if (i->as)
            buf_printf(out, " AS %s", i->as);
    }
}

static void
print_order(const struct select *s, struct buf *out)
{
    for (const struct sort *o = s->order_by; o; o = o->next) {
        buf_add_text(out, o == s->order_by ? " ORDER BY " : ", ");
        print_term(o->term, 0, out);
        if (o->stated)
            buf_add_text(out, o->descending ? " DESC" : " ASC");
        buf_add_text(out, o->nulls == SORT_NULLS_FIRST  ? " NULLS FIRST"
                          : o->nulls == SORT_NULLS_LAST ? " NULLS LAST"
                                                        : "");
    }
}

void
duck_print_select(const struct select *s, const struct duck_table *tables,
                  struct buf *out)
{
    print_with(s->with, tables, out);
    print_items(s, out);
    if (s->from) {
        buf_add_text(out, " FROM ");
        duck_print_input(s->from, tables, out);
    }
    print_conditions(&s->where, " WHERE ", " AND ", out);
    print_list(s->group_by.first, " GROUP BY ", out);
    buf_add_text(out, s->group_by_all ? " GROUP BY ALL" : "");
    if (s->having) {
        buf_add_text(out, " HAVING ");
        print_term(s->having, 0, out);
    }
    print_order(s, out);
    if (s->has_limit)
        buf_printf(out, " LIMIT %llu", (unsigned long long)s->limit);
    if (s->offset > 0)
        buf_printf(out, " OFFSET %llu", (unsigned long long)s->offset);
    if (s->and_all) {
        buf_add_text(out, " UNION ALL ");
        duck_print_select(s->and_all, tables, out);
    }
}
