#include "pg/settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/error.h"

enum check {
    ANY,
    FIXED,  /* cannot be set */
    ON,     /* only on */
    UTF8,   /* only UTF8 */
    ISO,    /* begins with ISO */
    ZERO,   /* only 0: clients set no limits */
    LEVEL,  /* a level of client_min_messages */
    NUMBER, /* a number; the planner checks its range */
    SWITCH, /* on or off */
};

/* Settings that are sent to a client come first, in the order of sending. */
static const struct setting {
    const char *name;
    const char *first;
    enum check check;
    bool told;
} table[] = {
    {"application_name", "", ANY, true},
    {"client_encoding", "UTF8", UTF8, true},
    {"DateStyle", "ISO, MDY", ISO, true},
    {"default_transaction_read_only", "off", ANY, true},
    {"in_hot_standby", "off", FIXED, true},
    {"integer_datetimes", "on", FIXED, true},
    {"IntervalStyle", "postgres", ANY, true},
    {"is_superuser", "off", FIXED, true},
    {"server_encoding", "UTF8", FIXED, true},
    {"server_version", "15.0 (custos " CUSTOS_VERSION ")", FIXED, true},
    {"standard_conforming_strings", "on", ON, true},
    {"TimeZone", "UTC", ANY, true},
    {"backslash_quote", "safe_encoding", ANY, false},
    {"bytea_output", "hex", ANY, false},
    {"check_function_bodies", "on", ANY, false},
    {"client_min_messages", "notice", LEVEL, false},
    {"custos.epsilon", "", NUMBER, false},
    {"custos.jointly", "off", SWITCH, false},
    {"custos.rho", "", NUMBER, false},
    {"custos.within", "", NUMBER, false},
    {"default_table_access_method", "heap", ANY, false},
    {"default_tablespace", "", ANY, false},
    {"default_transaction_deferrable", "off", ANY, false},
    {"default_transaction_isolation", "read committed", ANY, false},
    {"escape_string_warning", "on", ANY, false},
    {"extra_float_digits", "1", ANY, false},
    {"geqo", "on", ANY, false},
    {"idle_in_transaction_session_timeout", "0", ZERO, false},
    {"idle_session_timeout", "0", ZERO, false},
    {"jit", "off", ANY, false},
    {"lock_timeout", "0", ZERO, false},
    {"max_identifier_length", "63", FIXED, false},
    {"max_index_keys", "32", FIXED, false},
    {"quote_all_identifiers", "off", ANY, false},
    {"row_security", "on", ANY, false},
    {"search_path", "\"$user\", public", ANY, false},
    {"server_version_num", "150000", FIXED, false},
    {"ssl", "off", FIXED, false},
    {"statement_timeout", "0", ZERO, false},
    {"synchronize_seqscans", "on", ANY, false},
    {"transaction_deferrable", "off", ANY, false},
    {"transaction_isolation", "read committed", ANY, false},
    {"transaction_read_only", "off", ANY, false},
    {"xmloption", "content", ANY, false},
};
static_assert(COUNT_OF(table) <= SETTINGS_MAX, "a slot for each setting");

/* ----------------------------------------------------------------- find -- */

/* The case of a name does not matter. The SQL parser turns SET TIME ZONE into SET
   timezone. */
static size_t
find_setting(str name)
{
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (strlen(table[i].name) == name.len &&
            !strncasecmp(table[i].name, name.ptr, name.len))
            return i;
    return SIZE_MAX;
}

static const char *
value_of(const struct settings *s, size_t i)
{
    return s->slots[i].value ? s->slots[i].value : table[i].first;
}

const char *
settings_find(const struct settings *s, str name, const char **value)
{
    size_t i = find_setting(name);

    if (i == SIZE_MAX)
        return NULL;
    *value = value_of(s, i);
    return table[i].name;
}

const char *
settings_get(const struct settings *s, const char *name)
{
    const char *value = NULL;

    return settings_find(s, str_of(name), &value) ? value : NULL;
}

const char *
settings_told(const struct settings *s, size_t i, const char **value)
{
    if (i >= COUNT_OF(table) || !table[i].told)
        return NULL;
    *value = value_of(s, i);
    return table[i].name;
}

/* ---------------------------------------------------------------- check -- */

static bool
is_word(str value, const char *word)
{
    return value.len == strlen(word) &&
           !strncasecmp(value.ptr, word, value.len);
}

static bool
is_one_of(str value, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_word(value, words[i]))
            return true;
    return false;
}

static bool
is_number(str value)
{
    if (value.len > 64)
        return false;
    for (size_t i = 0; i < value.len; i++)
        if (!value.ptr[i] || !strchr("0123456789.eE+-/", value.ptr[i]))
            return false;
    return true;
}

static bool
is_good(enum check check, str value)
{
    static const char *const utf8[] = {"UTF8", "UTF-8", "unicode"};
    static const char *const on[] = {"on", "true", "yes", "1"};
    static const char *const off[] = {"off", "false", "no", "0"};
    static const char *const levels[] = {
        "debug5", "debug4", "debug3", "debug2",  "debug1",
        "debug",  "log",    "notice", "warning", "error"};

    switch (check) {
    case ANY: return true;
    case FIXED: return false;
    case ON: return is_one_of(value, on, COUNT_OF(on));
    case UTF8: return is_one_of(value, utf8, COUNT_OF(utf8));
    case ISO: return value.len >= 3 && !strncasecmp(value.ptr, "iso", 3);
    case ZERO:
        return is_word(value, "0") || is_word(value, "0ms") ||
               is_word(value, "0s");
    case LEVEL: return is_one_of(value, levels, COUNT_OF(levels));
    case NUMBER: return is_number(value);
    case SWITCH:
        return is_one_of(value, on, COUNT_OF(on)) ||
               is_one_of(value, off, COUNT_OF(off));
    }
    return false;
}

static custos_status
refuse_value(const struct setting *of, custos_err *err)
{
    switch (of->check) {
    case FIXED:
        return custos_fail(err, CUSTOS_EINVAL, "%s cannot be changed",
                           of->name);
    case ZERO:
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "%s: only the owner sets time limits" HINT
                           "it can only be set to 0",
                           of->name);
    case NUMBER:
        return custos_fail(err, CUSTOS_EPARSE,
                           "%s must be a number such as 0.1 or 1e-3" HINT
                           "RESET %s restores the policy's default",
                           of->name, of->name);
    case UTF8:
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "client_encoding: only UTF8 is supported");
    case ISO:
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "DateStyle: only ISO is supported");
    default:
        return custos_fail(err, CUSTOS_EINVAL, "invalid value for %s",
                           of->name);
    }
}

/* ------------------------------------------------------------------ set -- */

static char *
copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void
replace_text(char **at, char *by)
{
    free(*at);
    *at = by;
}

/* Saves the value before its first change in a transaction. */
static bool
keep_before(struct slot *slot)
{
    if (slot->touched)
        return true;
    replace_text(&slot->on_rollback, copy_of(slot->value));
    replace_text(&slot->on_commit, copy_of(slot->value));
    slot->touched = !slot->value || (slot->on_rollback && slot->on_commit);
    return slot->touched;
}

/* Takes ownership of the value; NULL: the initial one. */
static custos_status
slot_set(struct slot *slot, char *value, enum setting_scope scope,
         custos_err *err)
{
    if (scope != SETTING_SESSION && !keep_before(slot)) {
        free(value);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    replace_text(&slot->value, value);
    if (scope == SETTING_IN_BLOCK)
        replace_text(&slot->on_commit, copy_of(value));
    return CUSTOS_OK;
}

/* A price in epsilon, one in rho and an accuracy exclude each other: the one
   that is set last counts. */
static custos_status
reset_others(struct settings *s, const char *name, enum setting_scope scope,
             custos_err *err)
{
    static const char *const prices[] = {"custos.epsilon", "custos.rho",
                                         "custos.within"};
    custos_status st = CUSTOS_OK;
    bool is_price = false;

    for (size_t i = 0; i < COUNT_OF(prices); i++)
        is_price = is_price || !strcmp(name, prices[i]);
    for (size_t i = 0; i < COUNT_OF(prices) && is_price && !st; i++)
        if (strcmp(name, prices[i]) != 0)
            st = slot_set(&s->slots[find_setting(str_of(prices[i]))], NULL,
                          scope, err);
    return st;
}

custos_status
settings_set(struct settings *s, str name, str value, enum setting_scope scope,
             const char **report, custos_err *err)
{
    size_t i = find_setting(name);
    char *copy = NULL;
    custos_status st;

    *report = NULL;
    if (i == SIZE_MAX)
        return custos_fail(err, CUSTOS_ENAME,
                           "unrecognized configuration parameter \"%.*s\"",
                           (int)(name.len < 60 ? name.len : 60), name.ptr);
    if (value.ptr &&
        (value.len > SETTING_VALUE_MAX || !is_good(table[i].check, value)))
        return refuse_value(&table[i], err);
    if (value.ptr && !(copy = strndup(value.ptr, value.len)))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = slot_set(&s->slots[i], copy, scope, err);
    if (!st && value.len)
        st = reset_others(s, table[i].name, scope, err);
    if (!st)
        *report = table[i].told ? table[i].name : NULL;
    return st;
}

static void
slot_end(struct slot *slot, char **to)
{
    if (!slot->touched)
        return;
    replace_text(&slot->value, *to);
    *to = NULL;
    replace_text(&slot->on_commit, NULL);
    replace_text(&slot->on_rollback, NULL);
    slot->touched = false;
}

void
settings_commit(struct settings *s)
{
    for (size_t i = 0; i < COUNT_OF(table); i++)
        slot_end(&s->slots[i], &s->slots[i].on_commit);
}

void
settings_rollback(struct settings *s)
{
    for (size_t i = 0; i < COUNT_OF(table); i++)
        slot_end(&s->slots[i], &s->slots[i].on_rollback);
}

void
settings_reset(struct settings *s)
{
    settings_rollback(s);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        replace_text(&s->slots[i].value, NULL);
}
