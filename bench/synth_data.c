/* Reads and makes tables of codes. */
#include "synth_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "measure.h"

int64_t *
data_count(uint16_t *const *code, const uint32_t *size, size_t n_columns,
           size_t rows, struct colset set, size_t *cells)
{
    const struct domain d = {n_columns, size};
    size_t at[SYNTH_COLUMNS], step[SYNTH_COLUMNS], n = 0;
    int64_t *x;

    *cells = domain_cells(&d, set);
    x = calloc(*cells, sizeof *x);
    measure_need(!x);
    COLSET_EACH(c, set)
    at[n++] = c;
    for (size_t k = n, s = 1; k-- > 0; s *= size[at[k]])
        step[k] = s;
    for (size_t i = 0; i < rows; i++) {
        size_t cell = 0;

        for (size_t k = 0; k < n; k++)
            cell += code[at[k]][i] * step[k];
        x[cell]++;
    }
    return x;
}

static struct data
data_of(size_t n, size_t rows, size_t order)
{
    struct data d = {.n = n, .order = order};

    for (size_t c = 0; c < n; c++) {
        d.column[c].code = malloc(rows * sizeof(uint16_t));
        measure_need(!d.column[c].code);
    }
    return d;
}

void
data_clear(struct data *d)
{
    for (size_t c = 0; c < d->n; c++) {
        free(d->column[c].code);
        free(d->column[c].value);
        free(d->column[c].bin);
    }
}

static int
by_size(const void *a, const void *b)
{
    const uint32_t x = ((const struct column *)a)->size;
    const uint32_t y = ((const struct column *)b)->size;

    return (x > y) - (x < y);
}

static void
sort_columns(struct data *d)
{
    qsort(d->column, d->n, sizeof *d->column, by_size);
    for (size_t c = 0; c < d->n; c++)
        d->size[c] = d->column[c].size;
}

/* The file has 0 .. size - 1 in every column. */
bool
data_read_adult(struct data *d)
{
    enum { N = 15, ROWS = 48842 };
    static const uint32_t size[N] = {32, 9, 32, 16, 16, 7,  15, 6,
                                     5,  2, 32, 32, 32, 42, 2};
    FILE *f = fopen("../shared/data/aim-adult/adult.csv", "r");
    char line[4096];

    if (!f)
        return false;
    *d = data_of(N, ROWS, 3);
    measure_need(!fgets(line, sizeof line, f));
    for (; d->rows < ROWS && fgets(line, sizeof line, f); d->rows++) {
        char *at = line;

        for (size_t c = 0; c < N; c++) {
            unsigned long code = strtoul(at, &at, 10);

            measure_need(code >= size[c]);
            d->column[c].code[d->rows] = (uint16_t)code;
            d->column[c].size = size[c];
            at += *at == ',';
        }
    }
    fclose(f);
    sort_columns(d);
    return true;
}

/*
 * The excerpt of the American Community Survey for Texas, by NIST: the ten columns
 * about people, with the codes that its dictionary lists. "N", null, is the last.
 */
enum { AGE_WIDTH = 5 };

static const struct {
    const char *name;
    unsigned first, last; /* codes */
    bool null;
} ACS[] = {
    {"AGEP", 0, 99, false}, /* in codes of AGE_WIDTH years */
    {"SEX", 1, 2, false},         {"MSP", 1, 6, true},
    {"RAC1P", 1, 9, false},       {"HOUSING_TYPE", 1, 3, false},
    {"OWN_RENT", 0, 2, false},    {"EDU", 1, 12, true},
    {"PINCP_DECILE", 0, 9, true}, {"DVET", 1, 6, true},
    {"DEYE", 1, 2, false},
};

/* Makes a number of a column: codes of `width` values, and 20 bins of about the same
   number of rows. */
static void
cut_number(struct column *c, size_t rows, uint32_t width)
{
    size_t *count = calloc(c->size, sizeof *count), below = 0;

    c->bin = malloc(c->size * sizeof *c->bin);
    c->value = malloc(rows * sizeof *c->value);
    measure_need(!count || !c->bin || !c->value);
    for (size_t i = 0; i < rows; i++) {
        count[c->code[i]]++;
        c->value[i] = c->code[i];
        c->code[i] = (uint16_t)(c->value[i] / width);
    }
    for (uint32_t k = 0; k < c->size; k++) {
        size_t middle = below + count[k] / 2;

        below += count[k];
        c->bin[k] = (uint16_t)(middle < rows ? 20 * middle / rows : 19);
    }
    c->size = (c->size + width - 1) / width;
    c->width = width;
    free(count);
}

bool
data_read_acs(struct data *d)
{
    enum { N = COUNT_OF(ACS), ROWS = 9276 };
    FILE *f = fopen("../shared/data/nist-acs/tx2019.csv", "r");
    size_t place[SYNTH_COLUMNS], columns = 0;
    char line[4096], *field, *left = line;

    if (!f)
        return false;
    *d = data_of(N, ROWS, 2);
    measure_need(!fgets(line, sizeof line, f));
    while ((field = strsep(&left, ",\r\n")) && columns < SYNTH_COLUMNS) {
        place[columns] = N;
        for (size_t c = 0; c < N; c++)
            if (strcmp(field, ACS[c].name) == 0)
                place[columns] = c;
        columns++;
    }
    for (; d->rows < ROWS && fgets(line, sizeof line, f); d->rows++) {
        left = line;
        for (size_t i = 0; i < columns; i++) {
            size_t c = place[i];

            field = strsep(&left, ",\r\n");
            measure_need(!field);
            if (c < N) {
                unsigned codes = ACS[c].last - ACS[c].first + 1;
                unsigned code = *field == 'N'
                                    ? codes
                                    : (unsigned)atof(field) - ACS[c].first;

                d->column[c].size = codes + ACS[c].null;
                measure_need(code >= d->column[c].size);
                d->column[c].code[d->rows] = (uint16_t)code;
            }
        }
    }
    fclose(f);
    cut_number(&d->column[0], d->rows, AGE_WIDTH);
    sort_columns(d);
    return true;
}

struct data
data_make_wide(void)
{
    enum { N = 100, ROWS = 1000000 };
    struct data d = data_of(N, ROWS, 0);
    uint64_t seed = 1;

    d.rows = ROWS;
    for (size_t c = 0; c < N; c++) {
        struct column *to = &d.column[c];

        to->size = (uint32_t)(2 + c * 7 % 19);
        for (size_t i = 0; i < ROWS; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            to->code[i] = (uint16_t)((seed >> 40) % to->size);
            if (c > 2 && seed >> 63)
                to->code[i] =
                    (uint16_t)(d.column[c - 1 - c % 3].code[i] % to->size);
        }
    }
    sort_columns(&d);
    return d;
}

void
data_bin_drawn(const struct column *c, uint16_t *code, size_t n)
{
    uint64_t seed = 1;

    for (size_t i = 0; c->bin && i < n; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        code[i] = c->bin[code[i] * c->width + (seed >> 33) % c->width];
    }
}

uint16_t *
data_bin_own(const struct column *c, size_t rows)
{
    uint16_t *out = malloc(rows * sizeof *out);

    measure_need(!out);
    for (size_t i = 0; i < rows; i++)
        out[i] = c->bin ? c->bin[c->value[i]] : c->code[i];
    return out;
}
