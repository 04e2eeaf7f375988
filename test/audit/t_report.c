/*
 * Reports: they say what was refuted, never more than the bounds allow, and are
 * well-formed whatever a program is called.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/report.h"

static const double values[] = {1, 1};

static struct finding
finding(void)
{
    struct finding f = {
        .target = "program",
        .pair = {"2 rows of 1, one fewer", {values, 2}, {values, 1}},
        .event = "number 1 is at most 3 & <odd>",
        .feature = "number 1",
        .hits = 12345,
        .other_hits = 7,
        .n = 1000000,
        .p_low = 0.0121999,
        .other_high = 0.0000151,
        .epsilon = 6.69456,
        .mu = 1.9,
        .claim = {.epsilon = 0.1},
        .level = 0.05,
        .finalists = 4,
        .pairs = 6,
        .search = 1000,
        .seed = 42,
        .seconds = 2.5,
        .bars = {{-INFINITY, 3, 12345, 7, true},
                 {3, 9, 500000, 500000, false},
                 {9, INFINITY, 487655, 499993, false}},
        .n_bars = 3,
        .refuted = true,
    };

    return f;
}

static char *
text_of(const struct finding *f,
        void (*write)(const struct report *, struct buf *))
{
    struct report r = {f,
                       "awk '<b>' & \"more\"",
                       "custos audit --exec 'x'",
                       "A.",
                       {NULL, 0},
                       {NULL, 0}};
    struct buf out;
    char *text;

    buf_init(&out, NULL, 1 << 20);
    write(&r, &out);
    assert_false(out.failed);
    text = strdup(buf_text(&out));
    assert_non_null(text);
    buf_clear(&out);
    return text;
}

static void
assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void
text_says_everything(void **state)
{
    static const char *const parts[] = {
        "REFUTED\n",
        "The claim is false: epsilon is at least 6.694, with 95 %\n",
        "epsilon 0.1\n",
        "2 rows of 1, one fewer",
        "{1, 1}",
        "number 1 is at most 3 & <odd>",
        "12,345 times on A, 7 times on B, in 1,000,000 outputs of each",
        "at least 0.01219 on A, at most 1.51e-05 on B (Clopper-Pearson)",
        "ln(0.01219 / 1.51e-05) = 6.694",
        "6 pairs of neighbours; 4 events",
        "custos audit --exec 'x'\n",
        "An audit refutes and never proves",
    };
    struct finding f = finding();
    char *text = text_of(&f, report_text);

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_has(text, parts[i]);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("a long line: %.100s", line);
    free(text);
}

/* The number of a store tells a reader nothing: its words stand for it. */
static void
neighbours_can_have_words(void **state)
{
    static void (*const writers[])(const struct report *,
                                   struct buf *) = {report_text, report_html};
    struct finding f = finding();
    struct report r = {.finding = &f,
                       .title = "SELECT 1",
                       .again = "custos",
                       .a = {"1 row in people: (id 7, name '<b>')", 1},
                       .b = {"nobody else", 0}};
    struct buf out;

    (void)state;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        buf_init(&out, NULL, 1 << 20);
        writers[i](&r, &out);
        assert_has(buf_text(&out), i ? "(id 7, name '&lt;b&gt;')"
                                     : "1 row in people: (id 7, name '<b>')");
        assert_has(buf_text(&out), "nobody else");
        assert_null(strstr(buf_text(&out), "{1"));
        buf_clear(&out);
    }
}

static void
what_is_not_refuted_is_not_said(void **state)
{
    struct finding f = finding();
    char *text;

    (void)state;
    f.refuted = false;
    f.claim.epsilon = 8;
    text = text_of(&f, report_text);
    assert_has(text, "NOT REFUTED\n");
    assert_has(text, "refutes every\n");
    assert_null(strstr(text, "false"));
    free(text);
    f.epsilon = f.mu = 0;
    f.n_bars = 0;
    text = text_of(&f, report_text);
    assert_has(text, "No difference between");
    assert_null(strstr(text, "Therefore"));
    free(text);
    text = text_of(&f, report_html);
    assert_has(text, "NOT REFUTED");
    assert_null(strstr(text, "<svg"));
    free(text);
    text = text_of(&f, report_svg);
    assert_has(text, "no event to draw");
    free(text);
}

static void
delta_mu_and_rho_are_named(void **state)
{
    struct finding f = finding();
    char *text;

    (void)state;
    f.claim.delta = 1e-6;
    f.level = 1e-6;
    text = text_of(&f, report_text);
    assert_has(text, "at delta 1e-06");
    assert_has(text, "99.9999 %");
    assert_has(text, "ln((0.01219 - 1e-06) / 1.51e-05)");
    free(text);
    f.claim = (struct claim){.mu = 0.5};
    text = text_of(&f, report_text);
    assert_has(text, "mu is at least 1.9,");
    assert_has(text, "Gaussian differential privacy");
    free(text);
    f.claim = (struct claim){.rho = 0.5, .delta = 1e-6};
    f.rho = 1.7;
    text = text_of(&f, report_text);
    assert_has(text, "rho is at least 1.7 at delta 1e-06,");
    assert_has(text, "zero-concentrated differential");
    free(text);
}

/* Rounded numbers stay on the safe side, and close. */
static void
bounds_are_rounded_to_the_safe_side(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x =
            exp(((i * 7919) % 20000 - 12000) / 700.0) * (1 + (i % 13) / 17.0);
        char down[REPORT_NUMBER_MAX], up[REPORT_NUMBER_MAX];

        report_down(x, down);
        report_up(x, up);
        assert_true(strtod(down, NULL) <= x);
        assert_true(strtod(up, NULL) >= x);
        assert_true(strtod(down, NULL) > x * 0.9985);
        assert_true(strtod(up, NULL) < x * 1.0015);
    }
}

static void
counts_have_commas(void **state)
{
    char text[REPORT_NUMBER_MAX];

    (void)state;
    report_count(0, text);
    assert_string_equal(text, "0");
    report_count(999, text);
    assert_string_equal(text, "999");
    report_count(1000, text);
    assert_string_equal(text, "1,000");
    report_count(UINT64_MAX, text);
    assert_string_equal(text, "18,446,744,073,709,551,615");
}

/* No markup of a name survives, and nothing is loaded from elsewhere. */
static void
pages_are_self_contained(void **state)
{
    struct finding f = finding();
    char *text = text_of(&f, report_html);
    const char *link = text;

    (void)state;
    assert_has(text, "awk '&lt;b&gt;' &amp; &quot;more&quot;");
    assert_has(text, "number 1 is at most 3 &amp; &lt;odd&gt;");
    assert_has(text, "12,345 of 1,000,000");
    assert_has(text, "<svg");
    assert_has(text, "</html>\n");
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "src="));
    assert_null(strstr(text, "href="));
    while ((link = strstr(link, "http")) != NULL) {
        assert_int_equal(strncmp(link, "http://www.w3.org/2000/svg", 26), 0);
        link++;
    }
    free(text);
}

static size_t
count_of(const char *text, const char *part)
{
    size_t n = 0;

    while ((text = strstr(text, part)) != NULL) {
        n++;
        text++;
    }
    return n;
}

static void
the_event_is_drawn(void **state)
{
    struct finding f = finding();
    char *text = text_of(&f, report_svg);

    (void)state;
    assert_int_equal(count_of(text, "<rect class=\"a\""), 3 + 1); /* legend */
    assert_int_equal(count_of(text, "<rect class=\"b\""), 3 + 1);
    assert_int_equal(count_of(text, "<rect class=\"in\""), 1 + 1);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_has(text, ">3<"); /* the end of a range */
    assert_null(strstr(text, "logarithmic"));
    free(text);
    f.bars[0].a = 3; /* too rare to be seen otherwise */
    text = text_of(&f, report_svg);
    assert_has(text, "logarithmic");
    free(text);
    f.n = 0; /* nothing was drawn yet: still no nonsense */
    text = text_of(&f, report_svg);
    assert_null(strstr(text, "nan"));
    free(text);
}

static void
json_has_every_digit(void **state)
{
    struct finding f = finding();
    struct report r = {
        .finding = &f, .title = "awk \"x\"", .again = "custos audit"};
    struct buf out;
    struct json j;

    (void)state;
    buf_init(&out, NULL, 1 << 20);
    json_init(&j, &out, JSON_ONE_LINE);
    json_begin(&j, NULL);
    report_json(&r, &j);
    json_end(&j);
    assert_has(buf_text(&out), "\"epsilon\":\"6.6945600000000001\"");
    assert_has(buf_text(&out), "\"target\":\"awk \\\"x\\\"\"");
    assert_has(buf_text(&out), "\"least\":null,\"most\":\"3\",\"a\":12345");
    assert_has(buf_text(&out), "\"seed\":\"42\"");
    assert_has(buf_text(&out), "\"note\":null");
    buf_clear(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_says_everything),
        cmocka_unit_test(neighbours_can_have_words),
        cmocka_unit_test(what_is_not_refuted_is_not_said),
        cmocka_unit_test(delta_mu_and_rho_are_named),
        cmocka_unit_test(bounds_are_rounded_to_the_safe_side),
        cmocka_unit_test(counts_have_commas),
        cmocka_unit_test(pages_are_self_contained),
        cmocka_unit_test(the_event_is_drawn),
        cmocka_unit_test(json_has_every_digit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
