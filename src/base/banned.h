/*
 * A call of any function named below does not compile. The build includes this
 * header before every file of src/.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* The headers that declare these functions come first: once a name is poisoned,
   it must not appear again. */
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
