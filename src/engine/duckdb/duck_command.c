/*
 * One function for each command.
 */
#include "engine/duckdb/duck_command.h"

#include <inttypes.h>

#include "engine/duckdb/duck.h"

void
duck_command_threads(unsigned n, struct buf *out)
{
    buf_printf(out, "SET threads = %u", n);
}

static void
print_paths(const struct engine_data *d, struct buf *out)
{
    const char *before = "[";

    for (size_t i = 0; i < d->policy->n_tables; i++) {
        const struct duck_table *t = &d->read[i];

        if (!t->path || t->attach[0] != '\0')
            continue;
        buf_add_text(out, before);
        duck_quote_text(out, str_of(t->path));
        before = ", ";
    }
    buf_add_text(out, *before == '[' ? "[]" : "]");
}

/* One optimizer is disabled: top_n_window_elimination of DuckDB 1.5 fails on some
   queries over attached tables (doc/decisions/duckdb-version.md). */
void
duck_command_seal(const struct engine_data *d, struct buf *out)
{
    buf_printf(out, "SET memory_limit = '%" PRIu64 "MB'; SET temp_directory = ",
               d->memory_bytes >> 20);
    duck_quote_text(out, str_of(d->spill));
    buf_add_text(out, "; SET disabled_optimizers = 'top_n_window_elimination'; "
                      "SET allowed_paths = ");
    print_paths(d, out);
    buf_add_text(out, "; SET enable_external_access = false; SET "
                      "lock_configuration = true");
}
