#include "cli/at_ledger.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"

enum { TOKENS_BYTES = 1 << 26 };

custos_status
ledger_of(const struct store *s, struct ledger **out, custos_err *err)
{
    char path[STORE_PATH_MAX], lock[STORE_PATH_MAX];

    store_path(s, "ledger.db", path);
    store_path(s, "lock", lock);
    if (access(path, F_OK) != 0)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store has no ledger" HINT
                           "if custos init did not finish, run it again; else "
                           "restore the store from a backup");
    return ledger_open(path, lock, out, err);
}

custos_status
store_and_ledger_open(const char *path, struct store *s, struct ledger **l,
                      custos_err *err)
{
    custos_status st = store_open(path, s, err);

    if (st)
        return st;
    st = ledger_of(s, l, err);
    if (st)
        store_close(s);
    return st;
}

int
ledger_at(const char *store, struct ledger **out)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct store s;
    custos_status st = store_and_ledger_open(store, &s, out, &err);

    if (st)
        return fail_status(st, &err);
    store_close(&s);
    return CLI_OK;
}

bool
password_expires(struct ledger *l, str name)
{
    struct ledger_credential found;
    custos_err quiet = CUSTOS_ERR_INIT;

    return !ledger_credential_find(l, name, &found, &quiet) &&
           found.expires != 0;
}

bool
token_expires(struct ledger *l, str name, enum ledger_access access)
{
    arena *a = arena_new(NULL, TOKENS_BYTES);
    struct ledger_token *tokens = NULL;
    size_t n = 0, i = 0;
    custos_err quiet = CUSTOS_ERR_INIT;
    bool expires;

    if (!a || ledger_tokens(l, a, &tokens, &n, &quiet))
        n = 0;
    while (i < n && !(tokens[i].access == access &&
                      str_equal(str_of(tokens[i].name), name)))
        i++;
    expires = i < n && tokens[i].expires != 0;
    arena_free(a);
    return expires;
}

static custos_status
copy_ledger(void *ctx, const char *path, custos_err *err)
{
    return ledger_copy(ctx, path, err);
}

custos_status
store_copy(const struct store *s, struct ledger *l, const char *to,
           custos_err *err)
{
    return store_backup(s, to, copy_ledger, l, err);
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

/* Counts a UTF-8 character at its first byte. */
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
