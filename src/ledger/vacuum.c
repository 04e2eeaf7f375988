/*
 * Frees space: drops cached answers that retention no longer keeps, and
 * compacts the file. Charges wait meanwhile; the chain is not touched.
 */
#include <sys/stat.h>

#include "base/error.h"
#include "ledger/lock.h"
#include "ledger/sizes.h"

struct trim {
    const struct ledger_retention *retention;
    int64_t now;
    struct ledger_freed *freed;
};

static custos_status
step_trim(struct ledger *l, void *arg, custos_err *err)
{
    struct trim *t = arg;

    return answers_trim(l->db, t->retention, t->now, SIZE_MAX,
                        &t->freed->answers, &t->freed->answer_bytes, err);
}

static uint64_t
file_bytes(const char *path)
{
    struct stat is;

    return stat(path, &is) ? 0 : (uint64_t)is.st_size;
}

/* Compacts the file, under the lock; checkpoints the log before and after. */
static custos_status
write_anew(struct ledger *l, custos_err *err)
{
    custos_status st = db_checkpoint(l->db, DB_EMPTY_LOG, err);

    if (!st)
        st = db_run(l->db, "VACUUM", err);
    return st ? st : db_checkpoint(l->db, DB_EMPTY_LOG, err);
}

custos_status
ledger_vacuum(struct ledger *l, const struct ledger_retention *retention,
              int64_t now, struct ledger_freed *out, custos_err *err)
{
    struct trim t = {.retention = retention, .now = now, .freed = out};
    uint64_t before = file_bytes(l->path), after;
    custos_status st;

    *out = (struct ledger_freed){0};
    st = ledger_write(l, step_trim, &t, err);
    if (!st)
        st = lock_take(l->lock, err);
    if (st)
        return st;
    st = write_anew(l, err);
    lock_drop(l->lock);
    after = file_bytes(l->path);
    out->file_bytes = before > after ? before - after : 0;
    return st;
}
