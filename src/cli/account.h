/*
 * What the verbs of `custos account` share.
 */
#ifndef CLI_ACCOUNT_H
#define CLI_ACCOUNT_H

#include "cli/args.h"
#include "cli/cli.h"

extern const struct verb account_compose;
extern const struct verb account_calibrate;
extern const struct verb account_plan;
extern const struct verb account_convert;
extern const struct verb account_group;
extern const struct verb account_curve;

/*
 * Like fail_status. If the library's message begins with the name of an option
 * that was given, puts dashes before the name.
 */
int account_fail(const struct verb *verb, const struct args *args,
                 custos_status status, const custos_err *err);

/* "add-remove", the default, or "change-one". */
int account_read_adjacency(const char *text, custos_adjacency *out);

/*
 * Makes a plan from all --mechanism options. Returns CLI_OK, and the caller owns
 * *out; or an exit code after printing why, and *out is NULL.
 */
int account_plan_of(const struct args *args, const char *adjacency,
                    custos_plan **out);

/* The help of the options that plans share. */
#define MECHANISM_HELP                                                         \
    "NAME:KEY=NUMBER:..., one for each kind of release;\n"                     \
    "custos account --help lists them"
#define ADJACENCY_HELP                                                         \
    "how neighbours differ: add-remove (one person is added\n"                 \
    "or removed; the default) or change-one (is replaced)"
#define JSON_HELP "print one JSON object, numbers as text"

#endif
