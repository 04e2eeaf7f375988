-- The rows that clients read, derived from the tables that the curator fills
-- (curator/catalog_setup.h): my_tables, my_columns, my_keys, my_roles, my_relations,
-- my_types and my_settings. What no statement below writes stays NULL, 0 or false.

-- The role that asks.
SET VARIABLE role = (SELECT name FROM pgc.my_roles WHERE asks);

-- A type with an array_oid has a type of its arrays.
INSERT INTO pgc.my_types
SELECT
    array_oid, '_' || name, -1, false, 'b', 'A', false, oid, 0,
    CASE alignment WHEN 'd' THEN 'd' ELSE 'i' END, 'x', coll, shown || '[]', 'array_in'
FROM pgc.my_types
WHERE array_oid > 0;

-- Settings are all texts that nobody has changed.
INSERT INTO pgc.pg_settings BY NAME
SELECT
    name, setting, 'user' AS context, 'string' AS vartype, 'default' AS source,
    setting AS boot_val, setting AS reset_val, '' AS short_desc, '' AS category
FROM pgc.my_settings;

-- Definitions of keys and of their indexes, as PostgreSQL writes them. Unlike quote_ident,
-- which clients call, a name with $ is quoted.
CREATE MACRO pgc.key_word(x) AS
    CASE WHEN regexp_full_match(x, '[a-z_][a-z0-9_]*') THEN x
        ELSE '"' || replace(x, '"', '""') || '"' END;

CREATE TABLE pgc.key_texts AS
SELECT
    k.oid, k.index,
    CASE k.kind WHEN 'p' THEN 'PRIMARY KEY (' || pgc.key_word(k.name) || ')'
        WHEN 'u' THEN 'UNIQUE (' || pgc.key_word(k.name) || ')'
        ELSE 'FOREIGN KEY (' || pgc.key_word(k.name) || ') REFERENCES '
            || pgc.key_word(o.name) || '(' || pgc.key_word(c.name) || ')' END AS def,
    CASE WHEN k.kind <> 'f' THEN 'CREATE UNIQUE INDEX ON public.' || pgc.key_word(t.name)
        || ' USING btree (' || pgc.key_word(k.name) || ')' END AS indexdef
FROM pgc.my_keys k JOIN pgc.my_tables t ON t.oid = k.t
    LEFT JOIN pgc.my_tables o ON o.oid = k.ft
    LEFT JOIN pgc.my_columns c ON c.t = k.ft AND c.n = k.fn;

-- What every server has: schemas, roles, the database and its languages

INSERT INTO pgc.pg_namespace BY NAME
SELECT *
FROM (VALUES (11, 'pg_catalog', 10), (99, 'pg_toast', 10), (2200, 'public', 10),
    (13000, 'information_schema', 10)) t(oid, nspname, nspowner);

INSERT INTO pgc.pg_roles BY NAME
SELECT
    oid, name AS rolname, oid = 10 AS rolsuper, true AS rolinherit, true AS rolcanlogin,
    -1 AS rolconnlimit
FROM pgc.my_roles;

INSERT INTO pgc.pg_user BY NAME
SELECT name AS usename, oid AS usesysid, oid = 10 AS usesuper
FROM pgc.my_roles;

INSERT INTO pgc._pg_database BY NAME
SELECT
    5 AS oid, 10 AS datdba, 6 AS encoding, 'c' AS datlocprovider, false AS datistemplate,
    true AS datallowconn, -1 AS datconnlimit, 1663 AS dattablespace, 'C' AS datcollate,
    'C' AS datctype;

INSERT INTO pgc.pg_tablespace BY NAME
SELECT *
FROM (VALUES (1663, 'pg_default', 10)) t(oid, spcname, spcowner);

INSERT INTO pgc.pg_am BY NAME
SELECT *
FROM (VALUES (2, 'heap', 'heap_tableam_handler', 't'), (403, 'btree', 'bthandler', 'i'))
    t(oid, amname, amhandler, amtype);

INSERT INTO pgc.pg_language BY NAME
SELECT 14 AS oid, 'sql' AS lanname, 10 AS lanowner, true AS lanpltrusted;

INSERT INTO pgc.pg_conversion BY NAME
SELECT
    4400 AS oid, 'utf8' AS conname, 11 AS connamespace, 10 AS conowner, 6 AS conforencoding,
    6 AS contoencoding, 'utf8' AS conproc, true AS condefault;

INSERT INTO pgc.pg_collation BY NAME
SELECT
    oid, name AS collname, 11 AS collnamespace, 10 AS collowner, 'd' AS collprovider,
    true AS collisdeterministic, -1 AS collencoding
FROM (VALUES (100, 'default'), (950, 'C')) t(oid, name);

-- Types

INSERT INTO pgc.pg_type BY NAME
SELECT
    oid, name AS typname, 11 AS typnamespace, 10 AS typowner, len AS typlen,
    byval AS typbyval, kind AS typtype, category AS typcategory,
    preferred AS typispreferred, true AS typisdefined, ',' AS typdelim, '-' AS typsubscript,
    elem AS typelem, array_oid AS typarray, input AS typinput, alignment AS typalign,
    storage AS typstorage, -1 AS typtypmod, coll AS typcollation
FROM pgc.my_types;

-- Relations: those of the catalog itself, the granted tables and views, and the indexes
-- of their keys

INSERT INTO pgc.pg_class BY NAME
SELECT
    oid, name AS relname, CASE WHEN views THEN 13000 ELSE 11 END AS relnamespace,
    10 AS relowner, CASE WHEN views THEN 0 ELSE 2 END AS relam, -1 AS reltuples,
    'p' AS relpersistence, CASE WHEN views THEN 'v' ELSE 'r' END AS relkind,
    true AS relispopulated, 'n' AS relreplident
FROM pgc.my_relations;

INSERT INTO pgc.pg_class BY NAME
SELECT
    t.oid, t.name AS relname, 2200 AS relnamespace, 10 AS relowner,
    CASE t.kind WHEN 'r' THEN 2 ELSE 0 END AS relam, -1 AS reltuples,
    t.oid IN (SELECT k.t FROM pgc.my_keys k WHERE k.kind <> 'f') AS relhasindex,
    'p' AS relpersistence, t.kind AS relkind,
    (SELECT count(*) FROM pgc.my_columns c WHERE c.t = t.oid) AS relnatts,
    t.kind = 'v' AS relhasrules, true AS relispopulated, 'd' AS relreplident
FROM pgc.my_tables t;

INSERT INTO pgc.pg_class BY NAME
SELECT
    index AS oid, key AS relname, 2200 AS relnamespace, 10 AS relowner, 403 AS relam,
    -1 AS reltuples, 'p' AS relpersistence, 'i' AS relkind, 1 AS relnatts,
    true AS relispopulated, 'n' AS relreplident
FROM pgc.my_keys
WHERE kind <> 'f';

-- Columns

INSERT INTO pgc.pg_attribute BY NAME
SELECT
    c.t AS attrelid, c.name AS attname, c.type AS atttypid, y.len AS attlen, c.n AS attnum,
    c.typmod AS atttypmod, -1 AS attstattarget, -1 AS attcacheoff, y.byval AS attbyval,
    y.alignment AS attalign, y.storage AS attstorage, '' AS attcompression,
    c.must AS attnotnull, '' AS attidentity, '' AS attgenerated, true AS attislocal,
    y.coll AS attcollation
FROM pgc.my_columns c JOIN pgc.my_types y ON y.oid = c.type;

INSERT INTO pgc.pg_attribute BY NAME
SELECT
    k.index AS attrelid, k.name AS attname, c.type AS atttypid, 1 AS attnum,
    c.typmod AS atttypmod, -1 AS attcacheoff, '' AS attcompression, '' AS attidentity,
    '' AS attgenerated, true AS attislocal
FROM pgc.my_keys k JOIN pgc.my_columns c ON c.t = k.t AND c.n = k.n
WHERE k.kind <> 'f';

-- Comments

INSERT INTO pgc.pg_description BY NAME
SELECT oid AS objoid, 1259 AS classoid, 0 AS objsubid, comment AS description
FROM pgc.my_tables
WHERE comment <> '';

INSERT INTO pgc.pg_description BY NAME
SELECT t AS objoid, 1259 AS classoid, n AS objsubid, comment AS description
FROM pgc.my_columns
WHERE comment <> '';

-- Keys

INSERT INTO pgc.pg_constraint BY NAME
SELECT
    oid, key AS conname, 2200 AS connamespace, kind AS contype, true AS convalidated,
    t AS conrelid, CASE kind WHEN 'f' THEN findex ELSE index END AS conindid,
    ft AS confrelid, CASE kind WHEN 'f' THEN 'a' ELSE ' ' END AS confupdtype,
    CASE kind WHEN 'f' THEN 'a' ELSE ' ' END AS confdeltype,
    CASE kind WHEN 'f' THEN 's' ELSE ' ' END AS confmatchtype, true AS conislocal,
    true AS connoinherit, [n] AS conkey, CASE kind WHEN 'f' THEN [fn] END AS confkey
FROM pgc.my_keys;

INSERT INTO pgc.pg_depend
SELECT 2606, oid, 0, 1259, t, n, 'a'
FROM pgc.my_keys;

INSERT INTO pgc.pg_depend
SELECT 1259, index, 0, 2606, oid, 0, 'i'
FROM pgc.my_keys
WHERE kind <> 'f';

INSERT INTO pgc.pg_depend
SELECT 2606, oid, 0, 1259, ft, fn, 'n'
FROM pgc.my_keys
WHERE kind = 'f';

INSERT INTO pgc.pg_index BY NAME
SELECT
    index AS indexrelid, t AS indrelid, 1 AS indnatts, 1 AS indnkeyatts,
    true AS indisunique, kind = 'p' AS indisprimary, true AS indimmediate,
    true AS indisvalid, true AS indisready, true AS indislive, [n] AS indkey,
    [0] AS indcollation, [0] AS indclass, [0] AS indoption
FROM pgc.my_keys
WHERE kind <> 'f';

INSERT INTO pgc.pg_indexes BY NAME
SELECT 'public' AS schemaname, t.name AS tablename, k.key AS indexname, x.indexdef
FROM pgc.my_keys k JOIN pgc.my_tables t ON t.oid = k.t JOIN pgc.key_texts x ON x.oid = k.oid
WHERE k.kind <> 'f';

-- Tables and views, as PostgreSQL's own views list them

INSERT INTO pgc.pg_rewrite BY NAME
SELECT
    oid + 1000000 AS oid, '_RETURN' AS rulename, oid AS ev_class, '1' AS ev_type,
    'O' AS ev_enabled, true AS is_instead
FROM pgc.my_tables
WHERE kind = 'v';

INSERT INTO pgc.pg_tables BY NAME
SELECT
    'public' AS schemaname, name AS tablename, 'owner' AS tableowner,
    oid IN (SELECT k.t FROM pgc.my_keys k WHERE k.kind <> 'f') AS hasindexes
FROM pgc.my_tables
WHERE kind = 'r';

INSERT INTO pgc.pg_views BY NAME
SELECT 'public' AS schemaname, name AS viewname, 'owner' AS viewowner, def AS definition
FROM pgc.my_tables
WHERE kind = 'v';

-- information_schema. A name that begins with _ is a table whose view fills in the
-- database's name.

INSERT INTO infos._schemata BY NAME
SELECT nspname AS schema_name, 'owner' AS schema_owner
FROM pgc.pg_namespace;

INSERT INTO infos._information_schema_catalog_name VALUES ('');

INSERT INTO infos.enabled_roles BY NAME
SELECT name AS role_name
FROM pgc.my_roles;

INSERT INTO infos._tables BY NAME
SELECT
    'public' AS table_schema, name AS table_name,
    CASE kind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END AS table_type,
    'NO' AS is_insertable_into, 'NO' AS is_typed
FROM pgc.my_tables;

INSERT INTO infos._tables BY NAME
SELECT
    CASE WHEN views THEN 'information_schema' ELSE 'pg_catalog' END AS table_schema,
    name AS table_name, CASE WHEN views THEN 'VIEW' ELSE 'BASE TABLE' END AS table_type,
    'NO' AS is_insertable_into, 'NO' AS is_typed
FROM pgc.my_relations;

INSERT INTO infos._views BY NAME
SELECT
    'public' AS table_schema, name AS table_name, def AS view_definition,
    'NONE' AS check_option, 'NO' AS is_updatable, 'NO' AS is_insertable_into,
    'NO' AS is_trigger_updatable, 'NO' AS is_trigger_deletable,
    'NO' AS is_trigger_insertable_into
FROM pgc.my_tables
WHERE kind = 'v';

INSERT INTO infos._columns BY NAME
SELECT
    'public' AS table_schema, t.name AS table_name, c.name AS column_name,
    c.n AS ordinal_position, CASE WHEN c.must THEN 'NO' ELSE 'YES' END AS is_nullable,
    y.shown AS data_type,
    CASE c.type WHEN 20 THEN 64 WHEN 701 THEN 53 WHEN 1700 THEN (c.typmod - 4) // 65536
    END AS numeric_precision,
    CASE WHEN c.type IN (20, 701) THEN 2 WHEN c.type = 1700 THEN 10
    END AS numeric_precision_radix,
    CASE c.type WHEN 20 THEN 0 WHEN 1700 THEN (c.typmod - 4) % 65536 END AS numeric_scale,
    CASE c.type WHEN 1082 THEN 0 WHEN 1114 THEN 6 END AS datetime_precision,
    'pg_catalog' AS udt_schema, y.name AS udt_name, CAST(c.n AS VARCHAR) AS dtd_identifier,
    'NO' AS is_self_referencing, 'NO' AS is_identity, 'NO' AS identity_cycle,
    'NEVER' AS is_generated, 'NO' AS is_updatable
FROM pgc.my_columns c JOIN pgc.my_tables t ON t.oid = c.t
    JOIN pgc.my_types y ON y.oid = c.type;

INSERT INTO infos._table_constraints BY NAME
SELECT
    'public' AS constraint_schema, k.key AS constraint_name, 'public' AS table_schema,
    t.name AS table_name,
    CASE k.kind WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' ELSE 'FOREIGN KEY'
    END AS constraint_type, 'NO' AS is_deferrable, 'NO' AS initially_deferred,
    'YES' AS enforced
FROM pgc.my_keys k JOIN pgc.my_tables t ON t.oid = k.t;

INSERT INTO infos._key_column_usage BY NAME
SELECT
    'public' AS constraint_schema, k.key AS constraint_name, 'public' AS table_schema,
    t.name AS table_name, k.name AS column_name, 1 AS ordinal_position,
    CASE k.kind WHEN 'f' THEN 1 END AS position_in_unique_constraint
FROM pgc.my_keys k JOIN pgc.my_tables t ON t.oid = k.t;

INSERT INTO infos._constraint_column_usage BY NAME
SELECT
    'public' AS table_schema, t.name AS table_name, c.name AS column_name,
    'public' AS constraint_schema, k.key AS constraint_name
FROM pgc.my_keys k
    JOIN pgc.my_tables t ON t.oid = CASE k.kind WHEN 'f' THEN k.ft ELSE k.t END
    JOIN pgc.my_columns c ON c.t = t.oid AND c.n = CASE k.kind WHEN 'f' THEN k.fn ELSE k.n
    END;

INSERT INTO infos._referential_constraints BY NAME
SELECT
    'public' AS constraint_schema, k.key AS constraint_name,
    'public' AS unique_constraint_schema, p.key AS unique_constraint_name,
    'NONE' AS match_option, 'NO ACTION' AS update_rule, 'NO ACTION' AS delete_rule
FROM pgc.my_keys k JOIN pgc.my_keys p ON p.index = k.findex AND p.kind <> 'f'
WHERE k.kind = 'f';

INSERT INTO infos._table_privileges BY NAME
SELECT
    'owner' AS grantor, getvariable('role') AS grantee, 'public' AS table_schema,
    name AS table_name, 'SELECT' AS privilege_type, 'NO' AS is_grantable,
    'YES' AS with_hierarchy
FROM pgc.my_tables;

INSERT INTO infos._role_table_grants BY NAME
SELECT
    'owner' AS grantor, getvariable('role') AS grantee, 'public' AS table_schema,
    name AS table_name, 'SELECT' AS privilege_type, 'NO' AS is_grantable,
    'YES' AS with_hierarchy
FROM pgc.my_tables;

INSERT INTO infos._column_privileges BY NAME
SELECT
    'owner' AS grantor, getvariable('role') AS grantee, 'public' AS table_schema,
    t.name AS table_name, c.name AS column_name, 'SELECT' AS privilege_type,
    'NO' AS is_grantable
FROM pgc.my_columns c JOIN pgc.my_tables t ON t.oid = c.t;
