/*
 * The server needs a store: for its catalogs, its policy and its credentials. This
 * one is made for as long as it runs, in a folder for temporary files; its one table
 * is public and empty, and questions to it are answered from the synopsis.
 */
#include "cli/serve_synopsis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/out.h"
#include "cli/synopsis.h"
#include "curator/init.h"
#include "serve/credentials.h"
#include "store/file.h"
#include "synopsis/answer.h"
#include "synopsis/policy.h"

enum { PATH_BYTES = 4096, TEXT_MAX = 1 << 26, INIT_ARENA = 1 << 26 };

/* The time of a question, unless the owner says otherwise: all who ask share a name
   and few threads. */
enum { QUERY_MS = 10000 };

/* Who asks: the synopsis is public, and so is the password. */
static const char READER[] = SYNOPSIS_READER;

struct served {
    struct synopsis *synopsis;
    struct policy *policy;
    char folder[PATH_BYTES], store[PATH_BYTES];
    struct credentials credentials;
};

static custos_status
answer_here(void *ctx, const struct work *w, struct answer **out,
            custos_err *err)
{
    const struct served *s = ctx;

    return synopsis_ask(s->synopsis, s->policy, w->ask, out, err);
}

static custos_status
make_folder(struct served *s, custos_err *err)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(s->folder, sizeof s->folder, "%.3000s/custos-synopsis.XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(s->folder)) {
        s->folder[0] = '\0';
        return custos_fail(err, CUSTOS_EIO,
                           "cannot make a folder for temporary files" HINT
                           "set TMPDIR to one that can be written");
    }
    snprintf(s->store, sizeof s->store, "%.4000s/store", s->folder);
    return CUSTOS_OK;
}

/* Writes a file of the folder. */
static custos_status
write_part(const struct served *s, const char *name, const struct buf *text,
           custos_err *err)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%.4000s/%.80s", s->folder, name);
    return text->failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                        : file_write(path, (str){text->ptr, text->len}, err);
}

static custos_status
write_parts(const struct served *s, custos_err *err)
{
    const struct schema *schema = s->synopsis->schema;
    struct buf text;
    custos_status st;

    buf_init(&text, NULL, TEXT_MAX);
    synopsis_policy_write(s->synopsis, &text);
    st = write_part(s, "policy.yaml", &text, err);
    buf_clear(&text);
    buf_init(&text, NULL, TEXT_MAX);
    for (size_t i = 0; i < schema->n; i++) {
        buf_add_text(&text, i ? "," : "");
        csv_add_text(&text, schema->columns[i].name);
    }
    buf_add_text(&text, "\n");
    if (!st)
        st = write_part(s, SYNOPSIS_SOURCE, &text, err);
    buf_clear(&text);
    return st;
}

static custos_status
give_credentials(struct served *s, custos_err *err)
{
    struct ledger *l = NULL;
    struct store store;
    struct receipt receipt;
    custos_status st = store_open(s->store, &store, err);

    if (st)
        return st;
    snprintf(s->credentials.password, sizeof s->credentials.password, "%s",
             READER);
    st = ledger_of(&store, &l, err);
    if (!st)
        st = credentials_give(l, str_of(READER), CREDENTIAL_NEW,
                              &s->credentials, clock_us(), &receipt, err);
    ledger_close(l);
    store_close(&store);
    return st;
}

static custos_status
make_store(struct served *s, custos_err *err)
{
    arena *a = arena_new(NULL, INIT_ARENA);
    char policy[PATH_BYTES];
    struct init_report report;
    custos_status st =
        a ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        st = make_folder(s, err);
    if (!st)
        st = write_parts(s, err);
    snprintf(policy, sizeof policy, "%.4000s/policy.yaml", s->folder);
    if (!st)
        st = curator_init(policy, s->store, LOSS_PPM_ANY, clock_us(), NULL,
                          NULL, a, &report, err);
    if (!st)
        st = give_credentials(s, err);
    arena_free(a);
    return st;
}

static int
say_how(const struct served *s, const struct server_options *options)
{
    struct out o;

    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "table     %.*s\n", (int)s->synopsis->schema->table.len,
               s->synopsis->schema->table.ptr);
    if (*options->pg)
        out_printf(&o, "user      %s\npassword  %s\n", READER, READER);
    if (*options->http)
        out_printf(&o, "token     %s\n", s->credentials.token);
    return out_end(&o);
}

int
serve_synopsis(const char *path, const struct server_options *options)
{
    struct served s = {.folder = ""};
    const struct workers_free answers = {&s, answer_here};
    struct server_options own = *options;
    arena *a = arena_new(NULL, SYNOPSIS_ARENA_BYTES);
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = a ? synopsis_read(a, path, &s.synopsis, &err)
                         : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    int code = CLI_OK;

    if (!st)
        st = synopsis_policy(a, s.synopsis, &s.policy, &err);
    if (!st)
        st = make_store(&s, &err);
    if (!st) {
        own.store = s.store;
        own.free_answers = &answers;
        if (!own.limits.query_ms)
            own.limits.query_ms = QUERY_MS;
        code = say_how(&s, &own);
    }
    if (!st && !code)
        st = server_run(&own, &err);
    if (s.folder[0])
        tree_remove(s.folder);
    synopsis_close(s.synopsis);
    arena_free(a);
    return st ? fail_status(st, &err) : code;
}
