/*
 * The HTTP status code of a status.
 */
#ifndef WIRE_HTTP_CODE_H
#define WIRE_HTTP_CODE_H

#include "custos.h"

/* 500 for a status that is not in the list. Cannot fail. */
int http_code(custos_status status);

#endif
