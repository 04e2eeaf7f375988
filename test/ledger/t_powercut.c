/*
 * Power cuts. The test makes charges (alone, in groups and in batches), stores answers and
 * changes terms on a disk that loses power at a random operation, and then
 * opens the ledger on what is left. Every receipt that was handed out must be
 * in the chain, every stored answer must exist, every batch must be there as a
 * whole or not at all, sums must be those of the rows,
 * and no budget may be exceeded.
 *
 * With CUSTOS_LONG: 1000 runs (`make powercut`).
 */
#include "support/powercut_vfs.h"

#include "ledger/helpers.h"

enum { STEPS = 120, GROUP = 6, RECEIPTS_MAX = 4 * GROUP * STEPS };

struct run {
    const struct place *place;
    struct disk *disk;
    struct receipt receipts[RECEIPTS_MAX]; /* handed out */
    size_t n;
    struct receipt answered[RECEIPTS_MAX]; /* those with a stored answer */
    size_t n_answered;
    int epsilon; /* the budget, in charges of 0.01 */
};

static int
cuts(void)
{
    return getenv("CUSTOS_LONG") ? 1000 : test_size(10, 50);
}

static void
key_of(const struct receipt *r, uint8_t key[32])
{
    memcpy(key, r->hash, 32);
    key[0] ^= 0x5a;
}

/* Posts several charges and an act in one commit. */
static void
step_group(struct run *run, struct ledger *l)
{
    size_t n = 2 + (size_t)disk_below(run->disk, GROUP - 1);
    struct ledger_job jobs[GROUP];
    struct ledger_request r;
    struct charge c;

    request_of(&r, &c, "", "0.01", 3);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct ledger_job){
            .kind = i == 1 ? LEDGER_ACT : LEDGER_CHARGE,
            .request = &r,
            .act = "given again",
            .next = i + 1 < n ? &jobs[i + 1] : NULL,
        };
    ledger_post(l, jobs);
    for (size_t i = 0; i < n; i++)
        if (!jobs[i].status)
            run->receipts[run->n++] = jobs[i].receipt;
}

/* Posts a batch of charges; the text of each says how many there are. */
static void
step_batch(struct run *run, struct ledger *l)
{
    size_t n = 2 + (size_t)disk_below(run->disk, GROUP - 1);
    struct ledger_request requests[GROUP];
    struct receipt receipts[GROUP];
    struct charge charges[GROUP];
    struct ledger_job job = {.kind = LEDGER_CHARGES,
                             .request = requests,
                             .n_requests = n,
                             .receipts = receipts};
    char texts[GROUP][32];

    for (size_t i = 0; i < n; i++) {
        request_of(&requests[i], &charges[i], "", "0.01", 3);
        snprintf(texts[i], sizeof texts[i], "batch %zu of %zu", i + 1, n);
        requests[i].query = str_of(texts[i]);
    }
    ledger_post(l, &job);
    for (size_t i = 0; i < n && !job.status; i++)
        run->receipts[run->n++] = receipts[i];
}

/* Are the rows of each batch complete, and in order? */
static bool
batches_are_whole(const struct ledger_row *rows, size_t n)
{
    size_t next = 1, all = 0;

    for (size_t i = 0; i < n; i++) {
        char text[32];
        size_t at, of;

        snprintf(text, sizeof text, "%.*s", (int)rows[i].query.len,
                 rows[i].query.len ? rows[i].query.ptr : "");
        if (sscanf(text, "batch %zu of %zu", &at, &of) != 2) {
            if (next != 1)
                return false;
            continue;
        }
        if (at != next || (at > 1 && of != all))
            return false;
        all = of;
        next = at == of ? 1 : at + 1;
    }
    return next == 1;
}

/* Makes one random request to the ledger and records its receipts. */
static void
step(struct run *run, struct ledger *l)
{
    uint64_t what = disk_below(run->disk, 20);
    struct ledger_terms t;
    struct receipt r;
    uint8_t key[32];
    char text[32];

    if (what == 0) {
        run->epsilon += 5;
        snprintf(text, sizeof text, "%d/100", run->epsilon);
        t = terms_of(text, "0");
        if (ledger_terms_set(l, &t, str_of(""), 1, &r, NULL) == CUSTOS_OK)
            run->receipts[run->n++] = r;
    } else if (what < 4 && run->n) {
        r = run->receipts[run->n - 1];
        key_of(&r, key);
        if (post_answer(l, key, &r, str_of("42 ± 3"), NULL) == CUSTOS_OK)
            run->answered[run->n_answered++] = r;
    } else if (what < 8) {
        step_group(run, l);
    } else if (what < 11) {
        step_batch(run, l);
    } else if (charge_at(l, "", "0.01", 3, &r, NULL) == CUSTOS_OK) {
        run->receipts[run->n++] = r;
    }
}

/* Checks rows, sums and receipts against each other. */
static const char *
violation_of_rows(const struct run *run, struct ledger *l, arena *a)
{
    struct ledger_balance b;
    struct ledger_row *rows;
    size_t n = RECEIPTS_MAX * 2;
    uint64_t charges = 0;

    if (ledger_balance(l, str_of(""), &b, NULL) != CUSTOS_OK ||
        ledger_rows(l, 0, str_of(""), str_of(""), a, &rows, &n, NULL) !=
            CUSTOS_OK)
        return "the balance cannot be read";
    for (size_t i = 0; i < run->n; i++) {
        const struct receipt *r = &run->receipts[i];

        if (r->seq > n || rows[r->seq - 1].seq != r->seq ||
            memcmp(rows[r->seq - 1].receipt.hash, r->hash, sizeof r->hash) != 0)
            return "a receipt is not of the chain";
    }
    for (size_t i = 0; i < n; i++)
        charges += str_equal(rows[i].kind, str_of("charge"));
    if (!batches_are_whole(rows, n))
        return "a part of a batch is missing";
    if (b.charges != charges ||
        strtod(b.facts.spent, NULL) > strtod(b.facts.limit, NULL))
        return "the balance is wrong";
    return NULL;
}

/* What is wrong with the ledger after a restart, or NULL. */
static const char *
violation(const struct run *run, struct ledger *l)
{
    arena *a = arena_new(NULL, 1 << 24);
    const char *wrong = NULL;
    struct receipt r;
    uint8_t key[32];
    str answer;

    if (ledger_verify(l, NULL, &r, NULL) != CUSTOS_OK)
        wrong = "the ledger does not verify";
    for (size_t i = 0; i < run->n_answered && !wrong; i++) {
        key_of(&run->answered[i], key);
        if (ledger_answer_find(l, key, a, &answer, &r, NULL) != CUSTOS_OK ||
            !str_equal(answer, str_of("42 ± 3")))
            wrong = "a stored answer is gone";
    }
    if (!wrong)
        wrong = violation_of_rows(run, l, a);
    arena_free(a);
    return wrong;
}

/* Makes a ledger on the real disk, with terms in force, for all runs. */
static int
place_set_up(void **state)
{
    return place_with_budget(state, "1/2");
}

static void
run_make(struct run *run, const struct place *place, uint64_t seed)
{
    memset(run, 0, sizeof *run);
    run->epsilon = 50;
    run->place = place;
    run->disk = disk_new(seed);
}

/* Runs until the power cut, then checks what is left. */
static const char *
cut_once(struct run *run, size_t at)
{
    const char *wrong = NULL;
    struct ledger *l = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    disk_cut_at(run->disk, at);
    if (ledger_open(run->place->path, run->place->lock, &l, NULL) == CUSTOS_OK)
        for (int i = 0; i < STEPS && !disk_is_cut(run->disk); i++)
            step(run, l);
    disk_cut(run->disk);
    ledger_close(l);
    disk_restart(run->disk);
    l = NULL;
    if (ledger_open(run->place->path, run->place->lock, &l, &err) != CUSTOS_OK)
        return "the ledger does not open";
    wrong = violation(run, l);
    /* The ledger still accepts charges, unless the budget is spent. */
    if (!wrong && charge(l, "", "0.01") != CUSTOS_OK &&
        charge(l, "", "0.01") != CUSTOS_ESPENT)
        wrong = "the ledger does not go on";
    ledger_close(l);
    return wrong;
}

static void
powercut_loses_no_receipt(void **state)
{
    static struct run run;
    int violations = 0, n = cuts();

    for (int i = 0; i < n; i++) {
        const char *wrong;

        run_make(&run, *state, (uint64_t)i + 1);
        /* The second cut comes soon, so that it hits the recovery itself. */
        wrong = cut_once(&run, 1 + (size_t)disk_below(run.disk, 700));
        if (!wrong)
            wrong = cut_once(&run, 1 + (size_t)disk_below(run.disk, 40));
        if (wrong) {
            print_message("cut %d: %s\n", i, wrong);
            violations++;
        }
        disk_free(run.disk);
    }
    if (getenv("CUSTOS_LONG"))
        print_message("bench: powercut_violations %d\n", violations);
    assert_int_equal(violations, 0);
}

/*
 * The test finds violations on a disk that syncs nothing, as with
 * synchronous=OFF.
 */
static void
powercut_harness_finds_a_lying_disk(void **state)
{
    static struct run run;
    int violations = 0;

    for (int i = 0; i < 20; i++) {
        run_make(&run, *state, (uint64_t)i + 1);
        disk_lie(run.disk, true);
        violations += cut_once(&run, 300) != NULL;
        disk_free(run.disk);
    }
    assert_true(violations > 5);
}

/*
 * Up to three operations fail, syncs among them: a failed sync loses what it
 * covered. Then the power is cut.
 */
static void
powercut_after_a_failed_sync(void **state)
{
    static struct run run;
    int n = getenv("CUSTOS_LONG") ? 1000 : test_size(10, 100);

    for (int i = 0; i < n; i++) {
        const char *wrong;

        run_make(&run, *state, (uint64_t)i + 7000);
        disk_fail_at(run.disk, 1 + (size_t)disk_below(run.disk, 300),
                     1 + (size_t)disk_below(run.disk, 3), DISK_EIO);
        wrong = cut_once(&run, 20 + (size_t)disk_below(run.disk, 500));
        if (wrong)
            print_message("cut %d: %s\n", i, wrong);
        assert_null(wrong);
        disk_free(run.disk);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powercut_loses_no_receipt),
        cmocka_unit_test(powercut_harness_finds_a_lying_disk),
        cmocka_unit_test(powercut_after_a_failed_sync),
    };

    return cmocka_run_group_tests(tests, place_set_up, place_tear_down);
}
