/*
 * Runs `custos init`, `analyst add` and `serve` in a temporary folder, and
 * reads the port from the server's log. A neighbour is restored from a backup
 * of the first store before its own rows are imported, so that both have one
 * secret.
 */
#include "audit/stranger/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum {
    POLICY_MAX = 1 << 20,
    PATH_ROOM = FOLDER_PATH_MAX + 64,
    LISTEN_MS = 60000,
    LISTEN_STEP_MS = 5,
    LOG_ROOM = 4096,
    WORDS_MAX = 24,
};

static void
path_in(const struct stranger_server *s, const char *name, char out[PATH_ROOM])
{
    snprintf(out, PATH_ROOM, "%s/%s", s->folder.path, name);
}

static custos_status
write_files(const struct stranger_server *s, const struct schema *schema,
            const str *csv, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct buf policy;
    char name[32];

    buf_init(&policy, NULL, POLICY_MAX);
    schema_write_policy(schema, s->analysts, &policy);
    if (policy.failed)
        st = custos_fail(err, CUSTOS_ENOMEM,
                         "the policy of the audit is longer than a MiB");
    else
        st = folder_write(&s->folder, "policy.yaml",
                          (str){buf_text(&policy), policy.len}, err);
    buf_clear(&policy);
    for (size_t i = 0; !st && i < schema->n_tables; i++) {
        snprintf(name, sizeof name, "%zu.csv", i);
        st = folder_write(&s->folder, name, csv[i], err);
    }
    return st;
}

static custos_status
make_password(char out[STRANGER_PASSWORD_MAX], custos_err *err)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return custos_fail(err, CUSTOS_EENTROPY,
                           "the system gives no random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return CUSTOS_OK;
}

/* Values out of their domains are the point of the data, so any loss is
   accepted. */
static custos_status
init_store(const struct stranger_server *s, custos_err *err)
{
    char policy[PATH_ROOM], store[PATH_ROOM], log[PATH_ROOM];
    const char *words[] = {"custos", "init",          policy, "--store",
                           store,    "--accept-loss", NULL};

    path_in(s, "policy.yaml", policy);
    path_in(s, "store", store);
    path_in(s, "init.log", log);
    return stranger_run(s->program, words, str_of(""), log, err);
}

static custos_status
add_analysts(const struct stranger_server *s, custos_err *err)
{
    char store[PATH_ROOM], log[PATH_ROOM], name[32], line[64];
    const char *words[] = {"custos",  "analyst", "add",        name,
                           "--store", store,     "--password", NULL};
    custos_status st = CUSTOS_OK;

    path_in(s, "store", store);
    path_in(s, "analyst.log", log);
    snprintf(line, sizeof line, "%s\n", s->password);
    for (size_t i = 0; !st && i < s->analysts; i++) {
        snprintf(name, sizeof name, "analyst%zu", i);
        st = stranger_run(s->program, words, str_of(line), log, err);
    }
    return st;
}

/* ------------------------------------------------------------------ serving -- */

/* Reads the port from the log: `event=listen pg="127.0.0.1:PORT"`. */
static bool
port_read(const char *log, unsigned *port)
{
    static const char before[] = "event=listen pg=\"127.0.0.1:";
    const char *at = strstr(log, before);
    char *end;

    if (!at)
        return false;
    *port = (unsigned)strtoul(at + sizeof before - 1, &end, 10);
    return *end == '"';
}

/* The log is deleted before every start, so it has at most one such line. */
static custos_status
wait_until_ready(struct stranger_server *s, const char *log, custos_err *err)
{
    const struct timespec step = {.tv_nsec = LISTEN_STEP_MS * 1000000L};
    char said[LOG_ROOM];

    for (long ms = 0; ms < LISTEN_MS; ms += LISTEN_STEP_MS) {
        bool ended = stranger_has_ended(s->pid);

        log_read(log, said, sizeof said);
        if (ended) {
            s->pid = 0; /* its number may be another's by now */
            break;
        }
        if (port_read(said, &s->port))
            return CUSTOS_OK;
        nanosleep(&step, NULL);
    }
    said[strcspn(said, "\n")] = '\0';
    stranger_end(s->pid);
    s->pid = 0;
    return custos_fail(err, CUSTOS_EINVAL,
                       "custos serve does not answer on loopback: %.120s",
                       *said ? said : "it wrote no log");
}

static custos_status
serve(struct stranger_server *s, custos_err *err)
{
    char store[PATH_ROOM], log[PATH_ROOM], workers[16], allowance[16];
    char most[16];
    const char *words[WORDS_MAX] = {
        "custos",         "serve",       "--store",         store,
        "--pg",           "127.0.0.1:0", "--http",          "none",
        "--stop-seconds", "5",           "--worker-memory", "1024"};
    size_t n = 12;
    custos_status st;

    path_in(s, "store", store);
    path_in(s, "log", log);
    unlink(log);
    if (s->options.clock == CLOCK_NONE)
        words[n++] = "--no-response-steps";
    if (s->options.workers) {
        snprintf(workers, sizeof workers, "%u", s->options.workers);
        words[n++] = "--workers";
        words[n++] = workers;
    }
    if (s->options.allowance_ms) {
        snprintf(allowance, sizeof allowance, "%u", s->options.allowance_ms);
        words[n++] = "--reply-allowance";
        words[n++] = allowance;
    }
    if (s->options.max_seconds) {
        snprintf(most, sizeof most, "%u", s->options.max_seconds);
        words[n++] = "--max-seconds";
        words[n++] = most;
    }
    st = stranger_spawn(s->program, words, log, &s->pid, err);
    return st ? st : wait_until_ready(s, log, err);
}

custos_status
stranger_start(const struct schema *schema, const str *csv,
               const struct stranger_options *options,
               struct stranger_server *out, custos_err *err)
{
    struct stranger_server s = {
        .options = *options,
        .analysts = options->analysts ? options->analysts : 1,
        .program = options->program,
    };
    custos_status st = folder_make("custos-audit", &s.folder, err);

    if (st)
        return st;
    st = make_password(s.password, err);
    if (!st)
        st = write_files(&s, schema, csv, err);
    if (!st)
        st = init_store(&s, err);
    if (!st)
        st = add_analysts(&s, err);
    if (!st)
        st = serve(&s, err);
    if (st)
        folder_remove(&s.folder);
    else
        *out = s;
    return st;
}

/* A copy of another server's store: data, ledger, credentials and secret. */
static custos_status
copy_store(const struct stranger_server *from, const struct stranger_server *to,
           custos_err *err)
{
    char source[PATH_ROOM], backup[PATH_ROOM], store[PATH_ROOM], log[PATH_ROOM];
    const char *save[] = {"custos", "backup", "--store", source, backup, NULL};
    const char *make[] = {"custos", "restore", "--store", store, backup, NULL};
    custos_status st;

    path_in(from, "store", source);
    path_in(to, "backup", backup);
    path_in(to, "store", store);
    path_in(to, "copy.log", log);
    st = stranger_run(to->program, save, str_of(""), log, err);
    return st ? st : stranger_run(to->program, make, str_of(""), log, err);
}

custos_status
stranger_start_beside(const struct stranger_server *other,
                      const struct schema *schema, const str *csv,
                      struct stranger_server *out, custos_err *err)
{
    struct stranger_server s = *other;
    custos_status st;

    s.pid = 0;
    st = folder_make("custos-audit", &s.folder, err);
    if (st)
        return st;
    st = write_files(&s, schema, csv, err);
    if (!st)
        st = copy_store(other, &s, err);
    if (!st)
        st = init_store(&s, err);
    if (!st)
        st = serve(&s, err);
    if (st)
        folder_remove(&s.folder);
    else
        *out = s;
    return st;
}

custos_status
stranger_restart(struct stranger_server *s, enum stranger_clock clock,
                 custos_err *err)
{
    stranger_end(s->pid);
    s->pid = 0;
    s->options.clock = clock;
    return serve(s, err);
}

bool
stranger_ended(struct stranger_server *s)
{
    if (s->pid > 0 && stranger_has_ended(s->pid))
        s->pid = 0;
    return s->pid == 0;
}

void
stranger_stop(struct stranger_server *s)
{
    stranger_end(s->pid);
    s->pid = 0;
    folder_remove(&s->folder);
}
