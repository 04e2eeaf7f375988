#include "serve/clock.h"

#include <time.h>

static int64_t
read_us(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t
steady_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t
wall_us(void)
{
    return read_us(CLOCK_REALTIME);
}
