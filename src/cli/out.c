#include "cli/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

enum { PRINTF_MAX = 1024 };

void
out_init(struct out *o, int fd)
{
    o->fd = fd;
    o->error = 0;
    o->len = 0;
}

static void
write_out(struct out *o)
{
    size_t done = 0;

    while (!o->error && done < o->len) {
        ssize_t n = write(o->fd, o->text + done, o->len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            o->error = errno;
    }
    o->len = 0;
}

void
out_add(struct out *o, const char *ptr, size_t len)
{
    while (len > 0) {
        size_t now = OUT_ROOM - o->len;

        if (now > len)
            now = len;
        memcpy(o->text + o->len, ptr, now);
        o->len += now;
        ptr += now;
        len -= now;
        if (o->len == OUT_ROOM)
            write_out(o);
    }
}

void
out_text(struct out *o, const char *text)
{
    out_add(o, text, strlen(text));
}

void
out_printf(struct out *o, const char *format, ...)
{
    char text[PRINTF_MAX];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        out_add(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

int
out_end(struct out *o)
{
    write_out(o);
    if (!o->error)
        return CLI_OK;
    if (o->error == EPIPE) /* the reader has closed the pipe */
        return CLI_FAILED;
    return fail_run("cannot write to standard output: %s", strerror(o->error));
}
