/* Writes a synopsis as bytes: facts, schema, codings, tables, workload, model. */
#include "synopsis/codec.h"

#include "base/base.h"

static void
pack_double(struct buf *b, double x)
{
    unsigned char bytes[8];
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    pack_bytes(b, bytes, sizeof bytes);
}

static void
pack_set(struct buf *b, struct colset set)
{
    pack_number(b, (i128)set.word[0]);
    pack_number(b, (i128)set.word[1]);
}

static void
pack_facts(struct buf *b, const struct synopsis_facts *f)
{
    pack_text(b, f->epsilon);
    pack_text(b, f->delta);
    pack_text(b, f->rho);
    pack_text(b, f->adjacency);
    pack_text(b, f->unit);
    pack_number(b, (i128)f->rows_per_unit);
    pack_text(b, f->method);
    pack_text(b, f->theorems);
    pack_number(b, (i128)f->receipt);
    pack_text(b, f->receipt_hash);
    pack_text(b, f->version);
}

static void
pack_column(struct buf *b, const struct schema_column *c)
{
    pack_text(b, c->name);
    pack_number(b, c->type);
    pack_number(b, c->scale);
    pack_number(b, c->coding);
    pack_number(b, c->ordered);
    pack_number(b, c->nullable);
    if (c->coding == SCHEMA_NUMBER)
        return;
    pack_number(b, (i128)c->n);
    if (c->coding == SCHEMA_VALUES) {
        for (uint32_t k = 0; k < c->n; k++)
            pack_datum(b, &c->values[k]);
        return;
    }
    pack_number(b, c->base);
    pack_number(b, c->digits);
    for (uint32_t k = 0; k <= c->n; k++)
        pack_number(b, c->cuts[k]);
}

static void
pack_schema(struct buf *b, const struct schema *s)
{
    pack_text(b, s->table);
    pack_number(b, (i128)s->n);
    for (size_t i = 0; i < s->n; i++)
        pack_column(b, &s->columns[i]);
}

static void
pack_released(struct buf *b, const struct released *r)
{
    pack_number(b, (i128)r->n_codings);
    for (size_t i = 1; i < r->n_codings; i++)
        for (size_t c = 0; c < r->codings[i].domain.n; c++) {
            pack_number(b, (i128)r->codings[i].size[c]);
            for (uint32_t k = 0; k < r->codings[0].size[c]; k++)
                pack_number(b, r->codings[i].map[c][k]);
        }
    pack_number(b, (i128)r->n_tables);
    for (size_t i = 0; i < r->n_tables; i++) {
        const struct released_table *t = &r->tables[i];

        pack_number(b, t->kind);
        pack_set(b, t->set);
        pack_number(b, (i128)t->coding);
        pack_number(b, (i128)t->rho);
        pack_double(b, t->variance);
        for (size_t k = 0; k < t->cells; k++)
            pack_number(b, t->values[k]);
    }
    pack_number(b, (i128)r->n_limits);
    for (size_t i = 0; i < r->n_limits; i++) {
        pack_set(b, r->limits[i].set);
        pack_double(b, r->limits[i].l1);
    }
}

static void
pack_model(struct buf *b, const struct model *m)
{
    pack_number(b, m != NULL);
    if (!m)
        return;
    pack_double(b, m->total);
    pack_number(b, (i128)m->n_cliques);
    for (size_t i = 0; i < m->n_cliques; i++) {
        const struct clique *c = &m->cliques[i];

        pack_set(b, c->set);
        for (size_t k = 0; k < c->cells; k++)
            pack_double(b, m->potentials[c->first + k]);
    }
}

static void
pack_share(struct buf *b, const struct released *r, double **share)
{
    const struct domain *d = &r->codings[0].domain;

    pack_number(b, share != NULL);
    for (size_t c = 0; share && c < d->n; c++)
        for (uint32_t k = 0; k < d->size[c]; k++)
            pack_double(b, share[c][k]);
}

/* Last, because the first files of this format end before them. */
static void
pack_choices(struct buf *b, const struct released *r)
{
    pack_number(b, (i128)r->n_choices);
    for (size_t i = 0; i < r->n_choices; i++)
        pack_number(b, (i128)r->choices[i]);
}

static void
pack_ranges(struct buf *b, const struct released *r)
{
    pack_number(b, (i128)r->n_ranges);
    for (size_t i = 0; i < r->n_ranges; i++) {
        const struct released_range *x = &r->ranges[i];

        pack_number(b, (i128)x->column);
        pack_number(b, (i128)x->n);
        for (uint32_t k = 0; k <= x->n; k++)
            pack_number(b, x->cuts[k]);
        pack_number(b, (i128)x->rho);
        pack_double(b, x->variance);
        for (size_t k = 0; k < x->cells; k++)
            pack_number(b, x->sums[k]);
    }
}

void
synopsis_pack(const struct synopsis *s, struct buf *out)
{
    pack_facts(out, &s->facts);
    pack_schema(out, s->schema);
    pack_released(out, s->released);
    pack_number(out, (i128)s->n_workload);
    for (size_t i = 0; i < s->n_workload; i++)
        pack_set(out, s->workload[i]);
    pack_model(out, s->model);
    pack_share(out, s->released, s->share);
    pack_choices(out, s->released);
    pack_ranges(out, s->released);
}
