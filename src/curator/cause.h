/*
 * Why a question failed: one of a closed list of causes.
 */
#ifndef CURATOR_CAUSE_H
#define CURATOR_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"

enum { CAUSE_OTHER = 31 }; /* causes are 0 to this */

/* The cause of what err->noted says. */
size_t cause_find(const custos_err *err);

/* Was it ended by an interrupt, and by nothing else? */
bool cause_is_stop(const custos_err *err);

/* A constant note that has this cause, and its word for the log. */
const char *cause_note(size_t cause);
const char *cause_word(size_t cause);

#endif
