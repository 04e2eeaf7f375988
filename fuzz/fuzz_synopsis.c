/*
 * A synopsis as bytes: refused, or read into one that can be written, and that
 * answers. Memory stays in proportion to the bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "sql/print.h"
#include "synopsis/answer.h"
#include "synopsis/codec.h"
#include "synopsis/policy.h"
#include "synopsis/steps.h"
#include "synopsis/value.h"
#include "synth/infer.h"
#include "synth/price.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum {
    LEN_MAX = 1 << 16,
    WRITTEN_MAX = 1 << 24,
    CELLS_MAX = 1 << 12,
    CODES_ASKED = 64,
    ASKED_BYTES = 1 << 27,
};

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
ask_model(const struct model *m)
{
    static double out[CELLS_MAX];

    for (size_t i = 0; i < m->domain.n && i < 4; i++) {
        const struct colset set = colset_of(i);

        if (domain_cells(&m->domain, set) > CELLS_MAX)
            continue;
        require(!model_marginal(m, set, CELLS_MAX, out, NULL));
        for (size_t k = 0; k < domain_cells(&m->domain, set); k++)
            require(out[k] >= 0);
    }
}

/* What custos synopsis info computes of the steps. */
static void
ask_steps(const struct synopsis *s)
{
    rat x;

    rat_init(&x);
    for (size_t i = 0; i < s->released->n_tables; i++) {
        step_l2_squared(s, &s->released->tables[i], &x);
        require(rat_sign(&x) > 0);
        require(price_sigma(s->released->tables[i].rho, 1) > 0);
    }
    for (size_t i = 0; i < s->released->n_choices; i++)
        price_epsilon(s->released->choices[i], &x);
    rat_clear(&x);
}

/* Its values are shown, and it is asked in SQL: with all rows, and by one column. */
static void
ask_in_sql(const struct synopsis *s, arena *a)
{
    const struct schema_column *c = &s->schema->columns[s->schema->column[0]];
    struct policy *p = NULL;
    struct buf sql;

    for (uint32_t k = 0; k < schema_codes(c) && k < CODES_ASKED; k++)
        (void)code_value(c, k, CODE_LAST);
    if (synopsis_policy(a, s, &p, NULL))
        return;
    for (int grouped = 0; grouped < 2; grouped++) {
        struct answer *answer = NULL;
        struct ask ask = {.n_params = 0};

        buf_init(&sql, NULL, WRITTEN_MAX);
        buf_add_text(&sql, "SELECT count(*)");
        if (grouped) {
            buf_add_text(&sql, ", count(");
            print_quoted('"', c->name, &sql);
            buf_add_text(&sql, ")");
        }
        buf_add_text(&sql, " FROM ");
        print_quoted('"', s->schema->table, &sql);
        buf_add_text(&sql, " WHERE ");
        print_quoted('"', c->name, &sql);
        buf_add_text(&sql, " IS NOT NULL");
        if (grouped) {
            buf_add_text(&sql, " GROUP BY ");
            print_quoted('"', c->name, &sql);
        }
        require(!sql.failed);
        ask.sql = (str){sql.ptr, sql.len};
        if (!synopsis_ask(s, p, &ask, &answer, NULL))
            answer_free(answer);
        buf_clear(&sql);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    arena *a = arena_new(NULL, 24 * len + (1 << 20));
    custos_err err = CUSTOS_ERR_INIT;
    struct synopsis *s = NULL;
    arena *asked = NULL;
    custos_status st;
    struct buf b;

    require(a != NULL);
    if (len > LEN_MAX)
        goto out;
    st = synopsis_unpack(a, (str){(const char *)data, len}, &s, &err);
    if (st) {
        require(!s && err.said[0]);
        require(st == CUSTOS_ECORRUPT || st == CUSTOS_EOVERFLOW);
    } else {
        buf_init(&b, NULL, WRITTEN_MAX);
        synopsis_pack(s, &b);
        require(!b.failed);
        buf_clear(&b);
        if (s->model)
            ask_model(s->model);
        ask_steps(s);
        asked = arena_new(NULL, ASKED_BYTES);
        require(asked != NULL);
        ask_in_sql(s, asked);
    }
    synopsis_close(s);
    arena_free(asked);
out:
    arena_free(a);
    return 0;
}
