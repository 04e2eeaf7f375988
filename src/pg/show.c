/*
 * SHOW: a setting or the remaining budget; and SELECT set_config(...), which
 * sets what it shows.
 */
#include "base/error.h"
#include "pg/session_inside.h"

bool
show_is_budget(const struct statement *st)
{
    return str_equal(st->name, str_of("custos.budget")) && !st->sets;
}

/* Sets *out to the text of a parameter; numbers are written as text. No-op if
   param is 0. False: no values, or too long. */
static bool
take_value(const struct datum *values, int param, struct buf *room, str *out)
{
    if (!param)
        return true;
    if (!values)
        return false;
    buf_clear(room);
    *out = (str){NULL, 0};
    if (values[param - 1].type == TYPE_NULL)
        return true;
    datum_write(&values[param - 1], room);
    *out = (str){buf_text(room), room->len};
    return !room->failed;
}

static struct rows *
show_setting(struct session *s, const struct statement *st, str text)
{
    custos_err err = CUSTOS_ERR_INIT;
    const char *name, *value = NULL;
    str column = st->column;
    struct rows *rows = NULL;

    name = settings_find(&s->settings, st->name, &value);
    if (str_equal(st->name, str_of("session_authorization"))) {
        name = "session_authorization";
        value = s->user;
    }
    if (!name)
        custos_fail_at(&err, CUSTOS_ENAME, st->at,
                       "unrecognized configuration parameter \"%.*s\"",
                       (int)(st->name.len < 64 ? st->name.len : 64),
                       st->name.ptr);
    if (!column.len)
        column = str_of(name);
    if (!name ||
        rows_of_text(column,
                     st->sets && st->value.ptr ? st->value : str_of(value),
                     &rows, &err)) {
        session_fail(s, &err, text);
        return NULL;
    }
    return rows;
}

struct rows *
show_rows(struct session *s, const struct statement *st, str text,
          const struct datum *values)
{
    struct statement now = *st;
    struct rows *rows = NULL;
    struct buf name, value;

    buf_init(&name, NULL, SETTING_VALUE_MAX + 1);
    buf_init(&value, NULL, SETTING_VALUE_MAX + 1);
    if (!take_value(values, st->name_param, &name, &now.name) ||
        !take_value(values, st->value_param, &value, &now.value))
        session_refuse(s, "22023", "set_config takes texts of at most %d bytes",
                       SETTING_VALUE_MAX);
    else if (!now.sets || statement_set(s, &now, text))
        rows = show_setting(s, &now, text);
    buf_clear(&name);
    buf_clear(&value);
    return rows;
}
