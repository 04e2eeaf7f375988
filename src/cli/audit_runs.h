/*
 * What `custos audit battery` and `custos audit library` share: the options of a
 * series of audits, its progress, and numbers of its table.
 */
#ifndef CLI_AUDIT_RUNS_H
#define CLI_AUDIT_RUNS_H

#include "cli/audit.h"

#define SECONDS_HELP                                                           \
    "at most about so long for each mechanism; fewer outputs\n"                \
    "find less"
#define SEED_HELP "of the coins; the same seed gives the same run (1)"

struct json;

struct audit_runs {
    struct audit_options options;
    struct progress progress;
    size_t at; /* the audit that runs, from 0 */
};

/*
 * Reads the texts of --seconds, --seed and --threads; NULL: not given. CLI_OK, or
 * CLI_USAGE after printing why.
 */
int audit_runs_read(struct audit_runs *runs, const char *seconds,
                    const char *seed, const char *threads);

/* Starts the progress bar of n audits. */
void audit_runs_start(struct audit_runs *runs, size_t n);

enum { AUDIT_NUMBER_MAX = 24 };

/* An epsilon for a table: four digits; "inf"; "-" for 0. */
void audit_number(double x, char text[AUDIT_NUMBER_MAX]);

/* A member of a JSON object, as a text: "infinity" where it is; 0 as it is. */
void audit_json_number(struct json *j, const char *name, double x);

#endif
