/*
 * The tables of a file, and the names and types of their columns, for `custos
 * policy draft`. Parquet and DuckDB files declare types. A CSV does not, and its
 * values are not read, so its columns have TYPE_NULL.
 */
#include "base/error.h"
#include "engine/engine.h"
#include "engine/import/source.h"
#include "engine/refail.h"

enum { NAMES_MOST = 1000 };

static enum data_type
type_of(enum column_type type)
{
    switch (type) {
    case COLUMN_BOOL: return TYPE_BOOL;
    case COLUMN_I8:
    case COLUMN_I16:
    case COLUMN_I32:
    case COLUMN_I64:
    case COLUMN_I128:
    case COLUMN_U8:
    case COLUMN_U16:
    case COLUMN_U32:
    case COLUMN_U64: return TYPE_INT;
    case COLUMN_F64: return TYPE_REAL;
    case COLUMN_TEXT: return TYPE_TEXT;
    case COLUMN_DATE: return TYPE_DATE;
    case COLUMN_TIMESTAMP: return TYPE_TIMESTAMP;
    case COLUMN_DECIMAL16:
    case COLUMN_DECIMAL32:
    case COLUMN_DECIMAL64:
    case COLUMN_DECIMAL128: return TYPE_DECIMAL;
    case COLUMN_LIST:
    case COLUMN_NOTHING:
    case COLUMN_OTHER: break;
    }
    return TYPE_NULL;
}

static custos_status
columns_take(struct result *shape, enum source_kind kind, arena *a,
             struct engine_source_column **out, size_t *n, custos_err *err)
{
    size_t width = result_width(shape);
    struct engine_source_column *columns =
        arena_take(a, width + 1, sizeof *columns);
    custos_status st = CUSTOS_OK;

    if (!columns)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < width && !st; i++) {
        char *name = arena_copy(a, str_of(result_name(shape, i)));
        int scale = 0;
        enum column_type type = result_type(shape, i, &scale);

        if (!name)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        else
            columns[i] = (struct engine_source_column){
                str_of(name), kind == SOURCE_CSV ? TYPE_NULL : type_of(type),
                scale};
    }
    if (!st) {
        *out = columns;
        *n = width;
    }
    return st;
}

/* Opens a database in memory, with which files are read. */
static custos_status
reader_open(struct duck **db, struct duck_connection **c, custos_err *err)
{
    custos_status st = duck_open(NULL, DUCK_WRITE, db, err);

    return st ? st : duck_connect(*db, c, err);
}

custos_status
engine_schema(const char *path, enum source_kind kind, const char *table,
              arena *a, struct engine_source_column **out, size_t *n,
              custos_err *err)
{
    struct duck *db = NULL;
    struct duck_connection *c = NULL;
    struct result *shape = NULL;
    struct file file = {.path = path};
    char *attach = NULL;
    custos_status st = reader_open(&db, &c, err);

    if (!st)
        st = source_find(c, path, kind, table ? table : "", NULL, 0, a, &file,
                         &attach, err);
    if (!st)
        st = source_shape(c, &file, &shape, err);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_EIO, "the columns of %.120s cannot be read",
                    path);
    if (!st)
        st = columns_take(shape, kind, a, out, n, err);
    result_free(shape);
    duck_disconnect(c);
    duck_close(db);
    return st;
}

/* Reads at most NAMES_MOST names from the rows into `a`. */
static custos_status
names_take(struct result *rows, arena *a, str **out, size_t *n, custos_err *err)
{
    str *names = arena_take(a, NAMES_MOST, sizeof *names);
    struct column column;
    size_t chunk = 0, all = 0;
    custos_status st = CUSTOS_OK;

    if (!names)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    while (!st && !(st = result_next(rows, &chunk, &column, err)) && chunk > 0)
        for (size_t i = 0; i < chunk && all < NAMES_MOST && !st; i++) {
            str name = column_text(&column, i);

            names[all] = (str){arena_copy(a, name), name.len};
            if (!names[all++].ptr)
                st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        }
    *out = names;
    *n = all;
    return st;
}

static const struct term *
name_is(struct builder *b, const char *name, const char *is)
{
    return term_binary(b, term_name(b, NULL, "%s", name), TERM_EQUAL,
                       term_text(b, str_of(is)));
}

/* Asks for the names of all tables of an attached database. */
static custos_status
ask_names(struct duck_connection *c, const struct file *f, struct result **out,
          custos_err *err)
{
    const struct term *name;
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, NULL);
    name = term_name(&b, NULL, "table_name");
    s = select_new(&b, input_named(&b, "duckdb_tables()"));
    select_add_bare(&b, s, name);
    select_where(&b, s, name_is(&b, "database_name", f->database));
    select_where(&b, s, name_is(&b, "schema_name", "main"));
    select_order(&b, s, &(struct sort){.term = name});
    st = source_ask(c, SOURCE_ASK_ROWS, &b, s, out, err);
    builder_clear(&b);
    return st;
}

custos_status
engine_source_tables(const char *path, arena *a, str **out, size_t *n,
                     custos_err *err)
{
    struct duck *db = NULL;
    struct duck_connection *c = NULL;
    struct result *rows = NULL;
    struct file file = {.path = path};
    char *attach = NULL;
    custos_status st = reader_open(&db, &c, err);

    if (!st)
        st = source_find(c, path, SOURCE_DUCKDB, "", NULL, 0, a, &file, &attach,
                         err);
    if (!st)
        st = ask_names(c, &file, &rows, err);
    if (!st)
        st = names_take(rows, a, out, n, err);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_EIO, "the tables of %.120s cannot be read",
                    path);
    result_free(rows);
    duck_disconnect(c);
    duck_close(db);
    return st;
}
