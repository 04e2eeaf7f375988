/*
 * The engine's message has the line number, the line itself, the cause and the
 * file, each on a new line. If a line of the owner's file looks like one of these
 * lines, our message, which only the owner sees, may name a wrong cause or file.
 */
#include "engine/import/csv_fault.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SHOWN = 72 };

static const char LINE[] = "CSV Error on Line: ", FILE_IS[] = "\n  file = ";

/*
 * Reads the two numbers of "Expected Number of Columns: 2 Found: 3". The engine
 * stops counting at the first value that is too many.
 */
static bool
width_cause(const char *engine, char *out, size_t size)
{
    static const char expected[] = "\nExpected Number of Columns: ";
    unsigned long long want, found;
    const char *at = strstr(engine, expected);

    /* NOLINTNEXTLINE(cert-err34-c): the widths bound them */
    if (!at || sscanf(at + sizeof expected - 1, "%9llu Found: %9llu", &want,
                      &found) != 2)
        return false;
    snprintf(out, size, "%s than the %llu that the first line names",
             found > want ? "more values" : "fewer values", want);
    return true;
}

static const char *
other_cause(const char *engine)
{
    static const char *const causes[][2] = {
        {"\nValue with unterminated quote",
         "a quote (\") is not closed, or text follows a closed one"},
        {"\nInvalid unicode", "it is not UTF-8"},
        {"\nMaximum line size", "the line is longer than 1 MiB"},
    };

    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strstr(engine, causes[i][0]))
            return causes[i][1];
    return "it is not CSV";
}

/* Copies the last file name in the message; if it is long, only its end. */
static void
file_named(const char *engine, char out[PATH_SHOWN + 1])
{
    const char *at = engine, *next;
    size_t len;

    while ((next = strstr(at, FILE_IS)))
        at = next + sizeof FILE_IS - 1;
    len = at == engine ? 0 : strcspn(at, "\n");
    if (len > PATH_SHOWN) {
        at += len - PATH_SHOWN;
        len = PATH_SHOWN;
    }
    snprintf(out, PATH_SHOWN + 1, "%.*s", (int)len, at);
}

bool
csv_fault_write(const char *engine, char *out, size_t size)
{
    const char *at = engine ? strstr(engine, LINE) : NULL;
    char cause[96], file[PATH_SHOWN + 1];
    unsigned long long line;

    /* NOLINTNEXTLINE(cert-err34-c): the width bounds it */
    if (!at || sscanf(at + sizeof LINE - 1, "%18llu", &line) != 1)
        return false;
    if (!width_cause(at, cause, sizeof cause))
        snprintf(cause, sizeof cause, "%s", other_cause(at));
    file_named(at, file);
    snprintf(out, size, CSV_FAULT_MARK "%s, line %llu: %s", file, line, cause);
    return true;
}

const char *
csv_fault_of(const char *note)
{
    size_t len = sizeof CSV_FAULT_MARK - 1;

    return strncmp(note, CSV_FAULT_MARK, len) ? NULL : note + len;
}
