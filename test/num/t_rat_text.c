/*
 * Numbers from text and to text: the grammar in any locale, and exact round
 * trips.
 */
#include <locale.h>
#include <stdlib.h>

#include "num/rat.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/said.h"
#include "support/support.h"

static const struct {
    const char *text;
    int64_t num;
    uint64_t den;
} accepted[] = {
    {"0", 0, 1},       {"-0", 0, 1},
    {"12", 12, 1},     {"+12", 12, 1},
    {"-12", -12, 1},   {"0.1", 1, 10},
    {"-0.5", -1, 2},   {".5", 1, 2},
    {"5.", 5, 1},      {"1e-6", 1, 1000000},
    {"1E3", 1000, 1},  {"1e+3", 1000, 1},
    {"2.50e1", 25, 1}, {".5e1", 5, 1},
    {"1/3", 1, 3},     {"-2/6", -1, 3},
    {"007", 7, 1},     {"0/5", 0, 1},
    {"0.000", 0, 1},   {"1e0", 1, 1},
    {"1e0000", 1, 1},  {"123456789012345678", 123456789012345678, 1},
};

static const char *const refused[] = {
    "",      " ",      "1 ",      " 1",      "1,5",   "1.2.3", "1e",
    "1e+",   "e5",     ".",       "-",       "+",     "--1",   "+-1",
    "1/",    "/3",     "1/0",     "0/0",     "1/-3",  "1/3.5", "1/3e5",
    "1/3/5", "0x10",   "nan",     "NaN",     "inf",   "-inf",  "infinity",
    "1e401", "1e-401", "1e10000", "1e00001", "1_000", "1'000", "\xd9\xa1",
    "1\n",   "one",    "1e1.5",   ".e5",     "1.5/2", "%d",
};

static void
reads_the_grammar(void)
{
    for (size_t i = 0; i < COUNT_OF(accepted); i++) {
        custos_err err = {.size = sizeof err, .code = CUSTOS_ETAKEN};
        rat r, expected;

        rat_init(&r);
        rat_init(&expected);
        rat_set_i64(&expected, accepted[i].num, accepted[i].den);
        assert_int_equal(rat_read(accepted[i].text, "x", &r, &err), CUSTOS_OK);
        assert_int_equal(rat_cmp(&r, &expected), 0);
        assert_int_equal(err.code, CUSTOS_ETAKEN);
        rat_clear(&expected);
        rat_clear(&r);
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        custos_err err = CUSTOS_ERR_INIT;
        rat r;

        rat_init(&r);
        rat_set_i64(&r, 7, 3);
        assert_int_equal(rat_read(refused[i], "epsilon", &r, &err),
                         CUSTOS_EPARSE);
        assert_int_equal(err.code, CUSTOS_EPARSE);
        assert_non_null(strstr(whole_said(&err), "epsilon"));
        assert_int_equal(mpq_cmp_si(r.q, 7, 3), 0); /* unchanged */
        rat_clear(&r);
    }
}

static void
grammar_is_read_in_every_locale(void **state)
{
    /* If a locale is not installed, the previous one stays in effect. */
    static const char *const names[] = {"C", "C.UTF-8", "de_DE.UTF-8",
                                        "fr_FR.UTF-8", ""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        setlocale(LC_ALL, names[i]);
        reads_the_grammar();
    }
    setlocale(LC_ALL, "C");
}

static void
length_has_a_limit(void **state)
{
    char text[RAT_TEXT_MAX + 2];
    custos_err err = CUSTOS_ERR_INIT;
    rat r;

    (void)state;
    rat_init(&r);
    memset(text, '9', sizeof text);
    text[RAT_TEXT_MAX] = '\0';
    assert_int_equal(rat_read(text, "x", &r, &err), CUSTOS_OK);
    assert_true(mpz_sizeinbase(mpq_numref(r.q), 10) >= RAT_TEXT_MAX);
    text[RAT_TEXT_MAX] = '9';
    text[RAT_TEXT_MAX + 1] = '\0';
    assert_int_equal(rat_read(text, "x", &r, &err), CUSTOS_EPARSE);
    assert_non_null(strstr(whole_said(&err), "128"));
    assert_int_equal(rat_read(NULL, "x", &r, &err), CUSTOS_EPARSE);
    assert_string_equal(whole_said(&err), "x is missing");
    rat_clear(&r);
}

typedef custos_status reader(const char *, const char *, rat *, custos_err *);

/* Each bounded reader at its limits. */
static void
ranges_are_checked(void **state)
{
    static const struct {
        reader *read;
        const char *text;
        custos_status status;
    } rows[] = {
        {rat_read_positive, "1e-400", CUSTOS_OK},
        {rat_read_positive, "0", CUSTOS_ERANGE},
        {rat_read_positive, "-1", CUSTOS_ERANGE},
        {rat_read_positive, "x", CUSTOS_EPARSE},
        {rat_read_delta, "0", CUSTOS_OK},
        {rat_read_delta, "0.999999999", CUSTOS_OK},
        {rat_read_delta, "1", CUSTOS_ERANGE},
        {rat_read_delta, "-1e-400", CUSTOS_ERANGE},
        {rat_read_delta, "", CUSTOS_EPARSE},
        {rat_read_open_unit, "1e-400", CUSTOS_OK},
        {rat_read_open_unit, "0", CUSTOS_ERANGE},
        {rat_read_open_unit, "1", CUSTOS_ERANGE},
        {rat_read_open_unit, "0.9999", CUSTOS_OK},
        {rat_read_open_unit, "1/", CUSTOS_EPARSE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_err err = CUSTOS_ERR_INIT;
        rat r;

        rat_init(&r);
        assert_int_equal(rows[i].read(rows[i].text, "delta", &r, &err),
                         rows[i].status);
        assert_int_equal(err.code, rows[i].status);
        rat_clear(&r);
    }
}

static void
writes(const char *text, const char *expected)
{
    rat r = ref_rat(text);
    struct buf b;

    buf_init(&b, NULL, 2000);
    rat_write(&r, &b);
    assert_string_equal(buf_text(&b), expected);
    buf_clear(&b);
    rat_clear(&r);
}

static void
text_is_exact_and_short(void **state)
{
    (void)state;
    writes("0", "0");
    writes("-12", "-12");
    writes("0.1", "0.1");
    writes("-0.050", "-0.05");
    writes("1/3", "1/3");
    writes("-4/6", "-2/3");
    writes("12.5", "12.5");
    writes("1/1024", "0.0009765625");
    writes("1e-40", "0.0000000000000000000000000000000000000001");
    writes("1e-41", "1/100000000000000000000000000000000000000000");
    writes("1e20", "100000000000000000000");
}

/* A written number is read back as the same number. */
static void
round_trips_are_exact(void **state)
{
    custos_rng *rng = test_rng_seeded(1);

    (void)state;
    for (int i = 0; i < 2000; i++) {
        uint64_t w[3];
        struct buf b;
        rat r, back;

        assert_int_equal(rng_words(rng, w, 3), CUSTOS_OK);
        rat_init(&r);
        rat_init(&back);
        rat_set_i64(&r,
                    (int64_t)(w[0] >> (w[2] & 31)) * (w[2] >> 60 & 1 ? 1 : -1),
                    i % 2 ? 1 + (w[1] >> (w[2] >> 8 & 63))
                          : UINT64_C(1) << (w[1] & 31));
        buf_init(&b, NULL, RAT_TEXT_MAX + 1);
        rat_write(&r, &b);
        assert_false(b.failed);
        assert_int_equal(rat_read(buf_text(&b), "x", &back, NULL), CUSTOS_OK);
        assert_int_equal(rat_cmp(&r, &back), 0);
        buf_clear(&b);
        rat_clear(&back);
        rat_clear(&r);
    }
    test_rng_free(rng);
}

/* An array gets the text if it and its NUL fit. */
static void
text_fits_into_an_array(void **state)
{
    char text[8] = "unset";
    rat r;

    (void)state;
    rat_init(&r);
    assert_int_equal(rat_read("-1/3", "x", &r, NULL), CUSTOS_OK);
    assert_false(rat_write_into(&r, text, 4));
    assert_string_equal(text, "unset");
    assert_true(rat_write_into(&r, text, 5));
    assert_string_equal(text, "-1/3");
    rat_clear(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar_is_read_in_every_locale),
        cmocka_unit_test(length_has_a_limit),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(text_is_exact_and_short),
        cmocka_unit_test(round_trips_are_exact),
        cmocka_unit_test(text_fits_into_an_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
