/*
 * A small cache of data sets as files in memory: the two of a pair are used in
 * turns, so they stay, and what was used longest ago makes room. A file is
 * written once and never changes while a program may read it.
 */
#include "audit/program/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/program/child.h"
#include "base/error.h"

void
inputs_init(struct inputs *in)
{
    *in = (struct inputs){.now = 0};
    for (size_t i = 0; i < INPUTS; i++)
        in->file[i].fd = -1;
}

static void
input_clear(struct input *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->value);
    *f = (struct input){.fd = -1};
}

void
inputs_clear(struct inputs *in)
{
    for (size_t i = 0; i < INPUTS; i++)
        input_clear(&in->file[i]);
}

/* By bits: 0 and -0 are different inputs. */
static bool
is_of(const struct input *f, const struct data *data)
{
    return f->fd >= 0 && f->n == data->n &&
           (!data->n ||
            !memcmp(f->value, data->value, data->n * sizeof(double)));
}

static bool
write_values(int fd, const struct data *data)
{
    int copy = dup(fd);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "w");
    bool good;

    if (!f) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    for (size_t i = 0; i < data->n; i++)
        fprintf(f, "%.17g\n", data->value[i]);
    good = !ferror(f);
    return !fclose(f) && good;
}

static custos_status
input_fill(struct input *f, const struct data *data, custos_err *err)
{
    input_clear(f);
    f->n = data->n;
    if (data->n) {
        f->value = malloc(data->n * sizeof *f->value);
        if (!f->value)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        memcpy(f->value, data->value, data->n * sizeof *f->value);
    }
    f->fd = child_file();
    /* Sealed: a program must not change what the next one reads. */
    if (f->fd >= 0 && write_values(f->fd, data) &&
        !fcntl(f->fd, F_ADD_SEALS,
               F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))
        return CUSTOS_OK;
    input_clear(f);
    return custos_fail(err, CUSTOS_EIO,
                       "cannot make a file in memory for a data set: %s",
                       strerror(errno));
}

custos_status
inputs_find(struct inputs *in, const struct data *data, size_t *slot,
            bool *is_new, custos_err *err)
{
    size_t oldest = 0;
    custos_status st;

    *is_new = false;
    in->now++;
    for (size_t i = 0; i < INPUTS; i++) {
        if (is_of(&in->file[i], data)) {
            *slot = i;
            in->file[i].used = in->now;
            return CUSTOS_OK;
        }
        if (in->file[i].used < in->file[oldest].used)
            oldest = i;
    }
    *slot = oldest;
    st = input_fill(&in->file[oldest], data, err);
    if (!st) {
        *is_new = true;
        in->file[oldest].used = in->now;
    }
    return st;
}
