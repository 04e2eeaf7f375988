/*
 * A shared object as a target: examples/audit/object.c, and objects that are
 * wrong in every way that can be noticed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "audit/program/object.h"

enum { N = 4000 };

static char folder[] = "/tmp/custos-object-XXXXXX";
static char path[200];
static const double values[] = {1, 2, 3};
static const struct pair pair = {"three and none", {values, 3}, {NULL, 0}};
static double number[N * AUDIT_WIDTH_MAX], seconds[N];
static uint32_t length[N], code[N];

#define RUN                                                                    \
    "#include \"custos_audit.h\"\n"                                            \
    "int custos_audit_run(const double *data, size_t n, double *out, "         \
    "size_t room, size_t *length)\n"

static void
shell(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Compiles a file. */
static void
compile(const char *from)
{
    char command[600];

    snprintf(path, sizeof path, "%s/made.so", folder);
    snprintf(command, sizeof command,
             "${CC:-cc} -shared -fPIC -O2 -I ${SRC:-.}/include -o %s %s -lm",
             path, from);
    shell(command);
}

static void
compile_text(const char *text)
{
    char source[200];
    FILE *f;

    snprintf(source, sizeof source, "%s/made.c", folder);
    f = fopen(source, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    compile(source);
}

static custos_status
make(const char *file, struct object **out, custos_err *err)
{
    return object_new(file, OBJECT_TIME_SEEN, &pair, 1, out, err);
}

static void
sample(const struct data *data)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct object *o = NULL;
    const struct audit_target *t;
    struct batch out;

    assert_int_equal(make(path, &o, &err), CUSTOS_OK);
    t = object_target(o);
    out = (struct batch){.n = N,
                         .width = t->width,
                         .number = number,
                         .length = length,
                         .code = code,
                         .seconds = seconds};
    assert_true(t->timed && !t->slow);
    memset(number, 0, sizeof number);
    assert_int_equal(t->sample(t, NULL, data, NULL, &out, &err), CUSTOS_OK);
    object_free(o);
}

/* The mean of 4000 outputs with deviation 2.8 is within 0.4 of the count, except
   with probability below 1e-18. */
static void
the_example_counts(void **state)
{
    (void)state;
    compile("${SRC:-.}/examples/audit/object.c");
    for (int side = 0; side < 2; side++) {
        double sum = 0;

        sample(side ? &pair.b : &pair.a);
        for (size_t i = 0; i < N; i++) {
            assert_true(number[i] == floor(number[i]));
            assert_int_equal(length[i], 1);
            assert_int_equal(code[i], 0);
            assert_true(seconds[i] >= 0 && seconds[i] < 10);
            sum += number[i];
        }
        assert_true(fabs(sum / N - (side ? 0 : 3)) < 0.4);
    }
    compile("-DBROKEN ${SRC:-.}/examples/audit/object.c");
    sample(&pair.a);
    assert_true(number[N - 1] == number[0]);
}

static void
status_and_length_are_seen(void **state)
{
    (void)state;
    compile_text(RUN "{(void)data; for (size_t i = 0; i < n; i++) out[i] = 7; "
                     "*length = n; return n ? -1 : (int)room;}");
    sample(&pair.a);
    assert_int_equal(length[N - 1], 3);
    assert_int_equal(code[0], (uint32_t)-1);
    assert_true(number[3 * N - 1] == 7);
    sample(&pair.b);
    assert_int_equal(length[0], 0);
    assert_int_equal(code[0], AUDIT_WIDTH_MAX);
}

static void
wrong_objects_are_refused(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct object *o = NULL;

    (void)state;
    assert_int_equal(make("/no/such.so", &o, &err), CUSTOS_EINVAL);
    assert_non_null(strstr(err.said, "/no/such.so"));
    assert_int_equal(make("nosuch.so", &o, &err), CUSTOS_EINVAL);
    assert_int_equal(make("/bin/sh", &o, &err), CUSTOS_EINVAL);
    compile_text("int other(void);\nint other(void) {return 0;}");
    assert_int_equal(make(path, &o, &err), CUSTOS_EINVAL);
    assert_non_null(strstr(err.said, "custos_audit_run"));
    compile_text(RUN "{(void)data, (void)n, (void)out; *length = room + 1; "
                     "return 0;}");
    assert_int_equal(make(path, &o, &err), CUSTOS_EINVAL);
    assert_non_null(strstr(err.said, "65 numbers"));
    assert_null(o);
}

static int
set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int
tear_down(void **state)
{
    char command[200];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_counts),
        cmocka_unit_test(status_and_length_are_seen),
        cmocka_unit_test(wrong_objects_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
