/*
 * Pairs of data sets from a file (--pairs).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/data_pairs.h"
#include "base/error.h"

enum { LINE_MAX_LEN = 400 };

/* The pair that is being read. */
struct reading {
    struct data_pairs *to;
    double *value[2];
    size_t n[2], room[2];
    size_t side;  /* 2: an empty line ended the second data set */
    bool started; /* since the last `--` there was a value or an empty line */
};

static custos_status
add_value(struct reading *r, double x, size_t line, custos_err *err)
{
    size_t s = r->side;

    if (s > 1)
        return custos_fail(err, CUSTOS_EPARSE,
                           "line %zu: a third data set in one pair" HINT
                           "write a line -- between two pairs",
                           line);
    if (r->n[s] == DATA_ROWS_MAX)
        return custos_fail(err, CUSTOS_EPARSE,
                           "line %zu: more than %d values in a data set", line,
                           (int)DATA_ROWS_MAX);
    if (r->n[s] == r->room[s]) {
        size_t room = r->room[s] ? 2 * r->room[s] : 64;
        double *more = realloc(r->value[s], room * sizeof *more);

        if (!more)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        r->value[s] = more;
        r->room[s] = room;
    }
    r->value[s][r->n[s]++] = x;
    r->started = true;
    return CUSTOS_OK;
}

static custos_status
end_pair(struct reading *r, size_t line, custos_err *err)
{
    struct pair *p = &r->to->pair[r->to->n];

    if (r->side == 0)
        return custos_fail(err, CUSTOS_EPARSE,
                           "line %zu: the pair has one data set" HINT
                           "write an empty line between its two data sets",
                           line);
    if (r->to->n == DATA_PAIRS_MAX)
        return custos_fail(err, CUSTOS_EPARSE, "line %zu: more than %d pairs",
                           line, (int)DATA_PAIRS_MAX);
    snprintf(p->name, sizeof p->name, "pair %zu of the file", r->to->n + 1);
    p->a = (struct data){r->value[0], r->n[0]};
    p->b = (struct data){r->value[1], r->n[1]};
    r->to->n++;
    *r = (struct reading){.to = r->to};
    return CUSTOS_OK;
}

static custos_status
read_line(struct reading *r, char *text, size_t line, custos_err *err)
{
    size_t len = strlen(text);
    char *end;
    double x;

    while (len && strchr(" \t\r", text[len - 1]))
        text[--len] = '\0';
    if (*text == '#')
        return CUSTOS_OK;
    if (!*text) { /* empty lines at the end change nothing */
        r->side += r->side == 0 || (r->side == 1 && r->n[1]);
        r->started = true;
        return CUSTOS_OK;
    }
    if (!strcmp(text, "--"))
        return end_pair(r, line, err);
    x = strtod(text, &end);
    if (*end || end == text)
        return custos_fail(err, CUSTOS_EPARSE,
                           "line %zu: '%.40s' is not a number" HINT
                           "write one value a line, an empty line between the "
                           "two data sets of a pair, -- between pairs",
                           line, text);
    return add_value(r, x, line, err);
}

custos_status
data_pairs_read(str text, struct data_pairs *out, custos_err *err)
{
    struct reading r = {.to = out};
    char one[LINE_MAX_LEN + 1];
    size_t line = 0;
    custos_status st = CUSTOS_OK;

    out->n = 0;
    while (text.len && !st) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;

        line++;
        if (len > LINE_MAX_LEN) {
            st = custos_fail(err, CUSTOS_EPARSE, "line %zu is too long", line);
            break;
        }
        memcpy(one, text.ptr, len);
        one[len] = '\0';
        st = read_line(&r, one, line, err);
        text.ptr += len + (end != NULL);
        text.len -= len + (end != NULL);
    }
    if (!st && (r.started || !out->n))
        st = end_pair(&r, line, err);
    free(r.value[0]);
    free(r.value[1]);
    if (st)
        data_pairs_clear(out);
    return st;
}
