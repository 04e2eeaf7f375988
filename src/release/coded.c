/*
 * Keeps a column of codes for each column of the domain, and counts sets of them.
 *
 * Counting takes rows in blocks: for each block the numbers of the cells are added
 * up column by column, from a table that says how far each code moves the cell. So
 * merged codes cost nothing, and the codes of the schema stay as they are.
 */
#include "release/coded.h"

#include <stdlib.h>
#include <string.h>

#include "base/ck.h"
#include "base/error.h"
#include "engine/fields.h"
#include "mech/i128.h"

enum { BLOCK = 1024 };

/* The most bytes of exact marginals that are kept for scores; beyond, candidates are
   counted each time. */
enum { KEPT_BYTES = 192 << 20 };

/* The exact marginal of a candidate. */
struct counted {
    struct colset set;
    bool scored;
    size_t cells;
    int64_t *x; /* NULL: not kept */
};

struct coded {
    struct domain schema, now; /* codes as read; as they count now */
    uint32_t *sizes;           /* of both: 2n */
    uint16_t **code;           /* by column and row, as read */
    uint16_t **map;            /* by column and code: as it counts now */
    size_t rows, room;

    struct counted *counted; /* by candidate */
    int64_t *scores;
    size_t n_scores, kept_bytes;
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

static void
forget(void *p, size_t bytes)
{
    if (p)
        wipe(p, bytes);
    free(p);
}

/* As realloc, but wipes what was and zeroes what is new. NULL: no memory, and p stays. */
static void *
grow_secret(void *p, size_t old_bytes, size_t bytes)
{
    void *to = calloc(1, bytes);

    if (to && p) {
        memcpy(to, p, old_bytes);
        forget(p, old_bytes);
    }
    return to;
}

void
coded_free(struct coded *c)
{
    if (!c)
        return;
    for (size_t i = 0; c->code && i < c->schema.n; i++)
        forget(c->code[i], c->room * sizeof **c->code);
    for (size_t i = 0; c->map && i < c->schema.n; i++)
        free(c->map[i]);
    for (size_t i = 0; i < c->n_scores; i++)
        forget(c->counted[i].x, c->counted[i].cells * sizeof(int64_t));
    forget(c->scores, c->n_scores * sizeof *c->scores);
    free(c->counted);
    free(c->sizes);
    free(c->code);
    free(c->map);
    free(c);
}

static struct coded *
coded_new(const struct domain *d)
{
    struct coded *c = calloc(1, sizeof *c);
    bool all;

    if (!c)
        return NULL;
    c->sizes = calloc(2 * d->n, sizeof *c->sizes);
    c->code = calloc(d->n, sizeof *c->code);
    c->map = calloc(d->n, sizeof *c->map);
    all = c->sizes && c->code && c->map;
    c->schema = (struct domain){d->n, c->sizes};
    c->now = (struct domain){d->n, all ? c->sizes + d->n : NULL};
    for (size_t i = 0; all && i < d->n; i++) {
        c->sizes[i] = c->sizes[d->n + i] = d->size[i];
        c->map[i] = calloc(d->size[i], sizeof **c->map);
        all = c->map[i] != NULL;
        for (uint32_t k = 0; all && k < d->size[i]; k++)
            c->map[i][k] = (uint16_t)k;
    }
    if (all)
        return c;
    coded_free(c);
    return NULL;
}

/* --------------------------------------------------------------- reading -- */

struct reader {
    const struct schema *schema;
    struct coded *coded;
};

/* Makes room for n more rows. */
static bool
make_room(struct coded *c, size_t n)
{
    size_t room = c->room;

    while (room - c->rows < n)
        if (!ck_add_size(room, room / 2 + BLOCK, &room))
            return false;
    for (size_t i = 0; room > c->room && i < c->schema.n; i++) {
        uint16_t *to =
            grow_secret(c->code[i], c->room * sizeof *to, room * sizeof *to);

        if (!to)
            return false;
        c->code[i] = to;
    }
    c->room = room;
    return true;
}

/* The code of a number; schema_codes(column) if it has none. Cuts are at equal
   distances but for the last (schema_make). */
static uint32_t
code_of(const struct schema_column *column, int64_t number)
{
    i128 k;

    if (number == ENGINE_NO_VALUE)
        return column->n; /* NULL's, if there is one */
    if (column->coding == SCHEMA_VALUES)
        return number >= 0 && number < (int64_t)column->n
                   ? (uint32_t)number
                   : schema_codes(column);
    if (number < column->cuts[0] || number >= column->cuts[column->n])
        return schema_codes(column);
    k = (number - column->cuts[0]) / (column->cuts[1] - column->cuts[0]);
    return (uint32_t)k;
}

/* Adds the rows of a chunk whose values all have codes. */
static custos_status
take_rows(void *ctx, size_t n, const int64_t *numbers, custos_err *err)
{
    const struct reader *r = ctx;
    struct coded *c = r->coded;

    if (!make_room(c, n))
        return no_memory(err);
    for (size_t row = 0; row < n; row++) {
        bool all = true;

        for (size_t i = 0; i < c->schema.n; i++) {
            const struct schema_column *column =
                &r->schema->columns[r->schema->column[i]];
            uint32_t code = code_of(column, numbers[i * n + row]);

            all = all && code < schema_codes(column);
            c->code[i][c->rows] = (uint16_t)code;
        }
        c->rows += all;
    }
    return CUSTOS_OK;
}

/* The limits of a field's steps are those of the cuts. */
static struct engine_field
field_of(const struct schema_column *column, size_t number)
{
    struct engine_field f = {.column = number};

    if (column->coding == SCHEMA_CUTS) {
        f.lower = (int64_t)column->cuts[0];
        f.upper = (int64_t)(column->cuts[column->n] - 1);
    }
    return f;
}

custos_status
coded_read(struct engine *e, const struct plan *plan, const struct schema *s,
           const size_t *field, struct coded **out, custos_err *err)
{
    struct engine_field fields[ENGINE_FIELDS_MAX];
    struct reader r = {s, coded_new(&s->domain)};
    custos_status st;

    CUSTOS_REQUIRE(s->domain.n <= ENGINE_FIELDS_MAX);
    if (!r.coded)
        return no_memory(err);
    for (size_t i = 0; i < s->domain.n; i++)
        fields[i] = field_of(&s->columns[s->column[i]], field[i]);
    st = engine_fields(e, plan, fields, s->domain.n, take_rows, &r, err);
    if (st)
        coded_free(r.coded);
    else
        *out = r.coded;
    return st;
}

/* -------------------------------------------------------------- counting -- */

void
coded_recode(struct coded *c, size_t column, const uint16_t *map,
             uint32_t codes)
{
    CUSTOS_REQUIRE(column < c->now.n && codes >= 1 && c->n_scores == 0);
    for (uint32_t k = 0; k < c->schema.size[column]; k++) {
        c->map[column][k] = map[c->map[column][k]];
        CUSTOS_REQUIRE(c->map[column][k] < codes);
    }
    c->sizes[c->schema.n + column] = codes;
}

void
coded_settle(struct coded *c)
{
    for (size_t i = 0; i < c->schema.n; i++) {
        for (size_t row = 0; row < c->rows; row++)
            c->code[i][row] = c->map[i][c->code[i][row]];
        c->sizes[i] = c->sizes[c->schema.n + i];
        for (uint32_t k = 0; k < c->sizes[i]; k++)
            c->map[i][k] = (uint16_t)k;
    }
}

/* By column of the set and code: how far the code moves the cell. NULL: no memory. */
static size_t *
moves_make(const struct coded *c, struct colset set)
{
    size_t n = 0, at = 0, step = 1, *moves;

    COLSET_EACH(i, set)
    n += c->schema.size[i];
    moves = calloc(n + 1, sizeof *moves);
    if (!moves)
        return NULL;
    for (size_t i = c->now.n; i-- > 0;)
        if (colset_has(set, i)) {
            at += c->schema.size[i];
            for (uint32_t k = 0; k < c->schema.size[i]; k++)
                moves[n - at + k] = c->map[i][k] * step;
            step *= c->now.size[i];
        }
    return moves;
}

static void
count_rows(const struct coded *c, struct colset set, const size_t *moves,
           int64_t *x)
{
    size_t cell[BLOCK];

    for (size_t from = 0; from < c->rows; from += BLOCK) {
        size_t n = c->rows - from < BLOCK ? c->rows - from : BLOCK, at = 0;

        memset(cell, 0, n * sizeof *cell);
        COLSET_EACH(i, set)
        {
            const uint16_t *code = c->code[i] + from;

            for (size_t k = 0; k < n; k++)
                cell[k] += moves[at + code[k]];
            at += c->schema.size[i];
        }
        for (size_t k = 0; k < n; k++)
            x[cell[k]]++;
    }
}

/* The exact marginal; the caller forgets it. NULL: no memory. */
static int64_t *
count_set(const struct coded *c, struct colset set, size_t *cells)
{
    size_t *moves = moves_make(c, set);
    int64_t *x;

    *cells = domain_cells(&c->now, set);
    x = *cells < SIZE_MAX ? calloc(*cells, sizeof *x) : NULL;
    if (moves && x)
        count_rows(c, set, moves, x);
    free(moves);
    if (moves)
        return x;
    free(x);
    return NULL;
}

custos_status
coded_seal(const struct coded *c, struct colset set, custos_sealed **out,
           custos_err *err)
{
    size_t cells;
    int64_t *x = count_set(c, set, &cells);
    custos_status st =
        x ? custos_seal_ints(NULL, x, cells, out, err) : no_memory(err);

    forget(x, cells * sizeof *x);
    return st;
}

custos_status
coded_seal_wide(const struct coded *c, struct colset set, custos_sealed **out,
                custos_err *err)
{
    size_t cells;
    int64_t *x = count_set(c, set, &cells);
    i128 *wide = x ? calloc(cells, sizeof *wide) : NULL;
    custos_status st = wide ? CUSTOS_OK : no_memory(err);

    for (size_t k = 0; !st && k < cells; k++)
        wide[k] = x[k];
    if (!st)
        st = seal_i128(NULL, wide, cells, out, err);
    forget(wide, cells * sizeof *wide);
    forget(x, cells * sizeof *x);
    return st;
}

/* --------------------------------------------------------------- scoring -- */

/* Room for candidate i. */
static bool
grow(struct coded *c, size_t i)
{
    const size_t n = 2 * i + 64, before = c->n_scores;
    struct counted *counted;
    int64_t *scores;

    if (i < before)
        return true;
    counted =
        grow_secret(c->counted, before * sizeof *counted, n * sizeof *counted);
    if (!counted)
        return false;
    c->counted = counted;
    scores =
        grow_secret(c->scores, before * sizeof *scores, n * sizeof *scores);
    if (!scores)
        return false;
    c->scores = scores;
    c->n_scores = n;
    return true;
}

static i128
clamp_to_64(i128 x)
{
    return x < INT64_MIN ? INT64_MIN : x > INT64_MAX ? INT64_MAX : x;
}

/* The candidate's exact marginal; *own: the caller forgets it. NULL: no memory. */
static int64_t *
counted_of(struct coded *c, struct counted *of, bool *own)
{
    int64_t *x = of->x;
    size_t bytes;

    *own = false;
    if (x)
        return x;
    x = count_set(c, of->set, &of->cells);
    bytes = of->cells * sizeof *x;
    *own = x && (bytes > KEPT_BYTES || c->kept_bytes > KEPT_BYTES - bytes);
    if (x && !*own) {
        c->kept_bytes += bytes;
        of->x = x;
    }
    return x;
}

/* At most 2^48 cells of 2^70 each; a weight is at most 2^28. */
static i128
distance(const int64_t *x, const int64_t *model, size_t cells, int64_t lattice)
{
    const i128 most = (i128)1 << 80;
    i128 sum = 0;

    for (size_t k = 0; k < cells; k++) {
        i128 off = (i128)lattice * x[k] - model[k];

        sum += off < 0 ? -off : off;
        sum = sum < most ? sum : most;
    }
    return sum;
}

custos_status
coded_score(struct coded *c, size_t i, struct colset set, uint64_t weight,
            int64_t lattice, const int64_t *model, int64_t penalty,
            custos_err *err)
{
    struct counted *of;
    int64_t *x;
    bool own;

    CUSTOS_REQUIRE(weight <= (uint64_t)1 << 28);
    if (!grow(c, i))
        return no_memory(err);
    of = &c->counted[i];
    CUSTOS_REQUIRE(!of->scored || colset_same(of->set, set));
    of->set = set;
    x = counted_of(c, of, &own);
    if (!x)
        return no_memory(err);
    c->scores[i] = (int64_t)clamp_to_64(
        (i128)weight * distance(x, model, of->cells, lattice) - penalty);
    of->scored = true;
    if (own)
        forget(x, of->cells * sizeof *x);
    return CUSTOS_OK;
}

custos_status
coded_seal_scores(const struct coded *c, const size_t *among, size_t n,
                  custos_sealed **out, custos_err *err)
{
    int64_t *x = calloc(n + 1, sizeof *x);
    custos_status st;

    if (!x)
        return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        CUSTOS_REQUIRE(among[i] < c->n_scores && c->counted[among[i]].scored);
        x[i] = c->scores[among[i]];
    }
    st = custos_seal_ints(NULL, x, n, out, err);
    forget(x, n * sizeof *x);
    return st;
}

size_t
coded_rows(const struct coded *c, const uint16_t *const **codes)
{
    *codes = (const uint16_t *const *)c->code;
    return c->rows;
}
