/*
 * The tables as constant data, and those of `custos demo` below them.
 */
#include "audit/curator/all_types.h"

#define TEXT(s)                                                                \
    {                                                                          \
        (s), sizeof(s) - 1                                                     \
    }

#define WHOLE(x)                                                               \
    {                                                                          \
        .type = TYPE_INT, .n = (x)                                             \
    }
#define EXACT(x, s)                                                            \
    {                                                                          \
        .type = TYPE_DECIMAL, .scale = (s), .n = (x)                           \
    }
#define REAL(x, s)                                                             \
    {                                                                          \
        .type = TYPE_REAL, .scale = (s), .n = (x)                              \
    }
#define DAY(x)                                                                 \
    {                                                                          \
        .type = TYPE_DATE, .n = (x)                                            \
    }
#define MOMENT(x)                                                              \
    {                                                                          \
        .type = TYPE_TIMESTAMP, .n = (i128)(x)*DAY_US                          \
    }
#define WORD(s)                                                                \
    {                                                                          \
        .type = TYPE_TEXT, .text = TEXT(s)                                     \
    }

enum {
    DAY_1900 = -25567,
    DAY_2000 = 10957,
    DAY_2024 = 19723,
    DAY_2026 = 20454
};
enum { PATIENTS, VISITS, BILLS, LETTERS, WARDS, CODES, DEPARTMENTS };

#define COLUMN(n, t, ...)                                                      \
    {                                                                          \
        .name = TEXT(n), .type = (t), .references_table = SCHEMA_NONE,         \
        __VA_ARGS__                                                            \
    }
#define LISTED(list) .values = (list), .n_values = COUNT_OF(list)
#define NULLS .nullable = true

/* 10^33 */
#define VAST ((i128)1000000000000000 * 1000000000000000000)

#define SPAN(low, high) .has_range = true, .lower = low, .upper = high

/* The unit of a table that refers to patients.id. */
#define OF_PATIENT                                                             \
    {                                                                          \
        .name = TEXT("patient_id"), .type = TYPE_INT,                          \
        .references_table = PATIENTS, .references_column = 0,                  \
    }

static const struct datum sexes[] = {WORD("f"), WORD("m")};

static const struct datum kinds[] = {
    WORD("a"),
    WORD("b%"),
    WORD("\xc3\x89"),
    WORD("1_000"),
};

static const struct datum wings[] = {
    WORD("cardiology"),
    WORD("oncology"),
    WORD("surgery"),
};

static const struct datum levels[] = {
    WHOLE(-1),
    WHOLE(0),
    WHOLE(7),
    WHOLE(INT64_MAX),
};

static const struct datum shares[] = {
    EXACT(1, 1),
    EXACT(2, 1),
    EXACT(999, 1),
};

static const struct datum terms[] = {
    DAY(DAY_2000),
    DAY(DAY_2026),
    DAY(DATE_LAST),
};

static const struct schema_column patients[] = {
    COLUMN("id", TYPE_INT),
    COLUMN("name", TYPE_TEXT),
    COLUMN("age", TYPE_INT, SPAN(WHOLE(0), WHOLE(120))),
    COLUMN("debt", TYPE_INT, NULLS, SPAN(WHOLE(-1000), WHOLE(1000))),
    COLUMN("huge", TYPE_INT, SPAN(WHOLE(-INT64_MAX), WHOLE(INT64_MAX))),
    COLUMN("most", TYPE_INT, SPAN(WHOLE(INT64_MIN), WHOLE(INT64_MAX))),
    COLUMN("income", TYPE_INT, NULLS),
    COLUMN("level", TYPE_INT, NULLS, LISTED(levels)),
    COLUMN("balance", TYPE_DECIMAL, .scale = 2, NULLS,
           SPAN(EXACT(-10000, 0), EXACT(10000, 0))),
    COLUMN("fine", TYPE_DECIMAL, .scale = 18, NULLS),
    COLUMN("share", TYPE_DECIMAL, .scale = 1, LISTED(shares)),
    COLUMN("vast", TYPE_DECIMAL, .scale = 2, NULLS,
           SPAN(EXACT(-VAST, 0), EXACT(VAST, 0))),
    COLUMN("weight", TYPE_REAL, SPAN(REAL(0, 0), REAL(400, 0))),
    COLUMN("tenth", TYPE_REAL, NULLS, SPAN(REAL(-1, 1), REAL(3, 1))),
    COLUMN("wide", TYPE_REAL, SPAN(REAL(-100 * VAST, 0), REAL(100 * VAST, 0))),
    COLUMN("score", TYPE_REAL, NULLS),
    COLUMN("city", TYPE_TEXT, NULLS, .text_max = 200),
    COLUMN("sex", TYPE_TEXT, NULLS, LISTED(sexes)),
    COLUMN("kind", TYPE_TEXT, NULLS, LISTED(kinds)),
    COLUMN("born", TYPE_DATE, SPAN(DAY(DAY_1900), DAY(DAY_2026))),
    COLUMN("died", TYPE_DATE, NULLS),
    COLUMN("ever", TYPE_DATE, SPAN(DAY(DATE_FIRST), DAY(DATE_LAST))),
    COLUMN("term", TYPE_DATE, NULLS, LISTED(terms)),
    COLUMN("came", TYPE_TIMESTAMP, NULLS,
           SPAN(MOMENT(DAY_2000), MOMENT(DAY_2026))),
    COLUMN("seen", TYPE_TIMESTAMP, NULLS),
    COLUMN("smoker", TYPE_BOOL),
    COLUMN("insured", TYPE_BOOL, NULLS),
};

static const struct schema_column visits[] = {
    OF_PATIENT,
    COLUMN("day", TYPE_DATE, SPAN(DAY(DAY_2024), DAY(DAY_2026 - 1))),
    COLUMN("department", TYPE_TEXT, LISTED(wings)),
    {.name = TEXT("ward"),
     .type = TYPE_INT,
     NULLS,
     .references_table = WARDS,
     .references_column = 0},
    COLUMN("nights", TYPE_INT, SPAN(WHOLE(0), WHOLE(30))),
    COLUMN("change", TYPE_INT, NULLS, SPAN(WHOLE(-5), WHOLE(30))),
    COLUMN("cost", TYPE_DECIMAL, .scale = 2,
           SPAN(EXACT(0, 0), EXACT(20000, 0))),
    COLUMN("temperature", TYPE_REAL, NULLS, SPAN(REAL(34, 0), REAL(42, 0))),
    COLUMN("raw", TYPE_REAL, NULLS),
    COLUMN("word", TYPE_TEXT, NULLS, .text_max = 4096),
    COLUMN("done", TYPE_BOOL, NULLS),
};

static const struct schema_column bills[] = {
    OF_PATIENT,
    COLUMN("nights", TYPE_INT, NULLS),
    COLUMN("cost", TYPE_DECIMAL, .scale = 2,
           SPAN(EXACT(0, 0), EXACT(20000, 0))),
};

static const struct schema_column letters[] = {
    COLUMN("person", TYPE_INT),
    COLUMN("page", TYPE_INT, SPAN(WHOLE(0), WHOLE(100))),
    COLUMN("body", TYPE_TEXT, NULLS),
};

static const struct schema_column wards[] = {
    COLUMN("k", TYPE_INT),
    COLUMN("name", TYPE_TEXT, NULLS),
    COLUMN("rent", TYPE_DECIMAL, .scale = 2, NULLS),
};

static const struct schema_column codes[] = {
    COLUMN("code", TYPE_INT),
};

static const struct schema_column departments[] = {
    COLUMN("name", TYPE_TEXT),
    COLUMN("floor", TYPE_INT, NULLS),
    COLUMN("beds", TYPE_INT, NULLS),
    COLUMN("area", TYPE_REAL, NULLS),
};

#define COLUMNS(list) .columns = (list), .n_columns = COUNT_OF(list)

static const struct schema_table tables[] = {
    [PATIENTS] = {.name = TEXT("patients"), .max_rows = 200, COLUMNS(patients)},
    [VISITS] = {.name = TEXT("visits"),
                .rows_per_unit = 8,
                .max_rows = 20000,
                COLUMNS(visits)},
    [BILLS] = {.name = TEXT("bills"), .max_rows = 1000, COLUMNS(bills)},
    [LETTERS] = {.name = TEXT("letters"),
                 .rows_per_unit = 20,
                 .max_rows = 20000,
                 COLUMNS(letters)},
    [WARDS] = {.name = TEXT("wards"), .is_public = true, COLUMNS(wards)},
    [CODES] = {.name = TEXT("codes"), .is_public = true, COLUMNS(codes)},
    [DEPARTMENTS] = {.name = TEXT("departments"),
                     .is_public = true,
                     COLUMNS(departments)},
};

#define GENEROUS                                                               \
    .adjacency = CUSTOS_ADD_REMOVE, .budget_epsilon = TEXT("1000000"),         \
    .budget_delta = TEXT("1e-3"), .people = 100, .query_epsilon = TEXT("1"),   \
    .max_epsilon = TEXT("100000"), .query_delta = TEXT("1e-9"),                \
    .min_epsilon = TEXT("0"), .min_rho = TEXT("0")

const struct schema all_types = {
    GENEROUS,
    .tables = tables,
    .n_tables = COUNT_OF(tables),
};

/* ------------------------------------------------------- custos demo's own -- */

static const struct datum cities[] = {
    WORD("Bergen"), WORD("Lisbon"), WORD("Porto"),
    WORD("Rome"),   WORD("Turin"),  WORD("Vienna"),
};

static const struct datum demo_wings[] = {
    WORD("cardiology"), WORD("emergency"), WORD("maternity"),
    WORD("oncology"),   WORD("surgery"),
};

static const struct schema_column demo_patients[] = {
    COLUMN("id", TYPE_INT),
    COLUMN("born", TYPE_INT, SPAN(WHOLE(1920), WHOLE(2025))),
    COLUMN("sex", TYPE_TEXT, LISTED(sexes)),
    COLUMN("city", TYPE_TEXT, LISTED(cities)),
    COLUMN("smoker", TYPE_BOOL),
};

static const struct schema_column demo_visits[] = {
    OF_PATIENT,
    COLUMN("day", TYPE_DATE, SPAN(DAY(DAY_2024), DAY(DAY_2026 - 1))),
    COLUMN("department", TYPE_TEXT, LISTED(demo_wings)),
    COLUMN("nights", TYPE_INT, SPAN(WHOLE(0), WHOLE(30))),
    COLUMN("cost", TYPE_DECIMAL, .scale = 2,
           SPAN(EXACT(0, 0), EXACT(20000, 0))),
};

static const struct schema_column demo_departments[] = {
    COLUMN("name", TYPE_TEXT),
    COLUMN("floor", TYPE_INT, NULLS),
    COLUMN("beds", TYPE_INT, NULLS),
};

static const struct schema_table demo_tables[] = {
    {.name = TEXT("patients"), .max_rows = 200, COLUMNS(demo_patients)},
    {.name = TEXT("visits"),
     .rows_per_unit = 8,
     .max_rows = 1000,
     COLUMNS(demo_visits)},
    {.name = TEXT("departments"), .is_public = true, COLUMNS(demo_departments)},
};

const struct schema demo_types = {
    GENEROUS,
    .tables = demo_tables,
    .n_tables = COUNT_OF(demo_tables),
};
