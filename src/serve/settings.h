/*
 * The settings of a session: what clients set when they connect, accepted and
 * remembered where it can do no harm, and the price of the questions that
 * follow (custos.epsilon, custos.within, custos.jointly). No setting reaches
 * past the policy's caps, and none is a limit of time or memory: those are the
 * owner's.
 *
 * As in PostgreSQL what was set in a transaction goes with its ROLLBACK, and
 * what was SET LOCAL with its end.
 */
#ifndef SERVE_SETTINGS_H
#define SERVE_SETTINGS_H

#include "base/str.h"
#include "custos.h"

enum { SETTINGS_MAX = 48, SETTING_VALUE_MAX = 1024 };

struct settings {
    struct slot {
        char *value; /* NULL: as it is at first */
        char *on_commit, *on_rollback;
        bool touched; /* in this transaction */
    } slots[SETTINGS_MAX];
};

enum setting_scope {
    SETTING_SESSION,  /* outside a transaction */
    SETTING_IN_BLOCK, /* in one: until its ROLLBACK */
    SETTING_LOCAL,    /* in one: until its end */
};

/*
 * value .ptr NULL: as it was at first. *report: the setting's name when its
 * value is to be told to the client (ParameterStatus), else NULL. May fail:
 * CUSTOS_ENAME, CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_EUNSUPPORTED,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status settings_set(struct settings *s, str name,
                                           str value, enum setting_scope scope,
                                           const char **report,
                                           custos_err *err);

/* All as they were at first; nothing is held then. */
void settings_reset(struct settings *s);

void settings_commit(struct settings *s);
void settings_rollback(struct settings *s);

/* Name as it is written and value; NULL: there is none of this name. */
const char *settings_get(const struct settings *s, const char *name);
const char *
settings_find(const struct settings *s, str name, const char **value);

/* Those that a client is told at the start: the i-th, NULL after the last. */
const char *
settings_told(const struct settings *s, size_t i, const char **value);

#endif
