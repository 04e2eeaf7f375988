/*
 * The fold against the simplest reference, on random rows cut into random
 * chunks; and the input it rejects.
 */
#include "engine/run/fold.h"
#include "support/support.h"

enum { ROWS_MOST = 400, CELLS = 7 };

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* kept[i] and first[i] by definition, looking back over the unit each time. */
static void
reference(const int64_t *unit, const int32_t *cell, size_t n, uint64_t rows,
          uint64_t groups, bool *kept, bool *first)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t before = 0, cells_before = 0;
        bool known = false;

        for (size_t k = 0; k < i; k++) {
            bool seen = false;

            if (unit[k] != unit[i])
                continue;
            before++;
            known |= cell[k] == cell[i];
            for (size_t j = 0; j < k; j++)
                seen |= unit[j] == unit[k] && cell[j] == cell[k];
            cells_before += !seen;
        }
        /* A row has the ordinal of the first row of its cell. */
        if (known) {
            size_t j = 0;

            cells_before = 0;
            while (unit[j] != unit[i] || cell[j] != cell[i])
                j++;
            for (size_t k = 0; k < j; k++) {
                bool seen = false;

                if (unit[k] != unit[i])
                    continue;
                for (size_t q = 0; q < k; q++)
                    seen |= unit[q] == unit[k] && cell[q] == cell[k];
                cells_before += !seen;
            }
        }
        kept[i] = before < rows && cells_before < groups;
        first[i] = kept[i] && !known;
    }
}

static void
compare(uint64_t seed)
{
    int64_t unit[ROWS_MOST];
    int32_t cell[ROWS_MOST];
    bool kept[ROWS_MOST], first[ROWS_MOST], got[ROWS_MOST] = {false};
    bool got_first[ROWS_MOST] = {false};
    uint32_t at[ROWS_MOST];
    uint8_t is_first[ROWS_MOST];
    uint64_t rows = 1 + draw(&seed, 6), groups = 1 + draw(&seed, rows);
    size_t n = draw(&seed, ROWS_MOST), from = 0;
    bool tracked = groups < rows || draw(&seed, 2);
    int64_t u = 1 + (int64_t)draw(&seed, 5);
    struct fold f;

    for (size_t i = 0; i < n; i++) {
        unit[i] = u;
        cell[i] = (int32_t)draw(&seed, CELLS);
        if (draw(&seed, 6) == 0)
            u += 1 + (int64_t)draw(&seed, 3);
    }
    reference(unit, cell, n, rows, groups, kept, first);
    assert_true(fold_init(&f, rows, groups, CELLS, tracked, 1, INT64_MAX));
    while (from < n) {
        size_t some = 1 + draw(&seed, n - from);
        size_t k = fold_rows(&f, unit + from, cell + from, some, at, is_first);

        for (size_t i = 0; i < k; i++) {
            got[from + at[i]] = true;
            got_first[from + at[i]] = tracked && is_first[i];
        }
        from += some;
    }
    assert_false(f.torn);
    fold_clear(&f);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got[i], kept[i]);
        if (tracked)
            assert_int_equal(got_first[i], first[i]);
    }
}

static void
fold_is_its_definition(void **state)
{
    (void)state;
    for (int i = 0; i < test_size(100, 2000); i++)
        compare((uint64_t)i * 7919 + 1);
}

static void
refuse(const int64_t *unit, const int32_t *cell, size_t n, int64_t from,
       int64_t last)
{
    uint32_t at[8];
    uint8_t first[8];
    struct fold f;

    for (int tracked = 0; tracked < 2; tracked++)
        for (size_t cut = 0; cut < n; cut++) {
            size_t k;

            assert_true(
                fold_init(&f, 3, tracked ? 2 : 3, 2, tracked, from, last));
            if (cut > 0)
                fold_rows(&f, unit, cell, cut, at, first);
            k = fold_rows(&f, unit + cut, cell + cut, n - cut, at, first);
            assert_true(f.torn);
            assert_int_equal(k, 0);
            /* After that it keeps no row at all. */
            assert_int_equal(
                fold_rows(&f, (int64_t[]){last}, (int32_t[]){0}, 1, at, first),
                0);
            fold_clear(&f);
        }
}

static void
fold_refuses_torn_units(void **state)
{
    static const int32_t zeros[4] = {0};

    (void)state;
    refuse((int64_t[]){2, 3, 2}, zeros, 3, 1, 9);  /* unit returns */
    refuse((int64_t[]){2, 3, 10}, zeros, 3, 1, 9); /* unit above the range */
    refuse((int64_t[]){1, 3, 4}, zeros, 3, 2, 9);  /* unit below the range */
    refuse((int64_t[]){2, 3, 4}, (int32_t[]){0, 1, 2}, 3, 1, 9);
    refuse((int64_t[]){2, 3, 4}, (int32_t[]){0, 1, -1}, 3, 1, 9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_is_its_definition),
        cmocka_unit_test(fold_refuses_torn_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
