/*
 * Parses the values that `custos noise` releases, one number per line. The text
 * comes in pieces of any size. No value is used until all of the text is valid.
 *
 * A message names the line and never its content, since its reader may not be
 * allowed to see the values. Memory is wiped before it is freed.
 */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum values_kind {
    VALUES_INTS,
    VALUES_REALS,
};

enum {
    VALUES_LINE_MAX = 400,      /* characters */
    VALUES_MAX = 100 * 1000000, /* numbers */
};

struct values {
    enum values_kind kind;
    int64_t *ints;
    double *reals; /* parsed and sealed, never used in arithmetic */
    size_t n;
    size_t room;
    size_t line;       /* the line being read, from 1 */
    const char *wrong; /* what is wrong with it, or NULL */
    bool no_memory;
    size_t len;
    char text[VALUES_LINE_MAX + 1];
};

void values_init(struct values *v, enum values_kind kind);
void values_clear(struct values *v);

/* Reads a piece. After a mistake the rest is ignored. */
void values_feed(struct values *v, const char *ptr, size_t len);

/* The text has ended. True if every line was a number. */
bool values_end(struct values *v);

#endif
