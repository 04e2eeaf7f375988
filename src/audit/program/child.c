/*
 * The outside command runs in a process group of its own. All groups are listed
 * in a table of atomics, because the handler of signals must kill them and can
 * reach nothing else; a group leaves the table before its number can be
 * another's.
 */
#include "audit/program/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "audit/clock.h"
#include "base/base.h"
#include "base/error.h"

enum {
    CHUNK = 1 << 16,
    WAIT_LEAST_NS = 20000,
    WAIT_MOST_NS = 5000000,
    GROUPS_MAX = 1024, /* more than threads have inputs */
};

/* The groups that run, for the handler of signals, which can reach nothing else.
   0: free. */
static atomic_int groups[GROUPS_MAX];

static void
replace_group(int old, int new)
{
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        int expected = old;

        if (atomic_compare_exchange_strong(&groups[i], &expected, new))
            return;
    }
}

/* A child that is being started is in no table yet: the handler waits for who
   starts one, and nobody starts another. */
static atomic_int starting;
static atomic_bool interrupted;

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

/* Calls only what a handler may call. */
static void
kill_groups(int signal)
{
    const struct timespec nap = {.tv_nsec = WAIT_LEAST_NS};

    atomic_store(&interrupted, true);
    while (atomic_load(&starting))
        nanosleep(&nap, NULL);
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        int group = atomic_load(&groups[i]);

        if (group)
            kill(-group, SIGKILL);
    }
    raise(signal); /* the action is the default again; acts on return */
}

void
children_end_on_signals(void)
{
    struct sigaction action = {.sa_handler = kill_groups,
                               .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT_OF(ending_signals); i++) {
        struct sigaction old;

        /* nohup and shells ignore some for us: that must stay. */
        if (!sigaction(ending_signals[i], NULL, &old) &&
            old.sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &action, NULL);
    }
}

int
child_file(void)
{
    return memfd_create("custos-audit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

void
child_init(struct child *c, size_t limit)
{
    *c = (struct child){.out = -1, .err = -1};
    buf_init(&c->text, NULL, limit + CHUNK + 1);
    buf_init(&c->errors, NULL, limit + CHUNK + 1);
}

/* A group of its own, no blocked signal, and default actions, whatever ours are:
   a program that writes to a closed pipe must die of it. */
static bool
set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    return !posix_spawnattr_setsigmask(attributes, &none) &&
           !posix_spawnattr_setsigdefault(attributes, &all) &&
           !posix_spawnattr_setpgroup(attributes, 0) &&
           !posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
                                                     POSIX_SPAWN_SETSIGDEF |
                                                     POSIX_SPAWN_SETPGROUP);
}

static bool
set_files(posix_spawn_file_actions_t *files, int input, int output, int errors)
{
    if (posix_spawn_file_actions_adddup2(files, input, 0) ||
        posix_spawn_file_actions_adddup2(files, output, 1))
        return false;
    return errors < 0 ? !posix_spawn_file_actions_addopen(files, 2, "/dev/null",
                                                          O_WRONLY, 0)
                      : !posix_spawn_file_actions_adddup2(files, errors, 2);
}

/* Returns 0 or an errno. */
static int
spawn_shell(const char *command, char *const *environment, int input,
            int output, int errors, pid_t *pid)
{
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = ENOMEM;

    if (posix_spawn_file_actions_init(&files))
        return error;
    if (!posix_spawnattr_init(&attributes)) {
        if (set_attributes(&attributes) &&
            set_files(&files, input, output, errors))
            error = posix_spawn(pid, "/bin/sh", &files, &attributes, argv,
                                environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Starts the shell and notes its group. No handler runs in this thread meanwhile,
   since it would wait for itself. Returns 0 or an errno. */
static int
start_group(const char *command, char *const *environment, int input,
            int output, int errors, pid_t *pid)
{
    sigset_t ending, old;
    int error = EINTR;

    sigemptyset(&ending);
    for (size_t i = 0; i < COUNT_OF(ending_signals); i++)
        sigaddset(&ending, ending_signals[i]);
    pthread_sigmask(SIG_BLOCK, &ending, &old);
    atomic_fetch_add(&starting, 1);
    if (!atomic_load(&interrupted))
        error = spawn_shell(command, environment, input, output, errors, pid);
    if (!error)
        replace_group(0, *pid);
    atomic_fetch_sub(&starting, 1);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

/* Is there no room for another chunk? */
static bool
is_full(const struct buf *text)
{
    return text->len + CHUNK + 1 >= text->limit;
}

static void
close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A pipe that the child writes to and we read from. */
struct stream {
    int ours, theirs;
};

/* Ours never blocks: a child that is killed may leave a grandchild's end open. */
static bool
open_stream(struct stream *s)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return false;
    *s = (struct stream){ends[0], ends[1]};
    return !fcntl(s->ours, F_SETFL, O_NONBLOCK);
}

custos_status
child_start(struct child *c, const char *command, char *const *environment,
            int input, enum child_errors errors, custos_err *err)
{
    struct stream out = {-1, -1}, complaints = {-1, -1};
    int error = 0;

    c->text.len = c->errors.len = c->taken = 0;
    c->text.failed = c->errors.failed = c->at_end = false;
    if (lseek(input, 0, SEEK_SET) < 0 || !open_stream(&out) ||
        (errors == CHILD_ERRORS_KEPT && !open_stream(&complaints)))
        error = errno;
    if (!error)
        error = start_group(command, environment, input, out.theirs,
                            complaints.theirs, &c->pid);
    close_end(&out.theirs);
    close_end(&complaints.theirs);
    c->out = out.ours;
    c->err = complaints.ours;
    if (!error)
        return CUSTOS_OK;
    close_end(&c->out);
    close_end(&c->err);
    c->pid = 0;
    return custos_fail(err, CUSTOS_EIO, "cannot start /bin/sh: %s",
                       strerror(error));
}

/* Reads what is there. False: the stream is at its end. */
static bool
read_stream(int fd, struct buf *text)
{
    char chunk[CHUNK];
    ssize_t n;

    do {
        n = read(fd, chunk, sizeof chunk);
    } while (n < 0 && errno == EINTR);
    if (n > 0)
        buf_add(text, chunk, (size_t)n);
    return n > 0 || (n < 0 && errno == EAGAIN);
}

/* Reads errors, so that a child that writes many does not wait for us. What is
   beyond the limit is read and dropped. */
static void
read_errors(struct child *c)
{
    if (is_full(&c->errors))
        c->errors.len = c->errors.limit - CHUNK - 1; /* full, and it stays so */
    if (c->err >= 0 && !read_stream(c->err, &c->errors))
        close_end(&c->err);
}

enum child_news
child_read(struct child *c, double deadline)
{
    struct pollfd wait[] = {{.fd = c->out, .events = POLLIN},
                            {.fd = c->err, .events = POLLIN}};
    double left = deadline - clock_seconds();

    if (c->at_end)
        return CHILD_CLOSED;
    if (is_full(&c->text) || is_full(&c->errors))
        return CHILD_FULL;
    if (poll(wait, COUNT_OF(wait), left > 0 ? (int)(left * 1000) + 1 : 0) <= 0)
        return clock_seconds() < deadline ? CHILD_MORE : CHILD_SLOW;
    if (wait[1].revents)
        read_errors(c);
    if (wait[0].revents && !read_stream(c->out, &c->text)) {
        c->at_end = true;
        return CHILD_CLOSED;
    }
    return c->text.failed ? CHILD_FULL : CHILD_MORE;
}

/* Makes room for more: moves what is not taken yet to the front. */
static void
drop_taken(struct child *c)
{
    c->text.len -= c->taken;
    memmove(c->text.ptr, c->text.ptr + c->taken, c->text.len);
    c->taken = 0;
}

bool
child_line(struct child *c, double deadline, str *line, enum child_news *why)
{
    size_t seen = c->taken;

    for (;;) {
        char *end = c->text.len > seen
                        ? memchr(c->text.ptr + seen, '\n', c->text.len - seen)
                        : NULL;

        if (!end && c->at_end && c->text.len > c->taken)
            end = c->text.ptr + c->text.len; /* where buf has its NUL */
        if (end) {
            *end = '\0';
            line->ptr = c->text.ptr + c->taken;
            line->len = (size_t)(end - line->ptr);
            c->taken = (size_t)(end - c->text.ptr);
            if (c->taken < c->text.len)
                c->taken++;
            return true;
        }
        if (c->taken)
            drop_taken(c);
        seen = c->text.len;
        *why = child_read(c, deadline);
        if (*why != CHILD_MORE && !(*why == CHILD_CLOSED && c->text.len))
            return false;
    }
}

/* Waits for its end without a signal handler: programs end right after they
   close their output, so the first waits are short. */
static bool
has_ended(struct child *c, double deadline)
{
    struct timespec nap = {.tv_nsec = WAIT_LEAST_NS};

    for (;;) {
        siginfo_t info = {.si_pid = 0};

        /* WNOWAIT: its id stays taken until its group is killed. */
        if (!waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
            info.si_pid == c->pid)
            return true;
        read_errors(c);
        if (clock_seconds() >= deadline)
            return false;
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < WAIT_MOST_NS)
            nap.tv_nsec *= 2;
    }
}

unsigned
child_end(struct child *c, double deadline)
{
    int status = 0;
    bool ended;

    if (!c->pid)
        return 0;
    close_end(&c->out);
    ended = has_ended(c, deadline);
    kill(-c->pid, SIGKILL);   /* also what it left behind */
    replace_group(c->pid, 0); /* before its number can be another's */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    c->pid = 0;
    read_errors(c); /* a pipe holds no more than one chunk */
    close_end(&c->err);
    if (!ended)
        return CODE_HANG;
    if (WIFSIGNALED(status))
        return CODE_SIGNAL + (unsigned)WTERMSIG(status);
    return (unsigned)WEXITSTATUS(status);
}

void
child_clear(struct child *c)
{
    (void)child_end(c, 0);
    buf_clear(&c->text);
    buf_clear(&c->errors);
}
