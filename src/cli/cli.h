/*
 * What the verbs of the command share: the table that describes a verb, the
 * exit codes, and how failures are reported: a message on standard error, and a
 * hint on a line of its own.
 *
 * Exit codes: 0 done; 1 disk, memory or randomness failed, or a check found a
 * fault; 2 the command line or the input is wrong, and nothing was written to
 * standard output; 3 the budget does not allow the query.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>

#include "base/error.h"
#include "custos.h"

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_SPENT = 3,
};

/* One long option; its help is printed unchanged. */
struct option {
    const char *name;  /* without the dashes */
    const char *value; /* what the help calls its value; NULL for a switch */
    const char *help;
};

/* A verb. The option parser and --help read the same table. */
struct verb {
    const char *name;
    const char *summary; /* one line of `custos --help` */
    const char *usage; /* lines without "custos "; one that begins with a space
                             continues the line before */
    const char *about; /* may be NULL */
    const char *examples; /* may be NULL */
    const struct option *options;
    size_t n_options;
    const struct verb *const *subs; /* its own verbs: `account compose` */
    size_t n_subs;
    /* argv[0] is the verb. Returns the exit code. */
    int (*run)(const struct verb *verb, int argc, char **argv);
};

/* `run` of a verb with subs: runs the one that argv[1] names. */
int subs_run(const struct verb *verb, int argc, char **argv);

/* The sub of this name, or NULL: for a verb that can also run without one. */
const struct verb *subs_find(const struct verb *verb, const char *name);

extern const struct verb verb_noise;
extern const struct verb verb_demo;
extern const struct verb verb_account;
extern const struct verb verb_risk;
extern const struct verb verb_audit;
extern const struct verb verb_policy;
extern const struct verb verb_init;
extern const struct verb verb_query;
extern const struct verb verb_store;
extern const struct verb verb_explain;
extern const struct verb verb_release;
extern const struct verb verb_backup;
extern const struct verb verb_restore;
extern const struct verb verb_budget;
extern const struct verb verb_ledger;
extern const struct verb verb_shell;
extern const struct verb verb_analyst;
extern const struct verb verb_owner;
extern const struct verb verb_serve;
extern const struct verb verb_synopsis;

/* `custos worker`: started by custos serve, not by people. */
int run_worker(void);

/* Prints "custos: MESSAGE". What follows HINT in the format is printed on a
   second line, as "hint: ...". Control characters become '?'. */
int fail_usage(const char *format, ...) CUSTOS_PRINTF(1, 2); /* CLI_USAGE */
int fail_run(const char *format, ...) CUSTOS_PRINTF(1, 2);   /* CLI_FAILED */

/* The same calls, with return values that the static analyser can see. */
#define fail_usage(...)                                                        \
    __extension__({                                                            \
        fail_usage(__VA_ARGS__);                                               \
        CLI_USAGE;                                                             \
    })
#define fail_run(...)                                                          \
    __extension__({                                                            \
        fail_run(__VA_ARGS__);                                                 \
        CLI_FAILED;                                                            \
    })

/* Prints a warning in the same form. */
void print_warning(const char *format, ...) CUSTOS_PRINTF(1, 2);

/* Prints the message of a library error; the exit code follows from status. */
int fail_status(custos_status status, const custos_err *err);

#endif
