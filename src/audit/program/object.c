/*
 * Loads the object, finds how many numbers its function writes by calling it on
 * the first and the last pair, and then calls it for each output. The function
 * runs in this process: a crash of it ends the audit.
 */
#include "audit/program/object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/clock.h"
#include "audit/program/child.h"
#include "base/error.h"

#define FUNCTION "custos_audit_run"

typedef int (*run_function)(const double *data, size_t n, double *out,
                            size_t room, size_t *length);

struct object {
    struct audit_target target;
    void *library;
    run_function run;
};

/* A function that writes more than it was given room for is wrong beyond
   repair; one that says so is believed. */
static custos_status
run_one(const struct object *o, const struct data *data, double *numbers,
        size_t *length, uint32_t *code, custos_err *err)
{
    size_t n = 0;
    int status = o->run(data->value, data->n, numbers, AUDIT_WIDTH_MAX, &n);

    if (n > AUDIT_WIDTH_MAX)
        return custos_fail(err, CUSTOS_EINVAL,
                           FUNCTION " says that it wrote %zu numbers, but it "
                                    "had room for %d",
                           n, (int)AUDIT_WIDTH_MAX);
    *length = n;
    *code = (uint32_t)status;
    return CUSTOS_OK;
}

static custos_status
object_sample(const struct audit_target *target, void *state,
              const struct data *data, struct coins *coins, struct batch *out,
              custos_err *err)
{
    const struct object *o = target->self;
    double numbers[AUDIT_WIDTH_MAX];
    custos_status st = CUSTOS_OK;

    (void)state;
    (void)coins; /* the function draws its own */
    for (size_t i = 0; i < out->n && !st; i++) {
        double start = out->seconds ? clock_seconds() : 0;
        size_t length = 0;

        st = run_one(o, data, numbers, &length, &out->code[i], err);
        if (st)
            break;
        if (out->seconds)
            out->seconds[i] = clock_seconds() - start;
        out->length[i] = (uint32_t)length;
        memcpy(out->number + i * out->width, numbers,
               (length < out->width ? length : out->width) * sizeof *numbers);
    }
    return st;
}

static custos_status
find_width(struct object *o, const struct pair *pairs, size_t n,
           custos_err *err)
{
    const struct data *data[] = {&pairs[0].a, &pairs[0].b, &pairs[n - 1].a,
                                 &pairs[n - 1].b};
    double numbers[AUDIT_WIDTH_MAX];
    uint32_t code;
    custos_status st = CUSTOS_OK;

    o->target.width = 1;
    for (size_t i = 0; i < 4 && !st; i++) {
        size_t length = 0;

        st = run_one(o, data[i], numbers, &length, &code, err);
        if (length > o->target.width)
            o->target.width = length;
    }
    return st;
}

void
object_free(struct object *o)
{
    if (!o)
        return;
    if (o->library)
        dlclose(o->library);
    free(o);
}

/* dlopen looks for a name without a slash among the system's libraries. */
static void *
load(const char *path)
{
    char here[4096];

    if (strchr(path, '/'))
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    snprintf(here, sizeof here, "./%s", path);
    return dlopen(here, RTLD_NOW | RTLD_LOCAL);
}

custos_status
object_new(const char *path, enum object_time time, const struct pair *pairs,
           size_t n_pairs, struct object **out, custos_err *err)
{
    struct object *o = calloc(1, sizeof *o);
    void *function;
    custos_status st;

    if (!o)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    o->library = load(path);
    if (!o->library) {
        st = custos_fail(err, CUSTOS_EINVAL, "cannot load the object: %s",
                         dlerror());
        goto out;
    }
    function = dlsym(o->library, FUNCTION);
    if (!function) {
        st = custos_fail(err, CUSTOS_EINVAL,
                         "the object has no function " FUNCTION HINT
                         "see custos_audit.h, or custos-audit(1)");
        goto out;
    }
    memcpy(&o->run, &function, sizeof o->run);
    o->target = (struct audit_target){.name = "object",
                                      .timed = time == OBJECT_TIME_SEEN,
                                      .self = o,
                                      .sample = object_sample};
    st = find_width(o, pairs, n_pairs, err);
out:
    if (st) {
        object_free(o);
        return st;
    }
    *out = o;
    return CUSTOS_OK;
}

const struct audit_target *
object_target(const struct object *object)
{
    return &object->target;
}
