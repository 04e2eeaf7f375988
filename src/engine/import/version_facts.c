/*
 * The tables that describe a version: facts of the policy that its columns depend on,
 * sources (attached tables, with the marks of their files), and cuts.
 */
#include "base/base.h"
#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/import/import.h"

void
import_print_cut(size_t table, int64_t unit, struct buf *out)
{
    struct terms row = {.n = 0};
    struct builder b;

    builder_init(&b, NULL);
    terms_add(&b, &row, term_number(&b, (i128)table));
    terms_add(&b, &row, term_number(&b, unit));
    duck_print_insert("cuts", &row, out);
    buf_add_text(out, ";");
    out->failed |= b.failed;
    builder_clear(&b);
}

static void
print_tables(struct buf *out)
{
    const struct stored_column cuts[] = {{"t", STORED(I64)},
                                         {"u", STORED(I64)}};
    const struct stored_column sources[] = {
        {"t", STORED(I64)},     {"attach", STORED(TEXT)},
        {"path", STORED(TEXT)}, {"view", STORED(TEXT)},
        {"size", STORED(I64)},  {"changed_ns", STORED(I64)},
        {"inode", STORED(I64)},
    };
    const struct stored_column facts[] = {{"format", STORED(I64)},
                                          {"text", STORED(TEXT)}};

    duck_print_create("cuts", cuts, COUNT_OF(cuts), out);
    buf_add_text(out, "; ");
    duck_print_create("sources", sources, COUNT_OF(sources), out);
    buf_add_text(out, "; ");
    duck_print_create("facts", facts, COUNT_OF(facts), out);
}

static void
print_facts(const struct policy *p, struct buf *out)
{
    struct terms row = {.n = 0};
    struct builder b;
    struct buf facts;

    builder_init(&b, NULL);
    buf_init(&facts, NULL, SQL_MOST);
    view_facts(p, &facts);
    terms_add(&b, &row, term_number(&b, DATA_FORMAT));
    terms_add(&b, &row, term_text(&b, str_of(buf_text(&facts))));
    duck_print_insert("facts", &row, out);
    out->failed |= b.failed || facts.failed;
    buf_clear(&facts);
    builder_clear(&b);
}

/* Prints the row of table i, which is attached. */
static void
print_source(struct import *m, size_t i, struct buf *out)
{
    const struct source *from = &m->sources[i];
    const int64_t mark[] = {from->mark.size, from->mark.changed_ns,
                            from->mark.inode};
    const struct select *view;
    struct terms row = {.n = 0};
    struct builder b;
    struct buf text;

    builder_init(&b, NULL);
    buf_init(&text, NULL, SQL_MOST);
    view = view_select(&b, &m->policy->tables[i], from, VIEW_ROWS);
    if (!b.failed)
        duck_print_select(view, NULL, &text);
    terms_add(&b, &row, term_number(&b, (i128)i));
    terms_add(&b, &row, term_text(&b, str_of(from->attach)));
    terms_add(&b, &row, term_text(&b, str_of(from->file.path)));
    terms_add(&b, &row, term_text(&b, str_of(buf_text(&text))));
    for (size_t k = 0; k < COUNT_OF(mark); k++)
        terms_add(&b, &row, term_number(&b, mark[k]));
    duck_print_insert("sources", &row, out);
    out->failed |= b.failed || text.failed;
    buf_clear(&text);
    builder_clear(&b);
}

custos_status
import_facts(struct import *m, custos_err *err)
{
    struct buf b;

    buf_init(&b, NULL, SQL_MOST);
    print_tables(&b);
    buf_add_text(&b, "; ");
    print_facts(m->policy, &b);
    for (size_t i = 0; i < m->policy->n_tables; i++) {
        if (!m->policy->tables[i].attached)
            continue;
        buf_add_text(&b, "; ");
        print_source(m, i, &b);
    }
    return duck_do_printed(m->c, &b, err);
}
