/*
 * What may be queried, from the policy: tables with their privacy units, columns
 * with type, range and domain, views. An analyst sees what is granted and nothing
 * else; nothing here comes from data.
 */
#include "http/api.h"

#include "base/error.h"
#include "base/json.h"
#include "curator/shape.h"

/* Shown only to those who may use the referenced column. */
static void
add_reference(struct json *j, const struct policy *p,
              const struct policy_analyst *who, const struct policy_column *c)
{
    const struct policy_table *t = policy_table_find(p, c->references_table);
    const struct policy_column *key =
        t ? policy_column_find(t, c->references_column) : NULL;

    if (!key || !policy_grants(p, who, t, key)) {
        json_add_null(j, "references");
        return;
    }
    json_begin(j, "references");
    json_add_text(j, "table", t->name);
    json_add_text(j, "column", key->name);
    json_end(j);
}

static void
add_domain(struct json *j, const struct policy_column *c)
{
    if (c->has_range) {
        json_begin(j, "range");
        json_add_datum_text(j, "low", &c->lower);
        json_add_datum_text(j, "high", &c->upper);
        json_end(j);
    } else {
        json_add_null(j, "range");
    }
    json_add_bool(j, "find_range", c->find_range);
    if (!c->n_values) {
        json_add_null(j, "values");
        return;
    }
    json_begin_list(j, "values");
    for (size_t i = 0; i < c->n_values; i++)
        json_add_datum_text(j, NULL, &c->values[i]);
    json_end(j);
}

static void
add_column(struct json *j, const struct policy *p,
           const struct policy_analyst *who, const struct policy_column *c,
           bool unit)
{
    json_begin(j, NULL);
    json_add_text(j, "name", c->name);
    json_add_text(j, "type", str_of(data_type_name(c->type)));
    if (c->type == TYPE_DECIMAL)
        json_add_int(j, "scale", c->scale);
    else
        json_add_null(j, "scale");
    json_add_bool(j, "nullable", c->nullable);
    json_add_bool(j, "unit", unit);
    add_domain(j, c);
    add_reference(j, p, who, c);
    json_add_text_or_null(j, "comment", c->comment);
    json_end(j);
}

/* The privacy unit of a table, and how many rows and groups of a unit count. */
static void
add_unit(struct json *j, const struct policy *p,
         const struct policy_analyst *who, const struct policy_table *t)
{
    const struct policy_column *column = &t->columns[t->unit_column];

    if (t->is_public) {
        json_add_null(j, "unit");
        return;
    }
    json_begin(j, "unit");
    json_add_bool(j, "row", t->unit_is_row);
    if (policy_rows_known(p, t)) {
        json_add_count(j, "rows_per_unit", t->rows_per_unit);
        json_add_count(j, "groups_per_unit", t->groups_per_unit);
    } else { /* each question selects its own bound */
        json_add_null(j, "rows_per_unit");
        json_add_null(j, "groups_per_unit");
    }
    if (policy_rows_known(p, t) || t->rows_per_group_given)
        json_add_count(j, "rows_per_unit_and_group", t->rows_per_group);
    else
        json_add_null(j, "rows_per_unit_and_group");
    /* the unit column's name, only for those who are granted that column */
    if (!t->unit_is_row && policy_grants(p, who, t, column))
        json_add_text(j, "column", column->name);
    else
        json_add_null(j, "column");
    json_end(j);
}

static void
add_table(struct json *j, const struct policy *p,
          const struct policy_analyst *who, const struct policy_table *t)
{
    json_begin(j, NULL);
    json_add_text(j, "name", t->name);
    json_add_bool(j, "public", t->is_public);
    json_add_bool(j, "released", t->is_released);
    add_unit(j, p, who, t);
    json_add_text_or_null(j, "comment", t->comment);
    json_begin_list(j, "columns");
    for (size_t i = 0; i < t->n_columns; i++)
        if (policy_grants(p, who, t, &t->columns[i]))
            add_column(j, p, who, &t->columns[i],
                       !t->is_public && !t->unit_is_row && i == t->unit_column);
    json_end(j);
    json_end(j);
}

struct view_writer {
    struct json *j;
    const struct policy *p;
    const struct policy_analyst *who;
};

static void
add_view_column(void *ctx, const struct policy_column *c, bool unit)
{
    struct view_writer *w = ctx;

    add_column(w->j, w->p, w->who, c, unit);
}

static void
add_view(struct json *j, const struct policy *p,
         const struct policy_analyst *who, const struct policy_view *v)
{
    json_begin(j, NULL);
    json_add_text(j, "name", v->name);
    json_add_text_or_null(j, "comment", v->comment);
    json_begin_list(j, "columns");
    shape_of_view(p, who, v, add_view_column, &(struct view_writer){j, p, who});
    json_end(j);
    json_end(j);
}

static void
add_schema(struct json *j, const struct policy *p,
           const struct policy_analyst *who)
{
    json_begin_list(j, "tables");
    for (size_t i = 0; i < p->n_tables; i++)
        if (policy_grants_table(p, who, &p->tables[i]))
            add_table(j, p, who, &p->tables[i]);
    json_end(j);
    json_begin_list(j, "views");
    for (size_t i = 0; i < p->n_views; i++)
        if (policy_grants_view(p, who, &p->views[i]))
            add_view(j, p, who, &p->views[i]);
    json_end(j);
    json_add_text(j, "adjacency",
                  str_of(p->adjacency == CUSTOS_CHANGE_ONE ? "change-one"
                                                           : "add-remove"));
    json_begin(j, "query");
    json_add_text(j, "epsilon", p->default_epsilon);
    json_add_text(j, "max_epsilon", p->max_epsilon);
    json_add_text_or_null(j, "max_rho", p->max_rho);
    json_add_text(j, "delta", p->query_delta);
    json_end(j);
}

void
api_schema(struct curator *c, str who, struct http_reply *out)
{
    const struct policy_analyst *analyst = NULL;
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = curator_refresh(c, &err);

    if (!st)
        st = curator_find(c, who, &analyst, &err);
    if (!st) {
        json_init(&j, &out->body, JSON_LINES);
        json_begin(&j, NULL);
        add_schema(&j, curator_policy(c), analyst);
        json_end(&j);
        if (out->body.failed)
            st = custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    }
    if (st)
        http_refuse(out, &err, str_of(""));
}
