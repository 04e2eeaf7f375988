/*
 * The first runs decide how a program is used: started for every output, or
 * kept running with each line an output. Whatever it does afterwards, be it a
 * failure, silence or a flood, is an output with a code, so that no behaviour
 * on one data set ends the audit.
 */
#include "audit/program/exec.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/clock.h"
#include "audit/program/child.h"
#include "audit/program/input.h"
#include "audit/program/output_line.h"
#include "base/error.h"
#include "base/utf8.h"

enum {
    RUN_BYTES = 1 << 20,   /* of one run that are read */
    LINE_BYTES = 1 << 20,  /* of one line of a program that is kept running */
    STREAM_LINES = 100000, /* that such a program is asked for */
    PROBE_LINES = 5,
    PROBE_S = 1,      /* seconds */
    SAID_BYTES = 120, /* of a program's error text, shown in ours */
};

#define VARIABLE "CUSTOS_AUDIT_OUTPUTS"

extern char **environ;

struct exec {
    struct audit_target target;
    char *command;
    char **environment; /* environ, and how many outputs are wanted */
    char wanted[40];
    double timeout;
    enum exec_lines lines;
    bool kept_running;
    pthread_mutex_t lock; /* guards idle */
    struct exec_state *idle;
};

/* Of a thread: the data sets that it used last, each with a program that may be
   running on it. Those that wait for us to read cost no time. */
struct exec_state {
    struct exec *exec;
    struct exec_state *next; /* in the list of the idle */
    struct inputs inputs;
    struct child child[INPUTS];
};

/* ----------------------------------------------------------- one thread -- */

/* An audit opens and closes states many times. Programs that take long to start
   go on running in between, for the thread that comes next. */
static void
exec_close(void *p)
{
    struct exec_state *s = p;

    pthread_mutex_lock(&s->exec->lock);
    s->next = s->exec->idle;
    s->exec->idle = s;
    pthread_mutex_unlock(&s->exec->lock);
}

static void
free_state(struct exec_state *s)
{
    for (size_t i = 0; i < INPUTS; i++)
        child_clear(&s->child[i]);
    inputs_clear(&s->inputs);
    free(s);
}

static struct exec_state *
take_idle(struct exec *e)
{
    struct exec_state *s;

    pthread_mutex_lock(&e->lock);
    s = e->idle;
    if (s)
        e->idle = s->next;
    pthread_mutex_unlock(&e->lock);
    return s;
}

static custos_status
exec_open(const struct audit_target *target, void **state, custos_err *err)
{
    struct exec *e = (struct exec *)target->self;
    struct exec_state *s = take_idle(e);

    if (s) {
        *state = s;
        return CUSTOS_OK;
    }
    s = calloc(1, sizeof *s);
    if (!s)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    s->exec = e;
    inputs_init(&s->inputs);
    for (size_t i = 0; i < INPUTS; i++)
        child_init(&s->child[i], RUN_BYTES);
    *state = s;
    return CUSTOS_OK;
}

/* ------------------------------------------------------ a run, an output -- */

/* Blanks for the ends of lines: all numbers of the run are one output. */
static void
join_lines(struct buf *text)
{
    for (size_t i = 0; i < text->len; i++)
        if (text->ptr[i] == '\n')
            text->ptr[i] = ' ';
}

/* Everything that a run printed, as output i. */
static void
take_run(const struct exec *e, struct child *c, unsigned status, size_t i,
         struct batch *out)
{
    struct buf *text = &c->text;
    uint32_t code = 0;
    size_t n = 0;

    if (text->len && e->lines == EXEC_LINE_WHOLE)
        join_lines(text);
    while (text->len && text->ptr[text->len - 1] == '\n')
        text->len--;
    if (text->len) {
        text->ptr[text->len] = '\0';
        n = output_line_read((str){text->ptr, text->len},
                             out->number + i * out->width, out->width, &code);
    }
    out->length[i] = (uint32_t)n;
    /* A text and a status that is not 0 are one code. */
    if (!n && !code && !status)
        status = CODE_NOTHING;
    out->code[i] =
        code && status ? ((code * 31) ^ status) | CODE_TEXT : code + status;
}

/* Starts the program and reads until it ends; the status as a code. */
static custos_status
run_once(const struct exec *e, struct child *c, int input, int errors,
         unsigned *status, double *seconds, custos_err *err)
{
    double start = clock_seconds(), deadline = start + e->timeout;
    enum child_news news = CHILD_MORE;
    custos_status st =
        child_start(c, e->command, e->environment, input, errors, err);

    if (st)
        return st;
    while (news == CHILD_MORE)
        news = child_read(c, deadline);
    *seconds = clock_seconds() - start;
    *status = child_end(c, news == CHILD_CLOSED ? deadline : 0);
    if (news == CHILD_FULL)
        *status = CODE_FLOOD;
    return CUSTOS_OK;
}

static custos_status
sample_runs(const struct exec *e, struct child *c, int input, struct batch *out,
            custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < out->n && !st; i++) {
        unsigned status = 0;
        double seconds = 0;

        st = run_once(e, c, input, -1, &status, &seconds, err);
        if (!st)
            take_run(e, c, status, i, out);
        if (!st && out->seconds)
            out->seconds[i] = seconds;
    }
    return st;
}

/* ----------------------------------------------- lines of a long run ------ */

/* Why no more lines come, as a code; 0: the program has ended well. */
static unsigned
code_of_end(struct child *c, enum child_news why, double deadline)
{
    unsigned status = child_end(c, why == CHILD_CLOSED ? deadline : 0);

    return why == CHILD_SLOW   ? CODE_HANG
           : why == CHILD_FULL ? CODE_FLOOD
                               : status;
}

/*
 * Each line is an output. A run that fails is one more output, with its code; a
 * run without any line is one too, so this ends whatever the program does.
 */
static custos_status
sample_lines(const struct exec *e, struct child *c, int input,
             struct batch *out, custos_err *err)
{
    enum child_news why = CHILD_MORE;
    bool is_new = false;
    unsigned code;
    str line;

    for (size_t i = 0; i < out->n;) {
        double deadline = clock_seconds() + e->timeout;

        if (!c->pid) {
            custos_status st =
                child_start(c, e->command, e->environment, input, -1, err);

            if (st)
                return st;
            is_new = true;
        }
        if (child_line(c, deadline, &line, &why)) {
            out->length[i] = (uint32_t)output_line_read(
                line, out->number + i * out->width, out->width, &out->code[i]);
            is_new = false;
            i++;
            continue;
        }
        code = code_of_end(c, why, deadline);
        if (!code && is_new)
            code = CODE_NOTHING;
        if (code) {
            out->length[i] = 0;
            out->code[i++] = code;
        }
    }
    return CUSTOS_OK;
}

static custos_status
exec_sample(const struct audit_target *target, void *state,
            const struct data *data, struct coins *coins, struct batch *out,
            custos_err *err)
{
    const struct exec *e = target->self;
    struct exec_state *s = state;
    size_t slot = 0;
    bool is_new = false;
    custos_status st = inputs_find(&s->inputs, data, &slot, &is_new, err);

    (void)coins; /* the program draws its own */
    if (st)
        return st;
    if (is_new) /* it runs on data that is gone */
        (void)child_end(&s->child[slot], 0);
    if (e->kept_running)
        return sample_lines(e, &s->child[slot], s->inputs.file[slot].fd, out,
                            err);
    return sample_runs(e, &s->child[slot], s->inputs.file[slot].fd, out, err);
}

/* --------------------------------------------------------- first runs ----- */

struct probe {
    size_t lines, width; /* the most of any run */
    double seconds;      /* of all runs */
    unsigned status;     /* of the last run */
    bool has_text;       /* some run printed something */
    char said[SAID_BYTES + 1];
};

static void
count_lines(const struct exec *e, struct child *c, struct probe *p)
{
    struct buf *text = &c->text;
    size_t lines = 0, at = 0;
    double none;
    uint32_t code;

    if (e->lines == EXEC_LINE_WHOLE)
        join_lines(text);
    while (at < text->len) {
        char *start = text->ptr + at;
        char *end = memchr(start, '\n', text->len - at);
        size_t len = end ? (size_t)(end - start) : text->len - at, n;

        start[len] = '\0';
        n = output_line_read((str){start, len}, &none, 1, &code);
        p->width = n > p->width ? n : p->width;
        at += len + 1;
        lines++;
    }
    p->has_text = p->has_text || lines;
    p->lines = lines > p->lines ? lines : p->lines;
}

/* The first line that it wrote to standard error. */
static void
read_errors(int file, struct probe *p)
{
    ssize_t n = pread(file, p->said, SAID_BYTES, 0);

    p->said[n > 0 ? n : 0] = '\0';
    p->said[strcspn(p->said, "\n")] = '\0';
    utf8_clean(p->said);
}

static custos_status
probe_run(const struct exec *e, struct exec_state *s, const struct data *data,
          struct probe *p, custos_err *err)
{
    int errors = child_file();
    double seconds = 0;
    size_t slot;
    bool is_new;
    custos_status st = inputs_find(&s->inputs, data, &slot, &is_new, err);

    if (!st && errors < 0)
        st = custos_fail(err, CUSTOS_EIO, "cannot make a file in memory: %s",
                         strerror(errno));
    if (!st)
        st = run_once(e, &s->child[slot], s->inputs.file[slot].fd, errors,
                      &p->status, &seconds, err);
    p->seconds += seconds;
    if (!st)
        count_lines(e, &s->child[slot], p);
    if (!st && !p->has_text)
        read_errors(errors, p);
    if (errors >= 0)
        close(errors);
    return st;
}

static custos_status
fail_probe(const struct exec *e, const struct probe *p, custos_err *err)
{
    char said[SAID_BYTES + 3] = "";

    if (*p->said)
        snprintf(said, sizeof said, ": %s", p->said);
    if (p->status == CODE_HANG)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the program printed nothing within %g s%s" HINT
                           "give it more time by --timeout",
                           e->timeout, said);
    if (p->status >= CODE_SIGNAL)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the program printed nothing and was killed by "
                           "signal %u%s",
                           p->status - CODE_SIGNAL, said);
    return custos_fail(err, CUSTOS_EINVAL,
                       "the program printed nothing and ended with status "
                       "%u%s" HINT "it must read values, one a line, and "
                       "print one output a line",
                       p->status, said);
}

/* Runs it on the first pair, and on the last if that is quick. */
static custos_status
probe_all(struct exec *e, const struct pair *pairs, size_t n, custos_err *err)
{
    const struct data *data[] = {&pairs[0].a, &pairs[0].b, &pairs[n - 1].a,
                                 &pairs[n - 1].b};
    struct probe p = {.lines = 0};
    void *state = NULL;
    custos_status st = exec_open(&e->target, &state, err);

    snprintf(e->wanted, sizeof e->wanted, VARIABLE "=%d", (int)PROBE_LINES);
    for (size_t i = 0; i < 4 && !st && (i < 2 || p.seconds < PROBE_S); i++)
        st = probe_run(e, state, data[i], &p, err);
    if (state)
        free_state(state);
    if (st)
        return st;
    if (!p.has_text)
        return fail_probe(e, &p, err);
    e->kept_running = p.lines > 1;
    e->target.width = p.width < 1                 ? 1
                      : p.width < AUDIT_WIDTH_MAX ? p.width
                                                  : AUDIT_WIDTH_MAX;
    snprintf(e->wanted, sizeof e->wanted, VARIABLE "=%d",
             e->kept_running ? (int)STREAM_LINES : 1);
    return CUSTOS_OK;
}

/* Starts a program that is kept running on the first pair, and waits until it
   prints: who measures how fast it is must not measure how slowly it starts. */
static custos_status
warm_up(const struct exec *e, const struct pair *pair, custos_err *err)
{
    const struct audit_target *t = &e->target;
    double numbers[AUDIT_WIDTH_MAX];
    uint32_t length, code;
    struct batch one = {1, t->width, numbers, &length, &code, NULL};
    void *state = NULL;
    custos_status st = exec_open(t, &state, err);

    if (st)
        return st;
    st = exec_sample(t, state, &pair->a, NULL, &one, err);
    if (!st)
        st = exec_sample(t, state, &pair->b, NULL, &one, err);
    exec_close(state);
    return st;
}

/* ------------------------------------------------------------- lifecycle -- */

static bool
copy_environment(struct exec *e)
{
    size_t n = 0, to = 0;

    while (environ && environ[n])
        n++;
    e->environment = calloc(n + 2, sizeof *e->environment);
    if (!e->environment)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], VARIABLE "=", sizeof VARIABLE) != 0)
            e->environment[to++] = environ[i];
    e->environment[to] = e->wanted;
    return true;
}

void
exec_free(struct exec *e)
{
    if (!e)
        return;
    while (e->idle) {
        struct exec_state *s = e->idle;

        e->idle = s->next;
        free_state(s);
    }
    pthread_mutex_destroy(&e->lock);
    free(e->command);
    free(e->environment);
    free(e);
}

custos_status
exec_new(const struct exec_options *o, const struct pair *pairs, size_t n_pairs,
         struct exec **out, custos_err *err)
{
    struct exec *e = calloc(1, sizeof *e);
    custos_status st;

    if (!e)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    pthread_mutex_init(&e->lock, NULL);
    e->timeout = o->timeout;
    e->lines = o->lines;
    e->command = strdup(o->command);
    if (!e->command || !copy_environment(e)) {
        exec_free(e);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    e->target = (struct audit_target){.name = "program",
                                      .self = e,
                                      .open = exec_open,
                                      .sample = exec_sample,
                                      .close = exec_close};
    st = probe_all(e, pairs, n_pairs, err);
    if (!st && e->kept_running)
        st = warm_up(e, &pairs[0], err);
    if (st) {
        exec_free(e);
        return st;
    }
    e->target.slow = !e->kept_running;
    e->target.timed = !e->kept_running && o->time == EXEC_TIME_SEEN;
    *out = e;
    return CUSTOS_OK;
}

const struct audit_target *
exec_target(const struct exec *exec)
{
    return &exec->target;
}

bool
exec_starts_again(const struct exec *exec)
{
    return !exec->kept_running;
}
