/*
 * Standard output: a buffer in front of write(2), which is fast, and which
 * notices a full disk, as printf without a check does not.
 *
 * The failure is sticky: writers return nothing; out_end tells it once.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"

enum { OUT_ROOM = 1 << 16 };

struct out {
    int fd;
    int error; /* errno of the first failed write, or 0 */
    size_t len;
    char text[OUT_ROOM];
};

void out_init(struct out *o, int fd);
void out_add(struct out *o, const char *ptr, size_t len);
void out_text(struct out *o, const char *text);
void out_printf(struct out *o, const char *format, ...) CUSTOS_PRINTF(2, 3);

/* A string of JSON, with its quotes. */
void out_json(struct out *o, const char *text);

/* Writes what is left. Returns CLI_OK, or CLI_FAILED after its sentence. */
int out_end(struct out *o);

#endif
