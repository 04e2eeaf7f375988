/*
 * What the verbs of `custos audit` share.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/audit.h"
#include "cli/document.h"
#include "cli/save.h"

enum { BAR_STEPS = 1000, REPORT_MAX = 1 << 20 };

int
audit_read_number(const char *option, const char *text, double least,
                  double most, double *out)
{
    char *end;
    double x;

    if (!text)
        return CLI_OK;
    x = strtod(text, &end);
    if (*end || end == text || !(x >= least && x <= most))
        return fail_usage("--%s must be a number from %g to %g, not %.60s",
                          option, least, most, text);
    *out = x;
    return CLI_OK;
}

/* Takes 1e6 too. */
int
audit_read_count(const char *option, const char *text, uint64_t least,
                 uint64_t most, uint64_t *out)
{
    char *end;
    unsigned long long n;
    double x;

    if (!text)
        return CLI_OK;
    errno = 0;
    n = strtoull(text, &end, 10);
    if (*end && !errno) {
        x = strtod(text, &end);
        n = x >= 0 && x < 1e18 && x == floor(x) ? (unsigned long long)x
                                                : least - 1;
    }
    if (errno || *end || *text < '0' || *text > '9' || n < least || n > most)
        return fail_usage("--%s must be a whole number from %" PRIu64
                          " to %" PRIu64 ", not %.60s",
                          option, least, most, text);
    *out = n;
    return CLI_OK;
}

static int
read_level(const struct audit_given *g, double *level)
{
    *level = g->ci ? 1e-6 : 0.05;
    if (g->ci && g->level)
        return fail_usage("give either --ci or --level");
    return audit_read_number("level", g->level, 1e-12, 0.1, level);
}

/* Short, since people copy it. */
static uint64_t
draw_seed(void)
{
    uint32_t seed = 1;

    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint32_t)getpid(); /* a seed is no secret */
    return seed % 1000000000;
}

int
audit_read_options(const struct audit_given *g, double default_seconds,
                   struct audit_options *out)
{
    uint64_t threads = 0;
    int code = read_level(g, &out->level);

    out->seconds = g->samples ? 0 : default_seconds;
    out->seed = g->seed ? 0 : draw_seed();
    if (!code)
        code = audit_read_count("samples", g->samples, 1, AUDIT_SAMPLES_MOST,
                                &out->samples);
    if (!code)
        code = audit_read_count("search", g->search, 1, AUDIT_SEARCH_MOST,
                                &out->search);
    if (!code)
        code =
            audit_read_number("seconds", g->seconds, 0.1, 1e7, &out->seconds);
    if (!code)
        code = audit_read_count("threads", g->threads, 1, 64, &threads);
    if (!code)
        code =
            audit_read_count("seed", g->seed, 0, UINT64_MAX >> 1, &out->seed);
    out->threads = (unsigned)threads;
    return code;
}

int
audit_read_server(const char *path, const char **program)
{
    *program = path ? path : "/proc/self/exe";
    if (access(*program, X_OK))
        return fail_usage("--server-binary: %.200s cannot be run" HINT
                          "give the path of a custos command",
                          *program);
    return CLI_OK;
}

static void
step(void *context, double done, const char *stage)
{
    (void)stage;
    progress_step(context, (uint64_t)(done * BAR_STEPS));
}

void
audit_show_progress(struct progress *bar, struct audit_options *options)
{
    progress_start(bar, BAR_STEPS);
    /* Nothing is printed before the end, so a terminal shows the bar too. */
    bar->watched = isatty(STDERR_FILENO);
    options->progress = step;
    options->context = bar;
}

void
audit_quote(struct buf *line, const char *word)
{
    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_-+=.,:/@%")]) {
        buf_add_text(line, word);
        return;
    }
    buf_add_text(line, "'");
    for (; *word; word++)
        if (*word == '\'')
            buf_add_text(line, "'\\''");
        else
            buf_add(line, word, 1);
    buf_add_text(line, "'");
}

/* Options whose values turn out during an audit, or do not change it. */
static bool
is_left_out(const char *name)
{
    static const char *const names[] = {
        "samples", "search", "time-samples", "time-search", "seconds",
        "seed",    "html",   "svg",          "json",
    };

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

void
audit_add_options(struct buf *line, const struct option *options,
                  const char *const *given, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!given[i] || is_left_out(options[i].name))
            continue;
        buf_printf(line, " --%s", options[i].name);
        if (options[i].value) {
            buf_add_text(line, " ");
            audit_quote(line, given[i]);
        }
    }
}

void
audit_add_sizes(struct buf *line, const char *prefix, const struct finding *f)
{
    buf_printf(line, " --%ssamples %" PRIu64 " --%ssearch %" PRIu64, prefix,
               f->n, prefix, f->search);
}

static int
write_report(const struct report *r, const char *option, const char *path,
             void (*write)(const struct report *r, struct buf *out))
{
    struct buf text;
    int code;

    if (!path)
        return CLI_OK;
    buf_init(&text, NULL, REPORT_MAX);
    write(r, &text);
    if (text.failed)
        code = fail_run("out of memory");
    else
        code = save_file(option, path, (str){text.ptr, text.len});
    buf_clear(&text);
    return code;
}

static void
print_json(const struct report *r, struct out *o)
{
    struct document d;

    document_begin(&d, o);
    report_json(r, &d.json);
    document_end(&d);
}

static void
print_text(const struct report *r, struct out *o)
{
    struct buf text;

    buf_init(&text, NULL, REPORT_MAX);
    report_text(r, &text);
    if (text.failed)
        o->error = ENOMEM;
    out_add(o, buf_text(&text), text.len);
    buf_clear(&text);
}

int
audit_print(const struct report *r, const struct audit_outputs *outputs)
{
    static struct out o;
    int code = write_report(r, "html", outputs->html, report_html);

    if (!code)
        code = write_report(r, "svg", outputs->svg, report_svg);
    if (code)
        return code;
    out_init(&o, STDOUT_FILENO);
    if (outputs->json)
        print_json(r, &o);
    else
        print_text(r, &o);
    code = out_end(&o);
    if (code)
        return code;
    return r->finding->refuted ? CLI_FAILED : CLI_OK;
}
