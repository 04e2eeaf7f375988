/*
 * getrandom(2) blocks until the kernel's pool is ready; after that it always
 * has randomness.
 */
#include "random/entropy.h"

#include <errno.h>
#include <sys/random.h>

custos_status
entropy_fill(void *p, size_t bytes)
{
    unsigned char *at = p;

    while (bytes > 0) {
        ssize_t got = getrandom(at, bytes, 0);

        if (got < 0) {
            if (errno == EINTR)
                continue;
            return CUSTOS_EENTROPY;
        }
        at += got;
        bytes -= (size_t)got;
    }
    return CUSTOS_OK;
}
