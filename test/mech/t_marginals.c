/*
 * Marginals: what one unit can change in a residual, that tables come back
 * exactly without noise and add up with it, and where the noise is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mech/i128.h"
#include "mech/marginals.h"
#include "num/rat_double.h"
#include "support/support.h"

enum { KEYS = 4, FACES = 1 << KEYS, ROOM = 4096 };

/* The tables of all subsets of `sets`, by residuals. */
struct made {
    struct marginals m;
    size_t size[KEYS];
    uint32_t sets[FACES], faces[FACES], noisy[FACES];
    size_t first[FACES + 1];
};

static void
make(struct made *x, const size_t *size, size_t n_keys, const uint32_t *sets,
     size_t n_sets)
{
    memset(x, 0, sizeof *x);
    x->m = (struct marginals){.kind = MARGINALS_RESIDUAL,
                              .n_keys = n_keys,
                              .size = x->size,
                              .sets = x->sets,
                              .first = x->first,
                              .n_sets = n_sets,
                              .log2 = 44,
                              .faces = x->faces,
                              .noisy = x->noisy};
    memcpy(x->size, size, n_keys * sizeof *size);
    memcpy(x->sets, sets, n_sets * sizeof *sets);
    for (size_t s = 0; s < n_sets; s++)
        x->first[s + 1] = x->first[s] + marginals_cells(&x->m, sets[s]);
    for (uint32_t face = 0; face < (uint32_t)1 << n_keys; face++) {
        bool below = false, varies = true;

        for (size_t s = 0; s < n_sets; s++)
            below = below || (face & ~sets[s]) == 0;
        for (size_t k = 0; k < n_keys; k++)
            varies = varies && !(face >> k & 1 && size[k] == 1);
        if (below)
            x->faces[x->m.n_faces++] = face;
        if (below && varies)
            x->noisy[x->m.n_noisy++] = face;
    }
}

/* The cell of the table of `face` that a row with these values is in. */
static size_t
cell_of(const struct marginals *m, uint32_t face, const size_t *row)
{
    size_t cell = 0;

    for (size_t k = 0; k < m->n_keys; k++)
        if (face >> k & 1)
            cell = cell * m->size[k] + row[k];
    return cell;
}

/* ------------------------------------------------------------ sensitivity -- */

static void
change_of(const struct made *x, uint32_t set, const int *a, const int *b,
          uint64_t *l1, uint64_t *l2)
{
    size_t cells = marginals_cells(&x->m, set);
    i128 d[16];

    for (size_t i = 0; i < cells; i++)
        d[i] = (b ? b[i] : 0) - a[i];
    residual_multiply(&x->m, set, d);
    *l1 = *l2 = 0;
    for (size_t i = 0; i < cells; i++) {
        *l1 += (uint64_t)(d[i] < 0 ? -d[i] : d[i]);
        *l2 += (uint64_t)(d[i] * d[i]);
    }
}

/* The least number of rows, each with a value in [low, high], that add up to x. */
static int
rows_of(int x, int low, int high)
{
    if (x == 0)
        return 0;
    if (x > 0)
        return high > 0 ? (x + high - 1) / high : 1000;
    return low < 0 ? (x + low + 1) / low : 1000;
}

/* What all units of at most m rows add to the cells; also those with rows in none. */
static size_t
units_of(size_t cells, int m, int low, int high, int (*out)[16], size_t most)
{
    size_t count = 0;
    int x[16];

    for (size_t k = 0; k < 16; k++)
        x[k] = k < cells ? m * low : 0;
    for (;;) {
        size_t i = 0;
        int rows = 0;

        for (size_t k = 0; k < cells; k++)
            rows += rows_of(x[k], low, high);
        if (rows <= m) {
            assert_true(count < most);
            memcpy(out[count++], x, sizeof x);
        }
        while (i < cells && ++x[i] > m * high)
            x[i++] = m * low;
        if (i == cells)
            return count;
    }
}

static void
check_changes(const struct made *x, uint32_t set, int m, int low, int high)
{
    static int units[2000][16];
    size_t n = units_of(marginals_cells(&x->m, set), m, low, high, units,
                        COUNT_OF(units));
    uint64_t l1, l2, most[2] = {0}, far[2] = {0};
    rat sum, squares;

    for (size_t i = 0; i < n; i++) {
        change_of(x, set, units[i], NULL, &l1, &l2);
        most[0] = l2 > most[0] ? l2 : most[0];
        far[0] = l1 > far[0] ? l1 : far[0];
        for (size_t j = 0; j < n; j++) {
            change_of(x, set, units[i], units[j], &l1, &l2);
            most[1] = l2 > most[1] ? l2 : most[1];
            far[1] = l1 > far[1] ? l1 : far[1];
        }
    }
    rat_init(&sum);
    rat_init(&squares);
    for (int change = 0; change < 2; change++) {
        residual_sensitivity(&x->m, set, change == 1, low, high, &sum,
                             &squares);
        assert_true(rat_double(&squares) * m * m == (double)most[change]);
        assert_true((double)far[change] <= rat_double(&sum) * m);
    }
    rat_clear(&sum);
    rat_clear(&squares);
}

static void
residual_sensitivity_is_the_largest_change(void **state)
{
    static const size_t sizes[][3] = {{2},    {3},    {5},    {2, 2},   {2, 3},
                                      {3, 2}, {3, 3}, {2, 4}, {2, 2, 2}};
    static const int ranges[][2] = {{0, 1},  {0, 3},  {-2, 0}, {-1, 1},
                                    {-2, 1}, {-1, 3}, {-3, 2}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes) * COUNT_OF(ranges); i++) {
        const size_t *size = sizes[i / COUNT_OF(ranges)];
        const int *range = ranges[i % COUNT_OF(ranges)];
        size_t n = 0;
        uint32_t all;
        struct made x;

        while (n < 3 && size[n] > 0)
            n++;
        all = ((uint32_t)1 << n) - 1;
        make(&x, size, n, &all, 1);
        for (int m = 1; m <= 2; m++) {
            double ways =
                pow(m * (range[1] - range[0]) + 1, (double)x.first[1]);

            if (ways < 3e4)
                check_changes(&x, all, m, range[0], range[1]);
            check_changes(&x, 0, m, range[0], range[1]);
        }
    }
}

/* ----------------------------------------------------------------- tables -- */

static const size_t SIZES[][KEYS] = {
    {2, 3, 4, 2}, {5, 1, 3, 2}, {1, 1, 1, 1}, {7, 2, 2, 3}};
static const uint32_t SETS[][4] = {{15, 3, 1, 0}, {3, 5, 9, 12}, {7, 7, 8, 0}};

struct data {
    struct made x;
    i128 *exact[FACES];  /* by number of noisy */
    i128 *tables[FACES]; /* by number of sets */
    i128 *room, *out;
};

static void
data_make(struct data *d, size_t sizes, size_t sets, uint32_t seed)
{
    size_t used = 0;

    make(&d->x, SIZES[sizes], KEYS, SETS[sets], 4);
    d->room = calloc(ROOM, sizeof *d->room);
    d->out = calloc(ROOM, sizeof *d->out);
    for (size_t i = 0; i < d->x.m.n_noisy; i++) {
        d->exact[i] = d->room + used;
        used += marginals_cells(&d->x.m, d->x.noisy[i]);
    }
    for (size_t i = 0; i < 4; i++) {
        d->tables[i] = d->room + used;
        used += marginals_cells(&d->x.m, d->x.sets[i]);
    }
    assert_true(used <= ROOM);
    for (size_t r = 0; r < 500; r++) {
        size_t row[KEYS];

        for (size_t k = 0; k < KEYS; k++) {
            seed = seed * 1664525 + 1013904223;
            row[k] = (seed >> 16) * (seed >> 16) % 101 % d->x.size[k];
        }
        for (size_t i = 0; i < d->x.m.n_noisy; i++)
            d->exact[i][cell_of(&d->x.m, d->x.noisy[i], row)]++;
        for (size_t i = 0; i < 4; i++)
            d->tables[i][cell_of(&d->x.m, d->x.sets[i], row)]++;
    }
    for (size_t i = 0; i < d->x.m.n_noisy; i++)
        residual_multiply(&d->x.m, d->x.noisy[i], d->exact[i]);
}

static void
data_free(struct data *d)
{
    free(d->room);
    free(d->out);
}

/* Also if the cells are as large as marginals_fit() allows: no sum overflows. */
static void
marginals_without_noise_are_exact(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT_OF(SIZES); s++)
        for (size_t t = 0; t < COUNT_OF(SETS); t++)
            for (int large = 0; large < 2; large++) {
                struct data d;

                data_make(&d, s, t, 1);
                while (large && marginals_fit(&d.x.m))
                    d.x.m.log2++;
                d.x.m.log2 -= large;
                assert_true(marginals_fit(&d.x.m) && d.x.m.log2 >= 44);
                for (size_t i = 0; i < ROOM && large; i++)
                    d.room[i] *= (i128)1 << (d.x.m.log2 - 9); /* 500 rows */
                assert_int_equal(
                    marginals_rebuild(&d.x.m, d.exact, d.out, NULL), 0);
                for (size_t i = 0; i < 4; i++)
                    assert_memory_equal(d.out + d.x.first[i], d.tables[i],
                                        marginals_cells(&d.x.m, d.x.sets[i]) *
                                            sizeof(i128));
                data_free(&d);
            }
}

/* Sums of table `from` over the keys that table `to` does not have. */
static void
check_sums(const struct data *d, size_t from, size_t to)
{
    const struct marginals *m = &d->x.m;
    i128 sums[ROOM] = {0};

    for (size_t c = m->first[from]; c < m->first[from + 1]; c++) {
        size_t row[KEYS] = {0};

        assert_int_equal(marginals_set_of(m, c), from);
        for (size_t k = 0; k < KEYS; k++)
            if (m->sets[from] >> k & 1)
                row[k] = marginals_value(m, from, c, k);
        sums[cell_of(m, m->sets[to], row)] += d->out[c];
    }
    assert_memory_equal(sums, d->out + m->first[to],
                        marginals_cells(m, m->sets[to]) * sizeof(i128));
}

/* Whatever the noise is, and even if it is absurdly large. */
static void
marginals_add_up(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (unsigned large = 1; large < 126; large += large < 8 ? 1 : 13)
        for (size_t s = 0; s < COUNT_OF(SIZES); s++)
            for (size_t t = 0; t < COUNT_OF(SETS); t++) {
                struct data d;

                data_make(&d, s, t, large);
                for (size_t i = 0; i < d.x.m.n_noisy; i++)
                    for (size_t c = 0;
                         c < marginals_cells(&d.x.m, d.x.noisy[i]); c++) {
                        seed = seed * 6364136223846793005 + 1442695040888963407;
                        d.exact[i][c] +=
                            (i128)((u128)seed << 64 >> (127 - large)) -
                            (i128)((u128)1 << large);
                    }
                assert_int_equal(
                    marginals_rebuild(&d.x.m, d.exact, d.out, NULL), 0);
                for (size_t i = 0; i < 4; i++)
                    for (size_t j = 0; j < 4; j++)
                        if ((d.x.sets[j] & ~d.x.sets[i]) == 0)
                            check_sums(&d, i, j);
                data_free(&d);
            }
}

/* A draw at one place of one residual moves the tables by what the formula of the
   variance says, summed over all places. */
static void
marginals_vary_by_the_formula(void **state)
{
    const i128 far = (i128)1 << 50;

    (void)state;
    for (size_t s = 0; s < COUNT_OF(SIZES); s++)
        for (size_t i = 0;; i++) {
            struct data d;
            double sums[ROOM] = {0}, p = 1;
            uint32_t a;

            data_make(&d, s, 0, 1);
            if (i == d.x.m.n_noisy) {
                data_free(&d);
                break;
            }
            a = d.x.noisy[i];
            memset(d.room, 0, ROOM * sizeof *d.room);
            for (size_t c = 0; c < marginals_cells(&d.x.m, a); c++) {
                d.exact[i][c] = far;
                assert_int_equal(
                    marginals_rebuild(&d.x.m, d.exact, d.out, NULL), 0);
                d.exact[i][c] = 0;
                for (size_t k = 0; k < d.x.first[4]; k++)
                    sums[k] += pow((double)d.out[k] / (double)far, 2);
            }
            for (size_t k = 0; k < KEYS; k++)
                if (a >> k & 1)
                    p *= 1 - 1 / (double)d.x.size[k];
            for (size_t k = 0; k < d.x.first[4]; k++) {
                uint32_t b = d.x.sets[marginals_set_of(&d.x.m, k)];
                double n = (double)marginals_cells(&d.x.m, b);
                double want = (a & ~b) == 0 ? p / (n * n) : 0;

                assert_true(fabs(sums[k] - want) <= 1e-9 * want + 1e-18);
            }
            data_free(&d);
        }
}

/* Noise on tables: of one, the others are its sums; of several that contradict
   each other, a residual is their mean by weight. */
static void
marginals_of_tables_are_means(void **state)
{
    static const size_t size[] = {2, 3};
    static const uint32_t sets[] = {3, 2, 1, 0};
    i128 table[] = {1, 2, 3, 40, 50, 60}, two[] = {18, 186}, out[12];
    const i128 finest[] = {1, 2, 3, 40, 50, 60, 41, 52, 63, 6, 150, 156};
    i128 *const one[] = {table};
    i128 *const both[] = {two, table};
    uint32_t trust[] = {1, 3};
    struct made x;

    (void)state;
    make(&x, size, 2, sets, 4);
    x.m.kind = MARGINALS_TABLES;
    x.m.trust = trust;
    x.m.n_noisy = 1;
    x.noisy[0] = 3;
    assert_int_equal(marginals_rebuild(&x.m, one, out, NULL), 0);
    assert_memory_equal(out, finest, sizeof out);
    x.m.n_noisy = 2;
    x.noisy[0] = 1;
    x.noisy[1] = 3;
    assert_int_equal(marginals_rebuild(&x.m, both, out, NULL), 0);
    /* a quarter of 204 and three of 156; of 168 and of 144 between the two */
    assert_int_equal(out[11], 168);
    assert_int_equal(out[10] - out[9], (168 + 3 * 144) / 4);
    for (int i = 0; i < 2; i++)
        assert_int_equal(out[3 * i] + out[3 * i + 1] + out[3 * i + 2],
                         out[9 + i]);
}

/* ------------------------------------------------------------------ noise -- */

/* The same words give the same draws z: what is released is Q x + z. */
static void
residual_noise_is_on_the_residual(void **state)
{
    static const size_t size[] = {3, 4};
    const uint32_t all = 3;
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_WIDE,
                             .values = 12,
                             .rho = "1/2",
                             .sensitivity_squared = "72"};
    custos_mech *mech = NULL;
    i128 x[12], want[12] = {0}, out[12];
    custos_sealed *sealed = NULL;
    custos_rng *rng = test_rng_seeded(7);
    struct made made;

    (void)state;
    make(&made, size, 2, &all, 1);
    assert_int_equal(custos_mech_new(NULL, &o, &mech, NULL), 0);
    for (size_t i = 0; i < 12; i++)
        x[i] = (i128)(i * 17 % 29);
    assert_int_equal(seal_i128(NULL, want, 12, &sealed, NULL), 0);
    assert_int_equal(release_i128(mech, rng, sealed, want, 12, NULL), 0);
    custos_sealed_free(sealed);
    test_rng_free(rng);
    rng = test_rng_seeded(7);
    assert_int_equal(seal_i128(NULL, x, 12, &sealed, NULL), 0);
    assert_int_equal(
        residual_release(&made.m, all, mech, rng, sealed, out, NULL), 0);
    assert_int_equal(
        residual_release(&made.m, all, mech, rng, sealed, out, NULL),
        CUSTOS_ETAKEN);
    custos_sealed_free(sealed);
    test_rng_free(rng);
    residual_multiply(&made.m, all, x);
    for (size_t i = 0; i < 12; i++)
        want[i] += x[i];
    assert_memory_equal(out, want, sizeof out);
    custos_mech_free(mech);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_sensitivity_is_the_largest_change),
        cmocka_unit_test(marginals_without_noise_are_exact),
        cmocka_unit_test(marginals_add_up),
        cmocka_unit_test(marginals_vary_by_the_formula),
        cmocka_unit_test(marginals_of_tables_are_means),
        cmocka_unit_test(residual_noise_is_on_the_residual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
