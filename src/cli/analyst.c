/*
 * `custos analyst`: passwords and tokens of analysts. Secrets are generated or
 * read here, shown once and wiped; the store keeps verifiers and hashes.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/duration.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/secret.h"
#include "contract/contract.h"
#include "curator/owner.h"
#include "serve/credentials.h"

enum {
    ANALYST_STORE,
    ANALYST_PASSWORD,
    ANALYST_EXPIRES,
    ANALYST_ROTATE,
    ANALYST_GRACE,
    ANALYST_END_OLD,
    ANALYST_JSON,
    ANALYST_OPTIONS
};

static const struct option options[ANALYST_OPTIONS] = {
    [ANALYST_STORE] = {"store", "DIR", STORE_HELP},
    [ANALYST_PASSWORD] = {"password", NULL,
                          "ask for the password, or read it from standard\n"
                          "input (default: generate one)"},
    [ANALYST_EXPIRES] = {"expires", "TIME",
                         "how long the new password or token is valid: 90d,\n"
                         "12h (forever)"},
    [ANALYST_ROTATE] = {"rotate", NULL,
                        "token: issue a new one; the old one stays valid"},
    [ANALYST_GRACE] = {"grace", "TIME",
                       "with --rotate: end the old token after this time"},
    [ANALYST_END_OLD] = {"end-old", NULL, "token: end the old token now"},
    [ANALYST_JSON] = {"json", NULL, "print JSON"},
};

enum { LIST_BYTES = 1 << 26 };

static_assert(SECRET_MAX == (int)CREDENTIALS_PASSWORD_MAX, "one length");

/* ---------------------------------------------------------------- issuing -- */

static void
json_secrets(struct out *o, const char *name, const struct credentials *g,
             bool made, const struct receipt *r)
{
    struct document d;

    document_begin(&d, o);
    contract_secrets(&d.json,
                     &(struct contract_secrets){
                         .name = str_of(name),
                         .password = str_of(made ? g->password : ""),
                         .token = str_of(g->token),
                         .expires = g->expires,
                     },
                     r);
    document_end(&d);
}

/* Password and token are shown here and never again. */
static int
print_secrets(const char *name, const struct credentials *g, bool made,
              const struct receipt *r, bool json)
{
    static struct out o;
    char receipt[RECEIPT_TEXT_MAX], when[MOMENT_MAX];
    int code;

    receipt_write(r, receipt);
    moment_write(g->expires, when);
    out_init(&o, STDOUT_FILENO);
    if (json) {
        json_secrets(&o, name, g, made, r);
    } else {
        out_printf(&o, "name      %s\n", name);
        if (g->expires)
            out_printf(&o, "expires   %s\n", when);
        if (made)
            out_printf(&o, "password  %s\n", g->password);
        out_printf(&o,
                   "token     %s\nThis is shown only once: the store keeps no "
                   "secrets. Receipt %s\n",
                   g->token, receipt);
    }
    code = out_end(&o);
    wipe(&o, sizeof o);
    return code;
}

/* Turns --expires into the time at which the password or token expires; 0 if
   not given. */
static int
expiry_read(const struct args *args, int64_t *out)
{
    int code = duration_read(args->given[ANALYST_EXPIRES], "expires", out);

    if (*out)
        *out += clock_us();
    return code;
}

static void
warn_of_lost_expiry(const char *what)
{
    print_warning("the new %s never expire%s, unlike the old one%s" HINT
                  "to set an end, rotate again with --expires, as in "
                  "--expires 90d",
                  what, strchr(what, ' ') ? "" : "s",
                  strchr(what, ' ') ? "s" : "");
}

static int
set_credentials(const struct args *args, const char *store,
                enum credential_change how)
{
    bool made = !args->given[ANALYST_PASSWORD], expired = false;
    struct credentials g = {.token = ""};
    struct ledger *l = NULL;
    const char *name = args->words[0];
    struct receipt r;
    custos_status st = CUSTOS_OK;
    custos_err err = CUSTOS_ERR_INIT;
    int code = expiry_read(args, &g.expires);

    if (!code && !made)
        code = secret_read(g.password);
    if (!code)
        code = ledger_at(store, &l);
    if (!code) {
        expired = password_expires(l, str_of(name)) ||
                  token_expires(l, str_of(name), LEDGER_ACCESS_FULL);
        st = credentials_give(l, str_of(name), how, &g, clock_us(), &r, &err);
    }
    ledger_close(l);
    if (st)
        code = fail_status(st, &err);
    if (!code && how == CREDENTIAL_AGAIN)
        owner_cut(store, str_of(name));
    if (!code)
        code = print_secrets(name, &g, made, &r,
                             args->given[ANALYST_JSON] != NULL);
    if (!code && expired && !g.expires)
        warn_of_lost_expiry("password and token");
    wipe(&g, sizeof g);
    return code;
}

/* Issues a token and keeps the old one, at most for as long as --grace says. */
static int
rotate_token(const struct args *args, const char *store)
{
    struct credentials g = {.token = ""};
    const char *name = args->words[0];
    struct ledger *l = NULL;
    int64_t grace;
    bool expired;
    struct receipt r;
    custos_status st;
    custos_err err = CUSTOS_ERR_INIT;
    int code = expiry_read(args, &g.expires);

    if (!code)
        code = duration_read(args->given[ANALYST_GRACE], "grace", &grace);
    if (!code && !*name)
        code = fail_usage("no analyst has an empty name" HINT
                          "custos owner token issues the owner's token");
    if (!code)
        code = ledger_at(store, &l);
    if (code)
        return code;
    expired = token_expires(l, str_of(name), LEDGER_ACCESS_FULL);
    st = credential_token_new(g.token, &err);
    if (!st)
        st = credential_token_add(
            l, str_of(name), CREDENTIAL_FULL, str_of(g.token), g.expires,
            grace ? clock_us() + grace : 0, clock_us(), &r, &err);
    ledger_close(l);
    code = st ? fail_status(st, &err)
              : print_secrets(name, &g, false, &r,
                              args->given[ANALYST_JSON] != NULL);
    if (!code && expired && !g.expires)
        warn_of_lost_expiry("token");
    wipe(&g, sizeof g);
    return code;
}

/* Ends the old tokens of a name, or all its credentials and sessions. */
enum ending { END_OLD_TOKENS, END_ACCESS };

static int
end_credentials(const struct args *args, const char *store, enum ending ending)
{
    str name = str_of(args->words[0]);
    char receipt[RECEIPT_TEXT_MAX];
    struct ledger *l = NULL;
    static struct out o;
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = ledger_at(store, &l);

    if (code)
        return code;
    st = ending == END_ACCESS ? credential_revoke(l, name, clock_us(), &r, &err)
                              : credential_tokens_end(l, name, CREDENTIAL_FULL,
                                                      clock_us(), &r, &err);
    ledger_close(l);
    if (st)
        return fail_status(st, &err);
    if (ending == END_ACCESS)
        owner_cut(store, name);
    receipt_write(&r, receipt);
    out_init(&o, STDOUT_FILENO);
    out_printf(&o,
               ending == END_ACCESS
                   ? "%s can no longer log in. Receipt %s\n"
                   : "the old token of %s has ended. Receipt %s\n",
               args->words[0], receipt);
    return out_end(&o);
}

static int
change_tokens(const struct args *args, const char *store)
{
    bool gives = args->given[ANALYST_ROTATE],
         ends = args->given[ANALYST_END_OLD];

    if (gives == ends)
        return fail_usage("analyst token needs --rotate or --end-old" HINT
                          "--rotate issues a new token beside the old one, "
                          "--end-old ends the old one");
    return gives ? rotate_token(args, store)
                 : end_credentials(args, store, END_OLD_TOKENS);
}

/* ---------------------------------------------------------------- listing -- */

static void
print_expiry(struct out *o, const char *what, int64_t expires)
{
    char when[MOMENT_MAX];

    moment_write(expires, when);
    if (expires)
        out_printf(o, "; %s until %s", what, when);
}

static void
print_one(struct out *o, const struct credential_info *d, int64_t now)
{
    cell_print(o, d->name, 24, CELL_PADDED);
    out_printf(o, " %s", contract_analyst_state(d, now));
    print_expiry(o, "password", d->expires);
    for (size_t i = 0; i < d->n_tokens; i++)
        print_expiry(o, i ? "old token" : "token", d->tokens[i].expires);
    if (d->n_tokens > 1 && !d->tokens[1].expires)
        out_text(o, "; old token still valid");
    out_text(o, "\n");
}

static custos_status
list_text(struct ledger *l, arena *a, struct out *o, custos_err *err)
{
    struct credential_info *credentials = NULL;
    size_t n = 0;
    int64_t now = clock_us();
    custos_status st = credential_list(l, a, &credentials, &n, err);

    for (size_t i = 0; !st && i < n; i++)
        print_one(o, &credentials[i], now);
    return st;
}

static custos_status
list_json(struct ledger *l, arena *a, struct out *o, custos_err *err)
{
    struct document d;
    custos_status st;

    document_begin(&d, o);
    st = contract_analysts(&d.json, l, clock_us(), a, err);
    if (st)
        document_drop(&d);
    else
        document_end(&d);
    return st;
}

static int
list_analysts(const struct args *args, const char *store)
{
    arena *a = arena_new(NULL, LIST_BYTES);
    struct ledger *l = NULL;
    static struct out o;
    custos_status st;
    custos_err err = CUSTOS_ERR_INIT;
    int code = a ? ledger_at(store, &l) : fail_run("out of memory");

    if (!code) {
        out_init(&o, STDOUT_FILENO);
        st =
            (args->given[ANALYST_JSON] ? list_json : list_text)(l, a, &o, &err);
        code = st ? fail_status(st, &err) : out_end(&o);
    }
    ledger_close(l);
    arena_free(a);
    return code;
}

static int
run_analyst(const struct verb *verb, int argc, char **argv)
{
    static struct args args;
    const char *store, *what;
    int code = args_read(verb, argc, argv, &args);
    bool lists;

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    forbid_cores();
    what = args.n_words ? args.words[0] : "";
    lists = !strcmp(what, "list");
    if (args.n_words != (lists ? 1 : 2))
        return fail_usage("analyst needs add, rotate, token or revoke with a "
                          "name, or list" HINT "see custos analyst --help");
    store = store_given(args.given[ANALYST_STORE]);
    args.words[0] = args.words[1];
    if (lists)
        return list_analysts(&args, store);
    if (!strcmp(what, "add"))
        return set_credentials(&args, store, CREDENTIAL_NEW);
    if (!strcmp(what, "rotate"))
        return set_credentials(&args, store, CREDENTIAL_AGAIN);
    if (!strcmp(what, "token"))
        return change_tokens(&args, store);
    if (!strcmp(what, "revoke"))
        return end_credentials(&args, store, END_ACCESS);
    return fail_usage("there is no custos analyst %.60s" HINT
                      "see custos analyst "
                      "--help",
                      what);
}

const struct verb verb_analyst = {
    .name = "analyst",
    .summary = "manage the passwords and tokens of analysts",
    .usage = "analyst add NAME [--password] [--expires TIME] [--json]\n"
             "analyst rotate NAME [--password] [--expires TIME] [--json]\n"
             "analyst token NAME --rotate [--grace TIME] [--expires TIME] "
             "[--json]\n"
             "analyst token NAME --end-old\n"
             "analyst revoke NAME\n"
             "analyst list [--json]",
    .about = "An analyst whom the policy names can have a password (for "
             "PostgreSQL clients)\nand a token (for HTTP). Both are shown "
             "once: the store keeps a SCRAM verifier\nand a hash.\n\n"
             "  add      issues both\n"
             "  rotate   replaces both; the old ones end at once\n"
             "  token    --rotate issues a new token; the old one stays valid "
             "until\n"
             "           --grace has passed or --end-old ends it\n"
             "  revoke   removes the password and all tokens\n"
             "  list     shows who can log in, and until when\n\n"
             "New passwords and tokens never expire unless --expires is given, "
             "even if the old\nones did. A running server follows each change "
             "at once. Each change is a row of\nthe ledger, without any "
             "secret; the row of --end-old reads \"revoke\".",
    .examples = "custos analyst add ana\n"
                "custos analyst rotate ana --password < secret.txt\n"
                "custos analyst token ana --rotate --grace 7d --expires 90d\n"
                "custos analyst revoke ana\n"
                "custos analyst list --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_analyst,
};
