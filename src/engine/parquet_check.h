/*
 * Is a file a complete Parquet file, judged by its first and last bytes?
 */
#ifndef ENGINE_PARQUET_CHECK_H
#define ENGINE_PARQUET_CHECK_H

#include "custos.h"

/* Reads no values. May fail: CUSTOS_EPOLICY, with what the owner can do;
   CUSTOS_ENAME. */
CUSTOS_MUST_USE custos_status parquet_check(const char *path, custos_err *err);

#endif
