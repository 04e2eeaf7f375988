#include "cli/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

void
number_write(double x, char text[NUMBER_MAX])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_MAX, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return;
    }
}

void
number_write_exact(double x, int decimals, char text[NUMBER_EXACT_MAX])
{
    int n = snprintf(text, NUMBER_EXACT_MAX, "%.*f", decimals, x);

    if (strchr(text, '.')) {
        while (text[n - 1] == '0')
            n--;
        n -= text[n - 1] == '.';
        text[n] = '\0';
    }
    if (!strcmp(text, "-0"))
        text[0] = '0', text[1] = '\0';
}

double
number_value(const char *text)
{
    const char *slash = strchr(text, '/');
    double top = strtod(text, NULL);

    return slash ? top / strtod(slash + 1, NULL) : top;
}

int
number_decimals(const char *grid)
{
    const char *slash = strchr(grid, '/'), *point = strchr(grid, '.');
    int exponent = 1;

    if (slash)
        (void)frexp(strtod(slash + 1, NULL), &exponent); /* k + 1 for 2^k */
    else if (point)
        exponent = (int)strlen(point);
    return exponent - 1;
}

void
number_write_up(double x, char text[NUMBER_MAX])
{
    char unit[NUMBER_MAX];
    const char *exponent;
    double rounded;

    snprintf(text, NUMBER_MAX, "%.3e", x);
    rounded = strtod(text, NULL);
    exponent = strchr(text, 'e');
    if (rounded < x && exponent) {
        snprintf(unit, sizeof unit, "1e%ld",
                 strtol(exponent + 1, NULL, 10) - 3);
        rounded += strtod(unit, NULL);
    }
    snprintf(text, NUMBER_MAX, "%.4g", rounded);
    if (strchr(text, 'e')) /* 1.234e+04: written in full if that is short */
        snprintf(text, NUMBER_MAX,
                 rounded < 1e15 && rounded >= 1 ? "%.0f" : "%.3e", rounded);
}

int
confidence_read(const char *percent, char beta[NUMBER_MAX])
{
    uint64_t share = 0, whole = 100;
    bool point = false, good = *percent != '\0';
    int digits = 0;

    for (const char *p = percent; *p && good; p++) {
        if (*p == '.' && !point) {
            point = true;
        } else if (*p >= '0' && *p <= '9' && digits < 14) {
            share = share * 10 + (uint64_t)(*p - '0');
            whole *= point ? 10 : 1;
            digits++;
        } else {
            good = false;
        }
    }
    if (!good || share == 0 || share >= whole)
        return fail_usage("--confidence must be a percentage above 0 and below "
                          "100 such as 95 or 99.9, not %.60s",
                          percent);
    snprintf(beta, NUMBER_MAX, "%" PRIu64 "/%" PRIu64, whole - share, whole);
    return CLI_OK;
}
