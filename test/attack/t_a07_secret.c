/*
 * A7 again, for every branch: under valgrind (`make valgrind`) the data is
 * marked as undefined memory, and a jump or an address that depends on it is an
 * error. A C compiler may turn a mask into a jump; this test checks the code
 * that the compiler generated. Without valgrind it is skipped.
 *
 * The twin compares a value with a limit in an `if`. It runs in a child process,
 * so that its errors are counted separately.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "attack/attack.h"
#include "mech/grid.h"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_UNDEFINED(p, bytes) ((void)(p))
#define VALGRIND_MAKE_MEM_DEFINED(p, bytes) ((void)(p))
#define VALGRIND_COUNT_ERRORS 0U
#endif

enum { N = 8 };

static const int64_t data[N] = {0, 1, -1, 5, INT64_MIN, INT64_MAX, 1000, -7};

static custos_sealed *
seal_secret(void)
{
    custos_sealed *sealed = NULL;
    int64_t secret[N];

    memcpy(secret, data, sizeof secret);
    VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
    assert_int_equal(custos_seal_ints(NULL, secret, N, &sealed, NULL), 0);
    return sealed;
}

/* Number of errors that valgrind reports for `work`. */
static unsigned
errors_of(void (*work)(const void *with, custos_rng *rng), const void *with)
{
    unsigned before = VALGRIND_COUNT_ERRORS;
    custos_rng *rng = test_rng_seeded(751);

    work(with, rng);
    test_rng_free(rng);
    return VALGRIND_COUNT_ERRORS - before;
}

static void
work_release(const void *with, custos_rng *rng)
{
    custos_sealed *sealed = seal_secret();
    int64_t out[N];

    assert_int_equal(custos_release_ints(with, rng, sealed, out, N, NULL), 0);
    VALGRIND_MAKE_MEM_DEFINED(out, sizeof out);
    custos_sealed_free(sealed);
}

static void
release_takes_no_branch(void **state)
{
    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    for (custos_mech_kind kind = CUSTOS_LAPLACE; kind <= CUSTOS_GAUSSIAN;
         kind++) {
        custos_mech_options options = {
            .size = sizeof options,
            .kind = kind,
            .domain = CUSTOS_INTS,
            .values = N,
            .changes = CUSTOS_CHANGES_ONE,
            .epsilon = "1",
            .delta = kind == CUSTOS_GAUSSIAN ? "1e-6" : NULL,
            .sensitivity = "1",
        };
        custos_mech *mech = attack_mech(&options);

        assert_int_equal(errors_of(work_release, mech), 0);
        custos_mech_free(mech);
    }
}

static void
work_sums(const void *with, custos_rng *rng)
{
    custos_sealed *sealed = seal_secret();
    int64_t out[N];

    assert_int_equal(custos_sums_release(with, rng, sealed, out, N, NULL), 0);
    VALGRIND_MAKE_MEM_DEFINED(out, sizeof out);
    custos_sealed_free(sealed);
}

static void
sums_take_no_branch(void **state)
{
    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    for (custos_sums_method m = CUSTOS_EVERY_PREFIX; m <= CUSTOS_BINARY_TREE;
         m++) {
        custos_sums_options options = {
            .size = sizeof options,
            .method = m,
            .elements = N,
            .epsilon = "1",
        };
        custos_sums *sums = NULL;

        assert_int_equal(custos_sums_new(NULL, &options, &sums, NULL), 0);
        assert_int_equal(errors_of(work_sums, sums), 0);
        custos_sums_free(sums);
    }
}

static void
work_response(const void *with, custos_rng *rng)
{
    custos_sealed *sealed = seal_secret();
    int64_t out[N];

    assert_int_equal(custos_rr_answer(with, rng, sealed, N, out, NULL), 0);
    VALGRIND_MAKE_MEM_DEFINED(out, sizeof out);
    custos_sealed_free(sealed);
}

static void
response_takes_no_branch(void **state)
{
    custos_rr_options options = {.size = sizeof options,
                                 .kind = CUSTOS_RR_KARY,
                                 .epsilon = "1",
                                 .values = 10};
    custos_rr *rr = NULL;

    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    assert_int_equal(custos_rr_new(NULL, &options, &rr, NULL), 0);
    assert_int_equal(errors_of(work_response, rr), 0);
    custos_rr_free(rr);
}

static void
work_grid(const void *with, custos_rng *rng)
{
    (void)with;
    for (int i = 0; i < 100; i++) {
        uint64_t bits = attack_word(rng);
        i128 index;

        VALGRIND_MAKE_MEM_UNDEFINED(&bits, sizeof bits);
        index = grid_index(bits, -20);
        VALGRIND_MAKE_MEM_DEFINED(&index, sizeof index);
    }
}

static void
grid_takes_no_branch(void **state)
{
    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    assert_int_equal(errors_of(work_grid, NULL), 0);
}

/* --------------------------------------------------------------- twin -- */

static void
work_twin(const void *with, custos_rng *rng)
{
    volatile int64_t value = (int64_t)attack_word(rng), cut = 0;

    (void)with;
    VALGRIND_MAKE_MEM_UNDEFINED((void *)&value, sizeof value);
    if (value > 1000)
        cut++;
}

static void
twin_is_caught(void **state)
{
    int status = 0;
    pid_t child;

    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(errors_of(work_twin, NULL) > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(release_takes_no_branch),
        cmocka_unit_test(sums_take_no_branch),
        cmocka_unit_test(response_takes_no_branch),
        cmocka_unit_test(grid_takes_no_branch),
        cmocka_unit_test(twin_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
