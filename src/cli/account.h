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

/* args_read for verbs that take no words. */
int
account_read(const struct verb *verb, int argc, char **argv, struct args *args);

/*
 * fail_status for what the library said of an option's value: it knows the
 * name without the dashes.
 */
int account_fail(const struct verb *verb, const struct args *args,
                 custos_status status, const custos_err *err);

/* "add-remove", the default, or "change-one". */
int account_read_adjacency(const char *text, custos_adjacency *out);

/*
 * The plan of all --mechanism options. Returns CLI_OK, and the caller owns
 * *out; or an exit code after its sentence, and *out is NULL.
 */
int account_plan_of(const struct args *args, const char *adjacency,
                    custos_plan **out);

/* The help of the options that plans share. */
#define MECHANISM_HELP                                                         \
    "NAME:KEY=NUMBER:..., again for each kind of release;\n"                   \
    "custos account --help says which there are"
#define ADJACENCY_HELP                                                         \
    "what neighbours are: add-remove (a person is there or\n"                  \
    "not; the default) or change-one (is replaced)"
#define JSON_HELP "one JSON object, its numbers as text"

#endif
