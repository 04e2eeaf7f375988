/*
 * Bounds on row counts: their file is read strictly. Where the policy has no
 * max_rows, the owner pays for one noisy count of each table and version.
 * EXPLAIN says which reply time follows.
 */
#include "curator/reply_init.h"

#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "curator/init.h"
#include "curator/reply.h"
#include "store/file.h"
#include "support/support.h"

enum { PEOPLE = 300, VISITS = 3 };

#define COLUMNS                                                                \
    "    columns:\n"                                                           \
    "      id: {type: integer, nullable: false}\n"

static const char head[] = "custos: 1\nadjacency: add-remove\n"
                           "budget: {epsilon: 10, delta: 0}\n"
                           "tables:\n"
                           "  visits:\n"
                           "    source: visits.csv\n"
                           "    unit: id\n"
                           "    rows_per_unit: 3\n";
static const char tail[] = "  known:\n"
                           "    source: visits.csv\n"
                           "    unit: id\n"
                           "    rows_per_unit: 3\n"
                           "    max_rows: 1000\n" COLUMNS "  names:\n"
                           "    public: true\n"
                           "    source: visits.csv\n" COLUMNS;

struct place {
    char folder[32], policy[64], store[64];
    arena *a;
};

static void
file(const char *folder, const char *name, const char *text)
{
    custos_err err = CUSTOS_ERR_INIT;
    char path[64];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (file_write(path, str_of(text), &err))
        fail_msg("%s", err.said);
}

static void
import(struct place *p, const char *more)
{
    struct init_report r;
    custos_err err = CUSTOS_ERR_INIT;
    char text[2048];

    snprintf(text, sizeof text, "%s%s%s%s", head, more, COLUMNS, tail);
    file(p->folder, "policy.yaml", text);
    if (curator_init(p->policy, p->store, LOSS_PPM_ANY, 1, NULL, NULL, p->a, &r,
                     &err))
        fail_msg("%s (%s)", err.said, err.noted);
}

static void
place_make(struct place *p)
{
    struct buf b;

    snprintf(p->folder, sizeof p->folder, "/tmp/custos-reply-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->policy, sizeof p->policy, "%s/policy.yaml", p->folder);
    snprintf(p->store, sizeof p->store, "%s/store", p->folder);
    p->a = arena_new(NULL, 1 << 26);
    assert_non_null(p->a);
    buf_init(&b, NULL, 1 << 20);
    buf_add_text(&b, "id\n");
    for (int i = 0; i < PEOPLE * VISITS; i++)
        buf_printf(&b, "%d\n", i / VISITS);
    file(p->folder, "visits.csv", buf_text(&b));
    buf_clear(&b);
}

static void
place_end(struct place *p)
{
    tree_remove(p->folder);
    arena_free(p->a);
}

static struct reply_report
counted(const struct place *p)
{
    struct reply_report r;
    custos_err err = CUSTOS_ERR_INIT;

    if (reply_rows_charge(p->store, 2, p->a, &r, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return r;
}

static int64_t
no_admission(void *ctx, int64_t class_us)
{
    (void)ctx;
    return class_us;
}

/* The reply time that EXPLAIN states to a server's analyst; 0: none. */
static int64_t
explained(const struct place *p, const char *sql, bool *said)
{
    struct ask ask = {.sql = str_of(sql), .now = 3, .admit = no_admission};
    struct answer *answer = NULL;
    struct curator *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    const struct datum *last;
    int64_t us;

    if (curator_open(p->store, &c, &err) ||
        curator_answer(c, &ask, &answer, &err))
        fail_msg("%s", err.said);
    us = answer->forecast.reply_us;
    last = &answer->cells[answer->n_rows - 1].value;
    *said = last->text.len > 11 && !memcmp(last->text.ptr, "answers in ", 11);
    answer_free(answer);
    curator_close(c);
    return us;
}

static void
a_missing_ceiling_costs_one_count(void **state)
{
    const char *sql = "EXPLAIN SELECT count(*) FROM visits";
    struct reply_report r;
    struct place p;
    bool said;

    (void)state;
    place_make(&p);
    import(&p, "");
    assert_int_equal(explained(&p, sql, &said), 0); /* not known yet */
    assert_false(said);
    r = counted(&p);
    assert_int_equal(r.n, 1);
    assert_true(str_equal(r.tables[0].name, str_of("visits")));
    assert_int_equal(r.tables[0].err.code, 0);
    assert_true(str_equal(r.tables[0].epsilon, str_of("0.01")));
    assert_true(r.tables[0].receipt.seq > 0);
    /*
     * A power of two, not below the number of rows: the noisy count (scale 300)
     * plus seven error bars of 900, rounded up.
     */
    assert_true(r.tables[0].bound >= PEOPLE * VISITS);
    assert_true(r.tables[0].bound <= 32768);
    assert_int_equal(r.tables[0].bound & (r.tables[0].bound - 1), 0);
    assert_true(explained(&p, sql, &said) > 0);
    assert_true(said);
    /* Only once for each version. */
    assert_int_equal(counted(&p).n, 0);
    import(&p, "");
    assert_true(explained(&p, sql, &said) > 0); /* with the previous bound */
    assert_int_equal(counted(&p).n, 1);
    /* Not at all if the policy has the bound. */
    import(&p, "    max_rows: 900\n");
    assert_int_equal(counted(&p).n, 0);
    assert_true(explained(&p, sql, &said) > 0);
    place_end(&p);
}

static void
a_count_that_is_refused_leaves_no_bound(void **state)
{
    static const char *const spend = "SELECT count(*) FROM visits";
    struct ask ask = {.sql = str_of(spend), .now = 2, .epsilon = str_of("10")};
    struct answer *answer = NULL;
    struct curator *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct reply_report r;
    struct place p;
    bool said;

    (void)state;
    place_make(&p);
    import(&p, "");
    if (curator_open(p.store, &c, &err) ||
        curator_answer(c, &ask, &answer, &err))
        fail_msg("%s", err.said);
    answer_free(answer);
    curator_close(c);
    r = counted(&p);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.tables[0].bound, 0);
    assert_int_not_equal(r.tables[0].err.code, 0);
    assert_int_equal(
        explained(&p, "EXPLAIN SELECT count(*) FROM visits", &said), 0);
    assert_true(explained(&p, "EXPLAIN SELECT count(*) FROM known", &said) > 0);
    assert_int_equal(explained(&p, "EXPLAIN SELECT id FROM names", &said),
                     0); /* free */
    place_end(&p);
}

static void
the_file_of_bounds_is_read_strictly(void **state)
{
    static const char *const wrong[] = {
        "",
        "custos rows 2\nversion 3\n",
        "custos rows 1\nversion 0\n",
        "custos rows 1\nversion 03\n",
        "custos rows 1\nversion 3\n7 visits",
        "custos rows 1\nversion 3\n0 visits\n",
        "custos rows 1\nversion 3\n-7 visits\n",
        "custos rows 1\nversion 3\n7visits\n",
        "custos rows 1\nversion 3\n99999999999999999999 visits\n",
        "custos rows 1\nversion 3\n562949953421312 visits\n",
    };
    arena *a = arena_new(NULL, 1 << 24);
    struct policy *p = NULL;
    uint64_t bounds[3], version;
    custos_err err = CUSTOS_ERR_INIT;
    char text[2048];
    struct buf b;

    (void)state;
    snprintf(text, sizeof text, "%s%s%s", head, COLUMNS, tail);
    if (policy_read(a, str_of(text), "policy", &p, &err))
        fail_msg("%s", err.said);
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        if (reply_rows_parse(str_of(wrong[i]), p, &version, bounds))
            fail_msg("taken: %s", wrong[i]);
    /* Tables that no longer exist, and public ones, are skipped. */
    assert_true(reply_rows_parse(str_of("custos rows 1\nversion 3\n8 gone\n"
                                        "64 visits\n16 names\n"),
                                 p, &version, bounds));
    assert_int_equal(version, 3);
    assert_int_equal(bounds[0], 64);
    assert_int_equal(bounds[1], 0);
    assert_int_equal(bounds[2], 0);
    buf_init(&b, NULL, 1 << 12);
    reply_rows_print(3, p, bounds, &b);
    assert_string_equal(buf_text(&b), "custos rows 1\nversion 3\n64 visits\n");
    buf_clear(&b);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_ceiling_costs_one_count),
        cmocka_unit_test(a_count_that_is_refused_leaves_no_bound),
        cmocka_unit_test(the_file_of_bounds_is_read_strictly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
