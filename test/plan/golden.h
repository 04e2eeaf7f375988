/*
 * Reads the cases of golden.txt, for tests that plan all of them.
 */
#ifndef TEST_PLAN_GOLDEN_H
#define TEST_PLAN_GOLDEN_H

#include "plan/hospital.h"

enum { GOLDEN_MAX = 1 << 20, GOLDEN_WITH_MAX = 200, GOLDEN_SQL_MAX = 1 << 16 };

static inline char *
golden_read(void)
{
    const char *src = getenv("SRC");
    char path[4096], *text = calloc(1, GOLDEN_MAX);
    FILE *f;

    snprintf(path, sizeof path, "%s/test/plan/golden.txt", src ? src : ".");
    f = fopen(path, "r");
    if (!f || !text)
        fail_msg("%s cannot be read", path);
    assert_true(fread(text, 1, GOLDEN_MAX - 1, f) > 0);
    fclose(f);
    return text;
}

/* Reads the options after "with", which it splits in place. */
static inline void
golden_with(char *with, struct asked *asked)
{
    char *save = NULL;

    for (char *w = strtok_r(with, " ", &save); w;
         w = strtok_r(NULL, " ", &save)) {
        if (!strcmp(w, "change-one"))
            asked->adjacency = w;
        else if (!strcmp(w, "jointly"))
            asked->jointly = true;
        else if (!strncmp(w, "who=", 4))
            asked->who = w + 4;
        else if (!strncmp(w, "within=", 7))
            asked->within = w + 7;
        else if (!strncmp(w, "delta=", 6))
            asked->delta = w + 6;
        else if (!strncmp(w, "epsilon=", 8))
            asked->epsilon = w + 8;
        else if (!strncmp(w, "max_rho=", 8))
            asked->max_rho = w + 8;
        else if (!strncmp(w, "rho=", 4))
            asked->rho = w + 4;
        else
            fail_msg("golden.txt: %s", w);
    }
}

/* One line without its end. Returns what follows. */
static inline const char *
golden_line(const char *at, char *out, size_t room)
{
    size_t len = strcspn(at, "\n");

    if (len >= room)
        fail_msg("golden.txt: %.60s", at);
    memcpy(out, at, len);
    out[len] = '\0';
    return at + len + (at[len] == '\n');
}

/* The query at `at`, and its options, whose texts are in `with`. */
static inline void
golden_case(const char *at, char sql[GOLDEN_SQL_MAX],
            char with[GOLDEN_WITH_MAX], struct asked *asked)
{
    const char *next = golden_line(at + 2, sql, GOLDEN_SQL_MAX);

    if (strncmp(next, "with ", 5) != 0)
        return;
    golden_line(next + 5, with, GOLDEN_WITH_MAX);
    golden_with(with, asked);
}

/* The next case after the one at `at`; NULL if it is the last. */
static inline char *
golden_next(char *at)
{
    char *next = strstr(at, "\n> ");

    return next ? next + 1 : NULL;
}

#endif
