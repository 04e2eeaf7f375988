/* The help of the command and of its verbs, generated from their tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

int help_of_verb(const struct verb *verb);
int help_of_all(const struct verb *const *verbs, size_t n);

#endif
