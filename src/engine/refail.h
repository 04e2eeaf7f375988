/* Gives an error another code and message, and keeps its note. */
#ifndef ENGINE_REFAIL_H
#define ENGINE_REFAIL_H

#include "base/error.h"
#include "base/str.h"
#include "custos.h"

/* The arguments of "%.*s" for a name in a message. */
#define SHOWN(name) (int)((name).len < 40 ? (name).len : 40), (name).ptr

custos_status refail(custos_err *err, custos_status code, const char *said, ...)
    CUSTOS_PRINTF(3, 4);

#endif
