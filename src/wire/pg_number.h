/*
 * Numbers on the wire that are not integers: PostgreSQL's numeric in binary
 * (digits of base 10,000), and doubles as the shortest decimals that read back as
 * the same double. No double leaves this file: an incoming one becomes a decimal
 * value.
 */
#ifndef WIRE_PG_NUMBER_H
#define WIRE_PG_NUMBER_H

#include "base/datum.h"

/* Writes n / 10^scale exactly. */
void numeric_write(i128 n, int scale, struct buf *out);

/* False: not a number, or more than 36 digits. */
bool numeric_read(str bytes, struct datum *out);

enum float_bytes { FLOAT_4 = 4, FLOAT_8 = 8 };

/* The float nearest to the number, in binary and as PostgreSQL prints it. */
void float_write(const struct datum *d, enum float_bytes size, struct buf *out);
void
float_write_text(const struct datum *d, enum float_bytes size, struct buf *out);

/* Reads as many bytes as size says. False for NaN, the infinities, and numbers
   with more than 36 digits on a side of the point. */
bool float_read(const char *bytes, enum float_bytes size, struct datum *out);

#endif
