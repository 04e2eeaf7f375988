#include "release/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/file.h"

/* What is removed unasked has this name. */
static const char UNFINISHED[] = "unfinished-release";

static custos_status
fail_io(const char *what, const char *path, custos_err *err)
{
    return custos_fail(err, CUSTOS_EIO, "cannot %s %.150s: %s", what, path,
                       strerror(errno));
}

static custos_status
join(const char *folder, const char *name, char out[STORE_PATH_MAX],
     custos_err *err)
{
    if (snprintf(out, STORE_PATH_MAX, "%s/%s", folder, name) < STORE_PATH_MAX)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
}

static bool
is_within(const char *path, const char *folder)
{
    const size_t n = strlen(folder);

    return !strncmp(path, folder, n) && (path[n] == '/' || path[n] == '\0');
}

/* The folder above, without symbolic links. */
static custos_status
find_above(const char *path, size_t len, char out[STORE_PATH_MAX],
           custos_err *err)
{
    char above[STORE_PATH_MAX];

    snprintf(above, sizeof above, "%.*s", (int)len, len ? path : "");
    if (len == 0)
        snprintf(above, sizeof above, "%s", *path == '/' ? "/" : ".");
    if (!realpath(above, out))
        return fail_io("find the folder", above, err);
    return CUSTOS_OK;
}

custos_status
folder_place(const char *path, const char *outside, struct folder *out,
             custos_err *err)
{
    char above[STORE_PATH_MAX], plain[STORE_PATH_MAX];
    const char *slash, *name;
    size_t len = strlen(path);
    custos_status st;
    struct stat is;

    out->partial[0] = '\0';
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || len + 32 >= sizeof plain)
        return custos_fail(err, CUSTOS_EINVAL, "the path is empty or too long");
    snprintf(plain, sizeof plain, "%.*s", (int)len, path);
    slash = strrchr(plain, '/');
    name = slash ? slash + 1 : plain;
    if (!lstat(plain, &is) || !strcmp(name, ".") || !strcmp(name, ".."))
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.150s exists already" HINT
                           "name a folder that does not exist yet",
                           plain);
    st = find_above(plain, slash ? (size_t)(slash - plain) : 0, above, err);
    if (!st)
        st = join(strcmp(above, "/") ? above : "", name, out->path, err);
    if (!st && outside && is_within(out->path, outside))
        st = custos_fail(err, CUSTOS_EINVAL,
                         "%.150s is inside the store" HINT
                         "a release is for others, and the store is not; name "
                         "another folder",
                         path);
    return st;
}

/* The folder around f->partial, whose own name says nothing about who made it. */
static void
find_around(const struct folder *f, char out[STORE_PATH_MAX + 16])
{
    snprintf(out, STORE_PATH_MAX + 16, "%s.partial", f->path);
}

/* The path without symbolic links, as far as it exists. */
static void
resolve(const char *path, char out[STORE_PATH_MAX])
{
    char rest[STORE_PATH_MAX], found[STORE_PATH_MAX];
    size_t len = strlen(path);

    while (len > 0) {
        snprintf(rest, sizeof rest, "%.*s", (int)len, path);
        if (realpath(rest, found))
            break;
        while (len > 0 && path[len - 1] == '/')
            len--;
        while (len > 0 && path[len - 1] != '/')
            len--;
    }
    if (len == 0 && !realpath(".", found))
        found[0] = '\0';
    if (snprintf(out, STORE_PATH_MAX, "%s/%s", found, path + len) >=
        STORE_PATH_MAX)
        out[0] = '\0';
}

bool
folder_would_be_in(const char *path, const char *folder)
{
    char whole[STORE_PATH_MAX], partial[STORE_PATH_MAX + 16];

    resolve(path, whole);
    snprintf(partial, sizeof partial, "%s.partial", folder);
    return is_within(whole, folder) || is_within(whole, partial);
}

custos_status
folder_begin(struct folder *f, custos_err *err)
{
    char around[STORE_PATH_MAX + 16], partial[STORE_PATH_MAX];
    struct stat is;
    custos_status st;

    find_around(f, around);
    st = join(around, UNFINISHED, partial, err);
    if (st)
        return st;
    if (!lstat(around, &is) && S_ISDIR(is.st_mode)) {
        tree_remove(partial);
        rmdir(around); /* but not if it has anything else */
    }
    if (mkdir(around, 0777) && errno == EEXIST)
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.150s exists, and was not left by an "
                           "interrupted release" HINT
                           "move it away, or name another folder",
                           around);
    memcpy(f->partial, partial, sizeof partial);
    return mkdir(partial, 0777) ? fail_io("create", partial, err) : CUSTOS_OK;
}

/* Calls `each` for what is in a folder. */
static custos_status
walk(const char *folder, const char *to,
     custos_status (*each)(const char *path, const char *to, custos_err *err),
     custos_err *err)
{
    char path[STORE_PATH_MAX], beside[STORE_PATH_MAX] = "";
    custos_status st = CUSTOS_OK;
    DIR *d = opendir(folder);
    struct dirent *e;

    if (!d)
        return fail_io("read", folder, err);
    while (!st) {
        errno = 0;
        e = readdir(d);
        if (!e && errno)
            st = fail_io("read", folder, err);
        if (!e)
            break;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        st = join(folder, e->d_name, path, err);
        if (!st && to)
            st = join(to, e->d_name, beside, err);
        if (!st)
            st = each(path, beside, err);
    }
    closedir(d);
    return st;
}

static custos_status
sync_one(const char *path, const char *to, custos_err *err)
{
    struct stat is;
    custos_status st = CUSTOS_OK;

    (void)to;
    if (lstat(path, &is))
        return fail_io("read", path, err);
    if (S_ISDIR(is.st_mode))
        st = walk(path, NULL, sync_one, err);
    return st ? st : file_sync(path, err);
}

custos_status
folder_finish(struct folder *f, custos_err *err)
{
    custos_status st = sync_one(f->partial, NULL, err);

    if (!st && rename(f->partial, f->path))
        st = fail_io("create", f->path, err);
    if (st)
        return st;
    folder_drop(f);
    return folder_sync_above(f->path, err);
}

void
folder_drop(struct folder *f)
{
    char around[STORE_PATH_MAX + 16];

    if (f->partial[0]) {
        tree_remove(f->partial);
        find_around(f, around);
        rmdir(around);
    }
    f->partial[0] = '\0';
}

static custos_status
copy_one(const char *path, const char *to, custos_err *err)
{
    const mode_t mask = umask(0);
    custos_status st;
    struct stat is;

    umask(mask);
    if (lstat(path, &is))
        return fail_io("read", path, err);
    if (S_ISDIR(is.st_mode)) {
        if (mkdir(to, 0777))
            return fail_io("create", to, err);
        return folder_copy(path, to, err);
    }
    st = file_copy(path, to, err);
    if (!st && chmod(to, 0666 & ~mask))
        st = fail_io("create", to, err);
    return st;
}

custos_status
folder_copy(const char *from, const char *to, custos_err *err)
{
    return walk(from, to, copy_one, err);
}
