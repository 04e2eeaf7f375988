/*
 * A disk for SQLite that can lose its power.
 *
 * The disk is in memory and knows for each file what was synced and, in order,
 * what was written since. A power cut drops, keeps or tears each sector that
 * was not synced, whatever happens to the others; a torn sector also destroys
 * the bytes around the write. The disk can also fail the n-th operation and
 * some after it, as a bad disk does: what a failed sync should have made
 * durable is then never made durable by a later one.
 *
 * Files are read from the real disk when first opened, and never written back.
 * One disk at a time, one connection at a time.
 */
#ifndef TEST_POWERCUT_VFS_H
#define TEST_POWERCUT_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk;

enum disk_failure { DISK_EIO, DISK_FULL, DISK_READ_ONLY };

/* Makes a disk that SQLite uses for all files until disk_free. */
struct disk *disk_new(uint64_t seed);
void disk_free(struct disk *d);

/* Writes, syncs and truncations so far. */
size_t disk_operations(const struct disk *d);

/* Cuts the power at the n-th operation from now (1: the next; 0: never). */
void disk_cut_at(struct disk *d, size_t n);
bool disk_is_cut(const struct disk *d);

/* Cuts the power now. */
void disk_cut(struct disk *d);

/*
 * Turns the power on again: files have what survived. All files must be closed.
 */
void disk_restart(struct disk *d);

/* The n-th operation from now fails, and the `times` - 1 after it. */
void
disk_fail_at(struct disk *d, size_t n, size_t times, enum disk_failure how);

/* Whether syncs report success and do nothing. */
void disk_lie(struct disk *d, bool lies);

/* The bytes of a file, found by the end of its name; NULL if there is none. */
uint8_t *disk_bytes(struct disk *d, const char *end_of_name, size_t *len);

/* Replaces the bytes of a file, as if they had always been there. */
void disk_put(struct disk *d, const char *end_of_name, const uint8_t *bytes,
              size_t len);

/* A uniform number below n. */
uint64_t disk_below(struct disk *d, uint64_t n);

#endif
