/*
 * Lines from a terminal or a file. A terminal has line editing, history (in
 * $HOME/.custos_history, readable by its owner only) and completion of the
 * names that are granted to the analyst.
 */
#ifndef CLI_PROMPT_H
#define CLI_PROMPT_H

#include <stdbool.h>

#include "policy/policy.h"

struct prompt;

/* Borrows p and who. NULL if out of memory. */
struct prompt *prompt_new(const struct policy *p,
                          const struct policy_analyst *who, bool terminal);
void prompt_free(struct prompt *p);

/* The next line, valid until the next call; NULL at the end. */
char *prompt_line(struct prompt *p, const char *text);

#endif
