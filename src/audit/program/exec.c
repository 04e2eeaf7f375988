/*
 * A program is started for every output, or kept running with each line an
 * output. Whatever it does, be it a failure, silence or a flood, is an output
 * with a code, so that no behaviour on one data set ends the audit.
 */
#include "audit/program/exec.h"

#include <stdlib.h>
#include <string.h>

#include "audit/clock.h"
#include "audit/program/exec_inside.h"
#include "audit/program/output_line.h"
#include "base/error.h"

enum {
    RUN_BYTES = 1 << 20, /* of one run, or of one line, that are read */
};

extern char **environ;

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

void
exec_state_free(struct exec_state *s)
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

custos_status
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

void
exec_join_lines(struct buf *text)
{
    for (size_t i = 0; i < text->len; i++)
        if (text->ptr[i] == '\n')
            text->ptr[i] = ' ';
}

static struct output_line
line_of(const struct batch *out, size_t i)
{
    return output_line_new(out->number + i * out->width, out->width);
}

/* A text and a status that is not 0 are one code. */
static void
put_output(const struct output_line *line, unsigned status, size_t i,
           struct batch *out)
{
    uint32_t code = output_line_code(line);

    out->length[i] = (uint32_t)line->n;
    out->code[i] =
        code && status ? ((code * 31) ^ status) | CODE_TEXT : code + status;
    if (out->written)
        out->written[i] = output_line_written(line);
}

/* Everything that a run printed, as output i: its output, then its errors. How
   much of a flood was read is chance, so it is known by its status alone. */
static void
take_run(const struct exec *e, struct child *c, unsigned status, size_t i,
         struct batch *out)
{
    struct output_line line = line_of(out, i);
    struct buf *text = &c->text;

    if (status == CODE_FLOOD)
        text->len = c->errors.len = 0;
    if (text->len && e->lines == EXEC_LINE_WHOLE)
        exec_join_lines(text);
    while (text->len && text->ptr[text->len - 1] == '\n')
        text->len--;
    if (text->len) {
        text->ptr[text->len] = '\0';
        output_line_add(&line, (str){text->ptr, text->len});
    }
    if (!line.n && !line.has_text && !status)
        status = CODE_NOTHING;
    if (c->errors.len)
        output_line_add(&line, (str){c->errors.ptr, c->errors.len});
    put_output(&line, status, i, out);
}

custos_status
exec_run_once(const struct exec *e, struct child *c, int input,
              unsigned *status, double *seconds, custos_err *err)
{
    double start = clock_seconds(), deadline = start + e->timeout;
    enum child_news news = CHILD_MORE;
    custos_status st = child_start(c, e->command, e->environment, input,
                                   CHILD_ERRORS_KEPT, err);

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

        st = exec_run_once(e, c, input, &status, &seconds, err);
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
    str text;

    for (size_t i = 0; i < out->n;) {
        double deadline = clock_seconds() + e->timeout;

        if (!c->pid) {
            custos_status st = child_start(c, e->command, e->environment, input,
                                           CHILD_ERRORS_DROPPED, err);

            if (st)
                return st;
            is_new = true;
        }
        if (child_line(c, deadline, &text, &why)) {
            struct output_line line = line_of(out, i);

            output_line_add(&line, text);
            put_output(&line, 0, i++, out);
            is_new = false;
            continue;
        }
        code = code_of_end(c, why, deadline);
        if (!code && is_new)
            code = CODE_NOTHING;
        if (code) {
            struct output_line nothing = line_of(out, i);

            put_output(&nothing, code, i++, out);
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

/* ------------------------------------------------------------- lifecycle -- */

/* Starts a program that is kept running on the first pair, and waits until it
   prints: who measures how fast it is must not measure how slowly it starts. */
static custos_status
warm_up(const struct exec *e, const struct pair *pair, custos_err *err)
{
    const struct audit_target *t = &e->target;
    double numbers[AUDIT_WIDTH_MAX];
    uint32_t length, code;
    struct written written;
    struct batch one = {.n = 1,
                        .width = t->width,
                        .number = numbers,
                        .length = &length,
                        .code = &code,
                        .written = &written};
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
        if (strncmp(environ[i], EXEC_VARIABLE "=", sizeof EXEC_VARIABLE) != 0)
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
        exec_state_free(s);
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
                                      .prints = true,
                                      .self = e,
                                      .open = exec_open,
                                      .sample = exec_sample,
                                      .close = exec_close};
    st = exec_probe(e, pairs, n_pairs, err);
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
