/*
 * What the verbs of `custos audit` share: options of the statistics, and how a
 * finding is printed.
 */
#ifndef CLI_AUDIT_H
#define CLI_AUDIT_H

#include "audit/audit.h"
#include "audit/data_pairs.h"
#include "audit/report.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/progress.h"

/* The subcommands. */
extern const struct verb audit_attack;
extern const struct verb audit_battery;
extern const struct verb audit_library;
extern const struct verb audit_query;
extern const struct verb audit_curator;

/* The most that --samples and --search take. */
#define AUDIT_SAMPLES_MOST UINT64_C(1000000000000)
#define AUDIT_SEARCH_MOST UINT64_C(1000000000)

/* Numbers of options; each prints why it fails and returns CLI_USAGE. `text` may
   be NULL: *out then stays as it is. */
int audit_read_number(const char *option, const char *text, double least,
                      double most, double *out);
int audit_read_count(const char *option, const char *text, uint64_t least,
                     uint64_t most, uint64_t *out);

/* How an audit is run, as given: NULL where an option is not. */
struct audit_given {
    const char *samples, *search, *seconds, *level, *threads, *seed;
    bool ci;
};

/*
 * Reads them. Without samples and seconds, `default_seconds` hold; without a
 * seed, one is drawn.
 */
int audit_read_options(const struct audit_given *given, double default_seconds,
                       struct audit_options *out);

/* The command whose server is met: `path`, or if that is NULL this one. CLI_OK, or
   CLI_USAGE after printing why it cannot be run. */
int audit_read_server(const char *path, const char **program);

/* Where neighbours come from, as given: NULL where an option is not. */
struct audit_pairs_given {
    const char *range, *rows, *adjacency, *pairs;
};

/* CLI_OK, and the caller clears *out; or CLI_USAGE after printing why. */
int
audit_read_pairs(const struct audit_pairs_given *given, struct data_pairs *out);

/* Sets options->progress to a bar on standard error. Call progress_end after the
   audit. */
void audit_show_progress(struct progress *bar, struct audit_options *options);

/* Where a report goes; NULL or false: not there. */
struct audit_outputs {
    const char *html, *svg;
    bool json;
};

/*
 * Writes the files, then the text or JSON to standard output. Returns CLI_FAILED
 * if the claim is refuted, CLI_OK if not, or another exit code after printing
 * why.
 */
int
audit_print(const struct report *report, const struct audit_outputs *outputs);

/* Adds a word of a command line, quoted for the shell if it must be. */
void audit_quote(struct buf *line, const char *word);

/* The options of a command line that runs an audit again: those that were given,
   without sizes, seconds, the seed and where the report goes. */
void audit_add_options(struct buf *line, const struct option *options,
                       const char *const *given, size_t n);

/* Adds the sizes of a finding: " --samples N --search N", with `prefix` before the
   names. */
void
audit_add_sizes(struct buf *line, const char *prefix, const struct finding *f);

/* The help of options that the verbs share. */
#define AUDIT_SAMPLES_HELP "outputs of each neighbour for the certificate"
#define AUDIT_SECONDS_HELP "how long the audit may take"
#define AUDIT_LEVEL_HELP                                                       \
    "the most probability that a refutation is wrong\n"                        \
    "(0.05); above 0, at most 0.1"
#define AUDIT_CI_HELP "the same as --level 1e-6"
#define AUDIT_THREADS_HELP "threads (one for each processor)"
#define AUDIT_SEED_HELP "seed of the auditor's own choices (drawn, and shown)"
#define AUDIT_SERVER_HELP "the command whose server is attacked (this one)"
#define AUDIT_HTML_HELP "write the report as an HTML page"
#define AUDIT_SVG_HELP "write the drawing of the event as an SVG file"
#define AUDIT_JSON_HELP "print one JSON object"

#endif
