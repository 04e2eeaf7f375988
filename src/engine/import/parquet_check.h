/*
 * Checks by its first and last bytes that a file is a complete Parquet file.
 */
#ifndef ENGINE_PARQUET_CHECK_H
#define ENGINE_PARQUET_CHECK_H

#include "custos.h"

/* Reads no values. May fail: CUSTOS_EPOLICY, with a hint for the owner;
   CUSTOS_ENAME. */
CUSTOS_MUST_USE custos_status parquet_check(const char *path, custos_err *err);

#endif
