/*
 * Reads files without quoted fields, as those in ../shared/data are.
 */
#include "columns.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { LINE = 4096, PATH = 300 };

/* Where field i of a line begins; NULL: it has fewer. */
static const char *
field_at(const char *line, int i)
{
    while (i-- > 0 && line)
        if ((line = strchr(line, ',')))
            line++;
    return line;
}

static int
find_column(const char *header, const char *name)
{
    size_t length = strlen(name);
    const char *at;

    for (int i = 0; (at = field_at(header, i)); i++)
        if (!strncmp(at, name, length) && strchr(",\r\n", at[length]))
            return i;
    return -1;
}

static bool
read_number(const char *line, int i, double *out)
{
    const char *at = field_at(line, i);
    char *end;

    if (!at)
        return false;
    *out = strtod(at, &end);
    return end > at && strchr(",\r\n", *end);
}

void
columns_read(struct columns *c, const char *file, const char *first,
             const char *second)
{
    const char *folder = getenv("CUSTOS_DATA");
    char path[PATH], line[LINE];
    int at[COLUMNS_MOST];
    FILE *f;

    c->rows = 0;
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data",
             file);
    f = fopen(path, "re");
    if (!f)
        return;
    measure_need(!fgets(line, sizeof line, f));
    at[0] = find_column(line, first);
    at[1] = second ? find_column(line, second) : at[0];
    measure_need(at[0] < 0 || at[1] < 0);
    while (c->rows < COLUMNS_ROWS && fgets(line, sizeof line, f))
        if (read_number(line, at[0], &c->values[0][c->rows]) &&
            read_number(line, at[1], &c->values[1][c->rows]))
            c->rows++;
    fclose(f);
}
