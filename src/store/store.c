/*
 * Creates and opens the folder, and replaces its one pointer, `current`.
 *
 * A new store is created under another name and renamed. rename replaces only
 * an empty folder, so two processes cannot mix their stores.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "random/entropy.h"
#include "store/file.h"
#include "store/lock.h"

enum { POLICY_MOST = 16 << 20, LINE_MOST = 64 };

void
store_path(const struct store *s, const char *name, char *out)
{
    /* Paths that would not fit are refused when the store is opened. */
    CUSTOS_REQUIRE(snprintf(out, STORE_PATH_MAX, "%s/%s", s->path, name) <
                   STORE_PATH_MAX);
}

void
store_data_path(const struct store *s, uint64_t version, char *out)
{
    char name[LINE_MOST];

    snprintf(name, sizeof name, "data/%llu.duckdb",
             (unsigned long long)version);
    store_path(s, name, out);
}

static void
policy_path(const struct store *s, uint64_t policy, char *out)
{
    char name[LINE_MOST];

    snprintf(name, sizeof name, "policy/%llu.yaml", (unsigned long long)policy);
    store_path(s, name, out);
}

static custos_status
current_write(const struct store *s, uint64_t version, uint64_t policy,
              custos_err *err)
{
    char path[STORE_PATH_MAX], line[LINE_MOST];
    int n = snprintf(line, sizeof line, "%llu %llu\n",
                     (unsigned long long)version, (unsigned long long)policy);

    store_path(s, "current", path);
    return file_write(path, (str){line, (size_t)n}, err);
}

/* Creates everything that a new store contains, in the folder s->path. */
static custos_status
store_fill(struct store *s, str policy, custos_err *err)
{
    static const char *const folders[] = {"data", "tmp", "policy"};
    static const char *const locks[] = {"lock", "import"};
    char path[STORE_PATH_MAX];
    custos_status st = CUSTOS_OK;

    if (entropy_fill(s->secret, sizeof s->secret))
        return custos_fail(err, CUSTOS_EENTROPY,
                           "no randomness from the system");
    for (size_t i = 0; i < COUNT_OF(folders) && !st; i++) {
        store_path(s, folders[i], path);
        st = folder_new(path, err);
    }
    for (size_t i = 0; i < COUNT_OF(locks) && !st; i++) {
        store_path(s, locks[i], path);
        st = file_write(path, str_of(""), err);
    }
    if (!st) {
        store_path(s, "secret", path);
        st = file_write(path, (str){(const char *)s->secret, sizeof s->secret},
                        err);
    }
    if (!st) {
        policy_path(s, 1, path);
        st = file_write(path, policy, err);
    }
    if (!st)
        st = current_write(s, 0, 1, err);
    if (!st) {
        store_path(s, "format", path);
        st = file_write(path, str_of("custos store 1\n"), err);
    }
    return st;
}

custos_status
store_create(const char *path, str policy, custos_err *err)
{
    struct store s = {.import = -1};
    custos_status st;
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || len > STORE_PATH_MAX / 2)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the path of a store needs 1 to %d bytes",
                           STORE_PATH_MAX / 2);
    snprintf(s.path, sizeof s.path, "%.*s.new-XXXXXX", (int)len, path);
    if (!mkdtemp(s.path) || chmod(s.path, FOLDER_MODE)) {
        st = custos_fail(err, CUSTOS_EIO,
                         "cannot create a folder beside %.120s", path);
        custos_note(err, "errno %d", errno);
        return st;
    }
    st = store_fill(&s, policy, err);
    if (!st && rename(s.path, path)) {
        st = errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
                 ? custos_fail(err, CUSTOS_EINVAL,
                               "%.120s already exists and is not empty", path)
                 : custos_fail(err, CUSTOS_EIO, "cannot create %.120s", path);
        custos_note(err, "errno %d", errno);
    }
    if (st)
        tree_remove(s.path);
    else
        st = folder_sync_above(path, err);
    wipe(&s, sizeof s);
    return st;
}

void
store_unmake(struct store *s, enum store_made made)
{
    char gone[STORE_PATH_MAX];

    if (made == STORE_WAS_THERE || import_take(s, NULL) || s->version > 0)
        return;
    /* Renamed first, so that nobody opens a store that is half removed. */
    snprintf(gone, sizeof gone, "%.*s.gone-XXXXXX", STORE_PATH_MAX / 2,
             s->path);
    if (!mkdtemp(gone))
        return;
    if (rename(s->path, gone)) {
        rmdir(gone);
        return;
    }
    tree_remove(gone);
    if (made == STORE_MADE_IN_FOLDER)
        (void)!mkdir(s->path, S_IRWXU | S_IRWXG | S_IRWXO);
}

/* Checks that path belongs to this user and that other users have no rights to it. */
static custos_status
check_private(const char *path, custos_err *err)
{
    struct stat facts;

    if (stat(path, &facts))
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store lacks %.140s" HINT "restore a backup",
                           path);
    if (facts.st_mode & 077)
        return custos_fail(err, CUSTOS_EDENIED,
                           "others may access %.100s; only its owner may" HINT
                           "run chmod -R go-rwx on the store",
                           path);
    if (geteuid() != 0 && facts.st_uid != geteuid())
        return custos_fail(err, CUSTOS_EDENIED,
                           "%.120s belongs to another user", path);
    return CUSTOS_OK;
}

static custos_status
check_format(const struct store *s, const char *path, custos_err *err)
{
    char name[STORE_PATH_MAX], line[LINE_MOST + 1] = "";
    unsigned format = 0;
    char end = 0;
    size_t n = 0;
    custos_status st;

    store_path(s, "format", name);
    st = file_read_into(name, line, LINE_MOST, &n, err);
    if (st == CUSTOS_ENAME)
        return custos_fail(
            err, CUSTOS_ENAME,
            "there is no store at %.100s" HINT "custos init creates one", path);
    if (st)
        return st;
    /* NOLINTNEXTLINE(cert-err34-c): the width bounds it */
    if (sscanf(line, "custos store %9u%c", &format, &end) != 2 || end != '\n')
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store's file 'format' is damaged" HINT
                           "restore a backup");
    if (format > STORE_FORMAT)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "the store has format %u, this custos knows %d" HINT
                           "use a newer custos",
                           format, STORE_FORMAT);
    return CUSTOS_OK;
}

custos_status
store_refresh(struct store *s, custos_err *err)
{
    char path[STORE_PATH_MAX], line[LINE_MOST + 1] = "";
    unsigned long long version, policy;
    size_t n = 0;
    char end = 0;
    custos_status st;

    store_path(s, "current", path);
    st = file_read_into(path, line, LINE_MOST, &n, err);
    if (st)
        return st;
    /* NOLINTNEXTLINE(cert-err34-c): the widths bound them */
    if (sscanf(line, "%19llu %19llu%c", &version, &policy, &end) != 3 ||
        end != '\n' || policy == 0)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store does not say which data is in force" HINT
                           "restore a backup");
    s->version = version;
    s->policy = policy;
    return CUSTOS_OK;
}

static custos_status
store_load(struct store *s, const char *path, custos_err *err)
{
    static const char *const parts[] = {"secret", "current", "data",
                                        "tmp",    "policy",  "lock"};
    char name[STORE_PATH_MAX];
    size_t n = 0;
    custos_status st;

    st = check_format(s, path, err);
    if (!st)
        st = check_private(s->path, err);
    for (size_t i = 0; i < COUNT_OF(parts) && !st; i++) {
        store_path(s, parts[i], name);
        st = check_private(name, err);
    }
    if (st)
        return st;
    store_path(s, "secret", name);
    st = file_read_into(name, (char *)s->secret, sizeof s->secret, &n, err);
    if (st)
        return st;
    if (n != sizeof s->secret)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store's secret is damaged" HINT
                           "restore a backup");
    return store_refresh(s, err);
}

custos_status
store_open(const char *path, struct store *out, custos_err *err)
{
    struct store s = {.import = -1};
    char absolute[PATH_MAX];
    custos_status st;

    if (!realpath(path, absolute))
        return custos_fail(
            err, CUSTOS_ENAME,
            "there is no store at %.100s" HINT "custos init creates one", path);
    if (strlen(absolute) > STORE_PATH_MAX / 2)
        return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
    snprintf(s.path, sizeof s.path, "%s", absolute);
    st = store_load(&s, path, err);
    if (!st)
        *out = s;
    wipe(&s, sizeof s);
    return st;
}

void
store_close(struct store *s)
{
    if (!s)
        return;
    store_import_end(s);
    wipe(s->secret, sizeof s->secret);
}

custos_status
store_policy(const struct store *s, arena *a, str *out, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st;

    policy_path(s, s->policy, path);
    st = file_read(path, POLICY_MOST, a, out, err);
    if (st == CUSTOS_ENAME)
        st = custos_fail(err, CUSTOS_ECORRUPT,
                         "the policy in force is not in the store" HINT
                         "restore a backup");
    return st;
}

/* A policy that was written but never put in force is overwritten. */
custos_status
store_commit(struct store *s, str policy, uint64_t version, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st = import_take(s, err);

    if (st)
        return st;
    policy_path(s, s->policy + 1, path);
    st = file_write(path, policy, err);
    if (!st)
        st = current_write(s, version, s->policy + 1, err);
    if (!st) {
        s->version = version;
        s->policy++;
    }
    store_import_end(s);
    return st;
}
