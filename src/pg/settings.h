/*
 * The settings of a session: those that clients set when they connect, accepted
 * and remembered where they do no harm, and the price of the questions that
 * follow (custos.epsilon, custos.rho, custos.within, custos.jointly). No
 * setting can exceed the policy's caps. Limits of time and memory are not
 * settings: only the owner sets them.
 *
 * As in PostgreSQL, ROLLBACK undoes SET, and the end of a transaction undoes
 * SET LOCAL.
 */
#ifndef PG_SETTINGS_H
#define PG_SETTINGS_H

#include "base/str.h"
#include "custos.h"

enum { SETTINGS_MAX = 48, SETTING_VALUE_MAX = 1024 };

struct settings {
    struct slot {
        char *value; /* NULL: the initial value */
        char *on_commit, *on_rollback;
        bool touched; /* in this transaction */
    } slots[SETTINGS_MAX];
};

enum setting_scope {
    SETTING_SESSION,  /* outside a transaction */
    SETTING_IN_BLOCK, /* in one: undone by its ROLLBACK */
    SETTING_LOCAL,    /* in one: undone at its end */
};

/*
 * value.ptr NULL: back to the initial value. *report: the setting's name if its
 * new value must be sent to the client (ParameterStatus), else NULL. May fail:
 * CUSTOS_ENAME, CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_EUNSUPPORTED,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status settings_set(struct settings *s, str name,
                                           str value, enum setting_scope scope,
                                           const char **report,
                                           custos_err *err);

/* Sets all back to their initial values and frees what they hold. */
void settings_reset(struct settings *s);

void settings_commit(struct settings *s);
void settings_rollback(struct settings *s);

/* settings_get: the value. settings_find: the name in its usual case, and the
   value. NULL: there is no such setting. */
const char *settings_get(const struct settings *s, const char *name);
const char *
settings_find(const struct settings *s, str name, const char **value);

/* The i-th of the settings that are sent to a client at the start; NULL after
   the last. */
const char *
settings_told(const struct settings *s, size_t i, const char **value);

#endif
