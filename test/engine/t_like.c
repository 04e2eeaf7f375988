/*
 * LIKE against the simplest reference, a table over pattern and text: on all
 * patterns of a small alphabet, on random ones, and on those that take
 * exponential time by backtracking. Also the bound on its steps.
 */
#include "engine/like.h"
#include "support/support.h"

enum { TEXT_MOST = 40 };

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Bytes of the character at text[at]. */
static size_t
character(const char *text, size_t at)
{
    unsigned char c = (unsigned char)text[at];

    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* match[j]: the pattern so far matches the first j bytes of text. */
static bool
reference(const char *pattern, size_t p, const char *text, size_t n)
{
    bool match[TEXT_MOST + 1] = {true}, next[TEXT_MOST + 1];

    for (size_t i = 0; i < p; i++) {
        bool escaped = pattern[i] == '\\';

        i += escaped;
        memset(next, 0, sizeof(next));
        if (pattern[i] == '%' && !escaped) {
            bool any = false;

            for (size_t j = 0; j <= n; j++) {
                any = any || match[j];
                next[j] =
                    any && (j == n || ((unsigned char)text[j] & 0xc0u) != 0x80);
            }
        } else {
            for (size_t j = 0; j < n; j++) {
                if (!match[j])
                    continue;
                if (pattern[i] == '_' && !escaped)
                    next[j + character(text, j)] = true;
                else if (text[j] == pattern[i])
                    next[j + 1] = true;
            }
        }
        memcpy(match, next, sizeof(match));
    }
    return match[n];
}

static void
compare(const char *pattern, size_t p, const char *text, size_t n)
{
    struct like l;
    enum like_result got;

    assert_true(like_compile((str){pattern, p}, &l));
    got = like_match(&l, text, n);
    if ((got == LIKE_YES) != reference(pattern, p, text, n) ||
        got == LIKE_TOO_LONG)
        fail_msg("'%.*s' LIKE '%.*s' is not %d", (int)n, text, (int)p, pattern,
                 (int)got);
}

/* The i-th text of `length` letters. */
static void
spell(const char *letters, size_t n_letters, size_t i, size_t length, char *out)
{
    for (size_t k = 0; k < length; k++) {
        out[k] = letters[i % n_letters];
        i /= n_letters;
    }
}

static size_t
power(size_t base, size_t n)
{
    return n == 0 ? 1 : base * power(base, n - 1);
}

static bool
is_pattern(const char *pattern, size_t p)
{
    for (size_t i = 0; i < p; i++)
        if (pattern[i] == '\\' && ++i == p)
            return false;
    return true;
}

static void
exhaustive_patterns_match_the_reference(void **state)
{
    size_t longest = (size_t)test_size(3, 5), seen = 0;

    (void)state;
    for (size_t p = 0; p <= longest; p++)
        for (size_t i = 0; i < power(5, p); i++) {
            char pattern[8], text[8];

            spell("ab%_\\", 5, i, p, pattern);
            if (!is_pattern(pattern, p))
                continue;
            for (size_t n = 0; n <= longest; n++)
                for (size_t k = 0; k < power(2, n); k++) {
                    spell("ab", 2, k, n, text);
                    compare(pattern, p, text, n);
                    seen++;
                }
        }
    assert_true(seen > 1000);
}

static size_t
draw_text(uint64_t *rng, const char *const *letters, size_t n_letters,
          size_t most, char *out)
{
    size_t n = 0;

    for (size_t i = draw(rng, most + 1); i > 0; i--) {
        const char *letter = letters[draw(rng, n_letters)];

        memcpy(out + n, letter, strlen(letter));
        n += strlen(letter);
    }
    return n;
}

static void
random_patterns_match_the_reference(void **state)
{
    static const char *const letters[] = {"a", "b", "é", "€",
                                          "𝄞", "%", "_", "\\"};
    static const char *const units[] = {"a", "b",   "é",   "€",    "𝄞",  "%",
                                        "_", "\\%", "\\_", "\\\\", "\\é"};
    uint64_t rng = 12;
    size_t yes = 0;

    (void)state;
    for (int i = 0; i < test_size(10000, 400000); i++) {
        char pattern[TEXT_MOST + 1], text[TEXT_MOST + 1];
        /* Half of the time few letters, so that many texts match. */
        bool few = draw(&rng, 2) == 0;
        size_t n = draw_text(&rng, letters, few ? 3 : 8, 10, text);
        size_t p =
            draw_text(&rng, few ? units + 1 : units, few ? 6 : 11, 8, pattern);

        compare(pattern, p, text, n);
        yes += reference(pattern, p, text, n);
    }
    assert_true(yes > 100);
}

/*
 * The steps of the pattern on the text, which must be within the theorem's
 * bound.
 */
static size_t
steps_of(const char *pattern, size_t p, const char *text, size_t n,
         enum like_result *result)
{
    struct like l;
    size_t steps, longest = 0;

    assert_true(like_compile((str){pattern, p}, &l));
    for (size_t i = 0; i < l.n_segments; i++)
        if (l.segments[i].len > longest)
            longest = l.segments[i].len;
    *result = like_match_counted(&l, text, n, &steps);
    assert_true(steps <= n * (longest + 1) + 2 * p);
    assert_true(steps <= LIKE_STEPS_MAX);
    return steps;
}

static void
steps_stay_in_their_bound(void **state)
{
    uint64_t rng = 7;
    enum like_result result;

    (void)state;
    for (int i = 0; i < test_size(500, 50000); i++) {
        static const char *const letters[] = {"a", "b", "é"};
        static const char *const units[] = {"a", "b", "%", "_", "é"};
        char pattern[TEXT_MOST + 1], text[TEXT_MOST + 1];
        size_t n = draw_text(&rng, letters, 3, 20, text);
        size_t p = draw_text(&rng, units, 5, 20, pattern);

        steps_of(pattern, p, text, n, &result);
    }
}

/* Patterns for which backtracking takes seconds or years. */
static void
exponential_patterns_take_few_steps(void **state)
{
    static const char *const patterns[] = {
        "%a_%a_%a_%a_%a_%a_%a_%a_%b", "%_a%_a%_a%_a%_a%_a%_a%_b%",
        "%a%a%a%a%a%a%a%a%a%a%a%b",   "%__a%__a%__a%__a%__a%__a%b_",
        "_%_%_%_%_%_%_%_%_%_%_%b",    "%\\a_%\\a_%\\a_%\\a_%\\a_%\\b",
    };
    char text[400];
    enum like_result result;

    (void)state;
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        size_t steps = steps_of(patterns[i], strlen(patterns[i]), text,
                                sizeof(text), &result);

        assert_int_equal(result, LIKE_NO);
        assert_true(steps <= 4 * sizeof(text));
    }
}

static void
long_texts_end_at_the_limit(void **state)
{
    enum { LONG = 1 << 16 };
    char *text = malloc(2 * LIKE_STEPS_MAX), pattern[LIKE_PATTERN_MAX];
    enum like_result result;

    (void)state;
    assert_non_null(text);
    memset(text, 'a', 2 * LIKE_STEPS_MAX);
    memset(pattern, 'a', sizeof(pattern));
    pattern[0] = pattern[LIKE_PATTERN_MAX - 1] = '%';
    pattern[LIKE_PATTERN_MAX - 2] = 'b';
    assert_int_equal(steps_of(pattern, LIKE_PATTERN_MAX, text, LONG, &result),
                     LIKE_STEPS_MAX);
    assert_int_equal(result, LIKE_TOO_LONG);
    /* The steps of the byte search count too. */
    steps_of("%b%", 3, text, 2 * LIKE_STEPS_MAX, &result);
    assert_int_equal(result, LIKE_TOO_LONG);
    assert_int_equal(steps_of("%b%", 3, text, LONG, &result), LONG);
    assert_int_equal(result, LIKE_NO);
    /* Exactly at the limit there is an answer. */
    text[LIKE_STEPS_MAX - 1] = 'b';
    steps_of("%b%", 3, text, 2 * LIKE_STEPS_MAX, &result);
    assert_int_equal(result, LIKE_YES);
    free(text);
}

static void
patterns_are_refused_by_public_facts(void **state)
{
    struct like l;
    char pattern[LIKE_PATTERN_MAX + 1];

    (void)state;
    memset(pattern, '_', sizeof(pattern));
    assert_true(like_compile((str){pattern, LIKE_PATTERN_MAX}, &l));
    assert_false(like_compile((str){pattern, LIKE_PATTERN_MAX + 1}, &l));
    assert_false(like_compile(str_of("a\\"), &l));
    assert_false(like_compile(str_of("%\\\\\\"), &l));
    assert_true(like_compile(str_of("%\\\\"), &l));
    /* The largest number of segments. */
    for (size_t i = 0; i < LIKE_PATTERN_MAX; i += 2) {
        pattern[i] = 'a';
        pattern[i + 1] = '%';
    }
    assert_true(like_compile((str){pattern, LIKE_PATTERN_MAX}, &l));
    assert_int_equal(l.n_segments, LIKE_PATTERN_MAX / 2);
    pattern[0] = '%';
    assert_true(like_compile((str){pattern, LIKE_PATTERN_MAX - 1}, &l));
}

/* Matching terminates and stays within the text, which sanitizers check. */
static void
invalid_text_is_safe(void **state)
{
    static const unsigned char bytes[] = {'a',  'b',  0,    0x80, 0xbf,
                                          0xc3, 0xe2, 0xf0, 0xff, '_'};
    static const unsigned char units[] = {'a', '%', '_', 0x80, 0xe2, 0xff};
    uint64_t rng = 3;
    enum like_result result;

    (void)state;
    for (int i = 0; i < test_size(500, 50000); i++) {
        size_t n = draw(&rng, 12), p = draw(&rng, 9);
        char *text = malloc(n + 1), pattern[9];

        assert_non_null(text);
        for (size_t k = 0; k < n; k++)
            text[k] = (char)bytes[draw(&rng, sizeof(bytes))];
        for (size_t k = 0; k < p; k++)
            pattern[k] = (char)units[draw(&rng, sizeof(units))];
        text[n] = '\0';
        steps_of(pattern, p, text, n, &result);
        free(text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhaustive_patterns_match_the_reference),
        cmocka_unit_test(random_patterns_match_the_reference),
        cmocka_unit_test(steps_stay_in_their_bound),
        cmocka_unit_test(exponential_patterns_take_few_steps),
        cmocka_unit_test(long_texts_end_at_the_limit),
        cmocka_unit_test(patterns_are_refused_by_public_facts),
        cmocka_unit_test(invalid_text_is_safe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
