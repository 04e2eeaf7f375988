/*
 * Lists the data versions of a store.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "store/lock.h"
#include "store/store.h"

enum { VERSIONS_MOST = 1000 };

bool
version_of_name(const char *name, uint64_t *number)
{
    unsigned long long n = 0;
    int end = 0;

    /* NOLINTNEXTLINE(cert-err34-c): the width bounds it */
    if (sscanf(name, "%19llu.duckdb%n", &n, &end) != 1 || end == 0 ||
        name[end] != '\0')
        return false;
    *number = n;
    return true;
}

static int
by_number(const void *a, const void *b)
{
    const struct store_version *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

custos_status
store_versions(const struct store *s, arena *a, struct store_version **out,
               size_t *n, custos_err *err)
{
    struct store_version *all = arena_take(a, VERSIONS_MOST, sizeof *all);
    char path[STORE_PATH_MAX];
    struct dirent *entry;
    size_t told = 0;
    struct stat is;
    DIR *d;

    if (!all)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    store_path(s, "data", path);
    d = opendir(path);
    if (!d)
        return custos_fail(err, CUSTOS_EIO,
                           "the data of the store cannot be listed");
    while (told < VERSIONS_MOST && (entry = readdir(d))) {
        uint64_t number;

        if (!version_of_name(entry->d_name, &number) ||
            fstatat(dirfd(d), entry->d_name, &is, 0))
            continue;
        all[told++] = (struct store_version){
            .number = number,
            .time = (int64_t)is.st_mtim.tv_sec * 1000000 +
                    is.st_mtim.tv_nsec / 1000,
        };
    }
    closedir(d);
    qsort(all, told, sizeof *all, by_number);
    *out = all;
    *n = told;
    return CUSTOS_OK;
}
