/*
 * Passwords: typed at a terminal without echo, or read from standard input.
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

enum { SECRET_MAX = 1025 };

/* Asks twice at a terminal, else reads one line of standard input. Returns
   CLI_OK, or prints what is wrong and returns an exit code. */
int secret_read(char into[SECRET_MAX]);

#endif
