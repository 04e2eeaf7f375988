/*
 * `custos owner`: what the owner tells a server that runs, over the socket in
 * the store; and the owner's own token.
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
#include "serve/owner_reply.h"
#include "engine/duck.h"
#include "ledger/tripwire.h"

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
    [OWNER_REVOKE] = {"revoke", NULL, "token, metrics-token: take it away"},
    [OWNER_ROTATE] = {"rotate", NULL,
                      "token: give a new one; the old one stays valid"},
    [OWNER_GRACE] = {"grace", "TIME", "the old one ends after this: 7d, 12h"},
    [OWNER_END_OLD] = {"end-old", NULL, "token: end the old one now"},
    [OWNER_EXPIRES] = {"expires", "TIME", "when the new one ends (never)"},
};

enum { REPLY_BYTES = 4 << 20 };

/* Sends the line and prints the reply as it is; a refusal fails as its code
   says. */
static int
tell(const char *store, const struct args *args)
{
    arena *a = arena_new(NULL, REPLY_BYTES);
    char line[OWNER_LINE_MAX];
    static struct out o;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code;
    str reply, rest;

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
        st = owner_reply_read(a, reply, &rest, &err);
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
token(const char *store, const struct args *args, enum credential_access access)
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
        return fail_usage("metrics-token takes --revoke, which ends all of "
                          "them, or --grace for the old one");
    return owner_token_do(store, &act);
}

/* Crashes that no charge has met yet are among what is resumed after. */
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
 * Straight into the ledger, which a server reads before each charge: so it needs
 * none, and if one runs it follows at once.
 */
static int
resume(const char *store)
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

/* Stores from before reply times, and policies that lost their max_rows. What
   goes to standard output is the server's reply; so is what is wrong with the
   store, if something is. */
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
run(const struct verb *verb, int argc, char **argv)
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
            return token(store, &args, CREDENTIAL_FULL);
        if (!strcmp(what, "metrics-token"))
            return token(store, &args, CREDENTIAL_METRICS_ONLY);
        if (!strcmp(what, "resume"))
            return resume(store);
        if (!strcmp(what, "reload"))
            count_rows(store);
        return tell(store, &args);
    }
    guess = *what ? nearest(what, words, COUNT_OF(words)) : NULL;
    if (guess && strcmp(guess, what) != 0)
        return fail_usage("there is no custos owner %.60s" HINT
                          "did you mean %s?",
                          what, guess);
    return fail_usage("owner reload, status, sessions, drain, cut NAME, token, "
                      "metrics-token or resume" HINT "see custos owner --help");
}

const struct verb verb_owner = {
    .name = "owner",
    .summary = "tell a running server to reload, drain, cut",
    .usage = "owner reload|status|sessions|drain [--store DIR]\n"
             "owner cut NAME [--store DIR]\n"
             "owner token [--rotate|--end-old|--revoke] [--grace TIME] "
             "[--expires TIME]\n"
             "owner metrics-token [--grace TIME] [--expires TIME] [--revoke]\n"
             "owner resume [--store DIR]",
    .about =
        "Over a socket in the store, which only the user who runs the "
        "server can use; the\nreply is one line of JSON. reload puts "
        "policy and data of the store in force\nand reads the certificate "
        "again, cut ends the sessions of an analyst, drain lets\nnobody "
        "new in and stops when all have gone. token gives the owner a "
        "token for\nHTTP, instead of the one before; with --rotate the one "
        "before stays valid.\nmetrics-token gives one that reads "
        "/metrics and health and nothing else. resume ends all "
        "suspensions that\nfollowed from failures after a charge, with or "
        "without a server: read its log first.\nWhat changes something is "
        "a row of the ledger.",
    .examples = "custos owner status\n"
                "custos init policy.yaml && custos owner reload\n"
                "custos owner cut ana\n"
                "custos owner token\n"
                "custos owner metrics-token --expires 90d\n"
                "custos owner resume",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run,
};
