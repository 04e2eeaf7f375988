/*
 * `custos owner`: commands of the owner to a running server, over the socket in
 * the store; the owner's tokens; and resuming after failures.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/commit.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/owner_token.h"
#include "cli/replies.h"
#include "curator/crash.h"
#include "curator/credential.h"
#include "curator/owner.h"
#include "curator/tripwire.h"
#include "engine/duckdb/duck.h"
#include "ledger/tripwire.h"
#include "serve/owner_reply.h"

enum {
    OWNER_STORE,
    OWNER_REVOKE,
    OWNER_ROTATE,
    OWNER_GRACE,
    OWNER_END_OLD,
    OWNER_EXPIRES,
    OWNER_OPTIONS
};

static const struct option options[OWNER_OPTIONS] = {
    [OWNER_STORE] = {"store", "DIR", STORE_HELP},
    [OWNER_REVOKE] = {"revoke", NULL,
                      "token, metrics-token: revoke all of them"},
    [OWNER_ROTATE] = {"rotate", NULL,
                      "token: issue a new one; the old one stays valid"},
    [OWNER_GRACE] = {"grace", "TIME",
                     "end the old token after this time: 7d, 12h"},
    [OWNER_END_OLD] = {"end-old", NULL, "token: end the old token now"},
    [OWNER_EXPIRES] = {"expires", "TIME",
                       "how long the new token is valid: 90d, 12h (forever)"},
};

enum { REPLY_BYTES = 4 << 20 };

/* Sends the command to the server and prints its reply. If the server refuses,
   fails with the status in the reply. */
static int
send_command(const char *store, const struct args *args)
{
    arena *a = arena_new(NULL, REPLY_BYTES);
    char line[OWNER_LINE_MAX];
    static struct out o;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code;
    struct json_value read;
    str reply;

    if (!a)
        return fail_run("out of memory");
    if (snprintf(line, sizeof line, "%s%s%s", args->words[0],
                 args->n_words > 1 ? " " : "",
                 args->n_words > 1 ? args->words[1] : "") >= (int)sizeof line) {
        arena_free(a);
        return fail_usage("the name is too long");
    }
    st = owner_ask(store, str_of(line), a, &reply, &err);
    if (!st)
        st = owner_reply_read(a, reply, &read, &err);
    if (st) {
        code = fail_status(st, &err);
    } else {
        out_init(&o, STDOUT_FILENO);
        out_add(&o, reply.ptr, reply.len);
        code = out_end(&o);
    }
    arena_free(a);
    return code;
}

static int
change_token(const char *store, const struct args *args,
             enum credential_access access)
{
    const struct owner_token_act act = {
        .access = access,
        .revoke = args->given[OWNER_REVOKE] != NULL,
        .rotate = args->given[OWNER_ROTATE] != NULL,
        .end_old = args->given[OWNER_END_OLD] != NULL,
        .expires = args->given[OWNER_EXPIRES],
        .grace = args->given[OWNER_GRACE],
    };

    if (access == CREDENTIAL_METRICS_ONLY && act.end_old)
        return fail_usage("metrics-token does not take --end-old" HINT
                          "--revoke ends all metrics tokens; --grace limits "
                          "the old one when a new one is issued");
    return owner_token_do(store, &act);
}

/* Records crashes in the ledger as failures, unless a charge has done so, so
   that resume covers them. */
static custos_status
take_up(struct ledger *l, const char *store, struct tripwire_tally *found,
        custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st = CUSTOS_OK;
    int file;

    snprintf(path, sizeof path, "%s/crashes", store);
    file = crash_open(path);
    if (file < 0)
        return st;
    st = tripwire_take_up(l, file, clock_us(), TAKE_UP_ALL, found, err);
    close(file);
    return st;
}

/*
 * Writes to the ledger directly, so it works without a server. A running server
 * reads the ledger before each charge and so resumes at once.
 */
static int
resume_answering(const char *store)
{
    char receipt[RECEIPT_TEXT_MAX], build[TRIPWIRE_WORDS_MAX];
    struct ledger *l = NULL;
    struct ledger_tripwire was;
    struct tripwire_tally found = {.failures = 0};
    static struct out o;
    struct receipt r;
    custos_status st;
    custos_err err = CUSTOS_ERR_INIT;
    int code = ledger_at(store, &l);

    if (code)
        return code;
    snprintf(build, sizeof build, "custos %s (%.40s), DuckDB %.40s",
             custos_version(), custos_commit, duck_version());
    st = take_up(l, store, &found, &err);
    if (!st)
        st = ledger_tripwire(l, str_of(""), &was, &err);
    if (!st)
        st = ledger_resume(l, str_of(build), clock_us(), &r, &err);
    ledger_close(l);
    if (st)
        return fail_status(st, &err);
    receipt_write(&r, receipt);
    out_init(&o, STDOUT_FILENO);
    out_printf(&o,
               "all suspensions lifted; %llu failure%s since the last resume. "
               "Receipt %s\n",
               (unsigned long long)was.failures, was.failures == 1 ? "" : "s",
               receipt);
    if (found.unreadable)
        out_printf(&o,
                   "The crash file had %zu line%s that named no query; "
                   "cleared.\n",
                   found.unreadable, found.unreadable == 1 ? "" : "s");
    return out_end(&o);
}

/*
 * Counts the rows of tables that have no bound on them: the store was made
 * before reply times existed, or its policy no longer has max_rows. Prints to
 * standard error, since standard output is for the server's reply. Ignores
 * errors: the server will report them.
 */
static void
count_rows(const char *store)
{
    arena *a = arena_new(NULL, REPLY_BYTES);
    static struct out o;
    custos_err quiet = CUSTOS_ERR_INIT;

    out_init(&o, STDERR_FILENO);
    if (a)
        (void)!replies_count(store, a, &o, &quiet);
    (void)!out_end(&o);
    arena_free(a);
}

static int
run_owner(const struct verb *verb, int argc, char **argv)
{
    static const char *const words[] = {"reload",        "status", "sessions",
                                        "drain",         "cut",    "token",
                                        "metrics-token", "resume"};
    static struct args args;
    const char *store, *what, *guess;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    store = store_given(args.given[OWNER_STORE]);
    what = args.n_words ? args.words[0] : "";
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (strcmp(what, words[i]) != 0)
            continue;
        if (args.n_words != (strcmp(what, "cut") ? 1 : 2))
            break;
        if (!strcmp(what, "token"))
            return change_token(store, &args, CREDENTIAL_FULL);
        if (!strcmp(what, "metrics-token"))
            return change_token(store, &args, CREDENTIAL_METRICS_ONLY);
        if (!strcmp(what, "resume"))
            return resume_answering(store);
        if (!strcmp(what, "reload"))
            count_rows(store);
        return send_command(store, &args);
    }
    guess = *what ? nearest(what, words, COUNT_OF(words)) : NULL;
    if (guess && strcmp(guess, what) != 0)
        return fail_usage("there is no custos owner %.60s" HINT
                          "did you mean %s?",
                          what, guess);
    return fail_usage("owner needs reload, status, sessions, drain, cut NAME, "
                      "token, metrics-token or resume" HINT
                      "see custos owner --help");
}

const struct verb verb_owner = {
    .name = "owner",
    .summary = "control a running server; the owner's tokens",
    .usage = "owner reload|status|sessions|drain [--store DIR]\n"
             "owner cut NAME [--store DIR]\n"
             "owner token [--rotate] [--grace TIME] [--expires TIME]\n"
             "owner token --end-old|--revoke\n"
             "owner metrics-token [--grace TIME] [--expires TIME] [--revoke]\n"
             "owner resume [--store DIR]",
    .about =
        "Commands go over a socket in the store that only the user who runs "
        "the server\n"
        "can use. The reply is one line of JSON.\n"
        "\n"
        "  reload         put the store's policy and data in force; read the "
        "certificate\n"
        "                 again\n"
        "  status         what the server is doing\n"
        "  sessions       who is connected\n"
        "  drain          accept no new connections; stop when all have ended\n"
        "  cut NAME       end the sessions of an analyst\n"
        "\n"
        "These work without a server; a running one follows at once:\n"
        "\n"
        "  token          issue the owner's token for HTTP. It replaces the "
        "one before;\n"
        "                 with --rotate the one before stays valid.\n"
        "  metrics-token  issue a token for /metrics and health, and nothing "
        "else\n"
        "  resume         end all suspensions that followed from failures "
        "after a\n"
        "                 charge; read the server's log first\n"
        "\n"
        "A new token never expires unless --expires is given, even if the old "
        "one did.\n"
        "reload, resume and changes of tokens are rows of the ledger; the rows "
        "of\n"
        "--revoke and --end-old read \"revoke\".",
    .examples = "custos owner status\n"
                "custos init policy.yaml && custos owner reload\n"
                "custos owner cut ana\n"
                "custos owner token\n"
                "custos owner metrics-token --expires 90d\n"
                "custos owner resume",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_owner,
};
