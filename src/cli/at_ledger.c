#include "cli/at_ledger.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "store/store.h"

int
ledger_at(const char *store, struct ledger **out)
{
    char path[STORE_PATH_MAX], lock[STORE_PATH_MAX];
    custos_err err;
    struct store s;
    custos_status st = store_open(store, &s, &err);

    if (st)
        return fail_status(st, &err);
    store_path(&s, "ledger.db", path);
    store_path(&s, "lock", lock);
    store_close(&s);
    if (access(path, F_OK) != 0)
        return fail_run("the store has no ledger: was custos init finished?");
    st = ledger_open(path, lock, out, &err);
    return st ? fail_status(st, &err) : CLI_OK;
}

void
moment_write(int64_t us, char text[MOMENT_MAX])
{
    int64_t s = us / 1000000 - (us % 1000000 < 0);
    time_t seconds = (time_t)s;
    struct tm tm;

    if (!gmtime_r(&seconds, &tm) ||
        strftime(text, MOMENT_MAX, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        snprintf(text, MOMENT_MAX, "?");
}

/* Characters, not bytes: of UTF-8 the first bytes are counted. */
void
cell_print(struct out *o, str text, size_t columns, enum cell_fill fill)
{
    size_t shown = 0, i = 0;
    bool gap = false;

    for (; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c <= ' ' || c == 127) {
            gap = shown > 0;
            continue;
        }
        if ((c & 0xc0) != 0x80) {
            if (shown + gap + 1 >= columns)
                break;
            if (gap)
                out_text(o, " ");
            shown += gap + 1u;
            gap = false;
        }
        out_add(o, text.ptr + i, 1);
    }
    if (i < text.len) {
        out_text(o, "…");
        shown++;
    }
    for (; fill == CELL_PADDED && shown < columns; shown++)
        out_text(o, " ");
}
