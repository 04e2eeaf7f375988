/*
 * What a worker process cannot do, whatever runs in it: outlive its server, exceed
 * its memory, open a socket, start a program, or write a file outside its folder
 * of temporary files. The kernel enforces all of this, with two exceptions: without
 * landlock (before Linux 5.13) it does not restrict which files are written, and
 * before Linux 6.2 it does not restrict which files are truncated.
 */
#ifndef WORKER_CONFINE_H
#define WORKER_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "custos.h"

/* Call this first: the worker then dies with the server, has no descriptor but fd
   and the standard ones, and leaves no core dump. False: the server is gone. */
CUSTOS_MUST_USE bool confine_life(int fd, pid_t server);

/* Call this second: limits the worker to this many bytes of address space beyond
   what it has now. */
void confine_memory(uint64_t bytes);

/* Call this last: limits which files the worker may write and which system calls
   it may make. Both limits hold for threads started later, so call this before the
   engine starts its threads. */
void confine_system(const char *spill);

#endif
