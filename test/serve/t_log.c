/*
 * The operator's log: for a failure it has a cause from our own list and
 * nothing of the engine's text, whatever that text quotes.
 */
#include "serve/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "support/support.h"

/* Messages of engines, each but the last with Miller, 4711 and SQL. */
static const struct {
    const char *noted, *word;
} notes[] = {
    {"Conversion Error: Could not convert string 'Miller' to INT64\nLINE 1: "
     "SELECT CAST(c4 AS BIGINT) FROM t0 WHERE c0 = 4711",
     "conversion"},
    {"Out of Range Error: Overflow in multiplication of INT64 (4711 * 9)! "
     "SELECT Miller",
     "out of range"},
    {"Out of Memory Error: failed to allocate 4711 SELECT Miller",
     "out of memory"},
    {"INTERRUPT Error: Interrupted! SELECT Miller 4711", "interrupted"},
    {"INTERNAL Error: Attempted to access index 4711 SELECT Miller",
     "internal error of the engine"},
    {"CSV: /data/Miller.csv, line 4711: it is not CSV SELECT", "csv"},
    {"SQLite 19: UNIQUE constraint failed: Miller 4711 SELECT", "ledger"},
    {"errno 4711 SELECT Miller", "file"},
    {"Miller: Conversion Error: 4711 SELECT", "other"},
    {"conversion error: Miller 4711 SELECT", "other"},
    {"Conversion", "other"},
};

/* The log line with the cause of this note. */
static void
line_of(const char *noted, char *out, size_t size)
{
    struct log_line l;
    custos_err err = CUSTOS_ERR_INIT;
    ssize_t n;
    int ends[2];

    (void)custos_fail(&err, CUSTOS_EENGINE, "the query could not be completed");
    custos_note(&err, "%s", noted);
    assert_int_equal(pipe(ends), 0);
    log_begin(&l, "question");
    log_cause(&l, &err);
    log_end(&l, ends[1]);
    n = read(ends[0], out, size - 1);
    assert_true(n > 0);
    out[n] = '\0';
    close(ends[0]);
    close(ends[1]);
}

static void
causes_are_words_of_a_list(void **state)
{
    char line[1024], want[128];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        line_of(notes[i].noted, line, sizeof line);
        snprintf(want, sizeof want, " event=question cause=\"%s\"\n",
                 notes[i].word);
        assert_string_equal(strstr(line, " event="), want);
    }
    line_of("", line, sizeof line);
    assert_string_equal(strstr(line, " event="), " event=question\n");
}

static void
nothing_else_of_a_note_is_logged(void **state)
{
    static const char *const secrets[] = {"Miller", "4711", "SELECT", "LINE"};
    char line[1024];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        char *from;

        line_of(notes[i].noted, line, sizeof line);
        from = strstr(line, " event="); /* the time may have any digits */
        for (size_t k = 0; k < COUNT_OF(secrets); k++)
            assert_null(strstr(from, secrets[k]));
    }
    /* A twin that wrote the note would be caught. */
    for (size_t i = 0; i + 1 < COUNT_OF(notes); i++)
        assert_non_null(strstr(notes[i].noted, "Miller"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_are_words_of_a_list),
        cmocka_unit_test(nothing_else_of_a_note_is_logged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
