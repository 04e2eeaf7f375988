/*
 * Removes files that a store no longer needs, and counts the bytes.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/store.h"

enum { DEPTH_MOST = 8 };

/* Bytes on disk below a folder, as far as they can be listed. */
static uint64_t
tree_bytes(const char *path, int depth)
{
    char below[STORE_PATH_MAX + 300];
    struct dirent *entry;
    uint64_t bytes = 0;
    struct stat is;
    DIR *d = depth < DEPTH_MOST ? opendir(path) : NULL;

    if (!d)
        return 0;
    while ((entry = readdir(d))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >=
                (int)sizeof below ||
            lstat(below, &is))
            continue;
        bytes += S_ISDIR(is.st_mode) ? tree_bytes(below, depth + 1)
                                     : (uint64_t)is.st_blocks * 512;
    }
    closedir(d);
    return bytes;
}

static uint64_t
folder_bytes(const struct store *s, const char *name)
{
    char path[STORE_PATH_MAX];

    store_path(s, name, path);
    return tree_bytes(path, 0);
}

custos_status
store_vacuum(struct store *s, struct store_freed *out, custos_err *err)
{
    uint64_t data = folder_bytes(s, "data"), tmp = folder_bytes(s, "tmp");
    custos_status st = store_import_begin(s, err);
    uint64_t left;

    *out = (struct store_freed){0};
    if (st)
        return st;
    left = folder_bytes(s, "data");
    out->data_bytes = data > left ? data - left : 0;
    left = folder_bytes(s, "tmp");
    out->tmp_bytes = tmp > left ? tmp - left : 0;
    store_import_end(s);
    return CUSTOS_OK;
}
