#include "worker/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "worker/main.h"

extern char **environ;

/* Starts a child with `theirs` as its socket and no signal blocked. */
static bool
spawn_worker(const char *command, int theirs, pid_t *pid)
{
    char *const argv[] = {"custos", "worker", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    bool good;

    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files))
        return false;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    good = !posix_spawnattr_setsigmask(&attributes, &none) &&
           !posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) &&
           !posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY,
                                             0) &&
           !posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY,
                                             0) &&
           !posix_spawn_file_actions_adddup2(&files, theirs, WORKER_FD) &&
           !posix_spawn(pid, command, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return good;
}

/* A pair of sockets. `theirs` is above WORKER_FD, since dup2 of a descriptor onto
   itself would leave it close-on-exec. */
static bool
sockets_open(int *ours, int *theirs)
{
    int pair[2], high;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return false;
    high = fcntl(pair[1], F_DUPFD_CLOEXEC, WORKER_FD + 1);
    close(pair[1]);
    if (high < 0) {
        close(pair[0]);
        return false;
    }
    *ours = pair[0];
    *theirs = high;
    return true;
}

/* Sends HELLO and waits for the answer. */
static custos_status
send_hello(const struct process_options *o, struct process *p, int64_t until_us,
           custos_err *err)
{
    struct message_hello h = {
        .store = str_of(o->store->path),
        .of = p->of,
        .spill = str_of(p->spill),
        .memory_bytes = o->memory_bytes,
        .parent = (uint64_t)getpid(),
    };
    arena *a = arena_new(NULL, 1 << 16);
    enum message_kind kind = MESSAGE_FAILED;
    custos_status st = CUSTOS_EIO;
    struct buf b;
    str bytes;

    message_begin(&b, MESSAGE_MAX_ASKED);
    message_hello_pack(&h, &b);
    if (!a || channel_send(&p->to, MESSAGE_HELLO, &b, until_us) ||
        channel_receive(&p->to, until_us, 1 << 12, a, &kind, &bytes))
        st = custos_fail(err, CUSTOS_EIO, "a worker process did not start");
    else if (kind == MESSAGE_READY)
        st = CUSTOS_OK;
    else if (!message_failed_unpack(bytes, &st, err))
        st = custos_fail(err, CUSTOS_EIO,
                         "malformed message from a worker process");
    buf_clear(&b);
    arena_free(a);
    return st;
}

custos_status
process_start(const struct process_options *o, const struct work_snapshot *of,
              int64_t until_us, struct process *out, custos_err *err)
{
    struct process p = {
        .pid = -1, .of = *of, .held = -1, .to = {-1, o->now_us}};
    custos_status st = CUSTOS_OK;
    int theirs = -1;

    if (!store_is_read_only(o->store))
        st = store_spill_new(o->store, p.spill, &p.held, err);
    if (!st && !sockets_open(&p.to.fd, &theirs))
        st = custos_fail(err, CUSTOS_EIO,
                         "cannot create a socket for a worker process");
    if (!st && !spawn_worker(o->command, theirs, &p.pid)) {
        p.pid = -1;
        st = custos_fail(err, CUSTOS_EIO, "cannot start a worker process");
    }
    if (theirs >= 0)
        close(theirs);
    if (!st && o->nice)
        (void)setpriority(PRIO_PROCESS, (id_t)p.pid,
                          getpriority(PRIO_PROCESS, 0) + o->nice);
    if (!st)
        st = send_hello(o, &p, until_us, err);
    if (st)
        (void)process_end(&p);
    else
        *out = p;
    return st;
}

enum process_death
process_end(struct process *p)
{
    int status = 0;

    /* Killed before its socket is closed: on a hang-up it would exit by itself,
       which counts as a fault. */
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    p->pid = -1;
    if (p->to.fd >= 0)
        close(p->to.fd);
    p->to.fd = -1;
    store_spill_free(p->spill, p->held);
    p->held = -1;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? DEATH_KILLED
                                                              : DEATH_FAULT;
}
