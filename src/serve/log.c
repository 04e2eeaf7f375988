#include "serve/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "serve/clock.h"
#include "serve/log_writer.h"

enum { VALUE_MAX = 400 };

CUSTOS_PRINTF(2, 3)
static void
add_format(struct log_line *l, const char *format, ...)
{
    size_t room = sizeof l->text - 1 - l->len; /* one for the newline */
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(l->text + l->len, room, format, args);
    va_end(args);
    if (n > 0)
        l->len += (size_t)n < room ? (size_t)n : room - 1;
}

void
log_begin(struct log_line *l, const char *event)
{
    int64_t now = wall_us();
    time_t seconds = (time_t)(now / 1000000);
    struct tm t;

    gmtime_r(&seconds, &t);
    l->len = 0;
    add_format(l, "time=%04d-%02d-%02dT%02d:%02d:%02d.%03dZ event=%s",
               t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
               t.tm_sec, (int)(now / 1000 % 1000), event);
}

/* Escapes quotes and replaces control characters, which could forge a second
   pair or line. */
void
log_text(struct log_line *l, const char *name, str value)
{
    add_format(l, " %s=\"", name);
    for (size_t i = 0; i < value.len && i < VALUE_MAX; i++) {
        unsigned char c = (unsigned char)value.ptr[i];

        if (c == '"' || c == '\\')
            add_format(l, "\\%c", c);
        else
            add_format(l, "%c", c < 0x20 || c == 0x7f ? '?' : c);
    }
    add_format(l, "\"");
}

void
log_int(struct log_line *l, const char *name, int64_t value)
{
    add_format(l, " %s=%" PRId64, name, value);
}

void
log_end(struct log_line *l, int fd)
{
    l->text[l->len++] = '\n';
    if (log_writer_put(fd, l->text, l->len))
        return;
    /* A log that cannot be written must not stop the server. */
    if (write(fd, l->text, l->len) < 0)
        return;
}

void
log_say(const char *event, const char *said)
{
    struct log_line l;

    log_begin(&l, event);
    log_text(&l, "said", str_of(said));
    log_end(&l, LOG_FD);
}
