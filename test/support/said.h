/*
 * The text of an error with its hint, as "said; hint". In thread-local memory,
 * valid until the next call.
 */
#ifndef TEST_SAID_H
#define TEST_SAID_H

#include <stdio.h>

#include "custos.h"

static inline const char *
whole_said(const custos_err *err)
{
    static _Thread_local char text[sizeof err->said + sizeof err->hint + 3];

    snprintf(text, sizeof text, "%s%s%s", err->said, *err->hint ? "; " : "",
             err->hint);
    return text;
}

#endif
