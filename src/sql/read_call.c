/*
 * Functions: a closed list, all of them total or made so by the printers.
 */
#include "sql/read.h"

#include <string.h>

#include "base/error.h"
#include "sql/functions.h"

static custos_status
fail_arguments(struct sql_reader *r, const PgQuery__FuncCall *f,
               const char *name)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                          "function %.63s does not take these arguments here",
                          name);
}

/* ------------------------------------------------- literal arguments -- */

/* Each tells parameters what is expected, and says whether the arguments are
   such literals. */

static bool
literal_digits(const struct expr *e)
{
    i128 n;

    if (e->n_args == 1)
        return true;
    param_expect(e->args[1], TYPE_INT, 1);
    return expr_is_whole(e->args[1], &n) && n >= 0 && n <= 18;
}

/* A text would be a regular expression. */
static bool
literal_positions(const struct expr *e)
{
    i128 n;

    for (size_t i = 1; i < e->n_args; i++)
        param_expect(e->args[i], TYPE_INT, 1);
    return expr_is_whole(e->args[1], &n) &&
           (e->n_args == 2 || (expr_is_whole(e->args[2], &n) && n >= 0));
}

static bool
is_number(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && data_type_is_number(e->value.type);
}

static bool
literal_buckets(const struct expr *e)
{
    i128 n;

    param_expect(e->args[1], TYPE_REAL, 0);
    param_expect(e->args[2], TYPE_REAL, 1);
    param_expect(e->args[3], TYPE_INT, 1);
    return is_number(e->args[1]) && is_number(e->args[2]) &&
           datum_cmp(&e->args[1]->value, &e->args[2]->value) != 0 &&
           expr_is_whole(e->args[3], &n) && n >= 1 && n <= INT32_MAX;
}

static const struct {
    bool (*are_literals)(const struct expr *e); /* NULL: none need be */
} rules[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define LITERALS(rule) .are_literals = rule,
#include "sql/functions.def"
};

/* --------------------------------------------------------------- calls -- */

static custos_status
function_read(struct sql_reader *r, const PgQuery__FuncCall *f,
              const char *name, enum call call, struct expr **out)
{
    const struct function *known = &functions[call];
    custos_status st;

    if (f->n_args < known->least || f->n_args > known->most)
        return fail_arguments(r, f, name);
    st = call_new(r, call, f->location, f->n_args, out);
    if (!st)
        st = expr_args_read(r, f->args, f->n_args, (*out)->args);
    if (!st && rules[call].are_literals && !rules[call].are_literals(*out))
        return custos_fail_at(
            r->err, CUSTOS_EUNSUPPORTED, f->location,
            "digits, positions and bounds of %s must be literals, such as 2",
            name);
    return st;
}

/* extract(year FROM x), date_part('year', x), date_trunc('year', x) */
static custos_status
date_read(struct sql_reader *r, const PgQuery__FuncCall *f, const char *name,
          const char *word, struct expr **out)
{
    const char *field =
        f->n_args == 2 ? param_text(r, f->args[0], "year") : NULL;
    enum call call;
    custos_status st;

    if (!field)
        return fail_arguments(r, f, name);
    if (!function_written(FORM_FIELD, word, field, &call))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED,
                              node_at(f->args[0], f->location),
                              "%s does not support '%.40s' here", name, field);
    st = call_new(r, call, f->location, 1, out);
    return st ? st : expr_read(r, f->args[1], &(*out)->args[0]);
}

/* concat(a, b) skips NULLs: it becomes coalesce(a, '') || coalesce(b, ''). */
static custos_status
concat_read(struct sql_reader *r, const PgQuery__FuncCall *f, struct expr **out)
{
    struct expr *all = NULL, *one, *pair;
    custos_status st;

    if (f->n_args < 1 || f->n_args > 100)
        return fail_arguments(r, f, "concat");
    for (size_t i = 0; i < f->n_args; i++) {
        st = call_new(r, CALL_COALESCE, f->location, 2, &one);
        if (!st)
            st = expr_read(r, f->args[i], &one->args[0]);
        if (!st)
            st = text_new(r, str_of(""), f->location, &one->args[1]);
        if (st)
            return st;
        if (all) {
            st = call_new(r, CALL_CONCAT, f->location, 2, &pair);
            if (st)
                return st;
            pair->args[0] = all;
            pair->args[1] = one;
            one = pair;
        }
        all = one;
    }
    *out = all;
    return CUSTOS_OK;
}

static bool
is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Says what to use instead of an unknown function. */
static custos_status
fail_function(struct sql_reader *r, const PgQuery__FuncCall *f,
              const char *name)
{
    static const char *const aggregates[] = {
        "string_agg", "array_agg", "json_agg", "jsonb_agg", "bool_or",
        "bool_and",   "every",     "corr",     "covar_pop", "covar_samp"};
    static const char *const changing[] = {"now", "random", "clock_timestamp",
                                           "gen_random_uuid"};
    const char *instead =
        "functions are abs, round, floor, least, greatest, coalesce, lower, "
        "upper, trim, length, substring, extract and the like";

    if (is_one_of(name, aggregates, COUNT_OF(aggregates)))
        instead = "aggregates are count, sum, avg, variance, stddev, corr, "
                  "covar_pop, regr_slope, regr_intercept, regr_r2, median, "
                  "percentile_cont, percentile_disc, min and max";
    else if (is_one_of(name, changing, COUNT_OF(changing)))
        instead = "its value changes over time: write a literal";
    else if (!strncmp(name, "regexp_", 7))
        instead = "write LIKE instead of a regular expression";
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                          "function %.30s is not part of private SQL" HINT "%s",
                          name, instead);
}

custos_status
call_read(struct sql_reader *r, const PgQuery__FuncCall *f, struct expr **out)
{
    const char *name = name_last(f->funcname, f->n_funcname);
    const char *last = node_string(f->funcname[f->n_funcname - 1]);
    enum call call;
    custos_status st;
    bool found;

    if (f->over)
        return window_read(r, f, out);
    st = aggregate_read(r, f, &found, out);
    if (st || found)
        return st;
    if (name && (f->agg_star || f->agg_distinct))
        return fail_arguments(r, f, name);
    if (name && function_find(name, &call))
        return function_read(r, f, name, call, out);
    if (name && (!strcmp(name, "extract") || !strcmp(name, "date_part")))
        return date_read(r, f, name, "date_part", out);
    if (name && !strcmp(name, "date_trunc"))
        return date_read(r, f, name, name, out);
    if (name && !strcmp(name, "concat"))
        return concat_read(r, f, out);
    return fail_function(r, f, last ? last : "");
}
