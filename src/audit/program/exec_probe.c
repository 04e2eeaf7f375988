/*
 * The first runs of a program decide how it is used: how many numbers an output
 * has, and whether it is started for every output or kept running. A program that
 * prints nothing in any of them is not audited; its own error says why.
 */
#include <stdio.h>
#include <string.h>

#include "audit/program/exec_inside.h"
#include "audit/program/output_line.h"
#include "base/error.h"
#include "base/utf8.h"

enum {
    STREAM_LINES =
        100000, /* that a program that is kept running is asked for */
    PROBE_LINES = 5,
    PROBE_S = 1,      /* seconds */
    SAID_BYTES = 120, /* of a program's error text, shown in ours */
};

struct probe {
    size_t lines, width; /* the most of any run; width: of a line, */
    size_t error_width;  /* and of all that it wrote to standard error */
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

    if (e->lines == EXEC_LINE_WHOLE)
        exec_join_lines(text);
    while (at < text->len) {
        char *start = text->ptr + at;
        char *end = memchr(start, '\n', text->len - at);
        size_t len = end ? (size_t)(end - start) : text->len - at;
        struct output_line line = output_line_new(NULL, 0);

        start[len] = '\0';
        output_line_add(&line, (str){start, len});
        p->width = line.n > p->width ? line.n : p->width;
        at += len + 1;
        lines++;
    }
    p->has_text = p->has_text || lines;
    p->lines = lines > p->lines ? lines : p->lines;
}

/* Keeps the first line that it wrote to standard error, and counts the numbers. */
static void
read_errors(const struct child *c, struct probe *p)
{
    struct output_line line = output_line_new(NULL, 0);

    if (c->errors.len)
        output_line_add(&line, (str){c->errors.ptr, c->errors.len});
    p->error_width = line.n > p->error_width ? line.n : p->error_width;
    snprintf(p->said, sizeof p->said, "%.*s", (int)SAID_BYTES,
             buf_text(&c->errors));
    p->said[strcspn(p->said, "\n")] = '\0';
    utf8_clean(p->said);
}

static custos_status
probe_run(const struct exec *e, struct exec_state *s, const struct data *data,
          struct probe *p, custos_err *err)
{
    double seconds = 0;
    size_t slot = 0;
    bool is_new;
    custos_status st = inputs_find(&s->inputs, data, &slot, &is_new, err);

    if (!st)
        st = exec_run_once(e, &s->child[slot], s->inputs.file[slot].fd,
                           &p->status, &seconds, err);
    p->seconds += seconds;
    if (st)
        return st;
    count_lines(e, &s->child[slot], p);
    read_errors(&s->child[slot], p);
    return CUSTOS_OK;
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

custos_status
exec_probe(struct exec *e, const struct pair *pairs, size_t n, custos_err *err)
{
    const struct data *data[] = {&pairs[0].a, &pairs[0].b, &pairs[n - 1].a,
                                 &pairs[n - 1].b};
    struct probe p = {.lines = 0};
    void *state = NULL;
    custos_status st = exec_open(&e->target, &state, err);

    snprintf(e->wanted, sizeof e->wanted, EXEC_VARIABLE "=%d",
             (int)PROBE_LINES);
    for (size_t i = 0; i < 4 && !st && (i < 2 || p.seconds < PROBE_S); i++)
        st = probe_run(e, state, data[i], &p, err);
    if (state)
        exec_state_free(state);
    if (st)
        return st;
    if (!p.has_text)
        return fail_probe(e, &p, err);
    e->kept_running = p.lines > 1;
    if (!e->kept_running)
        p.width += p.error_width;
    e->target.width = p.width < 1                 ? 1
                      : p.width < AUDIT_WIDTH_MAX ? p.width
                                                  : AUDIT_WIDTH_MAX;
    snprintf(e->wanted, sizeof e->wanted, EXEC_VARIABLE "=%d",
             e->kept_running ? (int)STREAM_LINES : 1);
    return CUSTOS_OK;
}
