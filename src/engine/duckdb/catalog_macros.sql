-- PostgreSQL functions that clients call on the catalog, as macros of the small
-- database; and the look-ups into which casts such as ::regclass are rewritten
-- (sql/catalog_call.c and sql/catalog_cast.c name them).
--
-- A computed text has at most 4096 bytes, or is NULL (macro brief). Arguments are bounded
-- before they are used (replacement texts to 16 bytes, macro tiny), so that intermediate
-- values are bounded too (catalog-closed). Macros that sql/catalog_size.c lists use each
-- argument once; the others use it at most 7 times (test/sql/t_catalog_macros.py).

-- Texts of bounded length: NULL if they would be longer

CREATE MACRO pgc.brief(x) AS text_short(CAST(x AS VARCHAR), 4096);

CREATE MACRO pgc.text_cat(x, y) AS pgc.brief(pgc.brief(x) || pgc.brief(y));

CREATE MACRO pgc.list_cat(x, y) AS
    (list_slice(x, 1, 1000) || list_slice(y, 1, 1000))[1:1000];

CREATE MACRO pgc.tiny(x) AS text_short(CAST(x AS VARCHAR), 16);

CREATE MACRO pgc.quote_ident(x) AS
    pgc.brief(list_transform([pgc.brief(x)], lambda k:
        CASE WHEN regexp_full_match(k, '[a-z_][a-z0-9_$]*') THEN k
        ELSE '"' || replace(k, '"', '""') || '"' END)[1]);

CREATE MACRO pgc.quote_literal(x) AS
    pgc.brief(chr(39) || replace(pgc.brief(x), chr(39), repeat(chr(39), 2)) || chr(39));

-- Who asks, and which server answers. sandbox_ask sets the variable `database`,
-- catalog_rows.sql the variable `role`.

CREATE MACRO pgc.current_database() AS CAST(getvariable('database') AS VARCHAR);

CREATE MACRO pgc.current_user() AS CAST(getvariable('role') AS VARCHAR);

CREATE MACRO pgc.current_role() AS pgc.current_user();

CREATE MACRO pgc.session_user() AS pgc.current_user();

CREATE MACRO pgc.current_schema() AS 'public';

CREATE MACRO pgc.current_schemas(b) AS
    CASE WHEN b THEN ['pg_catalog', 'public'] ELSE ['public'] END;

CREATE MACRO pgc.version() AS 'PostgreSQL 15.0 (custos)';

-- From names to OIDs and back: casts such as ::regclass

CREATE MACRO pgc.bare(x) AS
    replace(regexp_replace(CAST(x AS VARCHAR),
        '^"?(public|pg_catalog|information_schema)"?[.]', ''), '"', '');

CREATE MACRO pgc.class_oid(x) AS
    coalesce(TRY_CAST(x AS UINTEGER),
        (SELECT min(pgc_k.oid) FROM pgc.pg_class pgc_k WHERE pgc_k.relname = pgc.bare(x)));

CREATE MACRO pgc.class_name(x) AS
    CASE WHEN TRY_CAST(x AS UINTEGER) = 0 THEN '-'
        ELSE coalesce((SELECT min(pgc.quote_ident(pgc_k.relname)) FROM pgc.pg_class pgc_k
            WHERE pgc_k.oid = TRY_CAST(x AS UINTEGER)), CAST(x AS VARCHAR)) END;

CREATE MACRO pgc.type_oid(x) AS
    coalesce(TRY_CAST(x AS UINTEGER),
        (SELECT min(pgc_k.oid) FROM pgc.my_types pgc_k
            WHERE pgc_k.name = pgc.bare(x) OR pgc_k.shown = lower(pgc.bare(x))));

CREATE MACRO pgc.format_type(x, m) AS
    (SELECT min(pgc_k.shown) FROM pgc.my_types pgc_k WHERE pgc_k.oid = x)
    || CASE WHEN x = 1700 AND m >= 4
            THEN '(' || ((m - 4) // 65536) || ',' || ((m - 4) % 65536) || ')'
        WHEN x IN (1042, 1043) AND m >= 4 THEN '(' || (m - 4) || ')'
        ELSE '' END;

CREATE MACRO pgc.type_name(x) AS
    CASE WHEN TRY_CAST(x AS UINTEGER) = 0 THEN '-'
        ELSE coalesce((SELECT min(pgc_k.shown) FROM pgc.my_types pgc_k
            WHERE pgc_k.oid = TRY_CAST(x AS UINTEGER)), CAST(x AS VARCHAR)) END;

CREATE MACRO pgc.namespace_oid(x) AS
    coalesce(TRY_CAST(x AS UINTEGER),
        (SELECT min(pgc_k.oid) FROM pgc.pg_namespace pgc_k WHERE pgc_k.nspname = pgc.bare(x)));

CREATE MACRO pgc.namespace_name(x) AS
    coalesce((SELECT min(pgc_k.nspname) FROM pgc.pg_namespace pgc_k
        WHERE pgc_k.oid = TRY_CAST(x AS UINTEGER)), CAST(x AS VARCHAR));

CREATE MACRO pgc.role_oid(x) AS
    coalesce(TRY_CAST(x AS UINTEGER),
        (SELECT min(pgc_k.oid) FROM pgc.pg_roles pgc_k WHERE pgc_k.rolname = pgc.bare(x)));

CREATE MACRO pgc.role_name(x) AS
    coalesce((SELECT min(pgc_k.rolname) FROM pgc.pg_roles pgc_k
        WHERE pgc_k.oid = TRY_CAST(x AS UINTEGER)), CAST(x AS VARCHAR));

CREATE MACRO pgc.proc_name(x) AS
    CASE WHEN CAST(x AS VARCHAR) = '0' THEN '-'
        ELSE replace(CAST(x AS VARCHAR), 'pg_catalog.', '') END;

-- Descriptions and definitions

CREATE MACRO pgc.pg_get_userbyid(x) AS
    coalesce((SELECT min(pgc_k.rolname) FROM pgc.pg_roles pgc_k WHERE pgc_k.oid = x), 'unknown');

CREATE MACRO pgc.obj_description(x) AS
    (SELECT min(pgc_k.description) FROM pgc.pg_description pgc_k
        WHERE pgc_k.objoid = pgc.class_oid(x) AND pgc_k.objsubid = 0),
    (x, y) AS (SELECT min(pgc_k.description) FROM pgc.pg_description pgc_k
        WHERE pgc_k.objoid = pgc.class_oid(x) AND pgc_k.objsubid = 0 AND y = 'pg_class');

CREATE MACRO pgc.col_description(x, y) AS
    (SELECT min(pgc_k.description) FROM pgc.pg_description pgc_k
        WHERE pgc_k.objoid = pgc.class_oid(x) AND pgc_k.objsubid = y AND y > 0);

CREATE MACRO pgc.pg_get_expr(x, y) AS CAST(NULL AS VARCHAR),
    (x, y, z) AS CAST(NULL AS VARCHAR);

CREATE MACRO pgc.pg_get_constraintdef(x) AS
    (SELECT min(pgc_k.def) FROM pgc.key_texts pgc_k WHERE pgc_k.oid = x),
    (x, y) AS (SELECT min(pgc_k.def) FROM pgc.key_texts pgc_k WHERE pgc_k.oid = x);

CREATE MACRO pgc.pg_get_indexdef(x) AS
    (SELECT min(pgc_k.indexdef) FROM pgc.key_texts pgc_k WHERE pgc_k.index = x),
    (x, y, z) AS CASE
        WHEN y = 0 THEN (SELECT min(pgc_k.indexdef) FROM pgc.key_texts pgc_k WHERE pgc_k.index = x)
        WHEN y = 1 THEN (SELECT min(pgc.quote_ident(pgc_k.name)) FROM pgc.my_keys pgc_k
            WHERE pgc_k.index = x) END;

CREATE MACRO pgc.pg_get_viewdef(x) AS
    (SELECT min(pgc_k.def) FROM pgc.my_tables pgc_k WHERE pgc_k.oid = pgc.class_oid(x)),
    (x, y) AS (SELECT min(pgc_k.def) FROM pgc.my_tables pgc_k WHERE pgc_k.oid = pgc.class_oid(x));

-- Privileges and settings: everything in the catalog may be read and nothing set

CREATE MACRO pgc.pg_table_is_visible(x) AS
    coalesce((SELECT bool_or(pgc_k.relnamespace IN (11, 2200)) FROM pgc.pg_class pgc_k
        WHERE pgc_k.oid = x), false);

CREATE MACRO pgc.has_table_privilege(x, y) AS lower(y) LIKE 'select%',
    (w, x, y) AS lower(y) LIKE 'select%';

CREATE MACRO pgc.has_any_column_privilege(x, y) AS lower(y) LIKE 'select%',
    (w, x, y) AS lower(y) LIKE 'select%';

CREATE MACRO pgc.has_column_privilege(x, c, y) AS lower(y) LIKE 'select%',
    (w, x, c, y) AS lower(y) LIKE 'select%';

CREATE MACRO pgc.current_setting(x) AS
    (SELECT min(pgc_k.setting) FROM pgc.pg_settings pgc_k WHERE lower(pgc_k.name) = lower(x)),
    (x, y) AS (SELECT min(pgc_k.setting) FROM pgc.pg_settings pgc_k WHERE lower(pgc_k.name) = lower(x));

CREATE MACRO pgc.set_config(x, y, z) AS CAST(y AS VARCHAR);

-- Encodings, and numbers of this server

CREATE MACRO pgc.pg_encoding_to_char(x) AS CASE WHEN x = 6 THEN 'UTF8' ELSE '' END;

CREATE MACRO pgc.pg_char_to_encoding(x) AS
    CASE WHEN upper(x) IN ('UTF8', 'UTF-8') THEN 6 ELSE -1 END;

CREATE MACRO pgc.pg_encoding_max_length(x) AS 4;

CREATE MACRO pgc.getdatabaseencoding() AS 'UTF8';

CREATE MACRO pgc.pg_my_temp_schema() AS CAST(0 AS UINTEGER);

CREATE MACRO pgc.pg_backend_pid() AS 0;

-- Lists

CREATE MACRO pgc.array_lower(x, y) AS CASE WHEN len(x) > 0 THEN 1 END;

CREATE MACRO pgc.array_upper(x, y) AS nullif(len(x), 0);

CREATE MACRO pgc.array_remove(x, y) AS list_filter(x, lambda pgc_k: pgc_k IS DISTINCT FROM y);

CREATE MACRO pgc._pg_expandarray(x) AS
    unnest(list_transform(x, lambda k, i: {'x': k, 'n': i}));

CREATE MACRO pgc.aclexplode(x) AS
    unnest(CAST([] AS STRUCT(grantor UINTEGER, grantee UINTEGER, privilege_type VARCHAR,
        is_grantable BOOLEAN)[]));

CREATE MACRO pgc.is_in(x, y) AS list_contains(x, y);

-- Operators and casts that mean something else in the database

CREATE MACRO pgc.negation(x) AS NOT x;

CREATE MACRO pgc.matches(x, y) AS regexp_matches(x, y);

CREATE MACRO pgc.matches_any_case(x, y) AS regexp_matches(x, y, 'i');

CREATE MACRO pgc.vector_text(x) AS array_to_string(x, ' ');

CREATE MACRO pgc.is_like(x, y) AS x LIKE y ESCAPE '\',
    (x, y, z) AS like_escape(x, y, z);

CREATE MACRO pgc.is_ilike(x, y) AS x ILIKE y ESCAPE '\',
    (x, y, z) AS ilike_escape(x, y, z);

-- format(x, a) and format(x, a, b): the texts between %s, %I and %L, and the arguments

CREATE MACRO pgc.as_arg(x, y) AS
    CASE x WHEN 'I' THEN pgc.quote_ident(CAST(y AS VARCHAR))
        WHEN 'L' THEN pgc.quote_literal(y)
        ELSE pgc.brief(y) END;

CREATE MACRO pgc.arg_kind(x, y) AS regexp_extract_all(x, '%([sIL])', 1)[y];

CREATE MACRO pgc.arg_text(x, y) AS
    coalesce(string_split_regex(pgc.brief(x), '%[sIL]')[y], '');

CREATE MACRO pgc.format(x, a) AS
    pgc.brief(
        pgc.arg_text(x, 1) || pgc.as_arg(pgc.arg_kind(x, 1), a)
        || pgc.arg_text(x, 2)),
    (x, a, b) AS pgc.brief(
        pgc.arg_text(x, 1) || pgc.as_arg(pgc.arg_kind(x, 1), a)
        || pgc.arg_text(x, 2) || pgc.as_arg(pgc.arg_kind(x, 2), b)
        || pgc.arg_text(x, 3));
