/*
 * Outside programs as targets: what they print survives with every bit, what
 * goes wrong is an output with a code, and nothing that a program does blocks
 * the audit.
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

#include "audit/clock.h"
#include "audit/program/child.h"
#include "audit/program/exec.h"
#include "audit/program/output_line.h"

enum { ROOM = 2000, WIDTH = AUDIT_WIDTH_MAX };

static double number[ROOM * WIDTH], seconds[ROOM];
static uint32_t length[ROOM], code[ROOM];
static struct written written[ROOM];
static const double values[] = {1, 0.1};
static const struct pair pair = {"with and without", {values, 2}, {NULL, 0}};

static struct exec_options
options_of(const char *command)
{
    return (struct exec_options){.command = command, .timeout = 5};
}

static struct exec *
make(const struct exec_options *o)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct exec *e = NULL;
    custos_status st = exec_new(o, &pair, 1, &e, &err);

    if (st)
        print_message("%s: %s\n", o->command, err.said);
    assert_int_equal(st, CUSTOS_OK);
    return e;
}

/* n outputs into the arrays above. */
static void
sample_on(const struct exec *e, void *state, const struct data *data, size_t n)
{
    const struct audit_target *t = exec_target(e);
    struct batch out = {.n = n,
                        .width = t->width,
                        .number = number,
                        .length = length,
                        .code = code,
                        .seconds = t->timed ? seconds : NULL,
                        .written = written};
    custos_err err = CUSTOS_ERR_INIT;

    memset(number, 0, sizeof number);
    memset(length, 0, sizeof length);
    memset(code, 0, sizeof code);
    assert_true(n <= ROOM);
    assert_int_equal(t->sample(t, state, data, NULL, &out, &err), CUSTOS_OK);
}

static void *
open_state(const struct exec *e)
{
    custos_err err = CUSTOS_ERR_INIT;
    void *state = NULL;

    assert_int_equal(exec_target(e)->open(exec_target(e), &state, &err),
                     CUSTOS_OK);
    return state;
}

static void
sample(const struct exec_options *o, const struct data *data, size_t n)
{
    struct exec *e = make(o);
    void *state = open_state(e);

    sample_on(e, state, data, n);
    exec_target(e)->close(state);
    exec_free(e);
}

static void
sample_command(const char *command, const struct data *data, size_t n)
{
    struct exec_options o = options_of(command);

    sample(&o, data, n);
}

static void
numbers_survive(void **state)
{
    (void)state;
    sample_command("echo 0.10000000000000001, nan -inf 1e-320 0x1p-3", &pair.a,
                   2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(length[i], 5);
        assert_int_equal(code[i], 0);
        assert_true(number[i * 5] == 0.1);
        assert_true(isnan(number[i * 5 + 1]));
        assert_true(number[i * 5 + 2] == -INFINITY);
        assert_true(number[i * 5 + 3] == 1e-320);
        assert_true(number[i * 5 + 4] == 0.125);
    }
    sample_command("printf '[%s; %s]' 1 2", &pair.a, 1);
    assert_int_equal(length[0], 2);
    assert_true(number[1] == 2);
}

static void
the_data_set_is_the_input(void **state)
{
    (void)state;
    sample_command("awk '{s += $1} END {printf \"%.17g %d\\n\", s, NR}'",
                   &pair.a, 1);
    assert_true(number[0] == 1.1 && number[1] == 2);
    sample_command("awk '{s += $1} END {printf \"%.17g %d\\n\", s, NR}'",
                   &pair.b, 1);
    assert_true(number[0] == 0 && number[1] == 0);
    sample_command("tail -n 1", &(struct data){values, 2}, 1);
    assert_true(number[0] == 0.1); /* every digit is passed on */
}

/* The code of one command's first output. */
static uint32_t
code_of(const char *command)
{
    sample_command(command, &pair.a, 1);
    return code[0];
}

static void
texts_are_codes(void **state)
{
    uint32_t hello = code_of("echo hello");

    (void)state;
    assert_true(hello & CODE_TEXT);
    assert_int_equal(length[0], 0);
    assert_true(number[0] == 0);
    assert_int_equal(code_of("echo hello"), hello);
    assert_true(code_of("echo help") != hello);
    assert_true(code_of("echo hello; exit 1") != hello);
    assert_true(code[0] & CODE_TEXT);
    assert_true(code_of("echo hello >&2; echo 5") != hello);
}

/* Numbers leave the text: it is the same whatever they are. */
static void
numbers_have_labels(void **state)
{
    static const struct {
        const char *text;
        uint32_t n;
        double first;
    } cases[] = {
        {"count=5", 1, 5},
        {"noisy count: 5.", 1, 5},
        {"{\"n\": -5e1, \"sd\": 2}", 2, -50},
        {"5 %", 1, 5},
        {"on 2021-11-05", 3, 2021},
        {"3 5x", 1, 3},
        {"a5 1.2.3 info x_7", 0, 0},
        {"nan of inf", 2, NAN},
    };
    uint32_t labelled;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        double x[4] = {0};
        struct output_line line = output_line_new(x, 4);

        snprintf(text, sizeof text, "%s", cases[i].text);
        output_line_add(&line, (str){text, strlen(text)});
        if (line.n != cases[i].n)
            print_message("%s: %zu numbers\n", text, line.n);
        assert_int_equal(line.n, cases[i].n);
        assert_true(x[0] == cases[i].first ||
                    (isnan(x[0]) && isnan(cases[i].first)));
        assert_true(output_line_code(&line) & CODE_TEXT);
    }
    labelled = code_of("echo count=5");
    assert_true(number[0] == 5);
    assert_int_equal(code_of("echo count=-17.5"), labelled);
    assert_true(number[0] == -17.5);
    assert_true(code_of("echo total=5") != labelled);
    assert_int_equal(code_of("echo '[5; 6, 7]'"), 0);
}

static uint32_t
form_of(const char *command)
{
    sample_command(command, &pair.a, 1);
    return written[0].form;
}

static void
how_a_number_is_written_is_seen(void **state)
{
    uint32_t plain = form_of("echo 1.5");

    (void)state;
    assert_int_equal(written[0].digits, 2);
    assert_int_equal(form_of("echo -271.828"), plain); /* a value, not a form */
    assert_int_equal(written[0].digits, 6);
    assert_true(form_of("echo 15") != plain);
    assert_true(form_of("echo +1.5") != plain);
    assert_true(form_of("echo 1.5e3") != plain);
    assert_true(form_of("echo 0x1.8p1") != plain);
    (void)form_of("echo 007");
    assert_int_equal(written[0].digits, 3);
}

/* Errors come after the output: their text is in the code, their numbers follow. */
static void
errors_are_outputs(void **state)
{
    uint32_t warned;

    (void)state;
    assert_int_equal(code_of("echo 5"), 0);
    warned = code_of("echo 5; echo low on 7 rows >&2");
    assert_true(warned & CODE_TEXT);
    assert_int_equal(length[0], 2);
    assert_true(number[0] == 5 && number[1] == 7);
    assert_int_equal(code_of("echo 5; echo low on 9 rows >/dev/stderr"),
                     warned);
    assert_true(number[1] == 9);
    assert_true(code_of("echo low on 7 rows; echo 5 >&2") != warned);
    /* also what comes after the output is closed, and more than a pipe holds */
    assert_true(code_of("echo 5; exec >&-; sleep 0.1; echo late >&2") != 0);
    assert_true(code_of("head -c 300000 /dev/zero | tr '\\0' a >&2; echo 5") &
                CODE_TEXT);
    assert_true(number[0] == 5);
    assert_true(code_of("echo 5; exec >&-; head -c 300000 /dev/zero | tr "
                        "'\\0' a >&2") &
                CODE_TEXT);
    assert_true(number[0] == 5);
    assert_int_equal(code_of("echo 5; tr '\\0' a </dev/zero >&2"), CODE_FLOOD);
}

/* What happens on one data set alone is an output, not the end of the audit. */
static void
failures_are_outputs(void **state)
{
    static const struct {
        const char *command;
        uint32_t with, without;
    } cases[] = {
        {"echo 5; read x && exit 3", 3, 1}, /* read's own status */
        {"read x && kill -9 $$; echo 1", CODE_SIGNAL + 9, 0},
        {"read x && exec sleep 20; echo 1", CODE_HANG, 0},
        {"read x && sleep 20 | cat; echo 1", CODE_HANG, 0},
        {"read x && exec true; echo 1", CODE_NOTHING, 0},
        {"read x && exec tr '\\0' 1 </dev/zero; echo 1", CODE_FLOOD, 0},
        {"echo 1; exec >&-; read x && exec sleep 20", CODE_HANG, 1},
    };
    double start = clock_seconds();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct exec_options o = options_of(cases[i].command);

        struct exec *e;
        void *mine;

        o.timeout = 0.6;
        e = make(&o);
        mine = open_state(e);
        sample_on(e, mine, &pair.a, 1);
        if (code[0] != cases[i].with)
            print_message("%s: %u\n", o.command, code[0]);
        assert_int_equal(code[0], cases[i].with);
        sample_on(e, mine, &pair.b, 1);
        assert_int_equal(code[0], cases[i].without);
        assert_true(number[0] > 0);
        exec_target(e)->close(mine);
        exec_free(e);
    }
    assert_true(clock_seconds() - start < 40); /* not 20 s for each */
}

/* A program may leave its input unread, or write before it reads. */
static void
nothing_blocks(void **state)
{
    enum { MANY = 200000 };
    double *many = calloc(MANY, sizeof *many);
    struct data data = {many, MANY};

    (void)state;
    assert_non_null(many);
    sample_command("echo 7", &data, 2);
    assert_true(number[0] == 7 && number[1] == 7);
    sample_command("head -c 300000 /dev/zero | tr '\\0' ' '; wc -l", &data, 1);
    assert_true(number[0] == MANY);
    free(many);
}

static void
time_is_seen(void **state)
{
    struct exec_options o = options_of("read x && sleep 0.2; echo 1");
    struct exec *e = make(&o);
    void *mine = open_state(e);
    double least = 5;

    (void)state;
    assert_true(exec_target(e)->timed && exec_target(e)->slow);
    assert_true(exec_starts_again(e));
    sample_on(e, mine, &pair.a, 1);
    assert_true(seconds[0] > 0.2 && seconds[0] < 5);
    for (int i = 0; i < 20; i++) { /* one of them is not disturbed */
        sample_on(e, mine, &pair.b, 1);
        assert_true(seconds[0] > 0);
        least = seconds[0] < least ? seconds[0] : least;
    }
    assert_true(least < 0.2);
    exec_target(e)->close(mine);
    exec_free(e);
    o.time = EXEC_TIME_IGNORED;
    e = make(&o);
    assert_false(exec_target(e)->timed);
    exec_free(e);
}

#define LOOP                                                                   \
    "awk 'END {for (i = 1; i <= ENVIRON[\"CUSTOS_AUDIT_OUTPUTS\"]; i++) "      \
    "print i, NR}'"

/* It is kept running, on both data sets, and started again when it ends. */
static void
lines_are_outputs(void **state)
{
    struct exec_options o = options_of(LOOP);
    struct exec *e = make(&o);
    void *mine = open_state(e);

    (void)state;
    assert_false(exec_target(e)->timed || exec_target(e)->slow);
    for (int round = 0; round < 3; round++)
        for (int side = 0; side < 2; side++) {
            sample_on(e, mine, side ? &pair.b : &pair.a, ROOM);
            for (size_t i = 0; i < ROOM; i++) {
                /* exec_new waited for the first line */
                assert_true(number[2 * i] == round * ROOM + (double)i + 2);
                assert_true(number[2 * i + 1] == (side ? 0 : 2));
            }
        }
    sample_on(e, mine, &(struct data){values, 1}, 1); /* a third data set */
    assert_true(number[0] == 1 && number[1] == 1);
    exec_target(e)->close(mine);
    exec_free(e);

    sample_command("seq 3; exit 4", &pair.a, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_true(number[i] == (double)((i + 2) % 4));
        assert_int_equal(code[i], i % 4 == 2 ? 4 : 0);
    }
    sample_command("read x && exit 0; seq 3", &pair.a, 3);
    assert_int_equal(code[2], CODE_NOTHING);
    sample_command("yes 1", &pair.a, ROOM);
    assert_true(number[ROOM - 1] == 1);
    sample_command("printf '1\\n2'", &pair.a, 4); /* no end of line */
    assert_true(number[0] == 2 && number[1] == 1 && number[2] == 2);
}

static void
a_run_can_be_one_output(void **state)
{
    struct exec_options o = options_of("seq 3");

    (void)state;
    o.lines = EXEC_LINE_WHOLE;
    sample(&o, &pair.a, 2);
    assert_int_equal(length[0], 3);
    assert_true(number[3 + 1] == 2);
}

static void
one_output_is_asked_for(void **state)
{
    struct exec_options o = options_of("echo $CUSTOS_AUDIT_OUTPUTS");

    (void)state;
    setenv("CUSTOS_AUDIT_OUTPUTS", "99", 1);
    sample(&o, &pair.a, 1);
    assert_true(number[0] == 1);
    unsetenv("CUSTOS_AUDIT_OUTPUTS");
}

static void
binary_junk_is_read(void **state)
{
    (void)state;
    sample_command("head -c 3000 /dev/urandom", &pair.a, 50);
    sample_command("printf '1\\0002'", &pair.a, 1);
    assert_true(code[0] & CODE_TEXT);
}

static void
many_numbers_are_cut(void **state)
{
    (void)state;
    sample_command("seq -s ' ' 100", &pair.a, 1);
    assert_int_equal(length[0], 100);
    assert_true(number[WIDTH - 1] == WIDTH);
    assert_true(number[WIDTH] == 0);
}

static void
programs_that_say_nothing_are_refused(void **state)
{
    static const struct {
        const char *command, *says;
    } cases[] = {
        {"no-such-program-anywhere", "no-such-program-anywhere"},
        {"true", "printed nothing and ended with status 0"},
        {"echo why >&2; exit 3", "status 3: why"},
        {"kill -9 $$", "signal 9"},
        {"sleep 20", "within 0.2 s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct exec_options o = options_of(cases[i].command);
        custos_err err = CUSTOS_ERR_INIT;
        struct exec *e = NULL;

        o.timeout = i == 4 ? 0.2 : 5;
        assert_int_equal(exec_new(&o, &pair, 1, &e, &err), CUSTOS_EINVAL);
        assert_null(e);
        if (!strstr(err.said, cases[i].says))
            print_message("%s\n", err.said);
        assert_non_null(strstr(err.said, cases[i].says));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_survive),
        cmocka_unit_test(the_data_set_is_the_input),
        cmocka_unit_test(texts_are_codes),
        cmocka_unit_test(numbers_have_labels),
        cmocka_unit_test(how_a_number_is_written_is_seen),
        cmocka_unit_test(errors_are_outputs),
        cmocka_unit_test(failures_are_outputs),
        cmocka_unit_test(nothing_blocks),
        cmocka_unit_test(time_is_seen),
        cmocka_unit_test(lines_are_outputs),
        cmocka_unit_test(a_run_can_be_one_output),
        cmocka_unit_test(one_output_is_asked_for),
        cmocka_unit_test(binary_junk_is_read),
        cmocka_unit_test(many_numbers_are_cut),
        cmocka_unit_test(programs_that_say_nothing_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
