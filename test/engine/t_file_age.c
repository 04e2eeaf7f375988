/*
 * If DuckDB rejects a file, the error says why: written by a newer DuckDB,
 * written by one before 0.10, or not a DuckDB file at all. The test makes files
 * of other versions by patching the header of a file of the pinned DuckDB,
 * including its checksum.
 */
#include "engine/import/file_age.h"

#include <fcntl.h>

#include "made.h"
#include "plan/from/relation.h"
#include "support/said.h"

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"
#define TABLE(more)                                                            \
    HEAD "  a: {source: f.duckdb, unit: id" more                               \
         ", columns: {id: {type: integer}}}\n"

enum { HEADER_BYTES = 4096, VERSION_AT = 12, WRITER_AT = 52, WRITER_LEN = 32 };

/* DuckDB's checksum of a block: the XOR of its mixed words. */
static uint64_t
checksum(const unsigned char *block)
{
    uint64_t sum = 5381, word;

    for (size_t at = 8; at < HEADER_BYTES; at += 8) {
        memcpy(&word, block + at, 8);
        sum ^= word * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return sum;
}

/* Changes the storage version and the writer of the file. */
static void
patch(const char *path, uint64_t version, const char *writer)
{
    unsigned char header[HEADER_BYTES];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint64_t sum;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, header, sizeof header, 0), sizeof header);
    memcpy(&sum, header, 8);
    assert_int_equal(sum, checksum(header));
    memcpy(header + VERSION_AT, &version, 8);
    memset(header + WRITER_AT, 0, WRITER_LEN);
    memcpy(header + WRITER_AT, writer, strlen(writer));
    sum = checksum(header);
    memcpy(header, &sum, 8);
    assert_int_equal(pwrite(fd, header, sizeof header, 0), sizeof header);
    close(fd);
}

/* Makes f.duckdb in a new folder, with a table a of one row. */
static void
made_duckdb(struct made *m, char path[160])
{
    struct duck_connection *c;
    struct duck *db;

    made_folder(m);
    made_path(m, "f.duckdb", path);
    assert_int_equal(duck_open(path, DUCK_WRITE, &db, &m->err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, &m->err), CUSTOS_OK);
    assert_int_equal(duck_do(c, "CREATE TABLE a AS SELECT 1 AS id", &m->err),
                     CUSTOS_OK);
    duck_disconnect(c);
    duck_close(db);
}

/* The numbers in file_age.h are those of the pinned engine. */
static void
the_engine_reads_these_versions(void **state)
{
    char path[160], writer[FILE_WRITER_MAX];
    struct duck *db;
    struct made m;

    (void)state;
    made_duckdb(&m, path);
    for (uint64_t v = FILE_VERSION_OLDEST - 2; v < FILE_VERSION_NEWEST + 5;
         v++) {
        bool known = v >= FILE_VERSION_OLDEST && v <= FILE_VERSION_NEWEST;

        patch(path, v, "v1.2.3");
        assert_int_equal(duck_open(path, DUCK_READ, &db, &m.err),
                         known ? CUSTOS_OK : CUSTOS_EIO);
        if (known)
            duck_close(db);
        assert_int_equal(file_age(path, writer), known ? FILE_AGE_READABLE
                                                 : v > FILE_VERSION_NEWEST
                                                     ? FILE_AGE_NEWER
                                                     : FILE_AGE_OLDER);
        assert_string_equal(writer, "v1.2.3");
    }
    made_close(&m);
}

/* The error of draft and import about the source: the path, then `what`. */
static void
says(struct made *m, const char *path, const char *what, custos_status code)
{
    char said[sizeof m->err.said];
    size_t n;
    str *names;

    snprintf(said, sizeof said, "%s %s", path, what);
    assert_int_equal(engine_source_tables(path, m->a, &names, &n, &m->err),
                     code);
    assert_string_equal(whole_said(&m->err), said);
    assert_int_equal(made_import(m), code);
    assert_string_equal(whole_said(&m->err), said);
    assert_true(m->err.noted[0] != '\0');
}

static void
sources_are_named(void **state)
{
    char path[160];
    struct made m;

    (void)state;
    made_duckdb(&m, path);
    made_policy(&m, TABLE(""));
    patch(path, FILE_VERSION_NEWEST + 1, "v9.8.7-dev12");
    says(&m, path,
         "was written by a newer DuckDB v9.8.7-dev12 than custos reads; "
         "export its tables to Parquet",
         CUSTOS_EUNSUPPORTED);
    patch(path, UINT64_MAX, "\x1b[2J");
    says(&m, path,
         "was written by a newer DuckDB than custos reads; export its tables "
         "to Parquet",
         CUSTOS_EUNSUPPORTED);
    patch(path, FILE_VERSION_OLDEST - 1, "");
    says(&m, path,
         "was written by a DuckDB before 0.10, which custos does not read; "
         "export its tables to Parquet",
         CUSTOS_EUNSUPPORTED);
    patch(path, FILE_VERSION_NEWEST, "v1.5.6");
    assert_int_equal(truncate(path, 5000), 0);
    says(&m, path, "cannot be opened as a DuckDB file", CUSTOS_EIO);
    made_file(&m, "f.duckdb", "id\n1\n");
    says(&m, path, "cannot be opened as a DuckDB file", CUSTOS_EIO);
    made_file(&m, "f.duckdb", "");
    says(&m, path, "cannot be opened as a DuckDB file", CUSTOS_EIO);
    made_close(&m);
}

static void
data_of_a_newer_duckdb_is_named(void **state)
{
    char path[160], data[STORE_PATH_MAX];
    struct made m;

    (void)state;
    made_duckdb(&m, path);
    made_ready(&m, TABLE(""));
    engine_close(m.engine);
    m.engine = NULL;
    store_data_path(&m.store, m.store.version, data);
    patch(data, FILE_VERSION_NEWEST + 1, "v9.8.7");
    assert_int_equal(engine_open(&m.store, m.policy, &m.engine, &m.err),
                     CUSTOS_EUNSUPPORTED);
    assert_string_equal(whole_said(&m.err),
                        "the data in the store was written by a newer DuckDB; "
                        "use the custos that wrote it, or import it again "
                        "with custos init");
    assert_int_equal(truncate(data, 5000), 0);
    patch(data, FILE_VERSION_NEWEST, "v1.5.6");
    assert_int_equal(engine_open(&m.store, m.policy, &m.engine, &m.err),
                     CUSTOS_EIO);
    assert_string_equal(whole_said(&m.err),
                        "the data in the store cannot be opened; restore a "
                        "backup, or import it again with custos init");
    assert_int_equal(made_import(&m), CUSTOS_OK);
    made_open(&m);
    made_close(&m);
}

/* Opens the store again; the attached file gives this error, or none. */
static void
attached_says(struct made *m, const char *said)
{
    struct relation from = {.kind = RELATION_TABLE};
    struct plan plan = {.rows = 1,
                        .space = {.cells = 1, .groups = 1},
                        .fanout = 1,
                        .from = &from};
    custos_status st;

    from.as = &m->policy->tables[0];
    made_open(m);
    st = engine_check_attached(m->engine, &plan, &m->err);
    assert_int_equal(st, said ? CUSTOS_EIO : CUSTOS_OK);
    if (said)
        assert_string_equal(whole_said(&m->err), said);
    engine_close(m->engine);
    m->engine = NULL;
}

static void
attached_files_are_named(void **state)
{
    char path[160];
    struct made m;

    (void)state;
    made_duckdb(&m, path);
    made_ready(&m, TABLE(", attach: true"));
    engine_close(m.engine);
    m.engine = NULL;
    attached_says(&m, NULL);
    patch(path, FILE_VERSION_NEWEST + 1, "v9.8.7");
    attached_says(&m, "the file of table 'a' was written by a newer DuckDB "
                      "than custos reads; the owner must export it and run "
                      "custos init again");
    made_file(&m, "f.duckdb", "no database");
    attached_says(&m, "the file of table 'a' could not be opened; the owner "
                      "must put it back and run custos init again");
    assert_int_equal(unlink(path), 0);
    attached_says(&m, "the file of table 'a' does not exist or is not "
                      "readable; the owner must put it back or run custos "
                      "init again");
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_reads_these_versions),
        cmocka_unit_test(sources_are_named),
        cmocka_unit_test(data_of_a_newer_duckdb_is_named),
        cmocka_unit_test(attached_files_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
