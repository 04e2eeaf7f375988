/*
 * The tripwire's rows: whom they suspend, and what ends the suspension.
 */
#include <sqlite3.h>

#include "ledger/helpers.h"
#include "ledger/tripwire.h"
#include "support/said.h"

/* ana, bo and cy, with the tripwire of the default policy. */
static struct ledger *
make(struct place *p)
{
    static struct ledger_analyst all[3];
    struct ledger_terms t = terms_of("1000", "0");
    struct ledger *l;

    all[0].name = str_of("ana");
    all[1].name = str_of("bo");
    all[2].name = str_of("cy");
    t.analysts = all;
    t.n_analysts = 3;
    place_make(p);
    l = open_at(p);
    set_terms(l, &t);
    return l;
}

static custos_status
ask(struct ledger *l, const char *who, uint64_t failures, uint64_t overruns,
    custos_err *err)
{
    struct ledger_request r;
    struct receipt ignored;
    struct charge c;

    request_of(&r, &c, who, "0.01", 2000);
    r.max_failures = failures;
    r.max_overruns = overruns;
    return post_charge(l, &r, &ignored, err);
}

static custos_status
asks(struct ledger *l, const char *who)
{
    return ask(l, who, 3, 1, NULL);
}

static void
trip(struct ledger *l, const char *kind, const char *who)
{
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_act(l, kind, str_of("charge 3: XX000"), str_of(who), 3000,
                         &r, &err),
              &err);
}

static const char BUILD[] = "custos 0.1.0 (0123456789ab), DuckDB v1.5.6";

static void
resume(struct ledger *l, struct receipt *r)
{
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_resume(l, str_of(BUILD), 4000, r, &err), &err);
}

static void
tripwire_first_failure_suspends_the_analyst(void **state)
{
    struct ledger_tripwire seen;
    struct ledger *l;
    struct place p;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = make(&p);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    trip(l, TRIPWIRE_FAILURE, "ana");
    assert_int_equal(ask(l, "ana", 3, 1, &err), CUSTOS_EDENIED);
    assert_string_equal(whole_said(&err), LEDGER_SUSPENDED_SAID);
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    assert_int_equal(asks(l, ""), CUSTOS_OK);
    assert_int_equal(ledger_tripwire(l, str_of("ana"), &seen, &err), CUSTOS_OK);
    assert_int_equal(seen.failures, 1);
    assert_int_equal(seen.own_failures, 1);
    assert_true(ledger_is_suspended(&seen, 3, 1));
    assert_false(ledger_all_suspended(&seen, 3));
    ledger_close(l);
    l = open_at(&p); /* a restart does not lift it */
    assert_int_equal(asks(l, "ana"), CUSTOS_EDENIED);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

static void
tripwire_third_failure_suspends_the_store(void **state)
{
    static const char *const who[] = {"ana", "bo", ""};
    struct ledger *l;
    struct place p;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = make(&p);
    for (size_t i = 0; i < COUNT_OF(who); i++) {
        assert_int_equal(asks(l, "cy"), CUSTOS_OK);
        assert_int_equal(asks(l, who[i]), CUSTOS_OK);
        trip(l, TRIPWIRE_FAILURE, who[i]);
    }
    assert_int_equal(ask(l, "cy", 3, 1, &err), CUSTOS_EDENIED);
    assert_string_equal(whole_said(&err), LEDGER_SUSPENDED_SAID);
    assert_int_equal(asks(l, ""), CUSTOS_EDENIED);
    /* admitted under a policy that allows one failure more */
    assert_int_equal(ask(l, "cy", 4, 1, NULL), CUSTOS_OK);
    /* 0: the strictest limits apply */
    assert_int_equal(ask(l, "cy", 0, 0, NULL), CUSTOS_EDENIED);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

static void
tripwire_resume_is_a_row(void **state)
{
    struct ledger_row *rows = NULL;
    struct receipt r;
    struct ledger *l;
    size_t n = 1;
    struct place p;
    arena *a = arena_new(NULL, 1 << 20);

    (void)state;
    assert_non_null(a);
    l = make(&p);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    for (int i = 0; i < 3; i++) /* several failures of ana count once */
        trip(l, TRIPWIRE_FAILURE, "ana");
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    assert_int_equal(asks(l, "cy"), CUSTOS_OK);
    assert_int_equal(asks(l, ""), CUSTOS_OK);
    trip(l, TRIPWIRE_FAILURE, "cy");
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    trip(l, TRIPWIRE_FAILURE, "");
    assert_int_equal(asks(l, "bo"), CUSTOS_EDENIED);
    resume(l, &r);
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    assert_verifies(l, &r);
    assert_int_equal(
        ledger_rows(l, r.seq, str_of(""), str_of(""), a, &rows, &n, NULL),
        CUSTOS_OK);
    assert_true(str_equal(rows->kind, str_of("resume")));
    assert_true(str_equal(rows->words, str_of(BUILD)));
    assert_true(str_equal(rows->version, str_of(custos_version())));
    /* failures before the resume are not counted again */
    trip(l, TRIPWIRE_FAILURE, "ana");
    assert_int_equal(asks(l, "ana"), CUSTOS_EDENIED);
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    arena_free(a);
    place_end(l, &p);
}

/*
 * Two overruns among an analyst's last 1,000 charges are too many; two that are
 * further apart are not.
 */
static void
tripwire_counts_overruns_of_the_window(void **state)
{
    struct receipt r;
    struct ledger *l;
    struct place p;

    (void)state;
    l = make(&p);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    trip(l, TRIPWIRE_OVERRUN, "ana");
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    trip(l, TRIPWIRE_OVERRUN, "bo");
    for (int i = 0; i < LEDGER_OVERRUN_WINDOW - 2; i++)
        assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    /* ana's first overrun is still among her last 1,000 charges */
    trip(l, TRIPWIRE_OVERRUN, "ana");
    assert_int_equal(asks(l, "ana"), CUSTOS_EDENIED);
    assert_int_equal(ask(l, "ana", 3, 2, NULL), CUSTOS_OK);
    /* after one more charge it no longer is */
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    trip(l, TRIPWIRE_OVERRUN, "ana");
    assert_int_equal(asks(l, "ana"), CUSTOS_EDENIED);
    assert_int_equal(asks(l, "bo"), CUSTOS_OK);
    resume(l, &r);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    place_end(l, &p);
}

/* Verification finds a charge of a suspended analyst in the chain. */
static void
tripwire_verify_finds_a_charge_of_the_suspended(void **state)
{
    struct receipt head;
    struct ledger *l;
    sqlite3 *db = NULL;
    struct place p;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = make(&p);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    trip(l, TRIPWIRE_FAILURE, "ana");
    /*
     * Hide the failure's row from the index: the ledger then charges ana, as a
     * program without a tripwire would.
     */
    assert_int_equal(sqlite3_open(p.path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "DROP INDEX chain_tripwire;"
                     "PRAGMA writable_schema = ON;"
                     "CREATE INDEX chain_tripwire ON chain (seq)"
                     " WHERE kind = 'none';"
                     "UPDATE sqlite_schema SET sql ="
                     " 'CREATE INDEX chain_tripwire ON chain (kind, who, seq)"
                     " WHERE kind IN (''failure'', ''overrun'', ''resume'')'"
                     " WHERE name = 'chain_tripwire';"
                     "PRAGMA writable_schema = RESET;",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    ledger_close(l);
    l = open_at(&p);
    assert_int_equal(asks(l, "ana"), CUSTOS_OK);
    ledger_close(l);
    assert_int_equal(sqlite3_open(p.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "REINDEX", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    l = open_at(&p);
    assert_int_equal(ledger_verify(l, NULL, &head, &err), CUSTOS_ECORRUPT);
    assert_non_null(
        strstr(whole_said(&err), "charges an analyst who was suspended"));
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tripwire_first_failure_suspends_the_analyst),
        cmocka_unit_test(tripwire_third_failure_suspends_the_store),
        cmocka_unit_test(tripwire_resume_is_a_row),
        cmocka_unit_test(tripwire_counts_overruns_of_the_window),
        cmocka_unit_test(tripwire_verify_finds_a_charge_of_the_suspended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
