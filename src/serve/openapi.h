/*
 * openapi.json of this folder, put into the program when it is built.
 */
#ifndef SERVE_OPENAPI_H
#define SERVE_OPENAPI_H

#include <stddef.h>

extern const unsigned char openapi_json[];
extern const size_t openapi_json_len;

#endif
