/*
 * Secrets at the terminal: passwords that are typed without being seen, or
 * come as a line of standard input.
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

enum { SECRET_MAX = 1025 };

/* Asked for twice at a terminal, else one line of standard input. CLI_OK, or
   an exit code after its sentence. */
int secret_read(char into[SECRET_MAX]);

#endif
