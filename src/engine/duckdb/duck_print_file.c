/*
 * How DuckDB reads a file. Its guesses about a CSV are turned off: they would look
 * at values.
 */
#include "engine/duckdb/duck.h"
#include "engine/duckdb/duck_print.h"

/* The options of both: the longest line, and columns that are texts. */
static void
print_columns(const str *columns, size_t n, struct buf *out)
{
    buf_printf(out, ", max_line_size=%d, columns={", (int)FILE_LINE_BYTES);
    for (size_t i = 0; i < n; i++) {
        buf_add_text(out, i ? ", " : "");
        duck_quote_text(out, columns[i]);
        buf_add_text(out, ": 'VARCHAR'");
    }
    buf_add_text(out, "})");
}

/* The separator is a byte that no text has, and nothing is a quote. */
static void
print_lines(const struct file *f, struct buf *out)
{
    str line = str_of("line");

    buf_add_text(out, "read_csv(");
    duck_quote_text(out, str_of(f->path));
    buf_add_text(out, ", auto_detect=false, header=false, delim='\x01', "
                      "quote='', escape='', strict_mode=false");
    print_columns(&line, 1, out);
}

/* An empty field is NULL, a quoted one an empty text. */
static void
print_csv(const struct file *f, struct buf *out)
{
    buf_add_text(out, "read_csv(");
    duck_quote_text(out, str_of(f->path));
    buf_printf(out,
               ", auto_detect=false, header=true, delim='%c', quote='\"', "
               "escape='\"', nullstr='', allow_quoted_nulls=false",
               f->separator);
    print_columns(f->columns, f->n_columns, out);
}

void
duck_print_file(const struct file *f, struct buf *out)
{
    switch (f->kind) {
    case FILE_LINES: print_lines(f, out); return;
    case FILE_CSV: print_csv(f, out); return;
    case FILE_PARQUET:
        buf_add_text(out, "read_parquet(");
        duck_quote_text(out, str_of(f->path));
        buf_add_text(out, ")");
        return;
    case FILE_DATABASE:
        buf_printf(out, "%s.main.", f->database);
        duck_quote_name(out, f->table);
        return;
    }
    out->failed = true; /* UNREACHABLE: all kinds are above */
}
