/*
 * SHOW: a setting, all of them, or what is left of the budget.
 */
#include "base/error.h"
#include "serve/session_inside.h"

bool
show_is_budget(const struct statement *st)
{
    return str_equal(st->name, str_of("custos.budget"));
}

struct rows *
show_rows(struct session *s, const struct statement *st, str text)
{
    custos_err err = {.at = -1};
    const char *name, *value = NULL;
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
    if (!name || rows_of_text(str_of(name), str_of(value), &rows, &err)) {
        session_fail(s, &err, text);
        return NULL;
    }
    return rows;
}
