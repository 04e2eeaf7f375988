/*
 * A ring of bytes that holds whole lines. The thread takes a few lines out and
 * writes them without the mutex, so no other thread waits for the reader of the
 * log.
 */
#include "serve/log_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "serve/clock.h"
#include "serve/log.h"

enum {
    CHUNK_BYTES = 4096, /* a pipe that is ready takes this much at once */
    LOOK_MS = 100,
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t work, over;
    pthread_t thread;
    int fd;
    _Atomic uint64_t *dropped;
    bool runs, stops, ended;
    uint64_t missing;     /* lines dropped and not yet reported */
    uint64_t first, last; /* bytes taken out and put in since the start */
    char bytes[LOG_QUEUE_BYTES];
} log_writer = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .over = PTHREAD_COND_INITIALIZER,
};

/* With the mutex. */
static bool
ring_put(const char *line, size_t len)
{
    if (LOG_QUEUE_BYTES - (log_writer.last - log_writer.first) < len)
        return false;
    for (size_t i = 0; i < len; i++)
        log_writer.bytes[log_writer.last++ % LOG_QUEUE_BYTES] = line[i];
    return true;
}

/* With the mutex: takes out whole lines, as many as fit into a chunk. */
static size_t
ring_take(char chunk[CHUNK_BYTES])
{
    size_t taken = 0, n = 0;

    for (uint64_t at = log_writer.first;
         at < log_writer.last && taken < CHUNK_BYTES; at++) {
        chunk[taken++] = log_writer.bytes[at % LOG_QUEUE_BYTES];
        if (chunk[taken - 1] == '\n')
            n = taken;
    }
    log_writer.first += n;
    return n;
}

/* With the mutex: adds a line that says how many are missing, if there is
   room. */
static void
missing_say(void)
{
    struct log_line l;

    if (!log_writer.missing)
        return;
    log_begin(&l, "log");
    log_int(&l, "dropped", (int64_t)log_writer.missing);
    l.text[l.len++] = '\n';
    if (ring_put(l.text, l.len))
        log_writer.missing = 0;
}

/* Writes a part of the text and returns its length; 0: try again, < 0: it cannot
   be written. */
static ssize_t
write_part(int fd, const char *text, size_t len)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    ssize_t n;

    if (poll(&p, 1, LOOK_MS) <= 0 || !(p.revents & POLLOUT))
        return p.revents & (POLLERR | POLLNVAL) ? -1 : 0;
    n = send(fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK)
        n = write(fd, text, len);
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

/* Writes until all is written, or until LOG_STOP_MS after the writer was
   stopped. */
static void
chunk_write(const char *text, size_t len)
{
    int64_t end = 0;

    while (len > 0) {
        ssize_t n = write_part(log_writer.fd, text, len);
        bool stops;

        if (n < 0)
            return; /* a log that cannot be written must not stop the server */
        text += n;
        len -= (size_t)n;
        pthread_mutex_lock(&log_writer.mutex);
        stops = log_writer.stops;
        pthread_mutex_unlock(&log_writer.mutex);
        if (stops && !end)
            end = steady_us() + LOG_STOP_MS * INT64_C(1000);
        if (end && steady_us() > end)
            return;
    }
}

static void *
log_writer_run(void *unused)
{
    char chunk[CHUNK_BYTES];
    int64_t end = 0;
    size_t n;

    (void)unused;
    pthread_mutex_lock(&log_writer.mutex);
    for (;;) {
        missing_say();
        n = ring_take(chunk);
        if (log_writer.stops && !end)
            end = steady_us() + LOG_STOP_MS * INT64_C(1000);
        if (log_writer.stops && (n == 0 || steady_us() > end))
            break;
        if (n == 0) {
            pthread_cond_wait(&log_writer.work, &log_writer.mutex);
            continue;
        }
        pthread_mutex_unlock(&log_writer.mutex);
        chunk_write(chunk, n);
        pthread_mutex_lock(&log_writer.mutex);
    }
    log_writer.ended = true;
    pthread_cond_signal(&log_writer.over);
    pthread_mutex_unlock(&log_writer.mutex);
    return NULL;
}

custos_status
log_writer_start(int fd, _Atomic uint64_t *dropped, custos_err *err)
{
    sigset_t all, before;
    bool fails;

    /* The new thread takes no signals. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&log_writer.mutex);
    log_writer.fd = fd;
    log_writer.dropped = dropped;
    log_writer.stops = log_writer.ended = false;
    log_writer.first = log_writer.last = log_writer.missing = 0;
    fails = pthread_create(&log_writer.thread, NULL, log_writer_run, NULL);
    log_writer.runs = !fails;
    pthread_mutex_unlock(&log_writer.mutex);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fails ? custos_fail(err, CUSTOS_ENOMEM, "no thread could be started")
                 : CUSTOS_OK;
}

void
log_writer_stop(void)
{
    struct timespec by;
    bool ended;

    pthread_mutex_lock(&log_writer.mutex);
    if (!log_writer.runs) {
        pthread_mutex_unlock(&log_writer.mutex);
        return;
    }
    log_writer.runs = false;
    log_writer.stops = true;
    pthread_cond_signal(&log_writer.work);
    clock_gettime(CLOCK_REALTIME, &by);
    by.tv_sec += 2 + LOG_STOP_MS / 1000;
    while (!log_writer.ended &&
           !pthread_cond_timedwait(&log_writer.over, &log_writer.mutex, &by))
        ;
    ended = log_writer.ended;
    pthread_mutex_unlock(&log_writer.mutex);
    /* The thread can still block, if another process writes to the same pipe;
       then it is left behind. */
    if (ended)
        pthread_join(log_writer.thread, NULL);
    else
        pthread_detach(log_writer.thread);
}

bool
log_writer_put(int fd, const char *line, size_t len)
{
    bool runs;

    pthread_mutex_lock(&log_writer.mutex);
    runs = log_writer.runs && log_writer.fd == fd;
    if (runs) {
        if (ring_put(line, len)) {
            pthread_cond_signal(&log_writer.work);
        } else {
            log_writer.missing++;
            atomic_fetch_add_explicit(log_writer.dropped, 1,
                                      memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&log_writer.mutex);
    return runs;
}
