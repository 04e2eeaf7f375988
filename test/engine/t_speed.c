/*
 * The file of speeds: read strictly, valid for this machine only; and a
 * measurement.
 */
#include "engine/speed.h"

#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "store/file.h"
#include "support/support.h"

static const char policy_text[] = "custos: 1\n"
                                  "adjacency: add-remove\n"
                                  "budget: {epsilon: 1, delta: 0}\n"
                                  "tables:\n"
                                  "  t:\n"
                                  "    source: t.csv\n"
                                  "    unit: row\n"
                                  "    max_rows: 1000\n"
                                  "    columns:\n"
                                  "      x: {type: real, range: [0, 1]}\n"
                                  "      d: {type: date}\n"
                                  "      t: {type: text}\n";

static const struct speed_machine here = {.engine = "v1.2.3", .processors = 2};

static bool
reads(const char *text)
{
    struct reply_speeds s = {.scan_ps = 7};
    bool good = speed_parse(str_of(text), &here, &s);

    if (!good)
        assert_int_equal(s.scan_ps, 7);
    return good;
}

#define HEAD "custos speed 3\nengine v1.2.3\nprocessors 2\n"
#define TAIL                                                                   \
    "computed 80000\ntext 90000\nsort 900000\nquantile 800000\nfixed 1000\n"

static void
the_file_is_read_strictly(void **state)
{
    static const char *const wrong[] = {
        "",
        "custos speed 2\nengine v1.2.3\nprocessors 2\nscan 20000\n" TAIL,
        "custos speed 3\nengine v1.2.4\nprocessors 2\nscan 20000\n" TAIL,
        "custos speed 3\nengine v1.2.3\nprocessors 4\nscan 20000\n" TAIL,
        HEAD "scan 20000\n",
        HEAD "scan 20000\n" TAIL "\n",
        HEAD "scan 20000\n" TAIL "more 1\n",
        HEAD "scan  20000\n" TAIL,
        HEAD "scan 020000\n" TAIL,
        HEAD "scan +20000\n" TAIL,
        HEAD "scan -20000\n" TAIL,
        HEAD "scan 0\n" TAIL,
        HEAD "scan 1\n" TAIL,
        HEAD "scan 99999999999\n" TAIL,
        HEAD "scan 999999999999999999999999\n" TAIL,
        HEAD "scan 20000 \n" TAIL,
        HEAD TAIL "scan 20000\n",
    };
    struct reply_speeds s = {.rows = (const uint64_t *)&here};
    struct buf b;

    (void)state;
    assert_true(reads(HEAD "scan 20000\n" TAIL));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        if (reads(wrong[i]))
            fail_msg("taken:\n%s", wrong[i]);
    assert_true(speed_parse(str_of(HEAD "scan 20000\n" TAIL), &here, &s));
    assert_int_equal(s.scan_ps, 20000);
    assert_int_equal(s.computed_ps, 80000);
    assert_int_equal(s.text_ps, 90000);
    assert_int_equal(s.sort_ps, 900000);
    assert_int_equal(s.quantile_ps, 800000);
    assert_int_equal(s.fixed_us, 1000);
    assert_ptr_equal(s.rows, &here); /* untouched */
    buf_init(&b, NULL, 1 << 12);
    speed_print(&here, &s, &b);
    assert_string_equal(buf_text(&b), HEAD "scan 20000\n" TAIL);
    buf_clear(&b);
}

/* The measurement needs no data: this store has none. */
static void
speeds_are_measured_and_kept(void **state)
{
    struct reply_speeds s = {.rows = (const uint64_t *)&here}, again = {0};
    char folder[] = "/tmp/custos-speed-XXXXXX", path[64];
    arena *a = arena_new(NULL, 1 << 24);
    custos_err err = CUSTOS_ERR_INIT;
    struct policy *p = NULL;
    struct store store;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/store", folder);
    assert_int_equal(policy_read(a, str_of(policy_text), "policy", &p, &err),
                     CUSTOS_OK);
    assert_int_equal(store_create(path, p->text, &err), CUSTOS_OK);
    assert_int_equal(store_open(path, &store, &err), CUSTOS_OK);
    assert_false(engine_speed_known(&store, &again));
    if (engine_speed_measure(&store, p, &s, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    assert_ptr_equal(s.rows, &here);
    assert_true(s.scan_ps > 0 && s.scan_ps <= s.computed_ps);
    assert_true(s.text_ps > 0 && s.sort_ps > s.scan_ps);
    assert_true(engine_speed_known(&store, &again));
    assert_int_equal(again.scan_ps, s.scan_ps);
    assert_int_equal(again.sort_ps, s.sort_ps);
    assert_int_equal(again.quantile_ps, s.quantile_ps);
    store_close(&store);
    tree_remove(folder);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_read_strictly),
        cmocka_unit_test(speeds_are_measured_and_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
