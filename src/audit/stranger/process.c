/*
 * Processes are started by fork and exec, because each must be told to end with
 * the thread that started it, which posix_spawn cannot do. Between fork and
 * exec only calls are made that are safe in a process with threads.
 */
#include "audit/stranger/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { STOP_MS = 10000, STEP_MS = 10, INPUT_MAX = 4096, CANNOT_RUN = 127 };

static void
sleep_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&t, &t) && errno == EINTR)
        continue;
}

/* ------------------------------------------------------------------ folders -- */

/* Waits for the end of its input. Servers that got SIGTERM at that moment may
   still write for a while, hence the repetitions. */
static const char keeper_script[] =
    "trap '' INT TERM HUP; cat >/dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do "
    "rm -rf -- \"$1\"; [ -e \"$1\" ] || exit 0; sleep 1; done";

/* The keeper leaves the process group, so that Ctrl-C does not end it. */
static void
run_keeper(const char *path, int watch)
{
    int nothing = open("/dev/null", O_WRONLY);

    if (setsid() < 0 || nothing < 0 || dup2(watch, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0)
        _exit(CANNOT_RUN);
    execl("/bin/sh", "sh", "-c", keeper_script, "sh", path, (char *)NULL);
    _exit(CANNOT_RUN);
}

custos_status
folder_make(const char *name, struct folder *out, custos_err *err)
{
    const char *temporary = getenv("TMPDIR");
    struct folder f = {.hold = -1};
    int ends[2];

    snprintf(f.path, sizeof f.path, "%.400s/%.40s.XXXXXX",
             temporary && *temporary ? temporary : "/tmp", name);
    if (!mkdtemp(f.path))
        return custos_fail(err, CUSTOS_EIO,
                           "cannot create a folder like %s: %s" HINT
                           "set TMPDIR to a folder that you can write to",
                           f.path, strerror(errno));
    if (pipe2(ends, O_CLOEXEC)) {
        rmdir(f.path);
        return custos_fail(err, CUSTOS_EIO, "cannot open a pipe: %s",
                           strerror(errno));
    }
    f.keeper = fork();
    if (f.keeper == 0)
        run_keeper(f.path, ends[0]);
    close(ends[0]);
    if (f.keeper < 0) {
        close(ends[1]);
        rmdir(f.path);
        return custos_fail(err, CUSTOS_EIO, "cannot start a process: %s",
                           strerror(errno));
    }
    f.hold = ends[1];
    *out = f;
    return CUSTOS_OK;
}

void
folder_remove(struct folder *f)
{
    if (f->keeper <= 0)
        return;
    close(f->hold);
    while (waitpid(f->keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
    f->keeper = 0;
}

custos_status
folder_write(const struct folder *f, const char *name, str text,
             custos_err *err)
{
    char path[FOLDER_PATH_MAX + 64];
    size_t done = 0;
    int fd;

    snprintf(path, sizeof path, "%s/%s", f->path, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (fd >= 0 && done < text.len) {
        ssize_t n = write(fd, text.ptr + done, text.len - done);

        if (n < 0 && errno != EINTR)
            break;
        done += n < 0 ? 0 : (size_t)n;
    }
    if (fd < 0 || done < text.len) {
        custos_fail(err, CUSTOS_EIO, "cannot write %s: %s", path,
                    strerror(errno));
        if (fd >= 0)
            close(fd);
        return CUSTOS_EIO;
    }
    close(fd);
    return CUSTOS_OK;
}

/* ---------------------------------------------------------------- processes -- */

/* In the child; only calls that are safe after fork in a process with threads. */
static void
run_child(const char *program, const char *const *words, int input, int output,
          const char *log, pid_t parent)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (input < 0)
        input = nothing;
    if (output < 0)
        output = nothing;
    if (nothing < 0 || errors < 0 || dup2(input, STDIN_FILENO) < 0 ||
        dup2(output, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
        _exit(CANNOT_RUN);
    execv(program, (char *const *)words);
    _exit(CANNOT_RUN);
}

/* Input and output may be -1: nothing. */
static custos_status
start_process(const char *program, const char *const *words, int input,
              int output, const char *log, pid_t *out, custos_err *err)
{
    pid_t parent = getpid(), pid = fork();

    if (pid == 0)
        run_child(program, words, input, output, log, parent);
    if (pid < 0)
        return custos_fail(err, CUSTOS_EIO, "cannot start a process: %s",
                           strerror(errno));
    *out = pid;
    return CUSTOS_OK;
}

custos_status
stranger_spawn(const char *program, const char *const *words, const char *log,
               pid_t *out, custos_err *err)
{
    return start_process(program, words, -1, -1, log, out, err);
}

void
log_read(const char *log, char *text, size_t room)
{
    FILE *file = fopen(log, "re");
    size_t n = file ? fread(text, 1, room - 1, file) : 0;

    text[n] = '\0';
    if (file)
        fclose(file);
}

static custos_status
fail_exit(const char *program, const char *verb, const char *log,
          custos_err *err)
{
    char said[256];

    log_read(log, said, sizeof said);
    said[strcspn(said, "\n")] = '\0';
    return custos_fail(err, CUSTOS_EINVAL, "%s %s failed: %s", program, verb,
                       *said ? said : "it cannot be run");
}

static custos_status
wait_for_success(pid_t pid, const char *const *words, const char *log,
                 custos_err *err)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? CUSTOS_OK
               : fail_exit(words[0], words[1], log, err);
}

custos_status
stranger_run(const char *program, const char *const *words, str input,
             const char *log, custos_err *err)
{
    custos_status st;
    pid_t pid = 0;
    int ends[2];

    if (input.len > INPUT_MAX)
        return custos_fail(err, CUSTOS_EINVAL, "input of %zu bytes is too long",
                           input.len);
    if (pipe2(ends, O_CLOEXEC))
        return custos_fail(err, CUSTOS_EIO, "cannot open a pipe: %s",
                           strerror(errno));
    /* So little fits into the pipe before anybody reads. */
    if (input.len && write(ends[1], input.ptr, input.len) != (ssize_t)input.len)
        st = custos_fail(err, CUSTOS_EIO, "cannot write to a pipe: %s",
                         strerror(errno));
    else
        st = start_process(program, words, ends[0], -1, log, &pid, err);
    close(ends[0]);
    close(ends[1]);
    return st ? st : wait_for_success(pid, words, log, err);
}

custos_status
stranger_run_files(const char *program, const char *const *words,
                   const char *input, const char *output, const char *log,
                   custos_err *err)
{
    int in = open(input, O_RDONLY | O_CLOEXEC);
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    custos_status st;
    pid_t pid = 0;

    unlink(log); /* its first line is to be of this run */
    if (in < 0 || out < 0)
        st = custos_fail(err, CUSTOS_EIO, "cannot open %s: %s",
                         in < 0 ? input : output, strerror(errno));
    else
        st = start_process(program, words, in, out, log, &pid, err);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return st ? st : wait_for_success(pid, words, log, err);
}

bool
stranger_has_ended(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) == pid;
}

void
stranger_end(pid_t pid)
{
    if (pid <= 0 || kill(pid, SIGTERM))
        return;
    for (long ms = 0; ms < STOP_MS; ms += STEP_MS) {
        if (stranger_has_ended(pid))
            return;
        sleep_ms(STEP_MS);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}
