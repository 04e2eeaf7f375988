/*
 * Many processes: concurrent charges add up exactly, and if a process is killed
 * at any instant, every receipt it has shown is in the chain. With CUSTOS_LONG:
 * 1000 kills.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "ledger/helpers.h"

static void
setup(struct place *p, const char *epsilon)
{
    struct ledger_terms t = terms_of(epsilon, "0");
    struct ledger *l;

    place_make(p);
    l = open_at(p);
    set_terms(l, &t);
    ledger_close(l);
}

/*
 * In a child process: charges until nothing is left; the exit status is the
 * number of charges.
 */
static void
charge_until_spent(const struct place *p, const char *epsilon)
{
    struct ledger *l = NULL;
    custos_status st = ledger_open(p->path, p->lock, &l, NULL);
    int n = 0;

    if (st)
        _exit(255);
    while ((st = charge(l, "", epsilon)) == CUSTOS_OK)
        n++;
    ledger_close(l);
    _exit(st == CUSTOS_ESPENT ? n : 255);
}

static void
race(const char *epsilon, int processes, int fit)
{
    int all = 0, status;
    struct ledger_balance b;
    struct ledger *l;
    struct place p;
    pid_t child[8];

    setup(&p, "1");
    for (int i = 0; i < processes; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0)
            charge_until_spent(&p, epsilon);
    }
    for (int i = 0; i < processes; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
        all += WEXITSTATUS(status);
    }
    assert_int_equal(all, fit);
    l = open_at(&p);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_int_equal(b.charges, fit);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

static void
charge_from_two_processes(void **state)
{
    (void)state;
    race("0.1", 2, 10);
    race("0.03", 4, 33);
}

/* Charges until killed and writes each receipt to a pipe. */
static void
charge_and_tell(const struct place *p, int to)
{
    struct ledger *l = NULL;
    struct receipt r;

    if (ledger_open(p->path, p->lock, &l, NULL) != CUSTOS_OK)
        _exit(1);
    while (charge_at(l, "", "1e-9", 7, &r, NULL) == CUSTOS_OK)
        if (write(to, &r, sizeof r) != (ssize_t)sizeof r)
            _exit(1);
    _exit(2);
}

static struct receipt
last_of(int from)
{
    struct receipt r, last = {0};

    while (read(from, &r, sizeof r) == (ssize_t)sizeof r)
        last = r;
    return last;
}

/* Two processes charge at the same time and are killed at random moments. */
static void
kill_loses_no_receipt(void **state)
{
    int kills = getenv("CUSTOS_LONG") ? 1000 : test_size(4, 50);
    int violations = 0;
    uint64_t seed = 1;
    struct place p;

    (void)state;
    setup(&p, "1");
    for (int i = 0; i < kills; i += 2) {
        struct receipt head;
        struct timespec pause;
        struct ledger *l;
        pid_t child[2];
        int ends[2][2];

        for (int k = 0; k < 2; k++) {
            assert_int_equal(pipe(ends[k]), 0);
            child[k] = fork();
            assert_true(child[k] >= 0);
            if (child[k] == 0)
                charge_and_tell(&p, ends[k][1]);
            close(ends[k][1]);
        }
        for (int k = 0; k < 2; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            pause = (struct timespec){0, (long)(seed >> 40) % 9000000};
            nanosleep(&pause, NULL);
            kill(child[k], SIGKILL);
            waitpid(child[k], NULL, 0);
        }
        l = open_at(&p);
        for (int k = 0; k < 2; k++) {
            struct receipt last = last_of(ends[k][0]);

            if (ledger_verify(l, last.seq ? &last : NULL, &head, NULL) !=
                CUSTOS_OK)
                violations++;
            close(ends[k][0]);
        }
        ledger_close(l);
    }
    if (getenv("CUSTOS_LONG"))
        print_message("bench: ledger_kill_violations %d\n", violations);
    assert_int_equal(violations, 0);
    place_remove(&p);
}

/* If a process that holds the lock dies, the lock is free at once. */
static void
process_lock_dies_with_its_holder(void **state)
{
    struct place p;
    struct ledger *l;
    pid_t child;

    (void)state;
    setup(&p, "1");
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        l = NULL;
        if (ledger_open(p.path, p.lock, &l, NULL) == CUSTOS_OK)
            for (;;)
                if (charge(l, "", "1e-9") != CUSTOS_OK)
                    break;
        _exit(0);
    }
    l = open_at(&p);
    for (int i = 0; i < 20; i++)
        assert_int_equal(charge(l, "", "1e-9"), CUSTOS_OK);
    kill(child, SIGKILL);
    for (int i = 0; i < 20; i++)
        assert_int_equal(charge(l, "", "1e-9"), CUSTOS_OK);
    waitpid(child, NULL, 0);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charge_from_two_processes),
        cmocka_unit_test(kill_loses_no_receipt),
        cmocka_unit_test(process_lock_dies_with_its_holder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
