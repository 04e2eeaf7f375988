/*
 * `custos analyst`: who may come in to a server, and by what. Secrets are made
 * or asked for here, shown once, and wiped; the store keeps what checks them.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/secret.h"
#include "curator/door.h"
#include "curator/owner.h"
#include "ledger/doors.h"
#include "random/entropy.h"
#include "wire/scram.h"

enum { ANALYST_STORE, ANALYST_PASSWORD, ANALYST_JSON, ANALYST_OPTIONS };

static const struct option options[ANALYST_OPTIONS] = {
    [ANALYST_STORE] = {"store", "DIR", STORE_HELP},
    [ANALYST_PASSWORD] = {"password", NULL,
                          "ask for the password, or read it from standard\n"
                          "input; else one is made"},
    [ANALYST_JSON] = {"json", NULL, "for programs"},
};

enum { LIST_BYTES = 1 << 26, VERIFIER_MAX = 512, LINE_MAX_BYTES = 512 };

static_assert(SECRET_MAX - 1 == (int)SCRAM_PASSWORD_MAX, "one length");

/* What an analyst is given. */
struct given {
    char password[SECRET_MAX];
    char token[DOOR_TOKEN_MAX];
};

/* ----------------------------------------------------------------- giving -- */

static custos_status
verifier_of(const char *password, struct buf *out, custos_err *err)
{
    uint8_t salt[SCRAM_SALT_BYTES];
    struct scram_verifier v;
    custos_status st = CUSTOS_OK;

    if (entropy_fill(salt, sizeof salt))
        return custos_fail(err, CUSTOS_EENTROPY,
                           "no randomness from the system");
    st = scram_verifier_make(str_of(password), salt, sizeof salt,
                             SCRAM_ITERATIONS, &v, err);
    if (!st)
        scram_verifier_write(&v, out);
    wipe(&v, sizeof v);
    if (!st && out->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}

static custos_status
set_door(struct ledger *l, const char *name, enum door_change how,
         struct given *g, struct receipt *r, custos_err *err)
{
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, VERIFIER_MAX);
    st = verifier_of(g->password, &text, err);
    if (!st)
        st = door_token_new(g->token, err);
    if (!st)
        st = door_set(l, str_of(name), how, (str){buf_text(&text), text.len},
                      str_of(g->token), clock_us(), r, err);
    buf_clear(&text);
    return st;
}

/* The one time that both can be seen. */
static int
show(const char *name, const struct given *g, bool made,
     const struct receipt *r, bool json)
{
    static struct out o;
    char receipt[RECEIPT_TEXT_MAX];
    int code;

    receipt_write(r, receipt);
    out_init(&o, STDOUT_FILENO);
    if (json) {
        out_text(&o, "{\"name\":");
        out_json(&o, name);
        if (made) {
            out_text(&o, ",\"password\":");
            out_json(&o, g->password);
        }
        out_printf(&o, ",\"token\":\"%s\",\"receipt\":\"%s\"}\n", g->token,
                   receipt);
    } else {
        out_printf(&o, "name      %s\n", name);
        if (made)
            out_printf(&o, "password  %s\n", g->password);
        out_printf(&o,
                   "token     %s\nThis is shown once: the store keeps only "
                   "what checks it. Receipt %s\n",
                   g->token, receipt);
    }
    code = out_end(&o);
    wipe(&o, sizeof o);
    return code;
}

/* A server that runs ends the sessions of the old password now; without one
   there are none. */
static void
cut(const char *store, const char *name)
{
    arena *a = arena_new(NULL, LIST_BYTES);
    char line[LINE_MAX_BYTES];
    custos_err quiet;
    str reply;

    snprintf(line, sizeof line, "cut %s", name);
    if (a)
        (void)!owner_ask(store, str_of(line), a, &reply, &quiet);
    arena_free(a);
}

static int
give(const struct args *args, const char *store, enum door_change how)
{
    bool made = !args->given[ANALYST_PASSWORD];
    struct given g = {.token = ""};
    struct ledger *l = NULL;
    const char *name = args->words[0];
    struct receipt r;
    custos_status st = CUSTOS_OK;
    custos_err err;
    int code = CLI_OK;

    if (!*name)
        return fail_usage("an analyst has a name; the owner's token is given "
                          "by custos owner token");
    if (made)
        st = secret_make(g.password, &err);
    else
        code = secret_read(g.password);
    if (!st && !code)
        code = ledger_at(store, &l);
    if (!st && !code)
        st = set_door(l, name, how, &g, &r, &err);
    ledger_close(l);
    if (st)
        code = fail_status(st, &err);
    if (!code && how == DOOR_AGAIN)
        cut(store, name);
    if (!code)
        code = show(name, &g, made, &r, args->given[ANALYST_JSON] != NULL);
    wipe(&g, sizeof g);
    return code;
}

static int
take_away(const struct args *args, const char *store)
{
    char receipt[RECEIPT_TEXT_MAX];
    struct ledger *l = NULL;
    static struct out o;
    struct receipt r;
    custos_err err;
    custos_status st;
    int code = ledger_at(store, &l);

    if (code)
        return code;
    st = door_revoke(l, str_of(args->words[0]), clock_us(), &r, &err);
    ledger_close(l);
    if (st)
        return fail_status(st, &err);
    cut(store, args->words[0]);
    receipt_write(&r, receipt);
    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "%s can no longer come in. Receipt %s\n", args->words[0],
               receipt);
    return out_end(&o);
}

/* ---------------------------------------------------------------- listing -- */

static const struct ledger_door *
door_find(const struct ledger_door *doors, size_t n, str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_equal(str_of(doors[i].name), name))
            return &doors[i];
    return NULL;
}

static void
print_one(struct out *o, str name, uint64_t row, const char *state, bool json,
          bool first)
{
    if (!json) {
        cell_print(o, name, 24, CELL_PADDED);
        out_printf(o, " %s\n", state);
        return;
    }
    out_printf(o, "%s{\"name\":", first ? "" : ",");
    out_json(o, name.ptr);
    out_printf(o, ",\"row\":%" PRIu64 ",\"state\":\"%s\"}", row, state);
}

static custos_status
list_all(struct ledger *l, arena *a, struct out *o, bool json, custos_err *err)
{
    struct ledger_door *doors = NULL;
    struct ledger_terms terms = {0};
    size_t n = 0, told = 0;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st)
        st = ledger_doors(l, a, &doors, &n, err);
    if (st)
        return st;
    out_text(o, json ? "[" : "");
    for (size_t i = 0; i < terms.n_analysts; i++) {
        str name = terms.analysts[i].name;
        const struct ledger_door *d = door_find(doors, n, name);

        print_one(o, name, d ? d->seq : 0,
                  d ? "can come in" : "no password yet", json, told++ == 0);
    }
    for (size_t i = 0; doors && i < n; i++) {
        str name = str_of(doors[i].name);
        bool known = name.len == 0;

        for (size_t k = 0; k < terms.n_analysts; k++)
            known = known || str_equal(terms.analysts[k].name, name);
        if (!known)
            print_one(o, name, doors[i].seq, "not in the policy", json,
                      told++ == 0);
    }
    out_text(o, json ? "]\n" : "");
    return CUSTOS_OK;
}

static int
list(const struct args *args, const char *store)
{
    arena *a = arena_new(NULL, LIST_BYTES);
    struct ledger *l = NULL;
    static struct out o;
    custos_status st;
    custos_err err;
    int code = a ? ledger_at(store, &l) : fail_run("out of memory");

    if (!code) {
        out_init(&o, STDOUT_FILENO);
        st = list_all(l, a, &o, args->given[ANALYST_JSON] != NULL, &err);
        code = st ? fail_status(st, &err) : out_end(&o);
    }
    ledger_close(l);
    arena_free(a);
    return code;
}

static int
run(const struct verb *verb, int argc, char **argv)
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
        return fail_usage("analyst add NAME, rotate NAME, revoke NAME or list; "
                          "see custos analyst --help");
    store = store_given(args.given[ANALYST_STORE]);
    args.words[0] = args.words[1];
    if (lists)
        return list(&args, store);
    if (!strcmp(what, "add"))
        return give(&args, store, DOOR_NEW);
    if (!strcmp(what, "rotate"))
        return give(&args, store, DOOR_AGAIN);
    if (!strcmp(what, "revoke"))
        return take_away(&args, store);
    return fail_usage("there is no custos analyst %.60s; see custos analyst "
                      "--help",
                      what);
}

const struct verb verb_analyst = {
    .name = "analyst",
    .summary = "passwords and tokens of analysts, for a server",
    .usage = "analyst add NAME [--password] [--json]\n"
             "analyst rotate NAME [--password] [--json]\n"
             "analyst revoke NAME\n"
             "analyst list [--json]",
    .about = "Whom the policy names can be given a password (for PostgreSQL "
             "clients) and a\ntoken (for HTTP). Both are shown once: the "
             "store keeps a SCRAM verifier and a\nhash. rotate gives new "
             "ones, revoke takes them away; a server that runs sees it\n"
             "at once. Each is a row of the ledger, without any secret.",
    .examples = "custos analyst add ana\n"
                "custos analyst rotate ana --password < secret.txt\n"
                "custos analyst revoke ana\n"
                "custos analyst list --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run,
};
