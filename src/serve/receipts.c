#include "serve/receipts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "serve/log.h"

enum {
    LOOK_MS = 100,         /* how often to look for new rows */
    RETRY_MOST_MS = 60000, /* the pause after a failure doubles each time,
                              from a second to this */
    BATCH = 256,
    LINE_BYTES = RECEIPT_TEXT_MAX + 48,
    TAIL_BYTES = 4096, /* read at the end of a file to find its last line */
};

struct receipts {
    struct receipts_target to;
    struct counts *counts;
    struct curator *curator;
    int file;
    uint64_t sent; /* the last row that was sent */
    _Atomic uint64_t lag;
    bool failing;
    int64_t wait_ms; /* until the next try */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool stops;
};

uint64_t
receipts_lag(const struct receipts *r)
{
    return atomic_load_explicit(&r->lag, memory_order_relaxed);
}

/* ----------------------------------------------------------------- sending -- */

static void
line_write(const struct ledger_seal *s, char text[LINE_BYTES])
{
    char receipt[RECEIPT_TEXT_MAX], when[32];
    time_t seconds = (time_t)(s->time / 1000000);
    struct tm t;

    receipt_write(&s->receipt, receipt);
    gmtime_r(&seconds, &t);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &t);
    snprintf(text, LINE_BYTES, "%s %s.%06dZ", receipt, when,
             (int)(s->time % 1000000));
}

static void
fail_once(struct receipts *r, const char *said)
{
    COUNT_ONE(r->counts, receipts_failed_total);
    if (!r->failing)
        log_say("receipts", said);
    r->failing = true;
    r->wait_ms = r->wait_ms < 1000 ? 1000 : 2 * r->wait_ms;
    if (r->wait_ms > RETRY_MOST_MS)
        r->wait_ms = RETRY_MOST_MS;
}

/* Sends one batch. True: there may be more. */
static bool
send_batch(struct receipts *r)
{
    struct ledger *l = curator_ledger(r->curator);
    struct ledger_seal seals[BATCH];
    struct receipts_line lines[BATCH];
    static _Thread_local char texts[BATCH][LINE_BYTES];
    size_t n = BATCH;
    struct receipt head;
    custos_err err = CUSTOS_ERR_INIT;

    if (ledger_seals(l, r->sent + 1, seals, &n, &err) ||
        ledger_head(l, &head, &err)) {
        fail_once(r, "the ledger cannot be read to export receipts");
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        line_write(&seals[i], texts[i]);
        lines[i].text = str_of(texts[i]);
    }
    if (n && !receipts_send(&r->to, r->file, lines, n)) {
        fail_once(r, "receipts cannot be exported; trying again later");
        n = 0;
    } else if (n) {
        r->sent = seals[n - 1].receipt.seq;
        atomic_fetch_add_explicit(&r->counts->receipts_exported_total, n,
                                  memory_order_relaxed);
        if (r->failing)
            log_say("receipts", "receipts are exported again");
        r->failing = false;
        r->wait_ms = LOOK_MS;
    } else {
        r->wait_ms = LOOK_MS;
    }
    atomic_store_explicit(&r->lag, head.seq > r->sent ? head.seq - r->sent : 0,
                          memory_order_relaxed);
    return n == BATCH;
}

static void *
receipts_run(void *arg)
{
    struct receipts *r = arg;
    bool stops = false;

    while (!stops) {
        struct timespec until;

        pthread_mutex_lock(&r->mutex);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += r->wait_ms / 1000;
        until.tv_nsec += r->wait_ms % 1000 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (!r->stops &&
               !pthread_cond_timedwait(&r->wake, &r->mutex, &until))
            ;
        stops = r->stops;
        pthread_mutex_unlock(&r->mutex);
        if (stops && r->failing)
            break; /* stopping does not wait for a target that fails */
        while (send_batch(r))
            ;
    }
    curator_close(r->curator);
    r->curator = NULL;
    return NULL;
}

/* ---------------------------------------------------------------- starting -- */

/* The receipt in the last complete line of a file. False: there is none. */
static bool
last_line(int fd, struct receipt *out)
{
    char text[TAIL_BYTES + 1];
    off_t end = lseek(fd, 0, SEEK_END);
    off_t at = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
    ssize_t n = end > 0 ? pread(fd, text, TAIL_BYTES, at) : 0;
    size_t len = n > 0 ? (size_t)n : 0, word;

    while (len > 0 && text[len - 1] != '\n')
        len--;
    if (len == 0)
        return false;
    text[--len] = '\0';
    while (len > 0 && text[len - 1] != '\n')
        len--;
    word = strcspn(text + len, " ");
    return receipt_read((str){text + len, word}, out);
}

/* Ends a line that a crash cut off, so that the next one is a line of its own. */
static bool
end_line(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char last = '\n';

    return end <= 0 || (pread(fd, &last, 1, end - 1) == 1 &&
                        (last == '\n' || write(fd, "\n", 1) == 1));
}

/* Finds where to begin. A file goes on after the row in its last complete line, or
   begins with row 1 if there is no receipt in that line. Other targets begin with
   the newest row of the ledger; so does a file whose last row the ledger does not
   have. */
static custos_status
find_begin(struct receipts *r, custos_err *err)
{
    struct ledger *l = curator_ledger(r->curator);
    struct receipt head, last = {0};
    struct ledger_seal is;
    size_t n = 1;
    custos_status st = ledger_head(l, &head, err);

    r->sent = head.seq ? head.seq - 1 : 0;
    if (st || r->to.kind != RECEIPTS_FILE)
        return st;
    if (!last_line(r->file, &last)) {
        r->sent = 0;
        return CUSTOS_OK;
    }
    st = ledger_seals(l, last.seq, &is, &n, err);
    if (st)
        return st;
    if (n == 1 && !memcmp(&is.receipt, &last, sizeof last)) {
        r->sent = last.seq;
        return CUSTOS_OK;
    }
    log_say("receipts", "the ledger does not have the last row that was "
                        "exported: it was put back from an older copy, or is "
                        "another one");
    return CUSTOS_OK;
}

static custos_status
file_open(struct receipts *r, custos_err *err)
{
    if (r->to.kind != RECEIPTS_FILE)
        return CUSTOS_OK;
    r->file = open(r->to.path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (r->file >= 0 && end_line(r->file))
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EIO,
                       "--export-receipts: %.80s cannot be written: %s",
                       r->to.path, strerror(errno));
}

static custos_status
thread_start(struct receipts *r, custos_err *err)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    bool fails;

    pthread_mutex_init(&r->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&r->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    fails = pthread_create(&r->thread, NULL, receipts_run, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fails ? custos_fail(err, CUSTOS_ENOMEM, "no thread could be started")
                 : CUSTOS_OK;
}

custos_status
receipts_start(struct curator *c, const struct receipts_target *to,
               struct counts *counts, struct receipts **out, custos_err *err)
{
    struct receipts *r = calloc(1, sizeof *r);
    custos_status st;

    if (!r)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    r->to = *to;
    r->counts = counts;
    r->file = -1;
    r->wait_ms = LOOK_MS;
    st = file_open(r, err);
    if (!st)
        st = curator_share(c, &r->curator, err);
    if (!st)
        st = find_begin(r, err);
    if (!st)
        st = thread_start(r, err);
    if (!st) {
        *out = r;
        return CUSTOS_OK;
    }
    curator_close(r->curator);
    if (r->file >= 0)
        close(r->file);
    free(r);
    return st;
}

void
receipts_stop(struct receipts *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->mutex);
    r->stops = true;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->mutex);
    pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->mutex);
    if (r->file >= 0)
        close(r->file);
    free(r);
}
