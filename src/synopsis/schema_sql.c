#include "synopsis/schema_sql.h"

#include "base/base.h"
#include "synopsis/value.h"

static void
quote(struct buf *out, char mark, str text)
{
    buf_add(out, &mark, 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == mark)
            buf_add(out, &mark, 1);
        buf_add(out, &text.ptr[i], 1);
    }
    buf_add(out, &mark, 1);
}

static void
add_type(const struct schema_column *c, struct buf *out)
{
    switch (c->type) {
    case TYPE_BOOL: buf_add_text(out, "boolean"); return;
    case TYPE_INT: buf_add_text(out, "bigint"); return;
    case TYPE_DECIMAL: buf_printf(out, "numeric(38, %d)", c->scale); return;
    case TYPE_REAL: buf_add_text(out, "double precision"); return;
    case TYPE_DATE: buf_add_text(out, "date"); return;
    case TYPE_TIMESTAMP: buf_add_text(out, "timestamp"); return;
    case TYPE_TEXT:
    case TYPE_NULL: buf_add_text(out, "text"); return;
    }
}

static void
add_literal(struct datum d, struct buf *out)
{
    struct buf text;

    buf_init(&text, NULL, 1 << 20);
    datum_write(&d, &text);
    out->failed = out->failed || text.failed;
    if (data_type_is_number(d.type) || d.type == TYPE_BOOL)
        buf_add_text(out, buf_text(&text));
    else
        quote(out, '\'', str_of(buf_text(&text)));
    buf_clear(&text);
}

/* The values that a column can have. */
static void
add_check(const struct schema_column *c, struct buf *out)
{
    if (c->coding == SCHEMA_NUMBER || c->type == TYPE_BOOL || c->n == 0)
        return;
    buf_add_text(out, " CHECK (");
    quote(out, '"', c->name);
    if (c->coding == SCHEMA_CUTS) {
        buf_add_text(out, " BETWEEN ");
        add_literal(code_value(c, 0, CODE_FIRST), out);
        buf_add_text(out, " AND ");
        add_literal(code_value(c, c->n - 1, CODE_LAST), out);
    }
    for (uint32_t k = 0; c->coding == SCHEMA_VALUES && k < c->n; k++) {
        buf_add_text(out, k ? ", " : " IN (");
        add_literal(code_value(c, k, CODE_FIRST), out);
    }
    buf_add_text(out, c->coding == SCHEMA_VALUES ? "))" : ")");
}

void
schema_sql(const struct schema *s, struct buf *out)
{
    buf_add_text(out, "CREATE TABLE ");
    quote(out, '"', s->table);
    for (size_t i = 0; i < s->n; i++) {
        const struct schema_column *c = &s->columns[i];

        buf_add_text(out, i ? ",\n    " : " (\n    ");
        quote(out, '"', c->name);
        buf_add_text(out, " ");
        add_type(c, out);
        buf_add_text(out, c->nullable ? "" : " NOT NULL");
        add_check(c, out);
    }
    buf_add_text(out, "\n);\n");
}
