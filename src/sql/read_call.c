/*
 * Functions: a closed list, all of them total or made so by the printers.
 */
#include "sql/read.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"

static const struct function {
    const char *name;
    enum call call;
    size_t least, most; /* number of arguments */
} functions[] = {
    {"abs", CALL_ABS, 1, 1},
    {"round", CALL_ROUND, 1, 2},
    {"floor", CALL_FLOOR, 1, 1},
    {"ceil", CALL_CEIL, 1, 1},
    {"ceiling", CALL_CEIL, 1, 1},
    {"sign", CALL_SIGN, 1, 1},
    {"mod", CALL_MOD, 2, 2},
    {"lower", CALL_LOWER, 1, 1},
    {"upper", CALL_UPPER, 1, 1},
    {"btrim", CALL_TRIM, 1, 1}, /* the parser reads trim(x) as this */
    {"length", CALL_LENGTH, 1, 1},
    {"char_length", CALL_LENGTH, 1, 1},
    {"character_length", CALL_LENGTH, 1, 1},
    {"substring", CALL_SUBSTRING, 2, 3},
    {"substr", CALL_SUBSTRING, 2, 3},
    {"width_bucket", CALL_WIDTH_BUCKET, 4, 4},
};

static const struct field {
    const char *name;
    enum call call;
} parts[] =
    {
        {"year", CALL_YEAR},     {"quarter", CALL_QUARTER},
        {"month", CALL_MONTH},   {"week", CALL_WEEK},
        {"day", CALL_DAY},       {"dow", CALL_DOW},
        {"doy", CALL_DOY},       {"hour", CALL_HOUR},
        {"minute", CALL_MINUTE}, {"second", CALL_SECOND},
},
  steps[] = {
      {"year", CALL_TRUNC_YEAR},   {"quarter", CALL_TRUNC_QUARTER},
      {"month", CALL_TRUNC_MONTH}, {"week", CALL_TRUNC_WEEK},
      {"day", CALL_TRUNC_DAY},     {"hour", CALL_TRUNC_HOUR},
};

static custos_status
fail_arguments(struct sql_reader *r, const PgQuery__FuncCall *f,
               const char *name)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                          "function %.63s does not take these arguments here",
                          name);
}

/* Says which arguments of e must be literal numbers (param_expect). */
static void
fixed_expect(const struct expr *e)
{
    if (e->call == CALL_ROUND || e->call == CALL_SUBSTRING)
        for (size_t i = 1; i < e->n_args; i++)
            param_expect(e->args[i], TYPE_INT, 1);
    if (e->call != CALL_WIDTH_BUCKET)
        return;
    param_expect(e->args[1], TYPE_REAL, 0);
    param_expect(e->args[2], TYPE_REAL, 1);
    param_expect(e->args[3], TYPE_INT, 1);
}

static bool
fixed_are_literals(const struct expr *e)
{
    i128 n;

    if (e->call == CALL_ROUND && e->n_args == 2)
        return expr_is_whole(e->args[1], &n) && n >= 0 && n <= 18;
    if (e->call == CALL_WIDTH_BUCKET)
        return e->args[1]->kind == EXPR_LITERAL &&
               data_type_is_number(e->args[1]->value.type) &&
               e->args[2]->kind == EXPR_LITERAL &&
               data_type_is_number(e->args[2]->value.type) &&
               datum_cmp(&e->args[1]->value, &e->args[2]->value) != 0 &&
               expr_is_whole(e->args[3], &n) && n >= 1 && n <= INT32_MAX;
    if (e->call == CALL_SUBSTRING) /* a text would be a regular expression */
        return expr_is_whole(e->args[1], &n) &&
               (e->n_args == 2 || (expr_is_whole(e->args[2], &n) && n >= 0));
    return true;
}

static custos_status
function_read(struct sql_reader *r, const PgQuery__FuncCall *f,
              const struct function *known, struct expr **out)
{
    custos_status st;

    if (f->n_args < known->least || f->n_args > known->most)
        return fail_arguments(r, f, known->name);
    st = call_new(r, known->call, f->location, f->n_args, out);
    if (!st)
        st = expr_args_read(r, f->args, f->n_args, (*out)->args);
    if (!st)
        fixed_expect(*out);
    if (!st && !fixed_are_literals(*out))
        return custos_fail_at(
            r->err, CUSTOS_EUNSUPPORTED, f->location,
            "digits, positions and bounds of %s must be literals, such as 2",
            known->name);
    return st;
}

/* extract(year FROM x), date_part('year', x), date_trunc('year', x) */
static custos_status
date_read(struct sql_reader *r, const PgQuery__FuncCall *f, const char *name,
          const struct field *fields, size_t n, struct expr **out)
{
    const char *field =
        f->n_args == 2 ? param_text(r, f->args[0], "year") : NULL;
    custos_status st;

    if (!field)
        return fail_arguments(r, f, name);
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(fields[i].name, field) != 0)
            continue;
        st = call_new(r, fields[i].call, f->location, 1, out);
        return st ? st : expr_read(r, f->args[1], &(*out)->args[0]);
    }
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED,
                          node_at(f->args[0], f->location),
                          "%s does not support '%.40s' here", name, field);
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
        instead = "aggregates are count, sum, avg, variance, stddev, median, "
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
    custos_status st;
    bool found;

    st = aggregate_read(r, f, &found, out);
    if (st || found)
        return st;
    if (name && (f->agg_star || f->agg_distinct))
        return fail_arguments(r, f, name);
    for (size_t i = 0; name && i < COUNT_OF(functions); i++)
        if (!strcmp(functions[i].name, name))
            return function_read(r, f, &functions[i], out);
    if (name && (!strcmp(name, "extract") || !strcmp(name, "date_part")))
        return date_read(r, f, name, parts, COUNT_OF(parts), out);
    if (name && !strcmp(name, "date_trunc"))
        return date_read(r, f, name, steps, COUNT_OF(steps), out);
    if (name && !strcmp(name, "concat"))
        return concat_read(r, f, out);
    return fail_function(r, f, last ? last : "");
}
