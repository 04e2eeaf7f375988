/*
 * A backup is a store: the same folder with the data version in force and the
 * policies up to the one in force, created under another name and renamed when
 * it is complete. It holds the salt, so it is as secret as the store.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "store/file.h"
#include "store/store.h"

/* Copies one file, which has the same name in the backup. */
static custos_status
copy_name(const struct store *s, const char *folder, const char *name,
          custos_err *err)
{
    char from[STORE_PATH_MAX], to[STORE_PATH_MAX];

    store_path(s, name, from);
    if (snprintf(to, sizeof to, "%s/%s", folder, name) >= (int)sizeof to)
        return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
    return file_copy(from, to, err);
}

static custos_status
backup_fill(const struct store *s, const char *folder, custos_err *err)
{
    static const char *const folders[] = {"data", "tmp", "policy"};
    static const char *const files[] = {"format", "secret", "lock", "import"};
    struct store copy = *s;
    char path[STORE_PATH_MAX], name[64];
    custos_status st = CUSTOS_OK;

    snprintf(copy.path, sizeof copy.path, "%s", folder);
    for (size_t i = 0; i < COUNT_OF(folders) && !st; i++) {
        store_path(&copy, folders[i], path);
        st = folder_new(path, err);
    }
    for (size_t i = 0; i < COUNT_OF(files) && !st; i++)
        st = copy_name(s, folder, files[i], err);
    if (!st && s->version > 0) {
        snprintf(name, sizeof name, "data/%llu.duckdb",
                 (unsigned long long)s->version);
        st = copy_name(s, folder, name, err);
    }
    for (uint64_t i = 1; i <= s->policy && !st; i++) {
        snprintf(name, sizeof name, "policy/%llu.yaml", (unsigned long long)i);
        st = copy_name(s, folder, name, err);
    }
    /* The bounds in `rows` cost budget, so they are kept. `speed` is not copied:
       the backup may be used on another machine. */
    store_path(s, "rows", path);
    if (!st && !access(path, F_OK))
        st = copy_name(s, folder, "rows", err);
    if (!st) {
        /* Written anew: the original may have changed since s was opened. */
        snprintf(name, sizeof name, "%llu %llu\n",
                 (unsigned long long)s->version, (unsigned long long)s->policy);
        store_path(&copy, "current", path);
        st = file_write(path, str_of(name), err);
    }
    wipe(&copy, sizeof copy);
    return st;
}

custos_status
store_backup(const struct store *s, const char *to, store_ledger_copy ledger,
             void *ctx, custos_err *err)
{
    char folder[STORE_PATH_MAX], path[STORE_PATH_MAX];
    custos_status st;

    if (strlen(to) == 0 || strlen(to) > STORE_PATH_MAX / 2)
        return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
    snprintf(folder, sizeof folder, "%s.new-XXXXXX", to);
    if (!mkdtemp(folder) || chmod(folder, FOLDER_MODE))
        return custos_fail(err, CUSTOS_EIO,
                           "cannot create a folder beside %.120s", to);
    st = backup_fill(s, folder, err);
    if (!st && ledger) {
        if (snprintf(path, sizeof path, "%s/ledger.db", folder) >=
            (int)sizeof path)
            st = custos_fail(err, CUSTOS_EINVAL, "the path is too long");
        else
            st = ledger(ctx, path, err);
    }
    if (!st && rename(folder, to)) {
        st = custos_fail(err, CUSTOS_EIO,
                         "cannot create %.120s: it already exists", to);
        custos_note(err, "errno %d", errno);
    }
    if (st)
        tree_remove(folder);
    else
        st = folder_sync_above(to, err);
    return st;
}
