/*
 * A batch from a file: the text is split at its semicolons, and all queries are
 * charged together or not at all.
 */
#include "cli/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/answer_data.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/query.h"
#include "contract/contract.h"
#include "curator/batch.h"
#include "sql/peek.h"

enum { FILE_MAX = 1 << 22, DESCRIPTION_BYTES = 1 << 26 };

/* ------------------------------------------------------------- the file -- */

static int
read_file(const char *path, struct buf *out)
{
    bool standard = !strcmp(path, "-");
    FILE *f = standard ? stdin : fopen(path, "rb");
    char piece[4096];
    bool failed;
    size_t n;

    if (!f)
        return fail_usage("%s does not exist or is not readable", path);
    while (!out->failed && (n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_add(out, piece, n);
    failed = ferror(f);
    if (!standard)
        fclose(f);
    if (failed)
        return fail_usage("%s cannot be read", path);
    if (out->failed)
        return fail_usage("%s has more than %d bytes", path, FILE_MAX);
    return CLI_OK;
}

/* Splits a text at its semicolons, for at most BATCH_MOST + 1 queries: one more
   than allowed shows that there are too many. Items borrow the text. */
static void
split_queries(str text, struct ask_batch *b)
{
    while (b->n <= BATCH_MOST) {
        struct sql_peek p;

        sql_peek(text, &p);
        if (p.statements == 0)
            return;
        b->items[b->n++].sql = (str){text.ptr + p.at, p.len};
        if (p.second == 0)
            return;
        text.ptr += p.second;
        text.len -= p.second;
    }
}

/* --------------------------------------------------------------- printing -- */

/* Prints why the batch failed: "query 2, line 5, column 8: ...". */
static int
fail_batch(custos_status st, const custos_err *err, const char *text,
           const struct ask_batch *b)
{
    const char *sql = b->at < b->n ? b->items[b->at].sql.ptr : NULL;
    custos_err named = CUSTOS_ERR_INIT;
    int line = 1, column = 1;

    if (!sql)
        return fail_status(st, err);
    sql += err->at >= 0 && (size_t)err->at <= b->items[b->at].sql.len ? err->at
                                                                      : 0;
    for (const char *s = text; s < sql; s++) {
        column = *s == '\n' ? 1 : column + ((*s & 0xc0) != 0x80);
        line += *s == '\n';
    }
    (void)custos_fail(&named, st, "query %zu, line %d, column %d: %s" HINT "%s",
                      b->at + 1, line, column, err->said, err->hint);
    return fail_status(st, &named);
}

/* The query before its answer: its number, and its text in one line. */
static void
print_heading(struct out *o, size_t i, str sql)
{
    enum { ROOM = 72 };
    size_t shown = 0;
    bool blank = false;

    out_printf(o, "%s%zu. ", i ? "\n" : "", i + 1);
    for (size_t k = 0; k < sql.len; k++) {
        bool is_blank = sql.ptr[k] == ' ' || (unsigned char)sql.ptr[k] < ' ';

        if (shown >= ROOM && ((unsigned char)sql.ptr[k] & 0xc0) != 0x80) {
            out_text(o, " ...");
            break;
        }
        if (!is_blank || !blank)
            out_add(o, is_blank ? " " : &sql.ptr[k], 1);
        shown += !is_blank || !blank;
        blank = is_blank;
    }
    out_text(o, "\n");
}

static void
print_total(struct out *o, const struct ask_batch *b, enum batch_verb verb,
            const struct ledger_remaining *remaining)
{
    const struct ask_batch_cost *cost = &b->cost;
    bool in_rho = !strcmp(cost->epsilon, "infinity");

    out_printf(o, "\n%zu %s, %s: %s %s", b->n, b->n == 1 ? "query" : "queries",
               verb == BATCH_EXPLAIN ? "which together cost"
                                     : "charged together",
               in_rho ? "ρ" : "ε", in_rho ? cost->rho : cost->epsilon);
    if (strcmp(cost->delta, "0") != 0)
        out_printf(o, ", δ %s", cost->delta);
    out_text(o, ".");
    if (verb == BATCH_EXPLAIN)
        out_printf(o,
                   b->forecast.can_pay ? " Remaining after them: ε %s.\n"
                                       : " The budget does not admit them.\n",
                   b->forecast.after.epsilon);
    else if (remaining)
        out_printf(o, " Remaining: ε %s.\n", remaining->epsilon);
    else
        out_text(o, "\n");
}

static custos_status
print_plans(struct curator *c, const struct ask *ask, struct ask_batch *b,
            const struct ledger_remaining *remaining, struct out *o,
            custos_err *err)
{
    arena *a = arena_new(NULL, DESCRIPTION_BYTES);
    struct description *d = a ? arena_take(a, b->n, sizeof *d) : NULL;
    custos_status st =
        d ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    struct document doc;

    for (size_t i = 0; i < b->n && !st; i++) {
        struct ask of = *ask;

        of.sql = b->items[i].sql;
        st = curator_describe(c, &of, a, &d[i], err);
    }
    if (!st) {
        document_begin(&doc, o);
        contract_batch_plan(&doc.json, b, d, remaining);
        document_end(&doc);
    }
    arena_free(a);
    return st;
}

static custos_status
print_batch(struct curator *c, const struct ask *ask, struct ask_batch *b,
            enum batch_verb verb, enum answer_format format, struct out *o,
            custos_err *err)
{
    struct ledger_remaining now;
    custos_err quiet = CUSTOS_ERR_INIT;
    const struct ledger_remaining *remaining =
        ledger_remaining(curator_ledger(c), ask->who, ask->now, NULL, &now,
                         &quiet)
            ? NULL
            : &now;
    struct document d;

    if (format == FORMAT_JSON && verb == BATCH_EXPLAIN)
        return print_plans(c, ask, b, remaining, o, err);
    if (format == FORMAT_JSON) {
        document_begin(&d, o);
        contract_batch(&d.json, b, remaining);
        document_end(&d);
        return CUSTOS_OK;
    }
    for (size_t i = 0; i < b->n; i++) {
        print_heading(o, i, b->items[i].sql);
        answer_print(o, format, b->items[i].answer, NULL);
    }
    print_total(o, b, verb, remaining);
    return CUSTOS_OK;
}

/* ----------------------------------------------------------------- asking -- */

static int
ask_queries(struct curator *c, const struct ask *ask, struct ask_batch *b,
            enum batch_verb verb, const char *text, enum answer_format format,
            struct out *o)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = verb == BATCH_EXPLAIN
                           ? curator_batch_explain(c, ask, b, &err)
                           : curator_batch(c, ask, b, &err);

    question_warn_of_trip(c, ask);
    if (!st)
        st = print_batch(c, ask, b, verb, format, o, &err);
    return st ? fail_batch(st, &err, text, b) : CLI_OK;
}

int
batch_ask(struct curator *c, const struct ask *ask, enum batch_verb verb,
          const char *path, enum answer_format format, struct out *o)
{
    struct ask_batch b = {.items = calloc(BATCH_MOST + 1, sizeof *b.items)};
    struct buf text;
    int code;

    if (!b.items)
        return fail_run("out of memory");
    buf_init(&text, NULL, FILE_MAX);
    code = read_file(path, &text);
    if (!code && format == FORMAT_CSV)
        code = fail_usage("csv is for one answer" HINT "use --format json");
    if (!code) {
        split_queries((str){buf_text(&text), text.len}, &b);
        for (size_t i = 0; i < b.n; i++) {
            b.items[i].epsilon = ask->epsilon;
            b.items[i].rho = ask->rho;
            b.items[i].within = ask->within;
            b.items[i].jointly = ask->jointly;
        }
        code = ask_queries(c, ask, &b, verb, buf_text(&text), format, o);
    }
    ask_batch_clear(&b);
    buf_clear(&text);
    free(b.items);
    return code;
}
