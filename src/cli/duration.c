#include "cli/duration.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { SECONDS_MOST = 3660 * 86400 };

int
duration_read(const char *text, const char *option, int64_t *us)
{
    static const struct {
        char letter;
        int64_t seconds;
    } units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    char *end = NULL;
    long long n;

    *us = 0;
    if (!text)
        return CLI_OK;
    n = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : 0;
    for (size_t i = 0; n > 0 && i < sizeof units / sizeof *units; i++)
        if (*end == units[i].letter && !end[1] &&
            n <= SECONDS_MOST / units[i].seconds) {
            *us = n * units[i].seconds * 1000000;
            return CLI_OK;
        }
    return fail_usage("--%s must be a length of time of at most ten years, not "
                      "%.40s" HINT "write it as 90d, 12h, 30m or 45s",
                      option, text);
}
