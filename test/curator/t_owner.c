/*
 * The owner's socket: who may connect, what it replies, what goes to the
 * ledger.
 */
#include "curator/owner.h"

#include "base/error.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curator/opened.h"
#include "support/support.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "analysts:\n  ann: {}\n";

static int drained;

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", "age\n10\n", NULL);
    open_store();
    return 0;
}

static void
status(void *ctx, struct json *j)
{
    (void)ctx;
    json_add_count(j, "sessions", 2);
}

static void
drain(void *ctx)
{
    (void)ctx;
    drained++;
}

static size_t
cut(void *ctx, str name)
{
    (void)ctx;
    return str_equal(name, str_of("ann \"x\"")) ? 3 : 0;
}

static custos_status renew_says;
static int renewals;

static custos_status
renew(void *ctx, custos_err *err)
{
    (void)ctx;
    return renew_says ? custos_fail(err, renew_says, "no such certificate")
                      : CUSTOS_OK;
}

static custos_status
renewed(void *ctx, bool good, custos_err *err)
{
    (void)ctx;
    (void)err;
    renewals += good ? 1 : -1;
    return CUSTOS_OK;
}

static const struct owner_hooks hooks = {.status = status,
                                         .drain = drain,
                                         .cut = cut,
                                         .renew = renew,
                                         .renewed = renewed};

/*
 * The reply to a line contains this part. Returns how many rows the ledger
 * gained.
 */
static size_t
said(const char *line, const char *part)
{
    struct receipt before, after;
    struct buf reply;

    assert_false(ledger_verify(curator_ledger(c), NULL, &before, NULL));
    buf_init(&reply, NULL, OWNER_REPLY_MAX);
    owner_answer(c, &hooks, str_of(line), 5, &reply);
    assert_false(reply.failed);
    assert_int_equal(reply.ptr[reply.len - 1], '\n');
    assert_ptr_equal(strchr(reply.ptr, '\n'), reply.ptr + reply.len - 1);
    if (!strstr(reply.ptr, part))
        fail_msg("%s: %s", line, reply.ptr);
    buf_clear(&reply);
    assert_false(ledger_verify(curator_ledger(c), NULL, &after, NULL));
    return after.seq - before.seq;
}

static void
what_changes_something_is_a_row(void **state)
{
    (void)state;
    assert_int_equal(said("status\n", "\"sessions\":2"), 0);
    assert_int_equal(said("status\r\n", "\"ok\":false"), 0);
    assert_int_equal(said("sessions", "{\"ok\":true,\"sessions\":[]}"), 0);
    assert_int_equal(said("reload\n", "\"data_version\":1,\"receipt\":\""), 1);
    assert_int_equal(renewals, 1);
    renew_says = CUSTOS_EINVAL; /* a failed renewal changes nothing */
    assert_int_equal(said("reload\n", "{\"ok\":false,\"code\":\"EINVAL\","
                                      "\"error\":\"no such certificate\","
                                      "\"hint\":\"\"}"),
                     0);
    assert_int_equal(renewals, 1);
    renew_says = CUSTOS_OK;
    assert_int_equal(said("drain\n", "{\"ok\":true}"), 1);
    assert_int_equal(drained, 1);
    assert_int_equal(said("cut ann \"x\"\n", "\"ended\":3"), 1);
    assert_int_equal(said("cut", "\"hint\":\"write cut NAME\""), 0);
    assert_int_equal(said("", "no such request"), 0);
    assert_int_equal(said("reload now", "no such request"), 0);
    assert_int_equal(said("\xff\n", "no such request"), 0);
}

/* Serves one caller. */
static void *
serve_one(void *arg)
{
    int fd = *(int *)arg, got;
    struct buf reply;
    char line[64];
    ssize_t n;

    while ((got = owner_accept(fd)) < 0)
        usleep(1000);
    while ((n = recv(got, line, sizeof line, 0)) < 0)
        usleep(1000);
    buf_init(&reply, NULL, OWNER_REPLY_MAX);
    owner_answer(c, &hooks, (str){line, (size_t)n}, 6, &reply);
    (void)!send(got, reply.ptr, reply.len, 0);
    buf_clear(&reply);
    close(got);
    return NULL;
}

static void
the_socket_is_the_owners(void **state)
{
    arena *a = arena_new(NULL, 1 << 22);
    int fd = -1, second = -1;
    pthread_t thread;
    struct stat facts;
    char path[128];
    custos_err err = CUSTOS_ERR_INIT;
    str reply;

    (void)state;
    assert_int_equal(owner_ask(files.store, str_of("status"), a, &reply, &err),
                     CUSTOS_ENAME);
    assert_int_equal(owner_listen(c, &fd, &err), CUSTOS_OK);
    snprintf(path, sizeof path, "%s/owner.sock", files.store);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(owner_accept(fd), -1);
    assert_int_equal(pthread_create(&thread, NULL, serve_one, &fd), 0);
    assert_int_equal(owner_ask(files.store, str_of("status"), a, &reply, &err),
                     CUSTOS_OK);
    pthread_join(thread, NULL);
    assert_memory_equal(reply.ptr, "{\"ok\":true", 10);
    assert_int_equal(owner_listen(c, &second, &err), CUSTOS_EBUSY);
    /* A killed server leaves its socket file behind. */
    close(fd);
    assert_int_equal(owner_listen(c, &fd, &err), CUSTOS_OK);
    owner_close(c, fd);
    assert_int_not_equal(stat(path, &facts), 0);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_something_is_a_row),
        cmocka_unit_test(the_socket_is_the_owners),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
