#include "support/hospital.h"

#include <stdarg.h>
#include <stdio.h>

#include "curator/init.h"
#include "store/file.h"
#include "support/support.h"

enum { ARENA = 1 << 26 };

static void
write_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

void
test_store_write(struct test_store *s, const char *policy, ...)
{
    const char *name, *text, *tmp = getenv("TMPDIR");
    va_list ap;

    snprintf(s->folder, sizeof s->folder, "%s/custos-test.XXXXXX",
             tmp && *tmp && strlen(tmp) < sizeof s->folder - 32 ? tmp : "/tmp");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->policy, sizeof s->policy, "%s/policy.yaml", s->folder);
    snprintf(s->store, sizeof s->store, "%s/store", s->folder);
    test_store_policy(s, policy);
    va_start(ap, policy);
    while ((name = va_arg(ap, const char *))) {
        text = va_arg(ap, const char *);
        write_file(s->folder, name, text);
    }
    va_end(ap);
}

void
test_store_policy(const struct test_store *s, const char *policy)
{
    write_file(s->folder, "policy.yaml", policy);
}

static void
no_progress(void *ctx, uint64_t done, uint64_t total, const char *what)
{
    (void)ctx;
    (void)what;
    assert_true(done <= total);
}

custos_status
test_store_try(const struct test_store *s, custos_err *err)
{
    arena *a = arena_new(NULL, ARENA);
    struct init_report report;
    custos_status st;

    assert_non_null(a);
    st = curator_init(s->policy, s->store, LOSS_PPM_ANY, 1, no_progress, NULL,
                      a, &report, err);
    arena_free(a);
    return st;
}

void
test_store_init(const struct test_store *s)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (test_store_try(s, &err))
        fail_msg("%s (%s)", err.said, err.noted);
}

struct curator *
test_open(const struct test_store *s)
{
    struct curator *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (curator_open(s->store, &c, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return c;
}

void
test_store_remove(struct test_store *s)
{
    tree_remove(s->folder);
}

static custos_status
ask(struct curator *c, const char *who, const char *sql, const char *epsilon,
    struct answer **out, custos_err *err)
{
    struct ask a = {
        .who = str_of(who),
        .sql = str_of(sql),
        .epsilon = str_of(epsilon),
        .now = 1,
    };

    *err = (custos_err)CUSTOS_ERR_INIT;
    return curator_answer(c, &a, out, err);
}

struct answer *
test_ask(struct curator *c, const char *who, const char *sql,
         const char *epsilon)
{
    struct answer *a = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (ask(c, who, sql, epsilon, &a, &err))
        fail_msg("%s: %s (%s)", sql, err.said, err.noted);
    return a;
}

custos_status
test_refused(struct curator *c, const char *who, const char *sql,
             const char *epsilon, custos_err *err)
{
    struct answer *a = NULL;
    custos_status st = ask(c, who, sql, epsilon, &a, err);

    if (!st)
        fail_msg("%s is answered", sql);
    assert_null(a);
    assert_true(err->said[0] != '\0');
    return st;
}

int64_t
test_whole(const struct answer *a, size_t row, size_t column)
{
    const struct datum *d = &a->cells[row * a->n_columns + column].value;

    assert_true(row < a->n_rows && column < a->n_columns);
    assert_int_equal(d->type, TYPE_INT);
    return (int64_t)d->n;
}

const char *
test_left(struct curator *c, const char *who, char text[64])
{
    struct ledger_balance b;
    custos_err err = CUSTOS_ERR_INIT;

    if (ledger_balance(curator_ledger(c), str_of(who), &b, &err))
        fail_msg("%s", err.said);
    snprintf(text, 64, "%s", b.left_epsilon);
    return text;
}
