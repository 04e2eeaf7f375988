/*
 * The socket has mode 0600 and is in the store, a folder that only the owner
 * can read; besides, owner_accept asks the kernel who connects. A socket's path
 * is limited to 107 bytes and a store's path is not, so the socket is addressed
 * through the open folder.
 */
#include "curator/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "curator/shared_state.h"
#include "curator/tripwire.h"
#include "store/file.h"

enum { BACKLOG = 8, REPLY_WAIT_MS = 60000 };

static const char NAME[] = "owner.sock";

/* ---------------------------------------------------------------- socket -- */

/*
 * The socket's address through the open folder. False: there is no such folder.
 * The caller closes *folder.
 */
static bool
address_of(const char *store, int *folder, struct sockaddr_un *out)
{
    *folder = open(store, O_PATH | O_DIRECTORY | O_CLOEXEC);
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    snprintf(out->sun_path, sizeof out->sun_path, "/proc/self/fd/%d/%s",
             *folder, NAME);
    return *folder >= 0;
}

static int
connect_server(const char *store)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), folder = -1;
    struct sockaddr_un at;

    if (fd >= 0 && (!address_of(store, &folder, &at) ||
                    connect(fd, (const struct sockaddr *)&at, sizeof at))) {
        close(fd);
        fd = -1;
    }
    if (folder >= 0)
        close(folder);
    return fd;
}

static custos_status
fail_socket(custos_err *err)
{
    custos_status st = custos_fail(err, CUSTOS_EIO,
                                   "cannot create the owner's socket in the "
                                   "store");

    custos_note(err, "errno %d", errno);
    return st;
}

custos_status
owner_listen(const struct curator *c, int *out, custos_err *err)
{
    const char *store = c->shared->store.path;
    int fd = connect_server(store), folder = -1;
    struct sockaddr_un at;
    custos_status st = CUSTOS_OK;

    if (fd >= 0) {
        close(fd);
        return custos_fail(err, CUSTOS_EBUSY,
                           "a server runs on this store already" HINT
                           "stop it first");
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !address_of(store, &folder, &at)) {
        st = fail_socket(err);
        goto out;
    }
    unlinkat(folder, NAME, 0); /* left by a server that has ended */
    /* bind gives the file the socket's mode */
    if (fchmod(fd, FILE_MODE) ||
        bind(fd, (const struct sockaddr *)&at, sizeof at) ||
        listen(fd, BACKLOG))
        st = fail_socket(err);
out:
    if (folder >= 0)
        close(folder);
    if (!st)
        *out = fd;
    else if (fd >= 0)
        close(fd);
    return st;
}

void
owner_close(const struct curator *c, int fd)
{
    char path[STORE_PATH_MAX];

    if (fd < 0)
        return;
    store_path(&c->shared->store, NAME, path);
    unlink(path);
    close(fd);
}

int
owner_accept(int fd)
{
    struct ucred who = {0};
    socklen_t len = sizeof who;
    int got = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (got < 0)
        return -1;
    if (getsockopt(got, SOL_SOCKET, SO_PEERCRED, &who, &len) ||
        len != sizeof who || (who.uid != geteuid() && who.uid != 0)) {
        close(got);
        return -1;
    }
    return got;
}

/* ----------------------------------------------------------------- reply -- */

/* Begins a reply: one line, so that the caller knows where it ends. */
static void
begin_reply(struct json *j, struct buf *reply, bool ok)
{
    json_init(j, reply, JSON_ONE_LINE);
    json_begin(j, NULL);
    json_add_bool(j, "ok", ok);
}

static void
reply_error(struct buf *reply, const custos_err *err)
{
    struct json j;

    begin_reply(&j, reply, false);
    json_add_text(&j, "code", str_of(status_name(err->code)));
    json_add_text(&j, "error", str_of(err->said));
    json_add_text(&j, "hint", str_of(err->hint));
    json_end(&j);
}

/* What the handler of an owner's line works with. */
struct desk {
    struct curator *c;
    const struct owner_hooks *hooks;
    str word; /* after the verb, or empty */
    int64_t now;
    struct buf *reply;
};

/* Records an act in the chain; false: it failed, and the reply says so. */
static bool
desk_act(struct desk *d, const char *act, str words)
{
    struct receipt ignored;
    custos_err err = CUSTOS_ERR_INIT;

    if (!ledger_writer_act(d->c->shared->writer, act, words, str_of("owner"),
                           d->now, &ignored, &err))
        return true;
    reply_error(d->reply, &err);
    return false;
}

static void
desk_reload(struct desk *d)
{
    char text[RECEIPT_TEXT_MAX];
    struct receipt r;
    struct json j;
    custos_status st = CUSTOS_OK;
    custos_err err = CUSTOS_ERR_INIT;

    if (d->hooks->renew)
        st = d->hooks->renew(d->hooks->ctx, &err);
    if (st) {
        reply_error(d->reply, &err);
        return;
    }
    st = curator_reload(d->c, d->now, &r, &err);
    if (!st)
        st = curator_refresh(d->c, &err);
    if (d->hooks->renewed &&
        d->hooks->renewed(d->hooks->ctx, !st, st ? NULL : &err))
        st = st ? st : err.code;
    if (st) {
        reply_error(d->reply, &err);
        return;
    }
    receipt_write(&r, text);
    begin_reply(&j, d->reply, true);
    json_add_count(&j, "data_version", engine_version(d->c->engine));
    json_add_text(&j, "receipt", str_of(text));
    json_end(&j);
}

static void
desk_status(struct desk *d)
{
    const struct policy *p;
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;

    if (curator_refresh(d->c, &err)) {
        reply_error(d->reply, &err);
        return;
    }
    p = d->c->snapshot->policy;
    begin_reply(&j, d->reply, true);
    json_add_text(&j, "version", str_of(custos_version()));
    json_add_count(&j, "data_version", engine_version(d->c->engine));
    json_add_hex(&j, "policy", p->id, sizeof p->id);
    if (d->hooks->status)
        d->hooks->status(d->hooks->ctx, &j);
    tripwire_report(d->c, &j);
    json_end(&j);
}

static void
desk_sessions(struct desk *d)
{
    struct json j;

    begin_reply(&j, d->reply, true);
    json_begin_list(&j, "sessions");
    if (d->hooks->sessions)
        d->hooks->sessions(d->hooks->ctx, &j);
    json_end(&j);
    json_end(&j);
}

static void
desk_drain(struct desk *d)
{
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;

    if (!d->hooks->drain) {
        custos_fail(&err, CUSTOS_EUNSUPPORTED, "this server cannot be drained");
        reply_error(d->reply, &err);
        return;
    }
    if (!desk_act(d, "drain", str_of("")))
        return;
    d->hooks->drain(d->hooks->ctx);
    begin_reply(&j, d->reply, true);
    json_end(&j);
}

static void
desk_cut(struct desk *d)
{
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;

    if (!d->hooks->cut || !d->word.len) {
        custos_fail(&err, CUSTOS_EINVAL,
                    "cut needs the name of an analyst" HINT "write cut NAME");
        reply_error(d->reply, &err);
        return;
    }
    if (!desk_act(d, "cut", d->word))
        return;
    begin_reply(&j, d->reply, true);
    json_add_count(&j, "ended", d->hooks->cut(d->hooks->ctx, d->word));
    json_end(&j);
}

void
owner_answer(struct curator *c, const struct owner_hooks *hooks, str line,
             int64_t now, struct buf *reply)
{
    static const struct {
        const char *verb;
        void (*answer)(struct desk *);
        bool takes_word;
    } verbs[] = {
        {"reload", desk_reload, false},
        {"status", desk_status, false},
        {"sessions", desk_sessions, false},
        {"drain", desk_drain, false},
        {"cut", desk_cut, true},
    };
    struct desk d = {.c = c, .hooks = hooks, .now = now, .reply = reply};
    custos_err err = CUSTOS_ERR_INIT;
    const char *end = line.len ? memchr(line.ptr, '\n', line.len) : NULL;
    str verb = {line.ptr, end ? (size_t)(end - line.ptr) : line.len};
    const char *space = verb.len ? memchr(verb.ptr, ' ', verb.len) : NULL;

    if (space) {
        d.word = (str){space + 1, verb.len - (size_t)(space + 1 - verb.ptr)};
        verb.len = (size_t)(space - verb.ptr);
    }
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (str_equal(verb, str_of(verbs[i].verb)) &&
            (verbs[i].takes_word || !d.word.len)) {
            verbs[i].answer(&d);
            return;
        }
    custos_fail(&err, CUSTOS_EINVAL,
                "there is no such request" HINT
                "write reload, status, sessions, drain or cut NAME");
    reply_error(reply, &err);
}

/* ---------------------------------------------------------------- client -- */

static bool
send_all(int fd, str text)
{
    while (text.len) {
        ssize_t n = send(fd, text.ptr, text.len, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text.ptr += n;
        text.len -= (size_t)n;
    }
    return true;
}

/* Receives until the end of the line or of the connection. */
static bool
receive_line(int fd, struct buf *into)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char piece[4096];
    ssize_t n = 1;

    while (n > 0 && !into->failed && !memchr(buf_text(into), '\n', into->len)) {
        if (poll(&ready, 1, REPLY_WAIT_MS) <= 0)
            return false;
        n = recv(fd, piece, sizeof piece, 0);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            buf_add(into, piece, (size_t)n);
    }
    return n >= 0 && !into->failed && into->len > 0;
}

custos_status
owner_ask(const char *store, str line, arena *a, str *reply, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    int fd = connect_server(store);
    struct buf b;
    char *text;

    if (fd < 0)
        return custos_fail(err, CUSTOS_ENAME,
                           "no server of yours runs on the store %.100s",
                           store);
    buf_init(&b, NULL, OWNER_REPLY_MAX);
    if (!send_all(fd, line) || !send_all(fd, str_of("\n")) ||
        !receive_line(fd, &b))
        st = custos_fail(err, CUSTOS_EIO, "the server did not answer");
    close(fd);
    if (!st) {
        text = arena_copy(a, (str){b.ptr, b.len});
        *reply = (str){text, b.len};
        if (!text)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    buf_clear(&b);
    return st;
}

void
owner_cut(const char *store, str name)
{
    arena *a = arena_new(NULL, OWNER_REPLY_MAX);
    char line[OWNER_LINE_MAX];
    custos_err quiet = CUSTOS_ERR_INIT;
    str reply;

    if (a && snprintf(line, sizeof line, "cut %.*s", (int)name.len, name.ptr) <
                 (int)sizeof line)
        (void)!owner_ask(store, str_of(line), a, &reply, &quiet);
    arena_free(a);
}
