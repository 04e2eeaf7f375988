/*
 * Handlers of the signals by which a fault of our own ends a process. They
 * write the rows that are at work and sync them, by calls that a handler may
 * make, and leave the rest to whoever had the signal before.
 *
 * What is told apart: a signal that an instruction of this process caused, or
 * that it sent itself (abort, as GMP does without memory), is its own fault; one
 * that another process sent is not, and leaves no mark. SIGKILL leaves none
 * either, whoever sent it: the kernel, for want of memory, cannot be told from
 * an operator. Nor does a loss of power. Which question a thread of the engine
 * worked for is not known: a crash there is one of all questions at work.
 *
 * The table of what is at work is the process's, since its signals are.
 */
#include "curator/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* The row is there before the file is: a handler sees no old one. */
enum { WORK_FREE = 0, WORK_CLAIMED = -1 };
static struct {
    _Atomic int file; /* and one; or WORK_ */
    _Atomic uint64_t seq;
} works[WORKS_MOST];

static struct sigaction before[COUNT_OF(FAULTS)];
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int mine; /* this thread's work, and one; 0: none */
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
        raise(signal); /* an instruction would do it again by itself */
}

/* ------------------------------------------------------------- watching -- */

/* Also where somebody else has taken the signals since. */
static void
watch(void)
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

/* A stack that is used up is a fault too, and has no room for a handler. */
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
    watch();
    return file;
}

int
crash_begin(int file, uint64_t seq)
{
    for (int i = 0; i < WORKS_MOST; i++) {
        int none = WORK_FREE;

        if (atomic_load(&works[i].file) ||
            !atomic_compare_exchange_strong(&works[i].file, &none,
                                            WORK_CLAIMED))
            continue;
        atomic_store(&works[i].seq, seq);
        atomic_store(&works[i].file, file + 1);
        mine = i + 1;
        lend_stack();
        return i;
    }
    return -1;
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

bool
crash_is_marked(int file)
{
    struct stat is;

    return fstat(file, &is) || is.st_size > 0;
}

static custos_status
fail_marks(custos_err *err)
{
    return custos_fail(err, CUSTOS_EIO,
                       "the store's file of crashes cannot be read");
}

/* The next digit of a row's number; what is no row's number stays 0. */
static void
add_digit(uint64_t *seq, bool *good, char c)
{
    *good = *good && c >= '0' && c <= '9' && ck_mul_u64(*seq, 10, seq) &&
            ck_add_u64(*seq, (uint64_t)(c - '0'), seq);
    if (!*good)
        *seq = 0;
}

custos_status
crash_read(int file, arena *a, uint64_t **seqs, size_t *n, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    uint64_t *out = NULL, seq = 0;
    bool good = true;
    char *text = NULL;
    struct stat is;
    ssize_t got;

    if (flock(file, LOCK_EX))
        return fail_marks(err);
    *n = 0;
    if (fstat(file, &is) || is.st_size > MARKS_MOST)
        st = fail_marks(err);
    if (!st) {
        text = arena_take(a, (size_t)is.st_size + 1, 1);
        out = arena_take(a, (size_t)is.st_size + 1, sizeof *out);
        if (!text || !out)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    got = st ? 0 : pread(file, text, (size_t)is.st_size, 0);
    if (!st && got < 0)
        st = fail_marks(err);
    /* What is no number was not written by us and names no row: 0. */
    for (ssize_t i = 0; i < got; i++) {
        if (text[i] == '\n') {
            out[(*n)++] = seq;
            seq = 0;
            good = true;
        } else {
            add_digit(&seq, &good, text[i]);
        }
    }
    if (st)
        flock(file, LOCK_UN);
    else
        *seqs = out;
    return st;
}

void
crash_forget(int file, enum crash_marks marks)
{
    if (marks == CRASH_EMPTY && !ftruncate(file, 0))
        fsync(file);
    flock(file, LOCK_UN);
}
