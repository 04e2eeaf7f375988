/*
 * What may be queried, from the policy: tables with their privacy units, columns
 * with type, range and domain, views. An analyst sees what is granted and nothing
 * else; nothing here comes from data.
 */
#include "http/api.h"

#include <inttypes.h>

#include "base/error.h"
#include "curator/shape.h"
#include "wire/json.h"

static void
add_value(struct buf *b, const struct datum *d)
{
    struct buf text;

    buf_init(&text, NULL, HTTP_REPLY_MAX);
    datum_write(d, &text);
    json_add_text(b, str_of(buf_text(&text)));
    b->failed = b->failed || text.failed;
    buf_clear(&text);
}

/* Shown only to those who may use the referenced column. */
static void
add_reference(struct buf *b, const struct policy *p,
              const struct policy_analyst *who, const struct policy_column *c)
{
    const struct policy_table *t = policy_table_find(p, c->references_table);
    const struct policy_column *key =
        t ? policy_column_find(t, c->references_column) : NULL;

    buf_add_text(b, ",\"references\":");
    if (!key || !policy_grants(p, who, t, key)) {
        buf_add_text(b, "null");
        return;
    }
    buf_add_text(b, "{\"table\":");
    json_add_text(b, t->name);
    buf_add_text(b, ",\"column\":");
    json_add_text(b, key->name);
    buf_add_text(b, "}");
}

static void
add_domain(struct buf *b, const struct policy_column *c)
{
    buf_add_text(b, ",\"range\":");
    if (c->has_range) {
        buf_add_text(b, "{\"low\":");
        add_value(b, &c->lower);
        buf_add_text(b, ",\"high\":");
        add_value(b, &c->upper);
        buf_add_text(b, "}");
    } else {
        buf_add_text(b, "null");
    }
    buf_add_text(b, ",\"values\":");
    for (size_t i = 0; i < c->n_values; i++) {
        buf_add_text(b, i ? "," : "[");
        add_value(b, &c->values[i]);
    }
    buf_add_text(b, c->n_values ? "]" : "null");
}

static void
add_column(struct buf *b, const struct policy *p,
           const struct policy_analyst *who, const struct policy_column *c,
           bool unit)
{
    buf_add_text(b, "{\"name\":");
    json_add_text(b, c->name);
    buf_printf(b, ",\"type\":\"%s\",\"scale\":", data_type_name(c->type));
    if (c->type == TYPE_DECIMAL)
        buf_printf(b, "%d", c->scale);
    else
        buf_add_text(b, "null");
    buf_printf(b, ",\"nullable\":%s,\"unit\":%s",
               c->nullable ? "true" : "false", unit ? "true" : "false");
    add_domain(b, c);
    add_reference(b, p, who, c);
    json_add_member(b, "comment", c->comment);
    buf_add_text(b, "}");
}

/* The privacy unit of a table, and how many rows and groups of a unit count. */
static void
add_unit(struct buf *b, const struct policy *p,
         const struct policy_analyst *who, const struct policy_table *t)
{
    buf_printf(b, ",\"public\":%s,\"unit\":", t->is_public ? "true" : "false");
    if (t->is_public) {
        buf_add_text(b, "null");
        return;
    }
    buf_printf(
        b, "{\"row\":%s,\"rows_per_unit\":", t->unit_is_row ? "true" : "false");
    if (policy_rows_known(p, t))
        buf_printf(b, "%" PRIu64 ",\"groups_per_unit\":%" PRIu64,
                   t->rows_per_unit, t->groups_per_unit);
    else /* each question selects its own bound */
        buf_add_text(b, "null,\"groups_per_unit\":null");
    buf_add_text(b, ",\"column\":");
    /* the unit column's name, only for those who are granted that column */
    if (!t->unit_is_row &&
        policy_grants(p, who, t, &t->columns[t->unit_column]))
        json_add_text(b, t->columns[t->unit_column].name);
    else
        buf_add_text(b, "null");
    buf_add_text(b, "}");
}

static void
add_table(struct buf *b, const struct policy *p,
          const struct policy_analyst *who, const struct policy_table *t)
{
    bool more = false;

    buf_add_text(b, "{\"name\":");
    json_add_text(b, t->name);
    add_unit(b, p, who, t);
    json_add_member(b, "comment", t->comment);
    buf_add_text(b, ",\"columns\":[");
    for (size_t i = 0; i < t->n_columns; i++) {
        if (!policy_grants(p, who, t, &t->columns[i]))
            continue;
        buf_add_text(b, more ? ",\n" : "\n");
        add_column(b, p, who, &t->columns[i],
                   !t->is_public && !t->unit_is_row && i == t->unit_column);
        more = true;
    }
    buf_add_text(b, "]}");
}

static void
add_tables(struct buf *b, const struct policy *p,
           const struct policy_analyst *who)
{
    bool more = false;

    buf_add_text(b, "\"tables\":[");
    for (size_t i = 0; i < p->n_tables; i++) {
        if (!policy_grants_table(p, who, &p->tables[i]))
            continue;
        buf_add_text(b, more ? ",\n" : "\n");
        add_table(b, p, who, &p->tables[i]);
        more = true;
    }
    buf_add_text(b, "]");
}

struct view_writer {
    struct buf *out;
    const struct policy *p;
    const struct policy_analyst *who;
    bool more;
};

static void
add_view_column(void *ctx, const struct policy_column *c, bool unit)
{
    struct view_writer *w = ctx;

    buf_add_text(w->out, w->more ? ",\n" : "\n");
    add_column(w->out, w->p, w->who, c, unit);
    w->more = true;
}

static void
add_views(struct buf *b, const struct policy *p,
          const struct policy_analyst *who)
{
    bool more = false;

    buf_add_text(b, ",\n\"views\":[");
    for (size_t i = 0; i < p->n_views; i++) {
        if (!policy_grants_view(p, who, &p->views[i]))
            continue;
        buf_add_text(b, more ? ",{\"name\":" : "{\"name\":");
        json_add_text(b, p->views[i].name);
        json_add_member(b, "comment", p->views[i].comment);
        buf_add_text(b, ",\"columns\":[");
        shape_of_view(p, who, &p->views[i], add_view_column,
                      &(struct view_writer){.out = b, .p = p, .who = who});
        buf_add_text(b, "]}");
        more = true;
    }
    buf_add_text(b, "]");
}

void
api_schema(struct curator *c, str who, struct http_reply *out)
{
    const struct policy_analyst *analyst = NULL;
    const struct policy *p;
    struct buf *b = &out->body;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = curator_refresh(c, &err);

    p = curator_policy(c);
    if (!st)
        st = curator_find(c, who, &analyst, &err);
    if (!st) {
        buf_add_text(b, "{");
        add_tables(b, p, analyst);
        add_views(b, p, analyst);
        buf_printf(b, ",\n\"adjacency\":\"%s\",\"query\":{\"epsilon\":",
                   p->adjacency == CUSTOS_CHANGE_ONE ? "change-one"
                                                     : "add-remove");
        json_add_text(b, p->default_epsilon);
        buf_add_text(b, ",\"max_epsilon\":");
        json_add_text(b, p->max_epsilon);
        buf_add_text(b, ",\"delta\":");
        json_add_text(b, p->query_delta);
        buf_add_text(b, "}}\n");
        if (b->failed)
            st = custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    }
    if (st)
        http_refuse(out, &err, str_of(""));
}
