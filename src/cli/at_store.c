#include "cli/at_store.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

const char *
store_given(const char *given)
{
    return given ? given : STORE_DEFAULT;
}

int64_t
clock_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void
forbid_cores(void)
{
    struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0);
}
