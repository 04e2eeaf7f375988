/*
 * The console: the files of web/, built and compressed by tools/web, embedded
 * in the program. They are public and hold no data: a user of the console needs
 * a token and uses the same API as everybody else.
 */
#ifndef HTTP_CONSOLE_H
#define HTTP_CONSOLE_H

#include "http/http_message.h"

struct console_file {
    const char *path, *type;
    const unsigned char *bytes; /* gzip */
    size_t len;
};

extern const struct console_file console_files[];
extern const size_t console_files_len;

/* The file at a path, or NULL. */
const struct console_file *console_find(str path);

/* Replies with this file. */
void console_give(const struct console_file *f, struct http_reply *out);

#endif
