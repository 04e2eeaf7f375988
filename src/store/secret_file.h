/*
 * Secrets that custos needs to reach data, such as the key of an encrypted
 * database. A secret is one line in a file that only its owner can read. It is
 * in memory while it is used, and is copied to no file, message or log.
 */
#ifndef STORE_SECRET_FILE_H
#define STORE_SECRET_FILE_H

#include "base/str.h"
#include "custos.h"

enum { SECRET_BYTES_MAX = 1024 };

struct secret_file {
    char text[SECRET_BYTES_MAX + 2]; /* room for the end of the line */
    size_t len;                      /* without the end of the line */
};

/*
 * Reads the secret at path; the caller calls secret_file_clear. May fail:
 * CUSTOS_ENAME (no such file), CUSTOS_EDENIED (it is not a plain file of this
 * user that nobody else may access), CUSTOS_EPOLICY (it does not consist of one
 * line), CUSTOS_EIO. Messages name the path, never what it contains.
 */
CUSTOS_MUST_USE custos_status secret_file_read(const char *path,
                                               struct secret_file *out,
                                               custos_err *err);

/* Overwrites it. */
void secret_file_clear(struct secret_file *s);

#endif
