/*
 * What a worker process cannot do, whatever runs in it: outlive its server, exceed
 * its memory, open a socket, start a program, or write a file outside its folder
 * of temporary files. The kernel enforces this; without landlock (before Linux
 * 5.13) it does not enforce the last.
 */
#ifndef WORKER_CONFINE_H
#define WORKER_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "custos.h"

/* First: it dies with the server, has no descriptor but fd and the standard
   ones, and leaves no core dump. False: the server is gone already. */
CUSTOS_MUST_USE bool confine_life(int fd, pid_t server);

/* Then: at most this many bytes of address space beyond what it has now. */
void confine_memory(uint64_t bytes);

/* Last: which files it may write, and which system calls it may make. Both hold
   for threads started later, so this comes before the engine starts its own. */
void confine_system(const char *spill);

#endif
