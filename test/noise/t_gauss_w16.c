/*
 * The discrete Gaussian with words of 16 bits. Its words are independent:
 * t_dials_w16.c walks those of the proposal's dials, and this test all words of
 * the acceptance coin, for every size up to 40. Together they bound P[y]. Tapes
 * of complete draws show that the first accepted proposal is the result.
 */
#include <stdlib.h>

#include "noise/draw.h"
#include "support/ref.h"
#include "support/support.h"

enum { WORDS = 1 << 16, SIZES = 41 };

static const char *const variances[] = {
    "1/1099511627776", "0.01", "1/4", "1", "2", "9", "100", "1/3", "123456789",
};

static void
set_size(struct outcomes *o, size_t i, u128 y)
{
    o->sign[i] = y > 0;
    o->low[i] = y > 0 ? (uint64_t)(y - 1) & UINT64_MAX >> 4 : 0;
    o->high[i] = y > 0 ? (uint64_t)((y - 1) >> 60) : 0;
}

/* How many words of the coin certainly accept y, and how many are undecided. */
static void
walk_heads(const struct gauss *g, u128 y, uint64_t *accepted, uint64_t *open,
           uint64_t *head)
{
    *accepted = *open = 0;
    for (uint64_t first = 0; first < WORDS; first += BLOCK) {
        uint64_t coins[BLOCK];
        struct outcomes o;
        struct verdicts v;

        for (size_t k = 0; k < BLOCK; k++) {
            coins[k] = first + k;
            set_size(&o, k, y);
        }
        v = gauss_judge(g, &o, coins, 0, BLOCK);
        assert_true((v.accepted & v.undecided) == 0);
        for (size_t k = 0; k < BLOCK; k++) {
            /* The accepted words are the lowest ones, without a gap. */
            if (v.accepted >> k & 1)
                assert_int_equal(*accepted, first + k);
            *accepted += v.accepted >> k & 1;
            if (v.undecided >> k & 1)
                *head = first + k;
            *open += v.undecided >> k & 1;
        }
    }
}

/*
 * Tries every second word for the one undecided first word; the accepted weight
 * in units of 2^-32.
 */
static void
walk_seconds(const struct gauss *g, u128 y, uint64_t head, uint64_t *accepted,
             uint64_t *open)
{
    *accepted = *open = 0;
    for (uint64_t w = 0; w < WORDS; w++) {
        custos_rng *rng = test_rng_taped(&w, 1);
        unsigned yes = 0;
        custos_status st = gauss_settle(g, y, (word)head, rng, &yes);

        assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
        if (st)
            ++*open;
        else
            *accepted += yes;
        test_rng_free(rng);
    }
}

static void
every_word_of_the_acceptance_coin(void **state)
{
    mpfr_t p;

    (void)state;
    mpfr_init2(p, REF_BITS);
    for (size_t i = 0; i < COUNT_OF(variances); i++) {
        rat v = ref_rat(variances[i]);
        struct gauss g;

        assert_int_equal(gauss_init(&g, &v), CUSTOS_OK);
        for (u128 y = 0; y < SIZES; y += (unsigned)test_size(8, 1)) {
            uint64_t accepted, open, head = 0, more, left;

            walk_heads(&g, y, &accepted, &open, &head);
            assert_true(open <= 2);
            ref_accept(p, &v, y);
            ref_between(p, 16, accepted, accepted + open);
            if (open != 1 || y > 1 || i % 3 != 0 || getenv("CUSTOS_QUICK"))
                continue;
            walk_seconds(&g, y, head, &more, &left);
            assert_true(left <= 1);
            ref_between(p, 32, accepted * WORDS + more,
                        accepted * WORDS + more + left);
        }
        gauss_clear(&g);
        rat_clear(&v);
    }
    mpfr_clear(p);
}

/* ------------------------------------------------------------ the law -- */

/* Bounds on 2^48 P[a proposal has size y and is kept] for y = 0 .. 8. */
struct kept {
    u128 lo[9], hi[9];
};

/* How many first words give each outcome of a dial; some tie. */
static void
count_dial(const struct dials *d, size_t i, uint64_t count[17])
{
    memset(count, 0, 17 * sizeof count[0]);
    for (uint64_t w = 0; w < WORDS; w++) {
        uint64_t below = 0;
        bool tie = false;

        for (size_t c = 0; c < d->cuts[i]; c++) {
            uint64_t head = i == 0 ? w & ~(uint64_t)d->sign : w;

            below += d->cut[i][c] < head;
            tie |= d->cut[i][c] == head;
        }
        if (!tie)
            count[below]++;
    }
}

/*
 * sigma^2 = 1/2: proposals have scale 1, so they take two dials and one coin. A
 * size of 1 to 16 is the outcome of the first dial if the second digit is 0.
 * P[y] = K(y) / sum of K, where K(y) is the weight of the words that propose
 * and keep y: lower and upper bounds of K give rigorous bounds of P[y].
 */
static void
law_gaussian_by_tapes(void **state)
{
    custos_noise *noise = NULL;
    rat v = ref_rat("1/2");
    uint64_t low[17], top[17], small = 0;
    u128 all_lo = 0, all_hi = 0;
    struct kept k;
    mpfr_t p, x;

    (void)state;
    assert_int_equal(
        noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, &v, &noise, NULL), CUSTOS_OK);
    assert_int_equal(noise->dials.count, 2);
    count_dial(&noise->dials, 0, low);
    count_dial(&noise->dials, 1, top);
    assert_true(top[0] >= WORDS - 2);
    for (unsigned y = 0; y < 9; y++) {
        uint64_t accepted, open, head;
        /* for both signs together: two words tie with each of two cuts */
        u128 s = low[y], g = y == 0 ? WORDS : top[0];

        walk_heads(&noise->gauss, y, &accepted, &open, &head);
        k.lo[y] = s * g * accepted;
        k.hi[y] = (s + 4) * (y == 0 ? g : g + 2) * (accepted + open);
        small += low[y];
        all_lo += k.lo[y];
        all_hi += k.hi[y];
    }
    /* Sizes above 8 come from at most 64 + 2 words of the dials, any coin. */
    assert_true(WORDS - small <= 64);
    all_hi += (u128)WORDS * 66;
    mpfr_init2(p, REF_BITS);
    mpfr_init2(x, REF_BITS);
    for (int y = 0; y < 9; y++) {
        ref_gaussian(p, &v, y);
        if (y > 0)
            mpfr_mul_2ui(p, p, 1, MPFR_RNDN);
        ref_set_u128(x, all_hi);
        mpfr_mul(x, x, p, MPFR_RNDN); /* P[y] all_hi >= lo */
        ref_between(x, 0, k.lo[y], ~(u128)0 >> 1);
        ref_set_u128(x, all_lo);
        mpfr_mul(x, x, p, MPFR_RNDN);
        ref_between(x, 0, 0, k.hi[y]);
    }
    /* The bounds are tight enough to be meaningful. */
    assert_true(all_hi - all_lo < all_lo / 1000);
    mpfr_clear(x);
    mpfr_clear(p);
    rat_clear(&v);
    custos_noise_free(noise);
}

/*
 * The result of the three words of a proposal: its value, and whether it is
 * kept.
 */
struct proposal {
    uint64_t words[3];
    i128 y;
    bool kept;
};

/* The proposals of a sample of words, none of which ties. */
static size_t
sample_proposals(const custos_noise *noise, struct proposal *list, size_t room)
{
    size_t n = 0;

    for (uint64_t s = 5; s < WORDS; s += 9001)
        for (uint64_t g = 7; g < WORDS; g += 13001)
            for (uint64_t c = 11; c < WORDS; c += 16001) {
                struct proposal *one = &list[n];
                struct outcomes o;
                struct verdicts v;

                *one = (struct proposal){.words = {s, g, c}};
                if (dials_scan(&noise->dials, one->words, 0, 1, &o))
                    continue;
                v = gauss_judge(&noise->gauss, &o, &one->words[2], 0, 1);
                if (v.undecided)
                    continue;
                one->y = (i128)outcome_size(&o, 0);
                if (o.sign[0] == 2)
                    one->y = -one->y;
                one->kept = v.accepted;
                assert_true(++n < room);
            }
    return n;
}

/*
 * One draw reads two proposals and returns the first that is kept; if neither
 * is, it reads two more.
 */
static void
first_kept_comes_out(void **state)
{
    enum { ROOM = 400 };
    struct proposal *list = calloc(ROOM, sizeof *list);
    custos_noise *noise = NULL;
    size_t n, neither = 0, second = 0;

    (void)state;
    assert_non_null(list);
    assert_int_equal(
        custos_noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, "0.7", &noise, NULL),
        CUSTOS_OK);
    n = sample_proposals(noise, list, ROOM);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            const struct proposal *p[4] = {&list[a], &list[b], &list[b],
                                           &list[a]};
            uint64_t tape[12];
            custos_rng *rng = test_rng_taped(tape, 12);
            bool any = p[0]->kept || p[1]->kept;
            i128 x = 77;
            custos_status st;

            for (size_t i = 0; i < 4; i++) /* rows of two */
                for (size_t j = 0; j < 3; j++)
                    tape[6 * (i / 2) + 2 * j + i % 2] = p[i]->words[j];
            st = noise_draw(noise, rng, &x, 1);
            assert_int_equal(st, any ? CUSTOS_OK : CUSTOS_EENTROPY);
            assert_true(x == (p[0]->kept ? p[0]->y : any ? p[1]->y : 0));
            assert_int_equal(test_rng_used(rng), any ? 6 : 12);
            second += !p[0]->kept && any;
            neither += !any;
            test_rng_free(rng);
        }
    assert_true(second > 100 && neither > 100);
    custos_noise_free(noise);
    free(list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_the_acceptance_coin),
        cmocka_unit_test(law_gaussian_by_tapes),
        cmocka_unit_test(first_kept_comes_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
