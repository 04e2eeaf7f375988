/*
 * A series of audits: its options, its progress, its numbers.
 */
#include "cli/audit_runs.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"

enum { STEPS = 1000, THREADS_MOST = 64 };

static void
show_progress(void *context, double done, const char *stage)
{
    struct audit_runs *runs = context;

    (void)stage;
    progress_step(&runs->progress, runs->at * STEPS + (uint64_t)(done * STEPS));
}

int
audit_runs_read(struct audit_runs *runs, const char *seconds, const char *seed,
                const char *threads)
{
    uint64_t n = 0;
    int code;

    *runs = (struct audit_runs){
        .options = {.level = 0.05, .seed = 1, .progress = show_progress}};
    code = audit_read_number("seconds", seconds, 0.01, 1e6,
                             &runs->options.seconds);
    if (!code)
        code =
            audit_read_count("seed", seed, 0, UINT64_MAX, &runs->options.seed);
    if (!code)
        code = audit_read_count("threads", threads, 1, THREADS_MOST, &n);
    runs->options.threads = (unsigned)n;
    return code;
}

void
audit_runs_start(struct audit_runs *runs, size_t n)
{
    runs->options.context = runs;
    progress_start(&runs->progress, n * STEPS);
}

void
audit_number(double x, char text[AUDIT_NUMBER_MAX])
{
    if (x > 0 && isfinite(x))
        snprintf(text, AUDIT_NUMBER_MAX, "%.4g", x);
    else
        snprintf(text, AUDIT_NUMBER_MAX, "%s", x > 0 ? "inf" : "-");
}

void
audit_json_number(struct json *j, const char *name, double x)
{
    char text[AUDIT_NUMBER_MAX];

    if (isfinite(x))
        snprintf(text, AUDIT_NUMBER_MAX, "%.6g", x);
    else
        snprintf(text, AUDIT_NUMBER_MAX, "infinity");
    json_add_text(j, name, str_of(text));
}
