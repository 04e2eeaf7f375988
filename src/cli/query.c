/*
 * `custos query` and `custos explain`: one SQL question, or a file of them, to a
 * store.
 */
#include "cli/answer_print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/answer_data.h"
#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/query.h"

enum {
    QUERY_STORE,
    QUERY_AS,
    QUERY_EPSILON,
    QUERY_RHO,
    QUERY_WITHIN,
    QUERY_JOINTLY,
    QUERY_CAUTIOUS,
    QUERY_FILE,
    QUERY_FORMAT,
    QUERY_OPTIONS
};

enum { DESCRIPTION_BYTES = 1 << 26 };

static const struct option options[QUERY_OPTIONS] = {
    [QUERY_STORE] = {"store", "DIR", STORE_HELP},
    [QUERY_AS] = {"as", "ANALYST", AS_HELP},
    [QUERY_EPSILON] = {"epsilon", "NUMBER",
                       "the price of the answer (the policy's default)"},
    [QUERY_RHO] = {"rho", "NUMBER", RHO_HELP},
    [QUERY_WITHIN] = {"within", "NUMBER",
                      "instead of --epsilon: the lowest price at which each\n"
                      "value is within +- this, with 95 % confidence"},
    [QUERY_JOINTLY] = {"jointly", NULL,
                       "with --within: all values at once, not each alone"},
    [QUERY_CAUTIOUS] = {"cautious", NULL,
                        "reject the query, before it is charged, if there is\n"
                        "a warning about it"},
    [QUERY_FILE] = {"file", "FILE",
                    "or -f FILE: the queries of a file, separated by\n"
                    "semicolons, charged together or not at all (-:\n"
                    "standard input)"},
    [QUERY_FORMAT] = {"format", "FORMAT", FORMAT_HELP},
};

int
question_fail(custos_status st, const custos_err *err, const char *sql)
{
    if (err->at >= 0 && (size_t)err->at <= strlen(sql)) {
        int line = 1, column = 1;

        for (int i = 0; i < err->at; i++) {
            column = sql[i] == '\n' ? 1 : column + ((sql[i] & 0xc0) != 0x80);
            line += sql[i] == '\n';
        }
        fail_usage("line %d, column %d: %s" HINT "%s", line, column, err->said,
                   err->hint);
        return CLI_USAGE;
    }
    return fail_status(st, err);
}

void
question_warn_of_trip(struct curator *c, const struct ask *ask)
{
    uint64_t row;

    if (curator_crashes(c, &row))
        fprintf(stderr,
                "custos: BUG: custos crashed while it worked on the query of "
                "row %llu; its analyst is suspended until custos owner "
                "resume\n",
                (unsigned long long)row);
    if (curator_tripped(c, &row) != TRIP_FAILURE)
        return;
    fprintf(stderr,
            "custos: BUG: the charge of row %llu was made and the query "
            "failed; %s%.*s is suspended until custos owner resume\n",
            (unsigned long long)row, ask->who.len ? "" : "the owner",
            (int)ask->who.len, ask->who.ptr);
}

/* Prints the plan of the question that begins `before` bytes into ask->sql. */
static custos_status
print_plan(struct curator *c, const struct ask *ask, size_t before,
           const struct answer *answer,
           const struct ledger_remaining *remaining, struct out *o,
           custos_err *err)
{
    arena *a = arena_new(NULL, DESCRIPTION_BYTES);
    struct description described;
    struct ask of = *ask;
    custos_status st =
        a ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    of.sql = (str){ask->sql.ptr + before, ask->sql.len - before};
    if (!st)
        st = curator_describe(c, &of, a, &described, err);
    if (!st)
        plan_json(o, answer, &described, remaining);
    arena_free(a);
    return st;
}

/* The user's question begins `before` bytes into ask->sql. */
static int
ask_from(struct curator *c, const struct ask *ask, size_t before,
         enum answer_format format, struct out *o)
{
    const struct ledger_remaining *left;
    struct ledger_remaining remaining;
    struct answer *answer = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = curator_answer(c, ask, &answer, &err);
    bool told;

    question_warn_of_trip(c, ask);
    if (st && err.at >= 0)
        err.at = (size_t)err.at > before ? err.at - (int)before : 0;
    if (st)
        return question_fail(st, &err, ask->sql.ptr + before);
    told = !ledger_remaining(curator_ledger(c), ask->who, ask->now, NULL,
                             &remaining, &err);
    left = told ? &remaining : NULL;
    if (before && format == FORMAT_JSON)
        st = print_plan(c, ask, before, answer, left, o, &err);
    else
        answer_print(o, format, answer, left);
    answer_free(answer);
    return st ? fail_status(st, &err) : CLI_OK;
}

int
question_ask(struct curator *c, const struct ask *ask,
             enum answer_format format, struct out *o)
{
    return ask_from(c, ask, 0, format, o);
}

static const char EXPLAIN[] = "EXPLAIN ";

/* Writes "EXPLAIN " and the question, which begins at byte *before. */
static const char *
write_explain(const char *sql, struct buf *b, size_t *before)
{
    buf_init(b, NULL, 1 << 20);
    buf_printf(b, "%s%s", EXPLAIN, sql);
    *before = b->failed ? 0 : sizeof EXPLAIN - 1;
    return b->failed ? sql : buf_text(b);
}

/* There is one price: in epsilon, in rho, or that of an accuracy. */
static int
check_price(const struct args *args)
{
    const char *const *given = args->given;
    int n = (given[QUERY_EPSILON] != NULL) + (given[QUERY_RHO] != NULL) +
            (given[QUERY_WITHIN] != NULL);

    if (n > 1)
        return fail_usage("give one of --epsilon, --rho and --within");
    if (given[QUERY_JOINTLY] && !given[QUERY_WITHIN])
        return fail_usage("--jointly needs --within");
    return CLI_OK;
}

static int
run_query(const struct verb *verb, int argc, char **argv)
{
    bool explain = !strcmp(verb->name, "explain");
    enum answer_format format = FORMAT_TABLE;
    struct curator *c = NULL;
    struct ask ask = {.now = clock_us()};
    struct buf text = {0};
    size_t before = 0;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    struct out o;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != (args.given[QUERY_FILE] ? 0 : 1))
        return fail_usage("%s needs one SQL question in quotes, or -f FILE",
                          verb->name);
    code = check_price(&args);
    if (!code && args.given[QUERY_FORMAT])
        code = answer_format_read(args.given[QUERY_FORMAT], &format);
    if (code)
        return code;
    forbid_cores();
    ask.who = str_of(args.given[QUERY_AS]);
    if (!args.given[QUERY_FILE])
        ask.sql = str_of(explain ? write_explain(args.words[0], &text, &before)
                                 : args.words[0]);
    ask.epsilon = str_of(args.given[QUERY_EPSILON]);
    ask.rho = str_of(args.given[QUERY_RHO]);
    ask.within = str_of(args.given[QUERY_WITHIN]);
    ask.jointly = args.given[QUERY_JOINTLY] != NULL;
    ask.warned = args.given[QUERY_CAUTIOUS] ? ask_reject_warned : NULL;
    if (curator_open(store_given(args.given[QUERY_STORE]), &c, &err)) {
        code = fail_status(err.code, &err);
    } else {
        out_init(&o, STDOUT_FILENO);
        code = args.given[QUERY_FILE]
                   ? batch_ask(c, &ask, explain ? BATCH_EXPLAIN : BATCH_QUERY,
                               args.given[QUERY_FILE], format, &o)
                   : ask_from(c, &ask, before, format, &o);
        if (!code)
            code = out_end(&o);
    }
    curator_close(c);
    buf_clear(&text);
    return code;
}

const struct verb verb_query = {
    .name = "query",
    .summary = "ask one question in SQL; the answer is private",
    .usage = "query [options] SQL | -f FILE",
    .about =
        "Answers from private tables have noise; beside each value is its "
        "95 % error bar.\n"
        "The price is charged to the store's budget before the data is "
        "read. The same\n"
        "question on unchanged data gets the cached answer at no cost. \\d "
        "in custos shell\n"
        "lists the tables and columns to ask about.",
    .examples =
        "custos query \"SELECT count(*) FROM patients\" --epsilon 0.1\n"
        "custos query \"SELECT city, avg(age) FROM patients GROUP BY city\"\n"
        "custos query \"SELECT count(*) FROM visits\" --within 100\n"
        "custos query -f report.sql --as ana\n",
    .options = options,
    .n_options = QUERY_OPTIONS,
    .run = run_query,
};

const struct verb verb_explain = {
    .name = "explain",
    .summary = "show a question's plan, price and expected error; free",
    .usage = "explain [options] SQL | -f FILE",
    .about = "Charges nothing and reads no data.",
    .examples = "custos explain \"SELECT count(*) FROM patients\" --epsilon "
                "0.1\n"
                "custos explain -f report.sql\n",
    .options = options,
    .n_options = QUERY_OPTIONS,
    .run = run_query,
};
