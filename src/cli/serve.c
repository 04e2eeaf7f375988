/*
 * `custos serve`: the server. Limits and addresses from the command line;
 * everything else is in serve/.
 */
#include "serve/server.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"

enum {
    SERVE_STORE,
    SERVE_PG,
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
                  "PostgreSQL clients (127.0.0.1:6432; none: nobody)"},
    [SERVE_HTTP] = {"http", "HOST:PORT",
                    "HTTP and JSON (127.0.0.1:8080; none: nobody)"},
    [SERVE_HTTP_HOST] = {"http-host", "NAME...",
                         "a name that HTTP may be called by, besides\n"
                         "localhost and addresses; may be given again"},
    [SERVE_RECEIPTS] = {"export-receipts", "WHERE",
                        "number and hash of each ledger row to file:PATH,\n"
                        "syslog:HOST:PORT, syslog+tcp:HOST:PORT or\n"
                        "http://HOST:PORT/path"},
    [SERVE_CERT] = {"tls-cert", "FILE",
                    "certificate chain in PEM: TLS for both"},
    [SERVE_KEY] = {"tls-key", "FILE", "its key"},
    [SERVE_WORKERS] = {"workers", "N",
                       "worker processes for private questions, and as many\n"
                       "for free ones (one for each processor)"},
    [SERVE_MEMORY] = {"worker-memory", "MB",
                      "memory of each (half of the machine's, shared)"},
    [SERVE_THREADS] = {"threads", "N",
                       "questions planned, charged or waited for at one time\n"
                       "(64 for each processor)"},
    [SERVE_WAITING] = {"max-waiting", "N",
                       "questions that wait for a worker (4096)"},
    [SERVE_OWN_RUNNING] = {"analyst-running", "N",
                           "questions of one analyst at one time (half of\n"
                           "--threads)"},
    [SERVE_OWN_WAITING] = {"analyst-waiting", "N",
                           "questions of one analyst that wait (256)"},
    [SERVE_OWN_AHEAD] = {"analyst-ahead", "MS",
                         "reply times of one analyst's charged questions\n"
                         "that are on their way (140 for two workers)"},
    [SERVE_OWN_REQUESTS] = {"analyst-requests", "N",
                            "requests of one analyst a minute (120000)"},
    [SERVE_OWN_UNREAD] = {"analyst-unread", "BYTES",
                          "requests and replies of one analyst that are on\n"
                          "their way (67108864)"},
    [SERVE_OWN_PREPARED] = {"analyst-prepared", "BYTES",
                            "prepared statements and cursors of one analyst\n"
                            "(134217728)"},
    [SERVE_CONNECTIONS] = {"max-connections", "N", "sessions (2000)"},
    [SERVE_PER_ANALYST] = {"max-per-analyst", "N",
                           "sessions of one analyst (1500)"},
    [SERVE_MESSAGE] = {"max-message", "BYTES",
                       "one message of a client (1048576)"},
    [SERVE_QUERY] = {"max-query", "BYTES", "one text of SQL (65536)"},
    [SERVE_REPLY] = {"max-reply", "BYTES", "one reply that is free (16777216)"},
    [SERVE_PREPARED] = {"max-prepared", "BYTES",
                        "prepared statements and cursors of one session\n"
                        "(16777216)"},
    [SERVE_STRANGERS] = {"max-strangers", "N",
                         "connections that have not logged in (256)"},
    [SERVE_ADDRESS_STRANGERS] = {"address-strangers", "N",
                                 "the same from one address, or /64 of IPv6\n"
                                 "(64)"},
    [SERVE_LOGINS] = {"max-logins", "N",
                      "tries to log in a minute, of strangers (12000)"},
    [SERVE_ADDRESS_LOGINS] = {"address-logins", "N",
                              "the same from one address, or /64 of IPv6\n"
                              "(1200)"},
    [SERVE_TIME] = {"max-seconds", "N",
                    "one question; it is charged all the same (600)"},
    [SERVE_SEND] = {"send-seconds", "N",
                    "for a client to take some of its reply (60)"},
    [SERVE_FREE] = {"free-seconds", "N",
                    "work for one free question: public tables, catalogs (30)"},
    [SERVE_LOGIN] = {"login-seconds", "N", "from connecting to proved (30)"},
    [SERVE_IDLE] = {"idle-seconds", "N", "between questions (86400)"},
    [SERVE_STOP] = {"stop-seconds", "N",
                    "from SIGTERM to the end, whatever runs (30)"},
    [SERVE_ALLOWANCE] = {"reply-allowance", "MS",
                         "how much later than its public time a charged reply\n"
                         "leaves, for what a busy machine adds (45)"},
    [SERVE_NO_STEPS] = {"no-response-steps", NULL,
                        "answer as soon as possible: how long a question took\n"
                        "is then seen by who asked, and depends on the data"},
    [SERVE_INSECURE] = {"insecure-listen", NULL,
                        "listen off loopback without TLS; needs the next too"},
    [SERVE_CONFIRM] = {"i-know-this-is-not-private", NULL,
                       "said besides: all on the way read all answers"},
};

/* A whole number above 0; 0: not given. */
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
        return fail_usage("--%s: a whole number from 1 to %lld is needed",
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
            return fail_usage("--http-host %.60s: a name is needed, without "
                              "scheme and port",
                              o->http_hosts[i]);
    if (!*o->pg && !*o->http)
        return fail_usage("--pg none and --http none: nobody could ask");
    if (!o->tls_cert != !o->tls_key)
        return fail_usage("--tls-cert and --tls-key belong together");
    return limits_read(args, o);
}

static int
run(const struct verb *verb, int argc, char **argv)
{
    struct receipts_target receipts;
    struct server_options o;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words)
        return fail_usage("serve takes no words, only options");
    code = options_read(&args, &o);
    if (!code && args.given[SERVE_RECEIPTS]) {
        if (receipts_target_read(args.given[SERVE_RECEIPTS], &receipts, &err))
            return fail_usage("%s" HINT "%s", err.said, err.hint);
        o.receipts = &receipts;
    }
    if (code)
        return code;
    forbid_cores();
    return server_run(&o, &err) ? fail_status(err.code, &err) : CLI_OK;
}

const struct verb verb_serve = {
    .name = "serve",
    .summary = "answer PostgreSQL clients and HTTP, privately",
    .usage =
        "serve [--store DIR] [--pg HOST:PORT] [--http HOST:PORT] [options]",
    .about =
        "Analysts log in with the password that `custos analyst add` gave "
        "them, with any\nPostgreSQL client, or by HTTP with their token. Every "
        "answer is private, and\nits price is charged before the data is "
        "touched. SIGTERM ends it after the\nquestions that run; SIGHUP takes "
        "up policy and data that `custos init` has\nput in force since.",
    .examples =
        "custos serve\n"
        "custos serve --pg 0.0.0.0:6432 --tls-cert cert.pem --tls-key key.pem\n"
        "psql 'host=127.0.0.1 port=6432 user=ana' -c 'SELECT count(*) FROM "
        "patients'\n",
    .options = options,
    .n_options = SERVE_OPTIONS,
    .run = run,
};
