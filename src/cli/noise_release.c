/*
 * `custos noise LAW` on values: reads and checks all of standard input, seals
 * the values, releases them once and prints them. If anything fails, nothing is
 * printed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/document.h"
#include "cli/noise.h"
#include "cli/number.h"
#include "cli/values.h"

/* What was released, and how it is to be shown. */
struct released {
    const struct args *args;
    const struct noise_law *law;
    const custos_facts *facts;
    enum values_kind kind;
    size_t n;
    int64_t *ints;
    double *reals;
    int decimals;      /* of the grid */
    double half_width; /* of the error bar, if --error was given */
};

/* -------------------------------------------------------------- options -- */

static int
read_word(const char *text, const char *option, const char *const *words,
          size_t n, int *out)
{
    const char *guess;

    *out = 0;
    if (!text)
        return CLI_OK;
    for (size_t i = 1; i < n; i++)
        if (!strcmp(text, words[i])) {
            *out = (int)i;
            return CLI_OK;
        }
    guess = nearest(text, words + 1, n - 1);
    return fail_usage("--%s cannot be %.60s" HINT "did you mean %s?", option,
                      text, guess ? guess : words[1]);
}

/* Rejects what custos_mech_new would also reject, with messages that name the
   options of the command. */
static int
check_promise(const struct noise_law *law, const struct args *args)
{
    const char *scale = noise_option_name(law->parameter);
    bool laplace = law->kind == CUSTOS_LAPLACE;
    int given = (args->given[law->parameter] != NULL) +
                (args->given[NOISE_EPSILON] != NULL) +
                (args->given[NOISE_DELTA] != NULL);

    if (laplace && args->given[NOISE_DELTA])
        return fail_usage("%s has delta 0" HINT "leave out --delta", law->name);
    if (laplace && args->given[NOISE_CALIBRATION])
        return fail_usage("--calibration is for discrete-gaussian");
    if (laplace && args->given[NOISE_SENSITIVITY_SQUARED])
        return fail_usage("--sensitivity-squared is for discrete-gaussian");
    if (laplace && given != 1)
        return fail_usage("give either --epsilon or --%s (or --draws)", scale);
    if (!laplace && given != 2)
        return fail_usage("give two of --epsilon, --delta and --%s (or "
                          "--draws)",
                          scale);
    if (!args->given[NOISE_SENSITIVITY] ==
        !args->given[NOISE_SENSITIVITY_SQUARED])
        return fail_usage(laplace ? "--sensitivity is missing"
                                  : "give either --sensitivity or "
                                    "--sensitivity-squared");
    if (args->given[NOISE_GRID] && !args->given[NOISE_REAL])
        return fail_usage("--grid is for --real" HINT
                          "the grid of whole numbers "
                          "is 1");
    if (!args->given[NOISE_ERROR] &&
        (args->given[NOISE_CONFIDENCE] || args->given[NOISE_SIMULTANEOUS]))
        return fail_usage("--%s needs --error", args->given[NOISE_CONFIDENCE]
                                                    ? "confidence"
                                                    : "simultaneous");
    return CLI_OK;
}

static int
fill_options(const struct noise_law *law, const struct args *args,
             custos_mech_options *o)
{
    static const char *const changes[] = {"", "one", "several"};
    static const char *const calibrations[] = {"", "classical", "analytic",
                                               "exact", "zcdp"};
    int change = 0, calibration = 0;
    int code = check_promise(law, args);

    if (!code)
        code = read_word(args->given[NOISE_CHANGES], "changes", changes,
                         COUNT_OF(changes), &change);
    if (!code)
        code = read_word(args->given[NOISE_CALIBRATION], "calibration",
                         calibrations, COUNT_OF(calibrations), &calibration);
    *o = (custos_mech_options){
        .size = sizeof *o,
        .kind = law->kind,
        .domain = args->given[NOISE_REAL] ? CUSTOS_REALS : CUSTOS_INTS,
        .epsilon = args->given[NOISE_EPSILON],
        .delta = args->given[NOISE_DELTA],
        .sensitivity = args->given[NOISE_SENSITIVITY],
        .sensitivity_squared = args->given[NOISE_SENSITIVITY_SQUARED],
        .changes = (custos_changes)change,
        .calibration = (custos_calibration)calibration,
        .scale = args->given[law->parameter],
        .grid = args->given[NOISE_GRID],
        .lower = args->given[NOISE_LOWER],
        .upper = args->given[NOISE_UPPER],
    };
    return code;
}

/* -------------------------------------------------------------- reading -- */

static int
read_values(struct values *v)
{
    static char piece[1 << 16];
    ssize_t n;

    if (isatty(STDIN_FILENO))
        fprintf(stderr, "custos: type one number per line, then Ctrl-D\n");
    while (!v->wrong && !v->no_memory) {
        n = read(STDIN_FILENO, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_run("cannot read standard input: %s", strerror(errno));
        if (n == 0)
            break;
        values_feed(v, piece, (size_t)n);
    }
    wipe(piece, sizeof piece);
    if (!values_end(v))
        return v->no_memory ? fail_run("out of memory")
                            : fail_usage("line %zu of standard input %s",
                                         v->line, v->wrong);
    if (v->n == 0)
        return fail_usage("there are no values on standard input");
    return CLI_OK;
}

/* ------------------------------------------------------------- printing -- */

static const char *
confidence_given(const struct args *args)
{
    const char *given = args->given[NOISE_CONFIDENCE];

    return given ? given : "95";
}

/* Writes all digits: a rounded decimal would not be on the grid. */
static size_t
write_value(const struct released *r, size_t i, char text[NUMBER_EXACT_MAX])
{
    if (r->kind == VALUES_INTS)
        return custos_int_write(r->ints[i], text);
    number_write_exact(r->reals[i], r->decimals, text);
    return strlen(text);
}

/* The half-width of integers is an integer and needs no rounding. */
static void
write_half_width(const struct released *r, char text[NUMBER_MAX])
{
    if (r->kind == VALUES_INTS)
        number_write(r->half_width, text);
    else
        number_write_up(r->half_width, text);
}

static void
print_text(struct out *o, const struct released *r)
{
    char text[NUMBER_EXACT_MAX], bar[NUMBER_MAX];
    const char *const *given = r->args->given;

    if (given[NOISE_FACTS])
        out_printf(o,
                   "# %s on %s, theorem %s\n"
                   "# epsilon %s, delta %s, sensitivity %s\n"
                   "# %s %s, grid %s\n",
                   r->law->name,
                   r->kind == VALUES_INTS ? "whole numbers" : "decimals",
                   r->facts->theorem, r->facts->epsilon, r->facts->delta,
                   r->facts->sensitivity,
                   r->law->kind == CUSTOS_LAPLACE ? "scale" : "sigma",
                   r->facts->scale, r->facts->grid);
    write_half_width(r, bar);
    for (size_t i = 0; i < r->n; i++) {
        out_add(o, text, write_value(r, i, text));
        if (given[NOISE_ERROR])
            out_printf(o, " ± %s (%s%%%s)", bar, confidence_given(r->args),
                       given[NOISE_SIMULTANEOUS] ? ", all at once" : "");
        out_text(o, "\n");
    }
}

static void
json_error(struct json *j, const struct released *r)
{
    char text[NUMBER_MAX];

    write_half_width(r, text);
    json_add_text(j, "error", str_of(text));
    json_add_text(j, "confidence", str_of(confidence_given(r->args)));
    json_add_bool(j, "simultaneous",
                  r->args->given[NOISE_SIMULTANEOUS] != NULL);
}

static void
print_json(struct out *o, const struct released *r)
{
    const custos_facts *f = r->facts;
    const char *scale = r->law->kind == CUSTOS_LAPLACE ? "scale" : "sigma";
    char text[NUMBER_EXACT_MAX];
    struct document d;
    struct json *j = &d.json;

    document_begin(&d, o);
    json_add_text(j, "law", str_of(r->law->name));
    json_add_text(j, "epsilon", str_of(f->epsilon));
    json_add_text(j, "delta", str_of(f->delta));
    json_add_text(j, "sensitivity", str_of(f->sensitivity));
    json_add_text(j, scale, str_of(f->scale));
    json_add_text(j, "grid", str_of(f->grid));
    json_add_text(j, "theorem", str_of(f->theorem));
    if (r->args->given[NOISE_ERROR])
        json_error(j, r);
    json_begin_list(j, "values");
    for (size_t i = 0; i < r->n; i++) {
        size_t len = write_value(r, i, text);

        json_add_text(j, NULL, (str){text, len});
    }
    json_end(j);
    document_end(&d);
}

static int
print_released(const struct released *r)
{
    static struct out o;

    out_init(&o, STDOUT_FILENO);
    if (r->args->given[NOISE_JSON])
        print_json(&o, r);
    else
        print_text(&o, r);
    return out_end(&o);
}

/* ------------------------------------------------------------ releasing -- */

/*
 * Rejects values that are too large for the grid. The library would clamp them,
 * and the error bar would not show it.
 */
static int
check_reach(const struct values *v, const char *grid)
{
    const double limit = ldexp(number_value(grid), 123); /* mech/grid.h */

    for (size_t i = 0; v->kind == VALUES_REALS && i < v->n; i++)
        if (fabs(v->reals[i]) > limit)
            return fail_usage("value %zu on standard input is too large for a "
                              "grid of %s",
                              i + 1, grid);
    return CLI_OK;
}

/* Seals the values and overwrites them with the released ones. */
static custos_status
release_values(const custos_mech *mech, struct values *v, custos_err *err)
{
    custos_rng *rng = NULL;
    custos_sealed *sealed = NULL;
    custos_status st;

    if (v->kind == VALUES_INTS)
        st = custos_seal_ints(NULL, v->ints, v->n, &sealed, err);
    else
        st = custos_seal_reals(NULL, v->reals, v->n, &sealed, err);
    if (!st)
        st = custos_rng_new(&rng, err);
    if (!st && v->kind == VALUES_INTS)
        st = custos_release_ints(mech, rng, sealed, v->ints, v->n, err);
    else if (!st)
        st = custos_release_reals(mech, rng, sealed, v->reals, v->n, err);
    custos_sealed_free(sealed);
    custos_rng_free(rng);
    return st;
}

/*
 * Makes the mechanism for n values, and their error bar if it was asked for.
 * Returns CLI_OK, or the exit code after printing why.
 */
static int
make_mechanism(struct released *r, custos_mech_options *o, const char *beta,
               size_t n, custos_mech **mech)
{
    size_t at_once = r->args->given[NOISE_SIMULTANEOUS] ? n : 1;
    custos_mech *made = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    o->values = n;
    st = custos_mech_new(NULL, o, &made, &err);
    if (!st && r->args->given[NOISE_ERROR])
        st = custos_mech_error(made, beta, at_once, &r->half_width, &err);
    if (st) {
        custos_mech_free(made);
        return fail_status(st, &err);
    }
    custos_mech_free(*mech);
    *mech = made;
    return CLI_OK;
}

int
noise_release(const struct noise_law *law, const struct args *args)
{
    struct released r = {.args = args, .law = law};
    char beta[NUMBER_MAX];
    custos_mech_options o;
    custos_mech *mech = NULL;
    struct values v;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = fill_options(law, args, &o);

    r.kind = args->given[NOISE_REAL] ? VALUES_REALS : VALUES_INTS;
    values_init(&v, r.kind);
    if (!code)
        code = confidence_read(confidence_given(args), beta);
    /* for one value first: reports wrong options before any input is read */
    if (!code)
        code = make_mechanism(&r, &o, beta, 1, &mech);
    if (!code)
        code = read_values(&v);
    if (!code && v.n > 1)
        code = make_mechanism(&r, &o, beta, v.n, &mech);
    if (code)
        goto out;
    r.facts = custos_mech_facts(mech);
    code = check_reach(&v, r.facts->grid);
    if (code)
        goto out;
    st = release_values(mech, &v, &err);
    if (st) {
        code = fail_status(st, &err);
        goto out;
    }
    r.decimals = number_decimals(r.facts->grid);
    r.n = v.n;
    r.ints = v.ints;
    r.reals = v.reals;
    code = print_released(&r);
out:
    custos_mech_free(mech);
    values_clear(&v);
    return code;
}
