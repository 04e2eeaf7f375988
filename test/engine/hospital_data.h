/*
 * Rows for the hospital of test/plan/hospital.h, as arrays of texts: written as
 * files for an import, and read in place by the fake engine.
 */
#ifndef TEST_ENGINE_HOSPITAL_DATA_H
#define TEST_ENGINE_HOSPITAL_DATA_H

#include "made.h"

enum { SOURCE_COLUMNS = 10, SOURCE_ROWS = 64 };

/* The first row has the names of the columns; NULL ends a row, and all rows. */
struct hospital_source {
    const char *file;
    const char *cells[SOURCE_ROWS][SOURCE_COLUMNS + 1];
};

/* Of the patients 1 to 4, the first has more visits than count, in more rooms and
   on more days than count. */
static const struct hospital_source hospital_sources[] = {
    {"patients.csv",
     {{"id", "age", "city", "ward", "smoker", "weight", "born", "seen",
       "diagnosis", "income"},
      {"1", "30", "Rome", "north", "true", "70.5", "1991-02-03", "2020-01-02",
       "flu", "100"},
      {"2", "40", "Oslo", "south", "false", "80", "1992-02-03", "", "cold",
       "200"},
      {"3", "50", "", "north", "true", "", "1993-02-03", "2020-03-04", "", ""},
      {"4", "200", "Graz", "south", "true", "999", "1999-12-31", "2021-05-06",
       "flu", "-5"}}},
    {"visits.csv",
     {{"patient_id", "cost", "balance", "day", "at", "level", "grams", "room",
       "note"},
      {"1", "10.50", "1", "2020-01-02", "2020-01-02 03:04:05", "1", "0.5", "7",
       "a"},
      {"1", "20", "-1", "2020-02-03", "", "2", "", "8", "b"},
      {"1", "30", "0", "2020-03-04", "2020-03-04 00:00:00", "3", "0.25", "9",
       "c"},
      {"1", "40", "2", "2020-04-05", "", "4", "0.75", "10", "d"},
      {"1", "50", "3", "2020-05-06", "", "5", "0.125", "11", "e"},
      {"1", "60", "4", "2020-06-07", "", "1", "0.5", "12", "f"},
      {"1", "70", "5", "2020-07-08", "", "2", "0.5", "13", "g"},
      {"1", "80", "6", "2020-08-09", "", "3", "0.5", "14", "h"},
      {"1", "90", "7", "2020-09-10", "", "4", "0.5", "15", "i"},
      {"1", "11", "8", "2020-10-11", "", "5", "0.5", "16", "j"},
      {"1", "12", "9", "2020-11-12", "", "1", "0.5", "17", "a"},
      {"1", "13", "10", "2020-12-13", "", "2", "0.5", "18", "b"},
      {"1", "14", "11", "2020-01-14", "", "3", "0.5", "19", "c"},
      {"1", "15", "12", "2020-02-15", "", "4", "0.5", "20", "d"},
      {"1", "16", "13", "2020-03-16", "", "5", "0.5", "21", "e"},
      {"1", "17", "14", "2020-04-17", "", "1", "0.5", "22", "f"},
      {"1", "18", "15", "2020-05-18", "", "2", "0.5", "23", "g"},
      {"1", "19", "16", "2020-06-19", "", "3", "0.5", "24", "h"},
      {"1", "21", "17", "2020-07-20", "", "4", "0.5", "25", "i"},
      {"1", "22", "18", "2020-08-21", "", "5", "0.5", "26", "j"},
      {"1", "23", "19", "2020-09-22", "", "1", "0.5", "27", "a"},
      {"1", "24", "20", "2020-10-23", "", "2", "0.5", "28", "b"},
      {"1", "25", "21", "2020-11-24", "", "3", "0.5", "29", "c"},
      {"2", "", "0", "", "2020-05-06 07:08:09", "5", "0.5", "600", ""},
      {"2", "6000", "-500", "2020-01-02", "", "1", "", "7", "a"},
      {"3", "1.25", "0.5", "2020-01-02", "2020-12-31 23:59:59", "2", "0.5", "7",
       "a"},
      {"9", "1", "0", "2020-01-02", "", "2", "0.5", "7", "a"},
      {"", "1", "0", "2020-01-02", "", "2", "0.5", "7", "a"}}},
    {"homes.csv", {{"member", "rooms"}, {"10", "3"}, {"11", "4"}, {"12", "5"}}},
    {"people.csv",
     {{"person", "household"}, {"10", "1"}, {"11", "2"}, {"12", "2"}}},
    {"d.csv",
     {{"d1", "d2", "d3", "x"},
      {"0", "1", "0", "3"},
      {"1", "1", "1", "7"},
      {"1", "0", "1", "5"}}},
    {"remote.parquet",
     {{"id", "v"},
      {"1", "1"},
      {"1", "2"},
      {"1", "3"},
      {"1", "4"},
      {"1", "5"},
      {"2", "6"},
      {"2", "7"}}},
    {"cities.csv", {{"name", "people"}, {"Rome", "3"}, {"Oslo", "1"}}},
    {"places.csv", {{"name"}, {"Rome"}, {"Oslo"}}},
    {"stays.csv",
     {{"stay", "patient", "nights"},
      {"100", "1", "3"},
      {"101", "2", "9"},
      {"102", "1", "12"}}},
    {"doses.csv",
     {{"stay", "drug", "mg"},
      {"100", "x", "5"},
      {"100", "y", "6"},
      {"101", "x", "7"},
      {"102", "z", "8"}}},
    {"drugs.csv",
     {{"code", "class", "price"}, {"x", "c", "1.5"}, {"y", "c", "2"}}},
    {"claims.csv",
     {{"patient", "amount", "points", "score", "outlay", "open"},
      {"1", "10.5", "3", "0.25", "700", "true"},
      {"1", "-2", "900", "", "9223372036854775807", "false"},
      {"2", "", "5", "nan", "-9223372036854775808", ""},
      {"3", "99", "12", "1e20", "40", "true"}}},
};

static inline size_t
hospital_rows(const struct hospital_source *s)
{
    size_t n = 0;

    while (s->cells[n + 1][0])
        n++;
    return n;
}

static inline void
hospital_csv(const struct made *m, const struct hospital_source *s)
{
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i <= hospital_rows(s); i++)
        for (size_t k = 0; k < SOURCE_COLUMNS && s->cells[i][k]; k++)
            buf_printf(&b, "%s%s%s", k ? "," : "", s->cells[i][k],
                       k + 1 == SOURCE_COLUMNS || !s->cells[i][k + 1] ? "\n"
                                                                      : "");
    assert_false(b.failed);
    made_file(m, s->file, buf_text(&b));
    buf_clear(&b);
}

/* A Parquet file of whole numbers. */
static inline void
hospital_parquet(const struct made *m, const struct hospital_source *s)
{
    struct duck_connection *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct duck *db = NULL;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    buf_add_text(&b, "COPY (");
    for (size_t i = 1; i <= hospital_rows(s); i++)
        for (size_t k = 0; s->cells[i][k]; k++)
            buf_printf(&b, "%s%s AS %s",
                       k       ? ", "
                       : i > 1 ? " UNION ALL SELECT "
                               : "SELECT ",
                       s->cells[i][k], s->cells[0][k]);
    buf_printf(&b, ") TO '%s/%s' (FORMAT parquet)", m->folder, s->file);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, &err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, &err), CUSTOS_OK);
    assert_int_equal(duck_do(c, buf_text(&b), &err), CUSTOS_OK);
    duck_disconnect(c);
    duck_close(db);
    buf_clear(&b);
}

static inline void
hospital_write(const struct made *m)
{
    for (size_t i = 0; i < COUNT_OF(hospital_sources); i++)
        (strstr(hospital_sources[i].file, ".parquet")
             ? hospital_parquet
             : hospital_csv)(m, &hospital_sources[i]);
}

#endif
