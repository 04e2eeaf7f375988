/*
 * Secrets at the terminal: passwords that are typed without being seen, or
 * come as a line of standard input, or are made up.
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include "custos.h"

enum { SECRET_MAX = 1025, SECRET_MADE = 20 };

/* Asked for twice at a terminal, else one line of standard input. CLI_OK, or
   an exit code after its sentence. */
int secret_read(char into[SECRET_MAX]);

/* SECRET_MADE letters and digits, 100 random bits. */
CUSTOS_MUST_USE custos_status secret_make(char into[SECRET_MAX],
                                          custos_err *err);

#endif
