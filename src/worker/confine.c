#include "worker/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

/* A sanitizer's shadow memory counts as address space and exceeds any limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "name the architecture for seccomp here"
#endif

/* ----------------------------------------------------------------- life -- */

/* When memory is short, the kernel should kill a worker, not the server. */
static void
prefer_oom_kill(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "500", 3);
    close(fd);
}

bool
confine_life(int fd, pid_t server)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct rlimit none = {0, 0};

    /* Only the server ends a worker: signals from a terminal reach both, and the
       worker ignores them. */
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        signal(ignored[i], SIG_IGN);
    (void)setrlimit(RLIMIT_CORE, &none);
    prefer_oom_kill(); /* first: the next line gives oom_score_adj to root */
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)syscall(SYS_close_range, (unsigned)fd + 1, ~0U, 0);
    return !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == server;
}

/* --------------------------------------------------------------- memory -- */

/* Bytes of address space in use, according to the kernel. */
static uint64_t
address_space(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    char line[128];

    if (f && fgets(line, sizeof line, f))
        for (const char *at = line; *at >= '0' && *at <= '9'; at++)
            pages = 10 * pages + (unsigned long)(*at - '0');
    if (f)
        fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void
confine_memory(uint64_t bytes)
{
    struct rlimit limit;

    if (IS_SANITIZED)
        return;
    limit.rlim_cur = limit.rlim_max = address_space() + bytes;
    (void)setrlimit(RLIMIT_AS, &limit);
}

/* ---------------------------------------------------------------- files -- */

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/* The rights to execute a file and to change a file or folder, as far as this
   version of landlock knows them. */
static uint64_t
write_rights(long version)
{
    uint64_t rights =
        LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
        LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
        LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
        LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
        LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
        LANDLOCK_ACCESS_FS_EXECUTE;

    if (version >= 2)
        rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
    return rights;
}

static long
landlock_version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0,
                   LANDLOCK_CREATE_RULESET_VERSION);
}

static void
confine_files(const char *spill)
{
    long version = landlock_version();
    struct landlock_ruleset_attr all = {0};
    struct landlock_path_beneath_attr own = {0};
    int rules;

    if (version < 1)
        return;
    all.handled_access_fs = write_rights(version);
    rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return;
    own.allowed_access = all.handled_access_fs & ~LANDLOCK_ACCESS_FS_EXECUTE;
    own.parent_fd = open(spill, O_PATH | O_CLOEXEC);
    if (own.parent_fd >= 0) {
        (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
                      &own, 0);
        close(own.parent_fd);
    }
    (void)syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

/* ---------------------------------------------------------------- calls -- */

/* System calls that fail with EPERM. A worker may start threads but no processes:
   the filter checks the flags of clone. It cannot read the flags of clone3, which
   are in memory, so clone3 fails with ENOSYS and the C library uses clone. */
static const int forbidden[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_execve,
    SYS_execveat,
    SYS_kill,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
};

enum { RULES_MAX = 2 * COUNT_OF(forbidden) + 20, CLONE_THREAD_FLAG = 0x10000 };

static void
confine_calls(void)
{
    const unsigned errno_eperm = SECCOMP_RET_ERRNO | 1,
                   errno_enosys = SECCOMP_RET_ERRNO | 38;
    struct sock_filter f[RULES_MAX];
    struct sock_fprog program = {.filter = f};
    unsigned short n = 0;

#define RULE(...) f[n++] = (struct sock_filter)__VA_ARGS__
    RULE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                  offsetof(struct seccomp_data, arch)));
    RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    RULE(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    RULE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
#ifdef __x86_64__ /* reject the x32 ABI, whose calls have other numbers */
    RULE(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    RULE(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
#endif
    for (size_t i = 0; i < COUNT_OF(forbidden); i++) {
        RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forbidden[i], 0, 1));
        RULE(BPF_STMT(BPF_RET | BPF_K, errno_eperm));
    }
    RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
    RULE(BPF_STMT(BPF_RET | BPF_K, errno_enosys));
    RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    RULE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                  offsetof(struct seccomp_data, args[0])));
    RULE(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD_FLAG, 1, 0));
    RULE(BPF_STMT(BPF_RET | BPF_K, errno_eperm));
    RULE(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef RULE
    program.len = n;
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void
confine_system(const char *spill)
{
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    confine_files(spill);
    confine_calls();
}
