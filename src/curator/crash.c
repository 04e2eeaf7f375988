/*
 * Handlers for the signals of a crash (SIGSEGV and others). They write the row
 * numbers of the affected questions to the crash file and sync it, using only
 * async-signal-safe calls, and leave the rest to the previous handler.
 *
 * A signal leaves a mark if an instruction of this process caused it, or if the
 * process sent it to itself (abort, as GMP does without memory). A signal from
 * another process leaves no mark. SIGKILL leaves none either: the kernel's
 * out-of-memory killer cannot be told from a kill by the operator. Nor does a
 * loss of power. A thread of the engine may work for any running question, so a
 * crash in it, or in any other thread without a question of its own, counts
 * against all running questions.
 *
 * The table of running questions is global to the process, as signals are.
 */
#include "curator/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/ck.h"
#include "base/error.h"
#include "store/file.h"

enum { WORKS_MOST = 1024, STACK_BYTES = 1 << 16, MARKS_MOST = 1 << 20 };

static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* seq is set before file, so a handler that sees the file sees the right
   row. */
enum { WORK_FREE = 0, WORK_CLAIMED = -1 };
static struct {
    _Atomic int file; /* descriptor + 1, or WORK_FREE, WORK_CLAIMED */
    _Atomic uint64_t seq;
} works[WORKS_MOST];

static struct sigaction before[COUNT_OF(FAULTS)];
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int mine; /* index of this thread's work + 1; 0: none */
static _Thread_local char stack[STACK_BYTES];

/* --------------------------------------------------------- in a handler -- */

static void
leave_mark(int file, uint64_t seq)
{
    char line[24];
    size_t at = sizeof line;

    line[--at] = '\n';
    do {
        line[--at] = (char)('0' + seq % 10);
        seq /= 10;
    } while (seq);
    if (write(file, line + at, sizeof line - at) > 0)
        fsync(file);
}

static void
on_fault(int signal, siginfo_t *info, void *context)
{
    bool sent = info->si_code <= 0, own = !sent || info->si_pid == getpid();

    (void)context;
    for (int i = 0; own && i < WORKS_MOST; i++) {
        int file = atomic_load(&works[i].file);

        if (file > 0 && (!mine || mine == i + 1))
            leave_mark(file - 1, atomic_load(&works[i].seq));
    }
    for (size_t i = 0; i < COUNT_OF(FAULTS); i++)
        if (FAULTS[i] == signal)
            sigaction(signal, &before[i], NULL);
    if (sent)
        raise(signal); /* else the faulting instruction faults again */
}

/* ------------------------------------------------------------- watching -- */

/* Installs the handlers, again if other code has replaced them since. */
static void
install_handlers(void)
{
    struct sigaction now,
        to = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigemptyset(&to.sa_mask);
    pthread_mutex_lock(&watching);
    for (size_t i = 0; i < COUNT_OF(FAULTS); i++) {
        if (sigaction(FAULTS[i], NULL, &now) ||
            (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault))
            continue;
        before[i] = now;
        sigaction(FAULTS[i], &to, NULL);
    }
    pthread_mutex_unlock(&watching);
}

/* A handler needs a stack of its own, since a stack overflow is a fault too. */
static void
lend_stack(void)
{
    stack_t now, to = {.ss_sp = stack, .ss_size = sizeof stack};

    if (!sigaltstack(NULL, &now) && now.ss_flags & SS_DISABLE)
        sigaltstack(&to, NULL);
}

int
crash_open(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);

    if (file < 0)
        return errno == EROFS ? CRASH_READ_ONLY : CRASH_NO_FILE;
    install_handlers();
    return file;
}

int
crash_claim(void)
{
    for (int i = 0; i < WORKS_MOST; i++) {
        int none = WORK_FREE;

        if (!atomic_load(&works[i].file) &&
            atomic_compare_exchange_strong(&works[i].file, &none, WORK_CLAIMED))
            return i;
    }
    return -1;
}

void
crash_begin(int work, int file, uint64_t seq)
{
    CUSTOS_REQUIRE(work >= 0 && work < WORKS_MOST && file >= 0);
    atomic_store(&works[work].seq, seq);
    atomic_store(&works[work].file, file + 1);
    mine = work + 1;
    lend_stack();
}

void
crash_end(int work)
{
    if (work < 0)
        return;
    mine = 0;
    atomic_store(&works[work].file, WORK_FREE);
}

/* ---------------------------------------------------------------- marks -- */

static custos_status
fail_marks(custos_err *err)
{
    return custos_fail(err, CUSTOS_EIO, "cannot read the store's crash file");
}

uint64_t
crash_size(int file)
{
    struct stat is;

    return fstat(file, &is) || is.st_size < 0 ? UINT64_MAX
                                              : (uint64_t)is.st_size;
}

/* Reads the first `size` bytes of the file. */
static bool
read_whole(int file, char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(file, text + at, size - at, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

/* Reads a row number; false if the line is not one. */
static bool
read_seq(const char *line, size_t len, uint64_t *seq)
{
    bool good = len > 0;

    *seq = 0;
    for (size_t i = 0; i < len && good; i++)
        good = line[i] >= '0' && line[i] <= '9' && ck_mul_u64(*seq, 10, seq) &&
               ck_add_u64(*seq, (uint64_t)(line[i] - '0'), seq);
    return good;
}

/* The last line has no newline if its write was cut off or is still in
   progress; it counts as unreadable. */
static void
cut_lines(const char *text, size_t size, struct crash_marks *out)
{
    for (size_t at = 0, next; at < size; at = next) {
        const char *end = memchr(text + at, '\n', size - at);
        struct crash_mark *mark = &out->list[out->n];

        next = end ? (size_t)(end - text) + 1 : size;
        *mark = (struct crash_mark){.at = at, .len = next - at - (end != NULL)};
        mark->readable = read_seq(text + at, mark->len, &mark->seq) && end;
        out->n += mark->len > 0;
    }
}

custos_status
crash_read(int file, arena *a, struct crash_marks *out, custos_err *err)
{
    uint64_t size;
    char *text = NULL;
    custos_status st = CUSTOS_OK;

    *out = (struct crash_marks){.n = 0};
    if (flock(file, LOCK_EX))
        return fail_marks(err);
    size = crash_size(file);
    if (size > MARKS_MOST)
        st = fail_marks(err);
    if (!st) {
        text = arena_take(a, (size_t)size + 1, 1);
        out->list = arena_take(a, (size_t)size / 2 + 1, sizeof *out->list);
        if (!text || !out->list)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    if (!st && !read_whole(file, text, (size_t)size))
        st = fail_marks(err);
    if (st) {
        flock(file, LOCK_UN);
        return st;
    }
    cut_lines(text, (size_t)size, out);
    out->size = size;
    return CUSTOS_OK;
}

/* Uses a second descriptor: the first has O_APPEND, so pwrite on it would
   append whatever the offset. */
static bool
erase_marks(int file, const struct crash_marks *marks)
{
    char self[32], ends[32];
    bool good = true;
    int edit;

    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    memset(ends, '\n', sizeof ends);
    edit = open(self, O_WRONLY | O_CLOEXEC);
    if (edit < 0)
        return false;
    for (size_t i = 0; i < marks->n && good; i++) {
        const struct crash_mark *m = &marks->list[i];

        for (size_t at = 0; m->taken_up && at < m->len && good;) {
            size_t left = m->len - at;
            ssize_t put =
                pwrite(edit, ends, left < sizeof ends ? left : sizeof ends,
                       (off_t)(m->at + at));

            good = put > 0;
            at += good ? (size_t)put : 0;
        }
    }
    good = good && !fsync(edit);
    close(edit);
    return good;
}

custos_status
crash_forget(int file, const struct crash_marks *marks, custos_err *err)
{
    bool done = erase_marks(file, marks);

    flock(file, LOCK_UN);
    return done ? CUSTOS_OK : fail_marks(err);
}
