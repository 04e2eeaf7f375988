/*
 * Golden plans: every block of golden.txt is a query, its options, and the
 * EXPLAIN or the error that it must give, to the letter.
 *
 *     > SELECT ...
 *     with who=ana within=10 jointly change-one delta=1e-6 epsilon=1 max_rho=1
 *     the text
 *
 * An error is "at 7: sentence". CUSTOS_GOLDEN=FILE writes the current output,
 * to compare.
 */
#include "plan/golden.h"
#include "support/said.h"

/* Fails if the golden file has lost its cases. */
enum { CASES_LEAST = 180, REFUSED_LEAST = 70 };

static void
answer_write(const char *sql, const struct asked *asked, struct buf *out)
{
    struct planned t;

    plan_for(&t, sql, asked);
    if (t.plan)
        plan_explain(t.plan, out);
    else
        buf_printf(out, "at %d: %s\n", t.err.at, whole_said(&t.err));
    plan_done(&t);
}

static void
golden_plans(void **state)
{
    char *text = golden_read(), *at = text, with[GOLDEN_WITH_MAX];
    const char *path = getenv("CUSTOS_GOLDEN");
    FILE *out = path ? fopen(path, "w") : NULL;
    int cases = 0, wrong = 0, refused = 0;

    (void)state;
    while (*at == '>') {
        struct asked asked = {.adjacency = NULL};
        char *sql = at + 2, *end = strchr(at, '\n'), *next;
        struct buf b;

        assert_non_null(end);
        *end++ = '\0';
        with[0] = '\0';
        buf_init(&b, NULL, 1 << 16);
        if (out)
            fprintf(out, "> %s\n", sql);
        if (!strncmp(end, "with ", 5)) {
            char *line = end + 5;

            end = strchr(line, '\n');
            assert_non_null(end);
            *end++ = '\0';
            snprintf(with, sizeof with, "%s", line);
            if (out)
                fprintf(out, "with %s\n", line);
            golden_with(with, &asked);
        }
        next = strstr(end, "\n> ");
        if (!strncmp(end, "> ", 2))
            next = end - 1;
        if (next)
            next[0] = '\0', next++;
        else /* the last: its empty line is cut off too */
            next = end + strlen(end), next[next > end ? -1 : 0] = '\0';
        answer_write(sql, &asked, &b);
        refused += !strncmp(buf_text(&b), "at ", 3);
        if (out)
            fprintf(out, "%s\n", buf_text(&b));
        /* Blocks end with an empty line, whose newline was replaced by NUL. */
        if (strcmp(buf_text(&b), end)) {
            print_error("%s\nwanted:\n%s\ngot:\n%s\n", sql, end, buf_text(&b));
            wrong++;
        }
        buf_clear(&b);
        cases++;
        at = next;
    }
    if (out)
        fclose(out);
    free(text);
    print_message("# %d plans, %d of them refusals\n", cases, refused);
    assert_int_equal(wrong, 0);
    assert_true(cases >= CASES_LEAST && refused >= REFUSED_LEAST);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
