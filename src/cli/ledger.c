/*
 * `custos ledger`: lists what was spent, by whom and for what; verifies the
 * ledger; and lists the answers that rest on a theorem, in case it turns out to
 * be wrong.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/ledger_against.h"
#include "cli/number.h"
#include "cli/paint.h"
#include "contract/contract.h"
#include "report/digits.h"

enum {
    LEDGER_STORE,
    LEDGER_AS,
    LEDGER_RECEIPT,
    LEDGER_AGAINST,
    LEDGER_JSON,
    LEDGER_OPTIONS
};

static const struct option options[LEDGER_OPTIONS] = {
    [LEDGER_STORE] = {"store", "DIR", STORE_HELP},
    [LEDGER_AS] = {"as", "ANALYST", "list the rows of this analyst only"},
    [LEDGER_RECEIPT] = {"receipt", "RECEIPT",
                        "verify: check that this receipt is of this ledger"},
    [LEDGER_AGAINST] = {"against", "FILE",
                        "verify: check all receipts in this file, exported by\n"
                        "custos serve --export-receipts"},
    [LEDGER_JSON] = {"json", NULL, "print JSON"},
};

enum {
    PAGE_ROWS = 500,
    PAGE_BYTES = 1 << 28,
    QUERY_COLUMNS = 44,
    SHOWN_DIGITS = 6,
};

/* ------------------------------------------------------------------ rows -- */

static void
print_head(struct painter *p)
{
    paint(p, PAINT_BOLD);
    out_printf(p->o, "%5s  %-19s  %-10s  %-8s  %-10s  %-10s  %-10s  %s\n",
               "row", "when (UTC)", "who", "what", "epsilon", "rho", "delta",
               "query");
    paint(p, PAINT_PLAIN);
}

static void
print_amount(struct out *o, str cost)
{
    char text[NUMBER_MAX];

    digits_up(cost.ptr, SHOWN_DIGITS, text);
    out_printf(o, "  %-10s", text);
}

static void
print_row(struct painter *p, const struct ledger_row *r)
{
    str what = r->query.len ? r->query : r->words;
    struct out *o = p->o;
    char when[MOMENT_MAX];

    moment_write(r->time, when);
    out_printf(o, "%5" PRIu64 "  %-19s  ", r->seq, when);
    cell_print(o, r->who.len ? r->who : str_of("owner"), 10, CELL_PADDED);
    out_text(o, "  ");
    cell_print(o, r->kind, 8, what.len ? CELL_PADDED : CELL_BARE);
    if (what.len) {
        print_amount(o, r->epsilon);
        print_amount(o, r->rho);
        print_amount(o, r->delta);
        out_text(o, "  ");
        cell_print(o, what, QUERY_COLUMNS, CELL_BARE);
    }
    out_text(o, "\n");
}

struct listing {
    struct ledger *ledger;
    const char *who, *theorem;
    bool json;
    uint64_t rows;
    struct painter painter;
    struct document document; /* if json */
};

static void
list_row(struct listing *g, const struct ledger_row *r)
{
    struct json *j = &g->document.json;

    if (g->json) {
        json_begin(j, NULL);
        contract_ledger_row(j, r, READER_OWNER);
        json_end(j);
        return;
    }
    if (!g->rows)
        print_head(&g->painter);
    print_row(&g->painter, r);
}

/* Prints one page; *from becomes the next row, 0 after the last page. */
static custos_status
list_page(struct listing *g, uint64_t *from, custos_err *err)
{
    arena *a = arena_new(NULL, PAGE_BYTES);
    struct ledger_row *rows = NULL;
    size_t n = PAGE_ROWS;
    custos_status st;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = ledger_rows(g->ledger, *from, str_of(g->who), str_of(g->theorem), a,
                     &rows, &n, err);
    for (size_t i = 0; i < n && !st; i++, g->rows++)
        list_row(g, &rows[i]);
    if (g->json)
        document_flush(&g->document);
    if (!st)
        *from = n == PAGE_ROWS ? rows[n - 1].seq + 1 : 0;
    arena_free(a);
    return st;
}

static custos_status
list_pages(struct listing *g, custos_err *err)
{
    uint64_t from = 1;
    custos_status st = CUSTOS_OK;

    while (from && !st)
        st = list_page(g, &from, err);
    return st;
}

static custos_status
list_json(struct listing *g, struct out *o, custos_err *err)
{
    struct json *j = &g->document.json;
    custos_status st;

    document_begin(&g->document, o);
    json_begin_list(j, "rows");
    st = list_pages(g, err);
    json_end(j);
    json_add_null(j, "next");
    document_end(&g->document);
    return st;
}

static custos_status
list_text(struct listing *g, struct out *o, custos_err *err)
{
    custos_status st;

    painter_init(&g->painter, o);
    st = list_pages(g, err);
    if (st)
        return st;
    if (g->theorem)
        out_printf(o, "%s%" PRIu64 " answer%s on %s%s\n", g->rows ? "\n" : "",
                   g->rows, g->rows == 1 ? " rests" : "s rest", g->theorem,
                   g->rows ? ": if it is wrong, they must be recalled"
                           : " (doc/theorems.md lists the ids of theorems)");
    else if (!g->rows)
        out_text(o, "there are no rows\n");
    return CUSTOS_OK;
}

static int
list_rows(struct listing *g)
{
    static struct out o;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    out_init(&o, STDOUT_FILENO);
    st = (g->json ? list_json : list_text)(g, &o, &err);
    return st ? fail_status(st, &err) : out_end(&o);
}

/* ---------------------------------------------------------------- verify -- */

/* What was verified; `gap` separates its two halves. */
static void
write_verified(struct buf *b, const struct receipt *head, bool receipt,
               bool file, const char *gap)
{
    buf_printf(b,
               "The ledger is whole: %" PRIu64 " rows in one chain, every "
               "balance the sum of its charges,%sno budget exceeded%s%s.",
               head->seq, gap, receipt ? ", and the receipt matches a row" : "",
               file ? ", and all receipts of the file match" : "");
}

static int
print_verified(const struct receipt *head, bool receipt, bool file, bool json)
{
    char text[RECEIPT_TEXT_MAX];
    static struct out o;
    struct document d;
    struct buf said;

    buf_init(&said, NULL, 1024);
    out_init(&o, STDOUT_FILENO);
    write_verified(&said, head, receipt, file, json ? " " : "\n");
    if (json) {
        document_begin(&d, &o);
        contract_verified(&d.json, true, head, str_of(buf_text(&said)));
        document_end(&d);
    } else {
        receipt_write(head, text);
        out_printf(&o, "%s Its receipt now:\n\n  %s\n", buf_text(&said), text);
    }
    buf_clear(&said);
    return out_end(&o);
}

static int
verify_ledger(struct ledger *l, const struct args *args)
{
    const char *given = args->given[LEDGER_RECEIPT];
    struct receipt want, head;
    uint64_t n_against = 0;
    custos_err err = CUSTOS_ERR_INIT;
    int code = CLI_OK;

    if (given && !receipt_read(str_of(given), &want))
        return fail_usage(
            "--receipt %.80s is not a receipt" HINT
            "a receipt is a row number, a colon and 64 hex digits",
            given);
    if (ledger_verify(l, given ? &want : NULL, &head, &err))
        return fail_run("%s" HINT "%s", err.said, err.hint);
    if (args->given[LEDGER_AGAINST])
        code = ledger_against(l, args->given[LEDGER_AGAINST], &n_against);
    return code ? code
                : print_verified(&head, given != NULL, n_against > 0,
                                 args->given[LEDGER_JSON] != NULL);
}

/* ------------------------------------------------------------------- run -- */

enum task { TASK_LIST, TASK_VERIFY, TASK_RECALL };

static int
task_read(const struct args *args, enum task *out)
{
    static const char *const names[] = {"list", "verify", "recall"};
    const char *word = args->n_words ? args->words[0] : "list", *guess;
    size_t i = 0;

    while (i < COUNT_OF(names) && strcmp(names[i], word) != 0)
        i++;
    if (i == COUNT_OF(names)) {
        guess = nearest(word, names, COUNT_OF(names));
        return guess ? fail_usage("there is no custos ledger %.60s" HINT
                                  "did you mean %s?",
                                  word, guess)
                     : fail_usage("there is no custos ledger %.60s" HINT
                                  "see custos "
                                  "ledger --help",
                                  word);
    }
    *out = (enum task)i;
    if (*out == TASK_RECALL && args->n_words != 2)
        return fail_usage("recall needs the id of a theorem, such as "
                          "laplace-discrete");
    if (*out != TASK_RECALL && args->n_words > 1)
        return fail_usage("unexpected word %.60s" HINT
                          "see custos ledger --help",
                          args->words[1]);
    if (*out != TASK_VERIFY &&
        (args->given[LEDGER_RECEIPT] || args->given[LEDGER_AGAINST]))
        return fail_usage("--receipt and --against are for custos ledger "
                          "verify");
    if (*out == TASK_VERIFY && args->given[LEDGER_AS])
        return fail_usage("verify checks the whole ledger" HINT
                          "leave out --as");
    return CLI_OK;
}

static int
run_ledger(const struct verb *verb, int argc, char **argv)
{
    struct listing g = {0};
    struct ledger *l = NULL;
    struct args args;
    enum task task = TASK_LIST;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    code = task_read(&args, &task);
    if (code)
        return code;
    code = ledger_at(store_given(args.given[LEDGER_STORE]), &l);
    if (code)
        return code;
    g.ledger = l;
    g.who = args.given[LEDGER_AS];
    g.theorem = task == TASK_RECALL ? args.words[1] : NULL;
    g.json = args.given[LEDGER_JSON] != NULL;
    code = task == TASK_VERIFY ? verify_ledger(l, &args) : list_rows(&g);
    ledger_close(l);
    return code;
}

const struct verb verb_ledger = {
    .name = "ledger",
    .summary = "list what was spent, verify it, recall answers",
    .usage = "ledger [list] [--as ANALYST] [--json]\n"
             "ledger verify [--receipt RECEIPT] [--against FILE]\n"
             "ledger recall THEOREM [--json]",
    .about = "Every charge and every act of the owner is a row of one hash "
             "chain. A charge is\n"
             "on disk before the data is read.\n"
             "\n"
             "  list    prints the rows (the default)\n"
             "  verify  checks the chain and adds up every balance anew. With "
             "the newest\n"
             "          receipt you have, or the file that a server exported "
             "receipts to, it\n"
             "          also detects a ledger restored from an older backup.\n"
             "  recall  lists the answers that rest on a theorem\n"
             "\n"
             "Kinds of rows (column \"what\"):\n"
             "\n"
             "  charge, given again              a charged question; cached "
             "answers returned\n"
             "  failure, overrun                 a charged question failed, or "
             "took too long\n"
             "  open, terms, budget, import      custos init\n"
             "  add, rotate, token               a new password or token\n"
             "  revoke                           revoke, token --revoke or "
             "token --end-old\n"
             "  reload, resume, restore, vacuum  these commands",
    .examples = "custos ledger --as ana\n"
                "custos ledger verify --receipt 17:9f3c...\n"
                "custos ledger recall laplace-discrete --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_ledger,
};
