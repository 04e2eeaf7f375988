/*
 * Why a question failed: one of a closed list of causes.
 */
#ifndef CURATOR_CAUSE_H
#define CURATOR_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"

enum { CAUSE_OTHER = 31 }; /* the last cause; they count from 0 */

/* The cause, from the beginning of err->noted. */
size_t cause_find(const custos_err *err);

/* Was the question ended by an interrupt? */
bool cause_is_stop(const custos_err *err);

/* A constant note that cause_find maps to this cause, and the word for the
   log. */
const char *cause_note(size_t cause);
const char *cause_word(size_t cause);

#endif
