/*
 * Makes functions that must not be used here compile errors. The build includes
 * this before every source file of ours.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* The headers that declare them come first, since a poisoned name must not
   appear afterwards. */
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
