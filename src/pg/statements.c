/*
 * Statements that a session does itself: settings, transactions, cursors. Other
 * statements that are not questions are refused.
 */
#include <string.h>

#include "base/error.h"
#include "pg/session_inside.h"

bool
statement_asks(enum statement_kind kind)
{
    return kind == STATEMENT_SELECT || kind == STATEMENT_EXPLAIN ||
           kind == STATEMENT_CATALOG;
}

bool
statement_allowed(struct session *s, const struct statement *st)
{
    if (s->state != PG_IN_FAILED || st->kind == STATEMENT_COMMIT ||
        st->kind == STATEMENT_ROLLBACK || st->kind == STATEMENT_ROLLBACK_TO)
        return true;
    session_refuse(s, "25P02",
                   "current transaction is aborted, commands ignored until end "
                   "of transaction block");
    return false;
}

static enum done
complete_command(struct session *s, const char *tag)
{
    pg_out_complete(&s->out, tag);
    return DONE;
}

/* ------------------------------------------------------------- settings -- */

static bool
is_name(str name, const char *word)
{
    return str_equal_but_case(name, str_of(word));
}

/* Settings that have no effect, such as SET TRANSACTION and SET SESSION
   CHARACTERISTICS: there is one kind of transaction, and it only reads. */
static bool
is_characteristic(str name)
{
    return is_name(name, "transaction") ||
           is_name(name, "session characteristics") ||
           is_name(name, "session_authorization") || is_name(name, "role");
}

bool
statement_set(struct session *s, const struct statement *st, str text)
{
    bool reset = st->kind == STATEMENT_RESET || (st->sets && !st->value.ptr);
    enum setting_scope scope = s->state == PG_IDLE ? SETTING_SESSION
                               : st->local         ? SETTING_LOCAL
                                                   : SETTING_IN_BLOCK;
    str value = reset ? (str){NULL, 0} : st->value;
    custos_err err = CUSTOS_ERR_INIT;
    const char *report;

    if (is_name(st->name, "role") && is_name(value, "none"))
        reset = true; /* no effect: a session cannot change its role */
    if ((reset || !is_name(st->name, "role")) && is_characteristic(st->name) &&
        (reset || !is_name(st->name, "session_authorization")))
        return true;
    if (st->local && s->state == PG_IDLE) /* SET LOCAL would end with this
                                             statement */
        return true;
    if (!reset && !value.ptr)
        value = str_of("");
    if (settings_set(&s->settings, st->name, value, scope, &report, &err)) {
        if (err.at < 0)
            err.at = st->at;
        session_fail(s, &err, text);
        return false;
    }
    if (report)
        pg_out_parameter(&s->out, report, settings_get(&s->settings, report));
    return true;
}

static enum done
do_set(struct session *s, const struct statement *st, str text, const char *tag)
{
    return statement_set(s, st, text) ? complete_command(s, tag) : FAILED;
}

static void
report_all(struct session *s)
{
    const char *name, *value;

    for (size_t i = 0; (name = settings_told(&s->settings, i, &value)); i++)
        pg_out_parameter(&s->out, name, value);
}

static enum done
reset_all(struct session *s, const char *tag)
{
    settings_reset(&s->settings);
    report_all(s);
    return complete_command(s, tag);
}

static enum done
do_discard(struct session *s, const struct statement *st)
{
    if (!is_name(st->value, "all"))
        return complete_command(s, "DISCARD");
    if (s->state != PG_IDLE) {
        session_refuse(s, "25001",
                       "DISCARD ALL cannot run inside a transaction block");
        return FAILED;
    }
    held_clear(&s->held);
    return reset_all(s, "DISCARD ALL");
}

/* --------------------------------------------------------- transactions -- */

static enum done
complete_with_warning(struct session *s, const char *sqlstate, const char *said,
                      const char *tag)
{
    struct pg_report r = {
        .severity = PG_WARNING, .sqlstate = sqlstate, .message = str_of(said)};

    pg_out_report(&s->out, &r);
    return complete_command(s, tag);
}

static enum done
do_begin(struct session *s, const struct statement *st)
{
    const char *tag =
        is_name(st->word, "start") ? "START TRANSACTION" : "BEGIN";

    if (s->state != PG_IDLE)
        return complete_with_warning(
            s, "25001", "there is already a transaction in progress", tag);
    s->state = PG_IN_TRANSACTION;
    return complete_command(s, tag);
}

static enum done
do_commit(struct session *s)
{
    const char *tag = s->state == PG_IN_FAILED ? "ROLLBACK" : "COMMIT";

    if (s->state == PG_IDLE)
        return complete_with_warning(
            s, "25P01", "there is no transaction in progress", tag);
    if (s->state == PG_IN_FAILED)
        settings_rollback(&s->settings);
    else
        settings_commit(&s->settings);
    s->state = PG_IDLE;
    report_all(s);
    return complete_command(s, tag);
}

static enum done
roll_back(struct session *s)
{
    if (s->state == PG_IDLE)
        return complete_with_warning(
            s, "25P01", "there is no transaction in progress", "ROLLBACK");
    settings_rollback(&s->settings);
    s->state = PG_IDLE;
    report_all(s);
    return complete_command(s, "ROLLBACK");
}

/* No data is ever written, so ROLLBACK TO ends the failed state and no more.
   (SET is not undone.) */
static enum done
do_savepoint(struct session *s, const struct statement *st)
{
    if (s->state == PG_IDLE) {
        session_refuse(s, "25P01",
                       "%.*s can only be used in transaction "
                       "blocks",
                       (int)st->word.len, st->word.ptr);
        return FAILED;
    }
    if (st->kind == STATEMENT_ROLLBACK_TO) {
        s->state = PG_IN_TRANSACTION;
        return complete_command(s, "ROLLBACK");
    }
    return complete_command(s, st->kind == STATEMENT_RELEASE ? "RELEASE"
                                                             : "SAVEPOINT");
}

/* ----------------------------------------------------- names of objects -- */

static enum done
do_deallocate(struct session *s, const struct statement *st)
{
    if (!st->name.len) {
        held_close_all_prepared(&s->held);
        return complete_command(s, "DEALLOCATE ALL");
    }
    if (!held_prepared(&s->held, st->name)) {
        session_refuse(s, "26000", "prepared statement \"%.*s\" does not exist",
                       (int)(st->name.len < 64 ? st->name.len : 64),
                       st->name.ptr);
        return FAILED;
    }
    held_close_prepared(&s->held, st->name);
    return complete_command(s, "DEALLOCATE");
}

static enum done
close_cursor(struct session *s, const struct statement *st)
{
    if (!st->name.len) {
        held_close_portals(&s->held);
        return complete_command(s, "CLOSE CURSOR ALL");
    }
    if (!held_portal(&s->held, st->name)) {
        session_refuse(s, "34000", "cursor \"%.*s\" does not exist",
                       (int)(st->name.len < 64 ? st->name.len : 64),
                       st->name.ptr);
        return FAILED;
    }
    held_close_portal(&s->held, st->name);
    return complete_command(s, "CLOSE CURSOR");
}

static enum done
refuse_statement(struct session *s, const struct statement *st, str text)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)!statement_refuse(st, &err);
    session_fail(s, &err, text);
    return FAILED;
}

enum done
statement_do(struct session *s, const struct statement *st, str text,
             int64_t now_us)
{
    switch (st->kind) {
    case STATEMENT_SET: return do_set(s, st, text, "SET");
    case STATEMENT_RESET:
        return st->name.len ? do_set(s, st, text, "RESET")
                            : reset_all(s, "RESET");
    case STATEMENT_BEGIN: return do_begin(s, st);
    case STATEMENT_COMMIT: return do_commit(s);
    case STATEMENT_ROLLBACK: return roll_back(s);
    case STATEMENT_SAVEPOINT:
    case STATEMENT_RELEASE:
    case STATEMENT_ROLLBACK_TO: return do_savepoint(s, st);
    case STATEMENT_DISCARD: return do_discard(s, st);
    case STATEMENT_DEALLOCATE: return do_deallocate(s, st);
    case STATEMENT_CLOSE: return close_cursor(s, st);
    case STATEMENT_UNLISTEN: return complete_command(s, "UNLISTEN");
    case STATEMENT_DECLARE:
        return st->hold || st->scroll ? refuse_statement(s, st, text)
                                      : cursor_declare(s, st, text);
    case STATEMENT_FETCH:
    case STATEMENT_MOVE:
        return st->forward ? cursor_fetch(s, st, now_us)
                           : refuse_statement(s, st, text);
    default: return refuse_statement(s, st, text);
    }
}
