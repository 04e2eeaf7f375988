#include "cli/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/cli.h"

/* Reads one line without its newline; -1 if it is empty or too long. Reads byte
   by byte, so that what follows the line stays unread. */
static int
line_read(int fd, char into[SECRET_MAX])
{
    size_t len = 0;
    ssize_t n;
    char c;

    while ((n = read(fd, &c, 1)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        if (c == '\n')
            break;
        if (len == SECRET_MAX - 1)
            return -1;
        into[len++] = c;
    }
    into[len] = '\0';
    return n < 0 || len == 0 ? -1 : 0;
}

/* Reads a line from a terminal, without echo. */
static int
ask_password(int tty, const char *prompt, char into[SECRET_MAX])
{
    struct termios was, quiet;
    int bad;

    if (write(tty, prompt, strlen(prompt)) < 0 || tcgetattr(tty, &was))
        return -1;
    quiet = was;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(tty, TCSAFLUSH, &quiet);
    bad = line_read(tty, into);
    tcsetattr(tty, TCSAFLUSH, &was);
    (void)!write(tty, "\n", 1);
    return bad;
}

static int
ask_twice(char into[SECRET_MAX])
{
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC), code = CLI_OK;
    char again[SECRET_MAX] = "";

    if (tty < 0 || ask_password(tty, "Password: ", into) ||
        ask_password(tty, "Repeat password: ", again))
        code = fail_usage("no password was given");
    else if (strcmp(into, again) != 0)
        code = fail_usage("the two passwords differ; nothing was changed");
    if (tty >= 0)
        close(tty);
    wipe(again, sizeof again);
    return code;
}

int
secret_read(char into[SECRET_MAX])
{
    if (isatty(STDIN_FILENO))
        return ask_twice(into);
    if (line_read(STDIN_FILENO, into))
        return fail_usage("no password on standard input" HINT
                          "write it as one line of 1 to %d bytes",
                          SECRET_MAX - 1);
    return CLI_OK;
}
