#include "support/powercut_vfs.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES_MAX = 16,
    NAME_ROOM = 1024,
    SECTOR = 512,
    SHARED_MAX = 64, /* pieces of a log's index */
};

/* What was done to a file since its last sync. */
struct deed {
    struct deed *next;
    bool cuts; /* a truncation to `at` */
    bool lost; /* a sync of it failed */
    size_t at, len;
    uint8_t bytes[];
};

struct bytes {
    uint8_t *ptr;
    size_t len, room;
};

struct stored {
    char name[NAME_ROOM];
    struct bytes now;  /* as the system sees it */
    struct bytes kept; /* what is durable */
    struct deed *deeds, **last;
};

struct disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    struct stored files[FILES_MAX];
    size_t n_files;
    uint64_t seed;
    size_t operations;
    size_t cut_at; /* operation number; 0: never */
    size_t fail_at, fail_until;
    enum disk_failure failure;
    bool cut, lies;
};

/* An open file. Temporary files have no name and are not kept. */
struct handle {
    sqlite3_file base;
    struct disk *disk;
    struct stored *file;
    struct stored *own; /* temporary */
    void *shared[SHARED_MAX];
};

static void *
must(void *p)
{
    if (!p)
        abort();
    return p;
}

uint64_t
disk_below(struct disk *d, uint64_t n)
{
    uint64_t x = d->seed += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x % n;
}

/* ---------------------------------------------------------------- bytes -- */

static void
bytes_grow(struct bytes *b, size_t len)
{
    if (len > b->room) {
        b->room = len * 2 < 4096 ? 4096 : len * 2;
        b->ptr = must(realloc(b->ptr, b->room));
    }
    if (len > b->len) {
        memset(b->ptr + b->len, 0, len - b->len);
        b->len = len;
    }
}

static void
bytes_put(struct bytes *b, size_t at, const uint8_t *ptr, size_t len)
{
    bytes_grow(b, at + len);
    memcpy(b->ptr + at, ptr, len);
}

static void
bytes_copy(struct bytes *b, const struct bytes *from)
{
    b->len = 0;
    if (from->len)
        bytes_put(b, 0, from->ptr, from->len);
}

static void
deeds_free(struct stored *f)
{
    for (struct deed *e = f->deeds, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    f->deeds = NULL;
    f->last = &f->deeds;
}

static void
deed_add(struct stored *f, bool cuts, size_t at, const void *ptr, size_t len)
{
    struct deed *e = must(calloc(1, sizeof *e + len));

    e->cuts = cuts;
    e->at = at;
    e->len = len;
    if (len)
        memcpy(e->bytes, ptr, len);
    *f->last = e;
    f->last = &e->next;
}

/* --------------------------------------------------------- durable bytes -- */

/* Makes everything durable that is not marked as lost. */
static void
plate_sync(struct stored *f)
{
    struct deed *all = f->deeds;

    f->deeds = NULL;
    f->last = &f->deeds;
    for (struct deed *e = all, *next; e; e = next) {
        next = e->next;
        if (e->lost) {
            e->next = NULL;
            *f->last = e;
            f->last = &e->next;
            continue;
        }
        if (e->cuts && e->at < f->kept.len)
            f->kept.len = e->at;
        else if (!e->cuts)
            bytes_put(&f->kept, e->at, e->bytes, e->len);
        free(e);
    }
}

/* The part of a write in one sector: kept, dropped or torn. */
static void
plate_sector(struct disk *d, struct stored *f, const struct deed *e,
             size_t from, size_t to, uint64_t keep, uint64_t tear)
{
    uint64_t fate = disk_below(d, 100);

    if (fate < tear) {
        size_t start = from - from % SECTOR, end = start + SECTOR;

        if (end > f->kept.len)
            end = f->kept.len > to ? f->kept.len : to;
        bytes_grow(&f->kept, end);
        for (size_t i = start; i < end; i++)
            f->kept.ptr[i] = (uint8_t)disk_below(d, 256);
    } else if (fate < tear + keep) {
        bytes_put(&f->kept, from, e->bytes + (from - e->at), to - from);
    }
}

static void
plate_cut(struct disk *d, struct stored *f)
{
    /* Kinds of cuts: nothing arrived, (almost) everything, or a mixture. */
    static const uint64_t kinds[][2] = {{0, 0},   {100, 0}, {50, 0},
                                        {45, 10}, {90, 10}, {98, 0}};
    const uint64_t *kind = kinds[disk_below(d, 6)];

    for (struct deed *e = f->deeds; e; e = e->next) {
        if (e->lost)
            continue;
        if (e->cuts) {
            if (disk_below(d, 100) < kind[0] && e->at < f->kept.len)
                f->kept.len = e->at;
            continue;
        }
        for (size_t from = e->at, to; from < e->at + e->len; from = to) {
            to = from - from % SECTOR + SECTOR;
            if (to > e->at + e->len)
                to = e->at + e->len;
            plate_sector(d, f, e, from, to, kind[0], kind[1]);
        }
    }
}

void
disk_cut(struct disk *d)
{
    if (d->cut)
        return;
    d->cut = true;
    for (size_t i = 0; i < d->n_files; i++)
        plate_cut(d, &d->files[i]);
}

void
disk_restart(struct disk *d)
{
    for (size_t i = 0; i < d->n_files; i++) {
        struct stored *f = &d->files[i];

        deeds_free(f);
        bytes_copy(&f->now, &f->kept);
    }
    d->cut = false;
    d->cut_at = d->fail_at = d->fail_until = 0;
}

enum deed_kind { DEED_WRITE, DEED_SYNC };

/*
 * Counts an operation; returns the error that SQLite gets instead, or
 * SQLITE_OK.
 */
static int
operate(struct handle *h, enum deed_kind kind)
{
    struct disk *d = h->disk;

    if (d->cut)
        return kind == DEED_SYNC ? SQLITE_IOERR_FSYNC : SQLITE_IOERR_WRITE;
    if (!h->file)
        return SQLITE_OK;
    d->operations++;
    if (d->fail_at && d->operations >= d->fail_at &&
        d->operations < d->fail_until) {
        if (kind == DEED_SYNC)
            for (struct deed *e = h->file->deeds; e; e = e->next)
                e->lost = true;
        if (d->failure == DISK_FULL)
            return SQLITE_FULL;
        if (d->failure == DISK_READ_ONLY)
            return SQLITE_READONLY;
        return kind == DEED_SYNC ? SQLITE_IOERR_FSYNC : SQLITE_IOERR_WRITE;
    }
    return SQLITE_OK;
}

/* Called after an operation: the power may be cut before it becomes durable. */
static int
maybe_cut(struct handle *h)
{
    struct disk *d = h->disk;

    if (!d->cut_at || d->operations < d->cut_at || !h->file)
        return SQLITE_OK;
    disk_cut(d);
    return SQLITE_IOERR;
}

/* ----------------------------------------------------------------- files -- */

static struct stored *
stored_of(struct handle *h)
{
    return h->file ? h->file : h->own;
}

static int
x_close(sqlite3_file *file)
{
    struct handle *h = (struct handle *)file;

    for (size_t i = 0; i < SHARED_MAX; i++)
        free(h->shared[i]);
    if (h->own) {
        deeds_free(h->own);
        free(h->own->now.ptr);
        free(h->own);
    }
    return SQLITE_OK;
}

static int
x_read(sqlite3_file *file, void *out, int len, sqlite3_int64 at)
{
    struct handle *h = (struct handle *)file;
    const struct bytes *b = &stored_of(h)->now;
    size_t from = (size_t)at, n = (size_t)len;
    size_t have = from < b->len ? b->len - from : 0;

    if (h->disk->cut)
        return SQLITE_IOERR_READ;
    if (have > n)
        have = n;
    if (have)
        memcpy(out, b->ptr + from, have);
    memset((char *)out + have, 0, n - have);
    return have == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int
x_write(sqlite3_file *file, const void *ptr, int len, sqlite3_int64 at)
{
    struct handle *h = (struct handle *)file;
    struct stored *f = stored_of(h);
    int code = operate(h, DEED_WRITE);

    if (code)
        return code;
    if (h->file)
        deed_add(f, false, (size_t)at, ptr, (size_t)len);
    bytes_put(&f->now, (size_t)at, ptr, (size_t)len);
    return maybe_cut(h);
}

static int
x_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct handle *h = (struct handle *)file;
    struct stored *f = stored_of(h);
    int code = operate(h, DEED_WRITE);

    if (code)
        return code;
    if (h->file)
        deed_add(f, true, (size_t)size, NULL, 0);
    if ((size_t)size < f->now.len)
        f->now.len = (size_t)size;
    return maybe_cut(h);
}

static int
x_sync(sqlite3_file *file, int flags)
{
    struct handle *h = (struct handle *)file;
    int code = operate(h, DEED_SYNC);

    (void)flags;
    if (!code)
        code = maybe_cut(h); /* before it has an effect */
    if (!code && h->file && !h->disk->lies)
        plate_sync(h->file);
    return code;
}

static int
x_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)stored_of((struct handle *)file)->now.len;
    return SQLITE_OK;
}

static int
x_lock(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return SQLITE_OK;
}

static int
x_reserved(sqlite3_file *file, int *out)
{
    (void)file;
    *out = 0;
    return SQLITE_OK;
}

static int
x_control(sqlite3_file *file, int what, void *arg)
{
    (void)file;
    (void)what;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int
x_sector(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int
x_device(sqlite3_file *file)
{
    (void)file;
    return 0;
}

/*
 * The shared memory of one connection is on the heap and lost with the power.
 */
static int
x_shm_map(sqlite3_file *file, int piece, int bytes, int extend,
          void volatile **out)
{
    struct handle *h = (struct handle *)file;

    if (piece >= SHARED_MAX)
        return SQLITE_IOERR_SHMMAP;
    if (!h->shared[piece] && extend)
        h->shared[piece] = must(calloc(1, (size_t)bytes));
    *out = h->shared[piece];
    return SQLITE_OK;
}

static int
x_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    (void)file;
    (void)offset;
    (void)n;
    (void)flags;
    return SQLITE_OK;
}

static void
x_shm_barrier(sqlite3_file *file)
{
    (void)file;
}

static int
x_shm_unmap(sqlite3_file *file, int and_delete)
{
    struct handle *h = (struct handle *)file;

    (void)and_delete;
    for (size_t i = 0; i < SHARED_MAX; i++) {
        free(h->shared[i]);
        h->shared[i] = NULL;
    }
    return SQLITE_OK;
}

static const sqlite3_io_methods METHODS = {
    .iVersion = 2,
    .xClose = x_close,
    .xRead = x_read,
    .xWrite = x_write,
    .xTruncate = x_truncate,
    .xSync = x_sync,
    .xFileSize = x_size,
    .xLock = x_lock,
    .xUnlock = x_lock,
    .xCheckReservedLock = x_reserved,
    .xFileControl = x_control,
    .xSectorSize = x_sector,
    .xDeviceCharacteristics = x_device,
    .xShmMap = x_shm_map,
    .xShmLock = x_shm_lock,
    .xShmBarrier = x_shm_barrier,
    .xShmUnmap = x_shm_unmap,
};

/* -------------------------------------------------------------- the disk -- */

static struct disk *
disk_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

/*
 * The file of this name; read from the real disk if it exists there and is new
 * here.
 */
static struct stored *
find(struct disk *d, const char *name, bool make)
{
    struct stored *f;
    uint8_t piece[4096];
    FILE *real;
    size_t n;

    for (size_t i = 0; i < d->n_files; i++)
        if (!strcmp(d->files[i].name, name))
            return &d->files[i];
    real = fopen(name, "rb");
    if (!real && !make)
        return NULL;
    if (d->n_files == FILES_MAX)
        abort();
    f = &d->files[d->n_files++];
    snprintf(f->name, sizeof f->name, "%s", name);
    f->last = &f->deeds;
    while (real && (n = fread(piece, 1, sizeof piece, real)) > 0)
        bytes_put(&f->now, f->now.len, piece, n);
    if (real)
        fclose(real);
    bytes_copy(&f->kept, &f->now);
    return f;
}

static int
x_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
       int *out_flags)
{
    struct handle *h = (struct handle *)file;
    struct disk *d = disk_of(vfs);

    memset(h, 0, sizeof *h);
    if (d->cut)
        return SQLITE_CANTOPEN;
    h->disk = d;
    if (name) {
        h->file = find(d, name, (flags & SQLITE_OPEN_CREATE) != 0);
        if (!h->file)
            return SQLITE_CANTOPEN;
    } else {
        h->own = must(calloc(1, sizeof *h->own));
        h->own->last = &h->own->deeds;
    }
    h->base.pMethods = &METHODS;
    if (out_flags)
        *out_flags = flags;
    return SQLITE_OK;
}

static int
x_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct stored *f = find(disk_of(vfs), name, false);

    (void)sync;
    if (!f)
        return SQLITE_IOERR_DELETE_NOENT;
    deeds_free(f);
    f->now.len = f->kept.len = 0;
    f->name[0] = '\0';
    return SQLITE_OK;
}

static int
x_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    (void)flags;
    *out = find(disk_of(vfs), name, false) != NULL;
    return SQLITE_OK;
}

static int
x_path(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)room, "%s", name);
    return SQLITE_OK;
}

static int
x_random(sqlite3_vfs *vfs, int n, char *out)
{
    for (int i = 0; i < n; i++)
        out[i] = (char)disk_below(disk_of(vfs), 256);
    return n;
}

static int
x_sleep(sqlite3_vfs *vfs, int us)
{
    (void)vfs;
    return us;
}

static int
x_time(sqlite3_vfs *vfs, double *now)
{
    (void)vfs;
    *now = 2461000.5;
    return SQLITE_OK;
}

struct disk *
disk_new(uint64_t seed)
{
    struct disk *d = must(calloc(1, sizeof *d));

    d->seed = seed;
    d->real = sqlite3_vfs_find(NULL);
    d->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct handle),
        .mxPathname = NAME_ROOM,
        .zName = "powercut",
        .pAppData = d,
        .xOpen = x_open,
        .xDelete = x_delete,
        .xAccess = x_access,
        .xFullPathname = x_path,
        .xRandomness = x_random,
        .xSleep = x_sleep,
        .xCurrentTime = x_time,
    };
    sqlite3_vfs_register(&d->vfs, 1);
    return d;
}

void
disk_free(struct disk *d)
{
    if (!d)
        return;
    sqlite3_vfs_unregister(&d->vfs);
    sqlite3_vfs_register(d->real, 1);
    for (size_t i = 0; i < d->n_files; i++) {
        deeds_free(&d->files[i]);
        free(d->files[i].now.ptr);
        free(d->files[i].kept.ptr);
    }
    free(d);
}

size_t
disk_operations(const struct disk *d)
{
    return d->operations;
}

void
disk_cut_at(struct disk *d, size_t n)
{
    d->cut_at = n ? d->operations + n : 0;
}

bool
disk_is_cut(const struct disk *d)
{
    return d->cut;
}

void
disk_fail_at(struct disk *d, size_t n, size_t times, enum disk_failure how)
{
    d->fail_at = n ? d->operations + n : 0;
    d->fail_until = d->fail_at + times;
    d->failure = how;
}

void
disk_lie(struct disk *d, bool lies)
{
    d->lies = lies;
}

static struct stored *
find_by_end(struct disk *d, const char *end_of_name)
{
    size_t tail = strlen(end_of_name);

    for (size_t i = 0; i < d->n_files; i++) {
        size_t n = strlen(d->files[i].name);

        if (n >= tail && !strcmp(d->files[i].name + n - tail, end_of_name))
            return &d->files[i];
    }
    return NULL;
}

uint8_t *
disk_bytes(struct disk *d, const char *end_of_name, size_t *len)
{
    struct stored *f = find_by_end(d, end_of_name);

    *len = f ? f->now.len : 0;
    return f ? f->now.ptr : NULL;
}

void
disk_put(struct disk *d, const char *end_of_name, const uint8_t *bytes,
         size_t len)
{
    struct stored *f = find_by_end(d, end_of_name);

    if (!f)
        abort();
    deeds_free(f);
    f->now.len = f->kept.len = 0;
    bytes_put(&f->now, 0, bytes, len);
    bytes_put(&f->kept, 0, bytes, len);
}
