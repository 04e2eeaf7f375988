/*
 * What is allowed to differ between two replies is listed here: numbers within
 * their noise, groups that are discovered, and notices about noise and prices.
 * Any other difference is a fault, and so is every failure after the charge.
 */
#include "audit/curator/pair_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/curator/shape.h"
#include "base/base.h"
#include "base/error.h"

/* ----------------------------------------------------------------- replies -- */

bool
is_failure(const struct reply *r)
{
    static const char *const states[] = {
        "58000", "58030", "XX000", "XX001", "57014",
        "53200", "08006", "08P01", "57P01", "57P03",
    };

    for (size_t i = 0; i < COUNT_OF(states); i++)
        if (!strcmp(r->sqlstate, states[i]))
            return true;
    return strstr(r->message, "suspended") != NULL;
}

/* Was there a reply, be it an error? */
static bool
is_answered(const struct reply *r)
{
    return strcmp(r->sqlstate, CLIENT_LOST) != 0;
}

void
reply_summary(const struct reply *r, char out[SAID_MAX])
{
    size_t n;

    if (reply_failed(r)) {
        snprintf(out, SAID_MAX, "%s %s", r->sqlstate,
                 *r->message ? r->message : "the connection was lost");
        return;
    }
    n = (size_t)snprintf(out, SAID_MAX, "%zu rows", r->rows);
    for (size_t i = 0; i < r->rows && i < 4; i++)
        for (size_t k = 0; k < r->columns && n + 40 < SAID_MAX; k++) {
            const char *cell = reply_cell(r, i, k);

            n += (size_t)snprintf(out + n, SAID_MAX - n, "%s%.24s",
                                  k   ? ", "
                                  : i ? "; "
                                      : ": ",
                                  cell ? cell : "NULL");
        }
}

static void
fault(struct outcome *out, enum verdict verdict, const char *what)
{
    out->verdict = verdict;
    snprintf(out->what, SAID_MAX, "%s", what);
}

/* A released number that the type of its column cannot hold: a function of what
   was released. */
static bool
does_not_fit(const struct reply *r)
{
    return !strcmp(r->sqlstate, "22003");
}

/* The attack's own limit on time. Where both sides reach it, public facts alone
   may be the reason: many groups, a wide domain. */
static bool
took_too_long(const struct reply *r)
{
    return !strcmp(r->sqlstate, "57014");
}

bool
explain_failed(const struct reply *r)
{
    return is_failure(r) && !took_too_long(r);
}

/* ----------------------------------------------------------------- notices -- */

/* Does this line depend on noise, or on what was asked before? Error bars do,
   and prices, receipts and a bound that was drawn. */
static bool
may_differ(const char *line, size_t len)
{
    static const char *const words[] = {
        "within",       "cost ",       "receipt ", "chosen",     "between",
        "no error bar", "more groups", "places",   "groups were"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (memmem(line, len, words[i], strlen(words[i])))
            return true;
    return false;
}

/* The next line that may be compared; NULL if there is none. */
static const char *
next_line(const char **at, size_t *len)
{
    while (**at) {
        const char *line = *at;

        *len = strcspn(line, "\n");
        *at += *len + (line[*len] == '\n');
        if (!may_differ(line, *len))
            return line;
    }
    return NULL;
}

static bool
remarks_differ(const struct reply reply[N_SIDES])
{
    const char *a = reply[SIDE_WITH].notices, *b = reply[SIDE_WITHOUT].notices;

    /* A bound that was drawn is in other remarks, too. */
    if (strstr(a, "chosen") || strstr(b, "chosen"))
        return false;
    for (;;) {
        size_t n = 0, m = 0;
        const char *x = next_line(&a, &n), *y = next_line(&b, &m);

        if (!x || !y)
            return x != y;
        if (n != m || memcmp(x, y, n) != 0)
            return true;
    }
}

/* ------------------------------------------------------------------ groups -- */

/* The rows of a reply in the order of their keys, the first `keys` columns. Replies
   may have any number of rows, in an order that depends on noise. */
struct by_key {
    const struct reply *reply;
    size_t keys, *row;
};

/* NULL comes first. */
static int
compare_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int
compare_keys(const struct reply *a, size_t i, const struct reply *b, size_t k,
             size_t keys)
{
    int order = 0;

    for (size_t c = 0; !order && c < keys; c++)
        order = compare_text(reply_cell(a, i, c), reply_cell(b, k, c));
    return order;
}

static int
compare_rows(const void *a, const void *b, void *context)
{
    const struct by_key *x = context;

    return compare_keys(x->reply, *(const size_t *)a, x->reply,
                        *(const size_t *)b, x->keys);
}

/* May fail: CUSTOS_ENOMEM. */
static custos_status
sort_by_key(const struct reply *r, size_t keys, struct by_key *out,
            custos_err *err)
{
    *out = (struct by_key){
        .reply = r,
        .keys = keys,
        .row = malloc((r->rows ? r->rows : 1) * sizeof *out->row),
    };
    if (!out->row)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < r->rows; i++)
        out->row[i] = i;
    qsort_r(out->row, r->rows, sizeof *out->row, compare_rows, out);
    return CUSTOS_OK;
}

/* The row of b with the keys of row i of a, and row i itself if possible: keys need
   not be unique, as NULL is a value and also a total. The number of b's rows if there
   is none. */
static size_t
find_row(const struct reply *a, size_t i, const struct by_key *b)
{
    size_t from = 0, to = b->reply->rows;

    if (i < to && !compare_keys(a, i, b->reply, i, b->keys))
        return i;
    while (from < to) {
        size_t middle = from + (to - from) / 2, row = b->row[middle];
        int order = compare_keys(a, i, b->reply, row, b->keys);

        if (!order)
            return row;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return b->reply->rows;
}

static bool
group_lists_differ(const struct reply *a, const struct by_key *b)
{
    for (size_t i = 0; i < a->rows; i++)
        if (find_row(a, i, b) == b->reply->rows)
            return true;
    return a->rows != b->reply->rows;
}

/* A key "only PERSON" marks a group that nobody else is in. */
static bool
shows_only(const struct reply *r, const char *person)
{
    char key[64];

    snprintf(key, sizeof key, "only %s", person);
    for (size_t i = 0; i < r->rows; i++)
        for (size_t k = 0; k < r->columns; k++)
            if (!compare_text(reply_cell(r, i, k), key))
                return true;
    return false;
}

/* ------------------------------------------------------------- sensitivity -- */

/* How far the person moved a column, over all groups that both have, beyond what
   noise explains. */
static double
moved(const struct reply *with, const struct by_key *without, size_t column,
      double slack)
{
    double sum = 0;

    for (size_t i = 0; i < with->rows; i++) {
        size_t k = find_row(with, i, without);
        const char *a, *b;
        double d;

        if (k == without->reply->rows)
            continue;
        a = reply_cell(with, i, column);
        b = reply_cell(without->reply, k, column);
        d = a && b ? fabs(strtod(a, NULL) - strtod(b, NULL)) : 0;
        sum += d > slack ? d - slack : 0;
    }
    return sum;
}

/* Tables that are sums of noisy tables: each cell of each table moves by at most what
   one person adds to its layer, and deviates by what EXPLAIN says. */
static void
check_tables(const struct reply *with, const struct by_key *without,
             const struct shape *s, struct outcome *out)
{
    enum { DEVIATIONS = 10 }; /* of 14 scales of Laplace noise */
    const struct table_claims *t = &out->claims.tables;

    if (t->n_layers != s->n_items - s->n_keys || t->shown < t->n ||
        out->claims.n_parts < t->n_layers)
        return;
    out->tables_checked = true;
    for (size_t i = 0; i < t->n_layers; i++) {
        const struct part_claim *p = &out->claims.part[i];
        double most = p->l1 * (double)t->n, far;

        if (p->centred || p->l1 <= 0 || p->epsilon <= 0)
            continue;
        far = moved(with, without, s->n_keys + i,
                    2 * DEVIATIONS * t->deviation[i]);
        if (far <= most * (1 + 1e-6))
            continue;
        out->verdict = VERDICT_MOVED;
        snprintf(out->what, SAID_MAX,
                 "column %zu moves by more than %.6g; EXPLAIN claims a "
                 "sensitivity of %.6g in each of %zu tables",
                 s->n_keys + i + 1, far, p->l1, t->n);
        return;
    }
}

/*
 * Columns belong to parts in order. Where groups are discovered and no part is
 * the number of rows, the selection releases that number, and count(*) has no
 * part.
 */
static void
check_moves(const struct shape *s, const struct reply *with,
            const struct by_key *without, struct outcome *out)
{
    enum {
        TAIL = 14
    }; /* a Laplace variable exceeds this many scales with
                           probability 1e-6 */
    const struct claims *c = &out->claims;
    size_t part = 0, rows = 0;

    /* HAVING has parts of its own, and equal columns share one. */
    if (!s->plain || s->filtered || c->bound_chosen || c->draws ||
        s->n_items != with->columns)
        return;
    if (c->tables.n) {
        check_tables(with, without, s, out);
        return;
    }
    for (size_t i = s->n_keys; i < s->n_items; i++)
        rows += s->rows[i];
    rows = c->groups_discovered && !c->has_rows ? rows : 0;
    if (c->n_parts + rows != s->n_items - s->n_keys)
        return;
    for (size_t i = s->n_keys; i < s->n_items; i++) {
        const struct part_claim *p = &c->part[part];
        double far;

        if (rows && s->rows[i])
            continue;
        part++;
        if (p->centred || p->l1 <= 0 || p->epsilon <= 0)
            continue;
        far = moved(with, without, i, 2 * TAIL * p->l1 / p->epsilon);
        if (far <= p->l1 * (1 + 1e-6))
            continue;
        out->verdict = VERDICT_MOVED;
        snprintf(out->what, SAID_MAX,
                 "column %zu moves by more than %.6g; EXPLAIN claims a "
                 "sensitivity of %.6g",
                 i + 1, far, p->l1);
        return;
    }
}

/* ------------------------------------------------------------------- whole -- */

static void
check_groups(const char *person, const struct shape *s,
             const struct reply *with, const struct by_key *without,
             struct outcome *out)
{
    if (shows_only(with, person) && out->claims.groups_discovered)
        fault(out, VERDICT_SHOWN, "the key is of one person only");
    else if (!s->filtered && !out->claims.groups_discovered &&
             with->rows != without->reply->rows)
        fault(out, VERDICT_DIFFERS, "the answers have different lengths");
    else if (!s->filtered && out->claims.groups_public &&
             group_lists_differ(with, without))
        fault(out, VERDICT_DIFFERS, "the public groups differ");
}

/* Two answers of one shape. */
static custos_status
check_answers(const char *sql, const char *person,
              const struct reply reply[N_SIDES], struct outcome *out,
              custos_err *err)
{
    struct by_key without;
    struct shape s;
    custos_status st;

    shape_read(sql, &s);
    if (s.n_keys > reply[0].columns)
        s.n_keys = reply[0].columns;
    st = sort_by_key(&reply[SIDE_WITHOUT], s.n_keys, &without, err);
    if (!st) {
        check_groups(person, &s, &reply[SIDE_WITH], &without, out);
        if (out->verdict == VERDICT_SAME)
            check_moves(&s, &reply[SIDE_WITH], &without, out);
    }
    free(without.row);
    return st;
}

custos_status
pair_check(const char *sql, const char *person,
           const struct reply reply[N_SIDES], struct outcome *out,
           custos_err *err)
{
    const struct reply *a = &reply[SIDE_WITH], *b = &reply[SIDE_WITHOUT];

    /* The order decides. NOLINTBEGIN(bugprone-branch-clone) */
    if (!strcmp(a->sqlstate, "53400") || !strcmp(b->sqlstate, "53400"))
        out->verdict = VERDICT_SPENT;
    else if (!out->claims.protects && is_answered(a) && is_answered(b))
        out->verdict = reply_failed(a) ? VERDICT_REJECTED : VERDICT_SAME;
    else if (took_too_long(a) && took_too_long(b))
        out->verdict = VERDICT_REJECTED;
    else if (is_failure(a) || is_failure(b))
        fault(out, VERDICT_FAILED,
              is_failure(a) && is_failure(b) ? "on both sides"
              : is_failure(a)                ? "with the person"
                                             : "without the person");
    else if (does_not_fit(a) || does_not_fit(b))
        out->verdict = VERDICT_SAME;
    else if (strcmp(a->sqlstate, b->sqlstate) != 0 ||
             strcmp(a->message, b->message) != 0)
        fault(out, VERDICT_DIFFERS, "the errors differ");
    else if (reply_failed(a))
        out->verdict = VERDICT_REJECTED;
    else if (a->columns != b->columns || a->n_notices != b->n_notices)
        fault(out, VERDICT_DIFFERS, "the answers have different shapes");
    else if (remarks_differ(reply))
        fault(out, VERDICT_DIFFERS, "the remarks differ");
    else
        return check_answers(sql, person, reply, out, err);
    /* NOLINTEND(bugprone-branch-clone) */
    return CUSTOS_OK;
}
