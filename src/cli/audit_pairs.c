/*
 * The neighbouring data sets of `custos audit`: --range, --rows, --adjacency, or
 * --pairs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/account.h"
#include "cli/audit.h"
#include "cli/save.h"

enum {
    ROWS_MAX = 8, /* sizes in --rows */
    PAIRS_BYTES = 64 << 20,
};

static int
read_range(const char *text, struct data_pairs_options *out)
{
    char *end = NULL;

    out->low = 0;
    out->high = 1;
    if (!text)
        return CLI_OK;
    out->low = strtod(text, &end);
    if (end != text && *end == ':' && end[1]) {
        out->high = strtod(end + 1, &end);
        if (!*end && out->low <= out->high && out->low >= -1e300 &&
            out->high <= 1e300)
            return CLI_OK;
    }
    if (strchr(text, ':') && !*end && out->low > out->high)
        return fail_usage("--range must be LOW:HIGH, and LOW must not be above "
                          "HIGH, not %.60s",
                          text);
    return fail_usage("--range must be LOW:HIGH, two numbers, not %.60s" HINT
                      "for example --range 0:100",
                      text);
}

static int
read_rows(const char *text, size_t rows[ROWS_MAX], size_t *n)
{
    const char *given = text;
    char *end;

    rows[0] = 1;
    rows[1] = 5;
    *n = 2;
    if (!text)
        return CLI_OK;
    for (*n = 0; *n < ROWS_MAX; text = end + 1) {
        unsigned long x = strtoul(text, &end, 10);

        if (*text < '0' || *text > '9' || x < 1 || x > DATA_ROWS_MAX)
            break;
        rows[(*n)++] = x;
        if (!*end)
            return CLI_OK;
        if (*end != ',')
            break;
    }
    return fail_usage("--rows must be at most %d numbers from 1 to %d, "
                      "separated by commas, not %.60s" HINT
                      "for example --rows 1,10",
                      (int)ROWS_MAX, (int)DATA_ROWS_MAX, given);
}

static int
read_own_pairs(const char *path, struct data_pairs *out)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct buf text;
    custos_status st;
    int code = load_file("pairs", path, PAIRS_BYTES, &text);

    if (code)
        return code;
    st = data_pairs_read((str){buf_text(&text), text.len}, out, &err);
    buf_clear(&text);
    if (st == CUSTOS_ENOMEM)
        return fail_status(st, &err);
    return st ? fail_usage("--pairs: %.100s, %s" HINT "%s", path, err.said,
                           err.hint)
              : CLI_OK;
}

int
audit_read_pairs(const struct audit_pairs_given *given, struct data_pairs *out)
{
    size_t rows[ROWS_MAX];
    struct data_pairs_options o = {.rows = rows};
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = read_range(given->range, &o);

    if (!code)
        code = read_rows(given->rows, rows, &o.n_rows);
    if (!code)
        code = account_read_adjacency(given->adjacency, &o.adjacency);
    if (code)
        return code;
    if (given->pairs) {
        if (given->range || given->rows || given->adjacency)
            return fail_usage("--range, --rows and --adjacency are for "
                              "generated data sets, not for --pairs");
        return read_own_pairs(given->pairs, out);
    }
    st = data_pairs_make(&o, out, &err);
    return st ? fail_status(st, &err) : CLI_OK;
}
