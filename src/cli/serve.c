/*
 * `custos serve`: reads addresses and limits from the command line and runs the
 * server, which is in daemon/.
 */
#include "daemon/server.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/serve_synopsis.h"
#include "http/http_host.h"

enum {
    SERVE_STORE,
    SERVE_PG,
    SERVE_SYNOPSIS,
    SERVE_HTTP,
    SERVE_HTTP_HOST,
    SERVE_RECEIPTS,
    SERVE_CERT,
    SERVE_KEY,
    SERVE_WORKERS,
    SERVE_MEMORY,
    SERVE_THREADS,
    SERVE_WAITING,
    SERVE_OWN_RUNNING,
    SERVE_OWN_WAITING,
    SERVE_OWN_AHEAD,
    SERVE_OWN_REQUESTS,
    SERVE_OWN_UNREAD,
    SERVE_OWN_PREPARED,
    SERVE_CONNECTIONS,
    SERVE_PER_ANALYST,
    SERVE_MESSAGE,
    SERVE_QUERY,
    SERVE_REPLY,
    SERVE_PREPARED,
    SERVE_STRANGERS,
    SERVE_ADDRESS_STRANGERS,
    SERVE_LOGINS,
    SERVE_ADDRESS_LOGINS,
    SERVE_TIME,
    SERVE_SEND,
    SERVE_FREE,
    SERVE_LOGIN,
    SERVE_IDLE,
    SERVE_STOP,
    SERVE_NO_STEPS,
    SERVE_ALLOWANCE,
    SERVE_INSECURE,
    SERVE_CONFIRM,
    SERVE_OPTIONS
};

static const struct option options[SERVE_OPTIONS] = {
    [SERVE_STORE] = {"store", "DIR", STORE_HELP},
    [SERVE_PG] = {"pg", "HOST:PORT",
                  "for PostgreSQL clients (127.0.0.1:6432); none: off"},
    [SERVE_SYNOPSIS] = {"synopsis", "FILE",
                        "instead of a store: answer from the synopsis of a\n"
                        "release, for free"},
    [SERVE_HTTP] = {"http", "HOST:PORT",
                    "for HTTP and JSON (127.0.0.1:8080); none: off"},
    [SERVE_HTTP_HOST] = {"http-host", "NAME...",
                         "a host name that HTTP requests may use, besides\n"
                         "localhost and addresses; may be repeated"},
    [SERVE_RECEIPTS] = {"export-receipts", "WHERE",
                        "send number and hash of each ledger row to\n"
                        "file:PATH, syslog:HOST:PORT, syslog+tcp:HOST:PORT\n"
                        "or http://HOST:PORT/path"},
    [SERVE_CERT] = {"tls-cert", "FILE",
                    "certificate chain in PEM; turns on TLS"},
    [SERVE_KEY] = {"tls-key", "FILE", "the certificate's private key"},
    [SERVE_WORKERS] = {"workers", "N",
                       "worker processes for private questions, and as many\n"
                       "for free ones (one per processor)"},
    [SERVE_MEMORY] = {"worker-memory", "MB",
                      "memory of each worker (half of the machine's, shared)"},
    [SERVE_THREADS] = {"threads", "N",
                       "questions planned, charged or answered at one time\n"
                       "(64 per processor)"},
    [SERVE_WAITING] = {"max-waiting", "N",
                       "questions waiting for a worker (4096)"},
    [SERVE_OWN_RUNNING] =
        {"analyst-running", "N",
         "questions of one analyst running at one time (half\n"
         "of --threads)"},
    [SERVE_OWN_WAITING] = {"analyst-waiting", "N",
                           "questions of one analyst waiting (256)"},
    [SERVE_OWN_AHEAD] = {"analyst-ahead", "MS",
                         "sum of the reply times of one analyst's charged\n"
                         "questions in progress (140 for two workers)"},
    [SERVE_OWN_REQUESTS] = {"analyst-requests", "N",
                            "requests of one analyst per minute (120000)"},
    [SERVE_OWN_UNREAD] = {"analyst-unread", "BYTES",
                          "requests and replies of one analyst in progress\n"
                          "(67108864)"},
    [SERVE_OWN_PREPARED] = {"analyst-prepared", "BYTES",
                            "prepared statements and cursors of one analyst\n"
                            "(134217728)"},
    [SERVE_CONNECTIONS] = {"max-connections", "N", "sessions (2000)"},
    [SERVE_PER_ANALYST] = {"max-per-analyst", "N",
                           "sessions of one analyst (1500)"},
    [SERVE_MESSAGE] = {"max-message", "BYTES",
                       "size of a client's message (1048576)"},
    [SERVE_QUERY] = {"max-query", "BYTES", "size of an SQL text (65536)"},
    [SERVE_REPLY] = {"max-reply", "BYTES", "size of a free reply (16777216)"},
    [SERVE_PREPARED] = {"max-prepared", "BYTES",
                        "prepared statements and cursors of one session\n"
                        "(16777216)"},
    [SERVE_STRANGERS] = {"max-strangers", "N",
                         "connections that have not logged in (256)"},
    [SERVE_ADDRESS_STRANGERS] = {"address-strangers", "N",
                                 "the same from one address, or /64 of IPv6\n"
                                 "(64)"},
    [SERVE_LOGINS] = {"max-logins", "N",
                      "login attempts of strangers per minute (12000)"},
    [SERVE_ADDRESS_LOGINS] = {"address-logins", "N",
                              "the same from one address, or /64 of IPv6\n"
                              "(1200)"},
    [SERVE_TIME] = {"max-seconds", "N",
                    "time of one question; then it ends, but stays charged\n"
                    "(600; of a synopsis 10)"},
    [SERVE_SEND] = {"send-seconds", "N",
                    "time for a client to read some of its reply (60)"},
    [SERVE_FREE] = {"free-seconds", "N",
                    "time of one free question: public tables, catalogs\n"
                    "(30)"},
    [SERVE_LOGIN] = {"login-seconds", "N", "time to log in (30)"},
    [SERVE_IDLE] = {"idle-seconds", "N", "time between questions (86400)"},
    [SERVE_STOP] = {"stop-seconds", "N",
                    "time from SIGTERM to the end, whatever runs (30)"},
    [SERVE_ALLOWANCE] = {"reply-allowance", "MS",
                         "time added to the public reply time of each charged\n"
                         "question, for delays of a busy machine (45)"},
    [SERVE_NO_STEPS] = {"no-response-steps", NULL,
                        "answer as soon as possible; the time an answer takes\n"
                        "then depends on the data, and the analyst sees it"},
    [SERVE_INSECURE] = {"insecure-listen", NULL,
                        "listen beyond loopback without TLS; needs the next\n"
                        "option too"},
    [SERVE_CONFIRM] = {"i-know-this-is-not-private", NULL,
                       "confirms that others on the network can read answers\n"
                       "and tokens"},
};

/* Reads a whole number above 0; *out is 0 if the option was not given. */
static int
number_given(const struct args *args, int i, int64_t most, int64_t *out)
{
    const char *text = args->given[i];
    char *end;

    *out = 0;
    if (!text)
        return CLI_OK;
    *out = strtoll(text, &end, 10);
    if (!*text || *end || *out < 1 || *out > most)
        return fail_usage("--%s must be a whole number from 1 to %lld",
                          options[i].name, (long long)most);
    return CLI_OK;
}

static int
limits_read(const struct args *args, struct server_options *o)
{
    int64_t n[SERVE_OPTIONS] = {0};
    static const struct {
        int option;
        int64_t most;
    } rows[] = {
        {SERVE_WORKERS, 256},
        {SERVE_MEMORY, 1 << 24},
        {SERVE_THREADS, 256},
        {SERVE_ALLOWANCE, 60000},
        {SERVE_WAITING, 1000000},
        {SERVE_CONNECTIONS, 60000},
        {SERVE_PER_ANALYST, 60000},
        {SERVE_MESSAGE, 1 << 28},
        {SERVE_QUERY, 1 << 16},
        {SERVE_TIME, 1000000},
        {SERVE_FREE, 1000000},
        {SERVE_LOGIN, 1000000},
        {SERVE_IDLE, 100000000},
        {SERVE_STOP, 1000000},
        {SERVE_OWN_RUNNING, 256},
        {SERVE_OWN_WAITING, 1000000},
        {SERVE_OWN_AHEAD, 1000000},
        {SERVE_OWN_REQUESTS, 10000000},
        {SERVE_OWN_UNREAD, INT64_C(1) << 40},
        {SERVE_OWN_PREPARED, INT64_C(1) << 40},
        {SERVE_REPLY, 1 << 30},
        {SERVE_PREPARED, 1 << 30},
        {SERVE_STRANGERS, 60000},
        {SERVE_ADDRESS_STRANGERS, 60000},
        {SERVE_LOGINS, 10000000},
        {SERVE_ADDRESS_LOGINS, 10000000},
        {SERVE_SEND, 1000000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int code = number_given(args, rows[i].option, rows[i].most,
                                &n[rows[i].option]);

        if (code)
            return code;
    }
    o->workers = (size_t)n[SERVE_WORKERS];
    o->worker_bytes = (uint64_t)n[SERVE_MEMORY] << 20;
    o->threads = (size_t)n[SERVE_THREADS];
    o->allowance_us = n[SERVE_ALLOWANCE] * 1000;
    o->limits = (struct serve_limits){
        .waiting = (size_t)n[SERVE_WAITING],
        .connections = (size_t)n[SERVE_CONNECTIONS],
        .connections_per_analyst = (size_t)n[SERVE_PER_ANALYST],
        .message_bytes = (size_t)n[SERVE_MESSAGE],
        .query_bytes = (size_t)n[SERVE_QUERY],
        .query_ms = n[SERVE_TIME] * 1000,
        .free_ms = n[SERVE_FREE] * 1000,
        .login_ms = n[SERVE_LOGIN] * 1000,
        .idle_ms = n[SERVE_IDLE] * 1000,
        .stop_ms = n[SERVE_STOP] * 1000,
        .running_per_analyst = (size_t)n[SERVE_OWN_RUNNING],
        .waiting_per_analyst = (size_t)n[SERVE_OWN_WAITING],
        .ahead_ms = n[SERVE_OWN_AHEAD],
        .requests_per_analyst = (size_t)n[SERVE_OWN_REQUESTS],
        .unread_per_analyst = (size_t)n[SERVE_OWN_UNREAD],
        .prepared_per_analyst = (size_t)n[SERVE_OWN_PREPARED],
        .prepared_bytes = (size_t)n[SERVE_PREPARED],
        .reply_bytes = (size_t)n[SERVE_REPLY],
        .strangers = (size_t)n[SERVE_STRANGERS],
        .strangers_per_address = (size_t)n[SERVE_ADDRESS_STRANGERS],
        .logins = (size_t)n[SERVE_LOGINS],
        .logins_per_address = (size_t)n[SERVE_ADDRESS_LOGINS],
        .send_ms = n[SERVE_SEND] * 1000,
    };
    return CLI_OK;
}

static const char *
address_given(const char *given, const char *otherwise)
{
    return !given ? otherwise : !strcmp(given, "none") ? "" : given;
}

static int
options_read(const struct args *args, struct server_options *o)
{
    *o = (struct server_options){
        .store = store_given(args->given[SERVE_STORE]),
        .pg = address_given(args->given[SERVE_PG], "127.0.0.1:6432"),
        .http = address_given(args->given[SERVE_HTTP], "127.0.0.1:8080"),
        .http_hosts = args->many,
        .n_http_hosts = args->n_many,
        .tls_cert = args->given[SERVE_CERT],
        .tls_key = args->given[SERVE_KEY],
        .steps = !args->given[SERVE_NO_STEPS],
        .insecure = (args->given[SERVE_INSECURE] != NULL) +
                    (args->given[SERVE_CONFIRM] != NULL),
    };
    for (size_t i = 0; i < o->n_http_hosts; i++)
        if (!http_host_is_name(o->http_hosts[i]))
            return fail_usage("--http-host must be a host name without scheme "
                              "and port, not %.60s",
                              o->http_hosts[i]);
    if (!*o->pg && !*o->http)
        return fail_usage("--pg none and --http none leave nobody to serve");
    if (!o->tls_cert != !o->tls_key)
        return fail_usage("--tls-cert and --tls-key must be given together");
    return limits_read(args, o);
}

static int
run_serve(const struct verb *verb, int argc, char **argv)
{
    struct receipts_target receipts;
    struct server_options o;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    int code = args_read_options(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    code = options_read(&args, &o);
    if (!code && args.given[SERVE_RECEIPTS]) {
        if (receipts_target_read(args.given[SERVE_RECEIPTS], &receipts, &err))
            return fail_usage("%s" HINT "%s", err.said, err.hint);
        o.receipts = &receipts;
    }
    if (code)
        return code;
    if (args.given[SERVE_SYNOPSIS] && args.given[SERVE_STORE])
        return fail_usage("--store and --synopsis exclude each other: a "
                          "synopsis is served without a store");
    forbid_cores();
    if (args.given[SERVE_SYNOPSIS])
        return serve_synopsis(args.given[SERVE_SYNOPSIS], &o);
    return server_run(&o, &err) ? fail_status(err.code, &err) : CLI_OK;
}

const struct verb verb_serve = {
    .name = "serve",
    .summary = "run the server for PostgreSQL clients and HTTP",
    .usage = "serve [--store DIR | --synopsis FILE] [--pg HOST:PORT]\n"
             " [--http HOST:PORT] [options]",
    .about =
        "Analysts log in from any PostgreSQL client with their password, or "
        "by HTTP with\ntheir token; custos analyst add issues both. Each "
        "question is charged before the\ndata is read. Numbers in parentheses "
        "are defaults; custos-serve(8) explains the\nlimits.\n\n"
        "SIGTERM stops the server after the running questions. SIGHUP reloads "
        "policy and\ndata after custos init, as custos owner reload does.",
    .examples =
        "custos serve\n"
        "custos serve --synopsis synopsis.custos --http none\n"
        "custos serve --pg 0.0.0.0:6432 --tls-cert cert.pem --tls-key key.pem\n"
        "psql 'host=127.0.0.1 port=6432 user=ana' -c 'SELECT count(*) FROM "
        "patients'\n",
    .options = options,
    .n_options = SERVE_OPTIONS,
    .run = run_serve,
};
