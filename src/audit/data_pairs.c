/*
 * Generated pairs: constant rows with one fewer or one changed, and rows spread
 * over the range in another order. Every pair owns its two arrays, and the two
 * differ in one row, never in two.
 */
#include "audit/data_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void
data_pairs_clear(struct data_pairs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free((void *)p->pair[i].a.value);
        free((void *)p->pair[i].b.value);
    }
    p->n = 0;
}

/* Six digits if they say it all, since most values are short. */
static int
write_value(char *text, size_t room, const char *before, double x)
{
    char six[40];

    snprintf(six, sizeof six, "%.6g", x);
    return strtod(six, NULL) == x ? snprintf(text, room, "%s%s", before, six)
                                  : snprintf(text, room, "%s%.17g", before, x);
}

void
data_describe(const struct data *data, char *text, size_t room)
{
    enum { SHOWN = 12 };
    size_t shown = data->n > SHOWN + 1 ? SHOWN : data->n, len = 0;

    for (size_t i = 0; i <= shown && len < room; i++) {
        char *at = text + len;
        size_t left = room - len;
        int n;

        if (i < shown)
            n = write_value(at, left, i ? ", " : "{", data->value[i]);
        else if (data->n > shown)
            n = snprintf(at, left, ", ... %zu more}", data->n - shown);
        else
            n = snprintf(at, left, "%s}", data->n ? "" : "{");
        len += n > 0 ? (size_t)n : 0;
    }
}

/* How a generated data set is filled: n rows, the last of which may differ. */
struct filling {
    size_t n;
    double rest;
    double last;
};

static double *
fill(const struct filling *f)
{
    double *value = malloc((f->n ? f->n : 1) * sizeof *value);

    if (!value)
        return NULL;
    for (size_t i = 0; i < f->n; i++)
        value[i] = i + 1 < f->n ? f->rest : f->last;
    return value;
}

/* Takes the two arrays. */
static custos_status
add_pair(struct data_pairs *p, const char *name, double *a, size_t n_a,
         double *b, size_t n_b, custos_err *err)
{
    struct pair *pair = &p->pair[p->n];

    if (!a || !b || p->n == DATA_PAIRS_MAX) {
        free(a);
        free(b);
        if (p->n == DATA_PAIRS_MAX)
            return custos_fail(err, CUSTOS_EINVAL,
                               "more than %d pairs of data sets",
                               (int)DATA_PAIRS_MAX);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    snprintf(pair->name, sizeof pair->name, "%s", name);
    pair->a = (struct data){a, n_a};
    pair->b = (struct data){b, n_b};
    p->n++;
    return CUSTOS_OK;
}

static custos_status
add_filled(struct data_pairs *p, const char *name, struct filling a,
           struct filling b, custos_err *err)
{
    return add_pair(p, name, fill(&a), a.n, fill(&b), b.n, err);
}

static const char *
rows_word(size_t n)
{
    return n == 1 ? "row" : "rows";
}

/* i-th of n values spread over the range. */
static double
spread(const struct data_pairs_options *o, size_t i, size_t n)
{
    if (i == 0 || n < 2)
        return o->low;
    return i + 1 == n
               ? o->high
               : o->low + (o->high - o->low) * (double)i / (double)(n - 1);
}

/*
 * Rows spread over the range, and the same rows the other way round: without the
 * largest one, or with the largest moved to the low end. The order of the rows
 * must not show, nor which of them is missing.
 */
static custos_status
add_reordered(struct data_pairs *p, const struct data_pairs_options *o,
              size_t n, custos_err *err)
{
    bool one_less = o->adjacency == CUSTOS_ADD_REMOVE;
    size_t n_b = one_less ? n - 1 : n;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    char name[AUDIT_NAME_MAX];

    for (size_t i = 0; a && b && i < n; i++) {
        a[i] = spread(o, i, n);
        b[i] = i + 1 < n ? spread(o, n - 2 - i, n) : o->low;
    }
    snprintf(name, sizeof name, "%zu spread rows, %s and reversed", n,
             one_less ? "one fewer" : "one changed");
    return add_pair(p, name, a, n, b, n_b, err);
}

static custos_status
add_remove(struct data_pairs *p, const struct data_pairs_options *o, size_t n,
           custos_err *err)
{
    double low = o->low, high = o->high;
    char name[AUDIT_NAME_MAX];
    custos_status st;

    snprintf(name, sizeof name, "%zu %s of %.6g, one fewer", n, rows_word(n),
             high);
    st = add_filled(p, name, (struct filling){n, high, high},
                    (struct filling){n - 1, high, high}, err);
    snprintf(name, sizeof name, "%zu %s of %.6g, one fewer", n, rows_word(n),
             low);
    if (!st && low < high)
        st = add_filled(p, name, (struct filling){n, low, low},
                        (struct filling){n - 1, low, low}, err);
    snprintf(name, sizeof name, "%zu %s of %.6g, with and without one of %.6g",
             n - 1, rows_word(n - 1), low, high);
    if (!st && n > 1 && low < high)
        st = add_filled(p, name, (struct filling){n, low, high},
                        (struct filling){n - 1, low, low}, err);
    if (!st && n > 2 && low < high)
        st = add_reordered(p, o, n, err);
    return st;
}

static custos_status
change_one(struct data_pairs *p, const struct data_pairs_options *o, size_t n,
           custos_err *err)
{
    double low = o->low, high = o->high;
    char name[AUDIT_NAME_MAX];
    custos_status st;

    snprintf(name, sizeof name, "%zu %s of %.6g, one becomes %.6g", n,
             rows_word(n), low, high);
    st = add_filled(p, name, (struct filling){n, low, low},
                    (struct filling){n, low, high}, err);
    snprintf(name, sizeof name, "%zu %s of %.6g, one becomes %.6g", n,
             rows_word(n), high, low);
    if (!st && n > 1)
        st = add_filled(p, name, (struct filling){n, high, high},
                        (struct filling){n, high, low}, err);
    if (!st && n > 2)
        st = add_reordered(p, o, n, err);
    return st;
}

custos_status
data_pairs_make(const struct data_pairs_options *o, struct data_pairs *out,
                custos_err *err)
{
    custos_status st = CUSTOS_OK;

    out->n = 0;
    for (size_t i = 0; i < o->n_rows && !st; i++)
        st = o->adjacency == CUSTOS_ADD_REMOVE
                 ? add_remove(out, o, o->rows[i], err)
                 : change_one(out, o, o->rows[i], err);
    if (st)
        data_pairs_clear(out);
    return st;
}
