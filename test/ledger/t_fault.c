/*
 * Disk failures: one operation fails (every third is tried; with CUSTOS_QUICK,
 * every 29th); the disk stays full, read-only or broken; bits are flipped.
 * There is never a receipt without its row and never a sum that differs from
 * the rows. When the disk works again, so does the ledger.
 */
#include "support/powercut_vfs.h"

#include "ledger/helpers.h"
#include "support/said.h"

enum { CHARGES = 60 };

static int
place_set_up(void **state)
{
    return place_with_budget(state, "1");
}

/*
 * Makes charges and returns how many succeeded. A charge may fail only because
 * of the disk.
 */
static size_t
charge_many(struct ledger *l, int n, struct receipt *last)
{
    size_t done = 0;
    custos_err err = CUSTOS_ERR_INIT;

    for (int i = 0; i < n; i++) {
        custos_status st = charge_at(l, "", "0.01", 5, last, &err);

        assert_true(st == CUSTOS_OK || st == CUSTOS_EIO);
        if (st)
            assert_true(strlen(err.said) > 20);
        done += st == CUSTOS_OK;
    }
    return done;
}

static void
fault_once(const struct place *p, size_t at, enum disk_failure how)
{
    struct disk *d = disk_new(at);
    struct receipt last = {0};
    struct ledger_balance b;
    struct ledger *l = NULL;
    size_t done = 0;

    assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
    disk_fail_at(d, at, 1, how);
    done = charge_many(l, CHARGES, &last);
    assert_true(done >= CHARGES - 1);
    assert_verifies(l, &last);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_true(b.charges >= done && b.charges <= CHARGES);
    ledger_close(l);
    /* The same holds after a power cut, for what had reached the disk. */
    disk_cut(d);
    disk_restart(d);
    assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
    assert_verifies(l, &last);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_true(b.charges >= done);
    ledger_close(l);
    disk_free(d);
}

static void
fault_every_io_once(void **state)
{
    const struct place *p = *state;
    struct disk *d = disk_new(1);
    struct receipt last;
    struct ledger *l = NULL;
    size_t all, step = (size_t)test_size(29, 3);

    assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
    all = disk_operations(d);
    charge_many(l, CHARGES, &last);
    all = disk_operations(d) - all;
    ledger_close(l);
    disk_free(d);
    assert_true(all > 300); /* operations, checkpoints among them */
    for (size_t at = 1; at <= all; at += step)
        fault_once(p, at, at % 2 ? DISK_EIO : DISK_FULL);
}

/*
 * The disk stays full, read-only or broken: the error says which, and nothing
 * is lost.
 */
static void
fault_that_stays(void **state)
{
    static const struct {
        enum disk_failure how;
        const char *says;
    } cases[] = {
        {DISK_FULL, "the disk is full"},
        {DISK_READ_ONLY, "read-only"},
        {DISK_EIO, "the disk failed"},
    };
    const struct place *p = *state;
    struct ledger_balance b;
    custos_err err = CUSTOS_ERR_INIT;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct disk *d = disk_new(i);
        struct ledger *l = NULL;
        struct receipt last;

        assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
        assert_int_equal(charge_many(l, 10, &last), 10);
        disk_fail_at(d, 1, 1000000, cases[i].how);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(charge_at(l, "", "0.01", 5, NULL, &err),
                             CUSTOS_EIO);
            assert_non_null(strstr(whole_said(&err), cases[i].says));
        }
        disk_fail_at(d, 0, 0, DISK_EIO);
        assert_int_equal(charge_many(l, 10, &last), 10);
        assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
        assert_in_range(b.charges, 20, 21);
        assert_verifies(l, &last);
        ledger_close(l);
        disk_free(d);
    }
}

static uint8_t *
copy_of(struct disk *d, const char *name, size_t *len)
{
    const uint8_t *bytes = disk_bytes(d, name, len);
    uint8_t *copy = malloc(*len);

    assert_non_null(bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, *len);
    return copy;
}

/* Whether the damage is noticed; if not, the ledger must still be right. */
static bool
is_noticed(const struct place *p, const struct receipt *last)
{
    struct ledger_balance b;
    struct ledger *l = NULL;
    struct receipt head;
    custos_status st = ledger_open(p->path, p->lock, &l, NULL);

    if (st)
        return true;
    st = ledger_verify(l, last, &head, NULL);
    if (!st) {
        assert_int_equal(head.seq, last->seq);
        assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
        assert_string_equal(b.facts.spent, "0.6");
        assert_string_equal(b.facts.limit, "1");
    }
    ledger_close(l);
    return st != CUSTOS_OK;
}

/*
 * One flipped bit in the file or in its log: opening or verifying reports it,
 * or the bit did not matter.
 */
static void
fault_flipped_bits_are_noticed(void **state)
{
    static const char *const names[] = {"ledger.db", "ledger.db-wal"};
    const struct place *p = *state;
    size_t flips = (size_t)test_size(300, 2000), len[2], noticed[2] = {0, 0};
    struct ledger *l = NULL;
    struct receipt last;
    struct disk *d = disk_new(99);
    uint8_t *good[2];

    assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
    charge_many(l, CHARGES, &last);
    ledger_close(l);
    for (int k = 0; k < 2; k++)
        good[k] = copy_of(d, names[k], &len[k]);
    assert_false(is_noticed(p, &last));
    for (size_t i = 0; i < flips; i++) {
        size_t k = (size_t)disk_below(d, 2), at = (size_t)disk_below(d, len[k]);
        size_t n;

        disk_bytes(d, names[k], &n)[at] ^= (uint8_t)(1u << disk_below(d, 8));
        noticed[k] += is_noticed(p, &last);
        for (int j = 0; j < 2; j++)
            disk_put(d, names[j], good[j], len[j]);
    }
    assert_true(noticed[0] > flips / 40 && noticed[1] > flips / 40);
    free(good[0]);
    free(good[1]);
    disk_free(d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fault_every_io_once),
        cmocka_unit_test(fault_that_stays),
        cmocka_unit_test(fault_flipped_bits_are_noticed),
    };

    return cmocka_run_group_tests(tests, place_set_up, place_tear_down);
}
