/*
 * Statements in DuckDB's dialect that are always the same: the .sql files of this
 * folder, which the build compiles in (tools/embed). Each ends with a zero byte.
 */
#ifndef ENGINE_DUCK_TEXTS_H
#define ENGINE_DUCK_TEXTS_H

extern const unsigned char catalog_macros_sql[];
extern const unsigned char catalog_rows_sql[];
extern const unsigned char sandbox_begin_sql[];
extern const unsigned char sandbox_check_sql[];
extern const unsigned char sandbox_seal_sql[];
extern const unsigned char speed_made_sql[];
extern const unsigned char speed_measured_sql[];

#endif
