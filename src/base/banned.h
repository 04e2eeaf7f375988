/*
 * Functions that have no place in this code base, as compile errors. Included
 * by the build before every source of ours.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* The headers that declare them come first: a poisoned name may not appear. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok
#pragma GCC poison gets atoi atol atoll atof rand srand srandom drand48
#undef alloca
#pragma GCC poison setlocale alloca longjmp setjmp
#endif

#endif
