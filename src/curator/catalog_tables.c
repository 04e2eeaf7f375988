/*
 * The relations of pg_catalog and information_schema that clients ask for, with
 * their columns as PostgreSQL 15 has them. Most of them are empty here, and
 * exist only because clients query them.
 *
 * A column is text unless a letter gives its type: b boolean; s, i, l integers
 * of 2, 4 and 8 bytes; o OID; f double; T timestamp; S, O, A lists of s, o and
 * text.
 */
#include "curator/catalog_tables.h"

#include <string.h>

#include "base/base.h"

const struct catalog_table catalog_tables[] = {
    {TABLES, "pg_aggregate",
     "aggfnoid aggkind aggnumdirectargs:s aggtransfn aggfinalfn aggcombinefn "
     "aggserialfn aggdeserialfn aggmtransfn aggminvtransfn aggmfinalfn "
     "aggfinalextra:b aggmfinalextra:b aggfinalmodify aggmfinalmodify "
     "aggsortop:o aggtranstype:o aggtransspace:i aggmtranstype:o "
     "aggmtransspace:i agginitval aggminitval"},
    {TABLES, "pg_am", "oid:o amname amhandler amtype"},
    {TABLES, "pg_attrdef", "oid:o adrelid:o adnum:s adbin"},
    {TABLES, "pg_attribute",
     "attrelid:o attname atttypid:o attstattarget:i attlen:s attnum:s "
     "attndims:i attcacheoff:i atttypmod:i attbyval:b attalign attstorage "
     "attcompression attnotnull:b atthasdef:b atthasmissing:b attidentity "
     "attgenerated attisdropped:b attislocal:b attinhcount:i attcollation:o "
     "attacl:A attoptions:A attfdwoptions:A attmissingval"},
    {TABLES, "pg_auth_members", "roleid:o member:o grantor:o admin_option:b"},
    {TABLES, "pg_available_extensions",
     "name default_version installed_version comment"},
    {TABLES, "pg_cast",
     "oid:o castsource:o casttarget:o castfunc:o castcontext castmethod"},
    {TABLES, "pg_class",
     "oid:o relname relnamespace:o reltype:o reloftype:o relowner:o relam:o "
     "relfilenode:o reltablespace:o relpages:i reltuples:f relallvisible:i "
     "reltoastrelid:o relhasindex:b relisshared:b relpersistence relkind "
     "relnatts:s relchecks:s relhasrules:b relhastriggers:b relhassubclass:b "
     "relrowsecurity:b relforcerowsecurity:b relispopulated:b relreplident "
     "relispartition:b relrewrite:o relfrozenxid:o relminmxid:o relacl:A "
     "reloptions:A relpartbound"},
    {TABLES, "pg_collation",
     "oid:o collname collnamespace:o collowner:o collprovider "
     "collisdeterministic:b collencoding:i collcollate collctype colliculocale "
     "collversion"},
    {TABLES, "pg_constraint",
     "oid:o conname connamespace:o contype condeferrable:b condeferred:b "
     "convalidated:b conrelid:o contypid:o conindid:o conparentid:o "
     "confrelid:o confupdtype confdeltype confmatchtype conislocal:b "
     "coninhcount:i connoinherit:b conkey:S confkey:S conpfeqop:O conppeqop:O "
     "conffeqop:O confdelsetcols:S conexclop:O conbin"},
    {TABLES, "pg_conversion",
     "oid:o conname connamespace:o conowner:o conforencoding:i "
     "contoencoding:i conproc condefault:b"},
    {TABLES, "pg_cursors",
     "name statement is_holdable:b is_binary:b is_scrollable:b "
     "creation_time:T"},
    {TABLES, "pg_database",
     "oid:o datname datdba:o encoding:i datlocprovider datistemplate:b "
     "datallowconn:b datconnlimit:i datfrozenxid:o datminmxid:o "
     "dattablespace:o datcollate datctype daticulocale datcollversion "
     "datacl:A"},
    {TABLES, "pg_db_role_setting", "setdatabase:o setrole:o setconfig:A"},
    {TABLES, "pg_default_acl",
     "oid:o defaclrole:o defaclnamespace:o defaclobjtype defaclacl:A"},
    {TABLES, "pg_depend",
     "classid:o objid:o objsubid:i refclassid:o refobjid:o refobjsubid:i "
     "deptype"},
    {TABLES, "pg_description", "objoid:o classoid:o objsubid:i description"},
    {TABLES, "pg_enum", "oid:o enumtypid:o enumsortorder:f enumlabel"},
    {TABLES, "pg_event_trigger",
     "oid:o evtname evtevent evtowner:o evtfoid:o evtenabled evttags:A"},
    {TABLES, "pg_extension",
     "oid:o extname extowner:o extnamespace:o extrelocatable:b extversion "
     "extconfig:O extcondition:A"},
    {TABLES, "pg_foreign_data_wrapper",
     "oid:o fdwname fdwowner:o fdwhandler:o fdwvalidator:o fdwacl:A "
     "fdwoptions:A"},
    {TABLES, "pg_foreign_server",
     "oid:o srvname srvowner:o srvfdw:o srvtype srvversion srvacl:A "
     "srvoptions:A"},
    {TABLES, "pg_foreign_table", "ftrelid:o ftserver:o ftoptions:A"},
    {TABLES, "pg_index",
     "indexrelid:o indrelid:o indnatts:s indnkeyatts:s indisunique:b "
     "indnullsnotdistinct:b indisprimary:b indisexclusion:b indimmediate:b "
     "indisclustered:b indisvalid:b indcheckxmin:b indisready:b indislive:b "
     "indisreplident:b indkey:S indcollation:O indclass:O indoption:S indexprs "
     "indpred"},
    {TABLES, "pg_indexes",
     "schemaname tablename indexname tablespace indexdef"},
    {TABLES, "pg_inherits",
     "inhrelid:o inhparent:o inhseqno:i inhdetachpending:b"},
    {TABLES, "pg_language",
     "oid:o lanname lanowner:o lanispl:b lanpltrusted:b lanplcallfoid:o "
     "laninline:o lanvalidator:o lanacl:A"},
    {TABLES, "pg_locks",
     "locktype database:o relation:o page:i tuple:s virtualxid transactionid:o "
     "classid:o objid:o objsubid:s virtualtransaction pid:i mode granted:b "
     "fastpath:b waitstart:T"},
    {TABLES, "pg_matviews",
     "schemaname matviewname matviewowner tablespace hasindexes:b "
     "ispopulated:b definition"},
    {TABLES, "pg_namespace", "oid:o nspname nspowner:o nspacl:A"},
    {TABLES, "pg_opclass",
     "oid:o opcmethod:o opcname opcnamespace:o opcowner:o opcfamily:o "
     "opcintype:o opcdefault:b opckeytype:o"},
    {TABLES, "pg_operator",
     "oid:o oprname oprnamespace:o oprowner:o oprkind oprcanmerge:b "
     "oprcanhash:b oprleft:o oprright:o oprresult:o oprcom:o oprnegate:o "
     "oprcode oprrest oprjoin"},
    {TABLES, "pg_opfamily",
     "oid:o opfmethod:o opfname opfnamespace:o opfowner:o"},
    {TABLES, "pg_partitioned_table",
     "partrelid:o partstrat partnatts:s partdefid:o partattrs:S partclass:O "
     "partcollation:O partexprs"},
    {TABLES, "pg_policies",
     "schemaname tablename policyname permissive roles:A cmd qual "
     "with_check"},
    {TABLES, "pg_policy",
     "oid:o polname polrelid:o polcmd polpermissive:b polroles:O polqual "
     "polwithcheck"},
    {TABLES, "pg_prepared_statements",
     "name statement prepare_time:T parameter_types:A from_sql:b "
     "generic_plans:l custom_plans:l"},
    {TABLES, "pg_proc",
     "oid:o proname pronamespace:o proowner:o prolang:o procost:f prorows:f "
     "provariadic:o prosupport prokind prosecdef:b proleakproof:b "
     "proisstrict:b proretset:b provolatile proparallel pronargs:s "
     "pronargdefaults:s prorettype:o proargtypes:O proallargtypes:O "
     "proargmodes:A proargnames:A proargdefaults protrftypes:O prosrc probin "
     "prosqlbody proconfig:A proacl:A"},
    {TABLES, "pg_publication",
     "oid:o pubname pubowner:o puballtables:b pubinsert:b pubupdate:b "
     "pubdelete:b pubtruncate:b pubviaroot:b"},
    {TABLES, "pg_publication_namespace", "oid:o pnpubid:o pnnspid:o"},
    {TABLES, "pg_publication_rel",
     "oid:o prpubid:o prrelid:o prqual prattrs:S"},
    {TABLES, "pg_publication_tables",
     "pubname schemaname tablename attnames:A rowfilter"},
    {TABLES, "pg_range",
     "rngtypid:o rngsubtype:o rngmultitypid:o rngcollation:o rngsubopc:o "
     "rngcanonical rngsubdiff"},
    {TABLES, "pg_rewrite",
     "oid:o rulename ev_class:o ev_type ev_enabled is_instead:b ev_qual "
     "ev_action"},
    {TABLES, "pg_roles",
     "rolname rolsuper:b rolinherit:b rolcreaterole:b rolcreatedb:b "
     "rolcanlogin:b rolreplication:b rolconnlimit:i rolpassword "
     "rolvaliduntil:T rolbypassrls:b rolconfig:A oid:o"},
    {TABLES, "pg_sequence",
     "seqrelid:o seqtypid:o seqstart:l seqincrement:l seqmax:l seqmin:l "
     "seqcache:l seqcycle:b"},
    {TABLES, "pg_sequences",
     "schemaname sequencename sequenceowner data_type start_value:l "
     "min_value:l max_value:l increment_by:l cycle:b cache_size:l "
     "last_value:l"},
    {TABLES, "pg_settings",
     "name setting unit category short_desc extra_desc context vartype source "
     "min_val max_val enumvals:A boot_val reset_val sourcefile sourceline:i "
     "pending_restart:b"},
    {TABLES, "pg_shdescription", "objoid:o classoid:o description"},
    {TABLES, "pg_stat_activity",
     "datid:o datname pid:i leader_pid:i usesysid:o usename application_name "
     "client_addr client_hostname client_port:i backend_start:T xact_start:T "
     "query_start:T state_change:T wait_event_type wait_event state "
     "backend_xid:o backend_xmin:o query_id:l query backend_type"},
    {TABLES, "pg_stat_all_tables",
     "relid:o schemaname relname seq_scan:l seq_tup_read:l idx_scan:l "
     "idx_tup_fetch:l n_tup_ins:l n_tup_upd:l n_tup_del:l n_tup_hot_upd:l "
     "n_live_tup:l n_dead_tup:l n_mod_since_analyze:l n_ins_since_vacuum:l "
     "last_vacuum:T last_autovacuum:T last_analyze:T last_autoanalyze:T "
     "vacuum_count:l autovacuum_count:l analyze_count:l autoanalyze_count:l"},
    {TABLES, "pg_stat_user_tables",
     "relid:o schemaname relname seq_scan:l seq_tup_read:l idx_scan:l "
     "idx_tup_fetch:l n_tup_ins:l n_tup_upd:l n_tup_del:l n_tup_hot_upd:l "
     "n_live_tup:l n_dead_tup:l n_mod_since_analyze:l n_ins_since_vacuum:l "
     "last_vacuum:T last_autovacuum:T last_analyze:T last_autoanalyze:T "
     "vacuum_count:l autovacuum_count:l analyze_count:l autoanalyze_count:l"},
    {TABLES, "pg_statistic_ext",
     "oid:o stxrelid:o stxname stxnamespace:o stxowner:o stxstattarget:i "
     "stxkeys:S stxkind:A stxexprs"},
    {TABLES, "pg_tables",
     "schemaname tablename tableowner tablespace hasindexes:b hasrules:b "
     "hastriggers:b rowsecurity:b"},
    {TABLES, "pg_tablespace", "oid:o spcname spcowner:o spcacl:A spcoptions:A"},
    {TABLES, "pg_timezone_names", "name abbrev utc_offset is_dst:b"},
    {TABLES, "pg_trigger",
     "oid:o tgrelid:o tgparentid:o tgname tgfoid:o tgtype:s tgenabled "
     "tgisinternal:b tgconstrrelid:o tgconstrindid:o tgconstraint:o "
     "tgdeferrable:b tginitdeferred:b tgnargs:s tgattr:S tgargs tgqual "
     "tgoldtable tgnewtable"},
    {TABLES, "pg_ts_config",
     "oid:o cfgname cfgnamespace:o cfgowner:o cfgparser:o"},
    {TABLES, "pg_type",
     "oid:o typname typnamespace:o typowner:o typlen:s typbyval:b typtype "
     "typcategory typispreferred:b typisdefined:b typdelim typrelid:o "
     "typsubscript typelem:o typarray:o typinput typoutput typreceive typsend "
     "typmodin typmodout typanalyze typalign typstorage typnotnull:b "
     "typbasetype:o typtypmod:i typndims:i typcollation:o typdefaultbin "
     "typdefault typacl:A"},
    {TABLES, "pg_user",
     "usename usesysid:o usecreatedb:b usesuper:b userepl:b usebypassrls:b "
     "passwd valuntil:T useconfig:A"},
    {TABLES, "pg_views", "schemaname viewname viewowner definition"},
    {VIEWS, "applicable_roles", "grantee role_name is_grantable"},
    {VIEWS, "character_sets",
     "character_set_catalog character_set_schema character_set_name "
     "character_repertoire form_of_use default_collate_catalog "
     "default_collate_schema default_collate_name"},
    {VIEWS, "check_constraints",
     "constraint_catalog constraint_schema constraint_name check_clause"},
    {VIEWS, "collations",
     "collation_catalog collation_schema collation_name pad_attribute"},
    {VIEWS, "column_privileges",
     "grantor grantee table_catalog table_schema table_name column_name "
     "privilege_type is_grantable"},
    {VIEWS, "columns",
     "table_catalog table_schema table_name column_name ordinal_position:i "
     "column_default is_nullable data_type character_maximum_length:i "
     "character_octet_length:i numeric_precision:i numeric_precision_radix:i "
     "numeric_scale:i datetime_precision:i interval_type interval_precision:i "
     "character_set_catalog character_set_schema character_set_name "
     "collation_catalog collation_schema collation_name domain_catalog "
     "domain_schema domain_name udt_catalog udt_schema udt_name scope_catalog "
     "scope_schema scope_name maximum_cardinality:i dtd_identifier "
     "is_self_referencing is_identity identity_generation identity_start "
     "identity_increment identity_maximum identity_minimum identity_cycle "
     "is_generated generation_expression is_updatable"},
    {VIEWS, "constraint_column_usage",
     "table_catalog table_schema table_name column_name constraint_catalog "
     "constraint_schema constraint_name"},
    {VIEWS, "constraint_table_usage",
     "table_catalog table_schema table_name constraint_catalog "
     "constraint_schema constraint_name"},
    {VIEWS, "domain_constraints",
     "constraint_catalog constraint_schema constraint_name domain_catalog "
     "domain_schema domain_name is_deferrable initially_deferred"},
    {VIEWS, "domains",
     "domain_catalog domain_schema domain_name data_type "
     "character_maximum_length:i character_octet_length:i "
     "character_set_catalog character_set_schema character_set_name "
     "collation_catalog collation_schema collation_name numeric_precision:i "
     "numeric_precision_radix:i numeric_scale:i datetime_precision:i "
     "interval_type interval_precision:i domain_default udt_catalog udt_schema "
     "udt_name scope_catalog scope_schema scope_name maximum_cardinality:i "
     "dtd_identifier"},
    {VIEWS, "element_types",
     "object_catalog object_schema object_name object_type "
     "collection_type_identifier data_type character_maximum_length:i "
     "character_octet_length:i character_set_catalog character_set_schema "
     "character_set_name collation_catalog collation_schema collation_name "
     "numeric_precision:i numeric_precision_radix:i numeric_scale:i "
     "datetime_precision:i interval_type interval_precision:i domain_default "
     "udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name "
     "maximum_cardinality:i dtd_identifier"},
    {VIEWS, "enabled_roles", "role_name"},
    {VIEWS, "foreign_tables",
     "foreign_table_catalog foreign_table_schema foreign_table_name "
     "foreign_server_catalog foreign_server_name"},
    {VIEWS, "information_schema_catalog_name", "catalog_name"},
    {VIEWS, "key_column_usage",
     "constraint_catalog constraint_schema constraint_name table_catalog "
     "table_schema table_name column_name ordinal_position:i "
     "position_in_unique_constraint:i"},
    {VIEWS, "parameters",
     "specific_catalog specific_schema specific_name ordinal_position:i "
     "parameter_mode is_result as_locator parameter_name data_type "
     "character_maximum_length:i character_octet_length:i "
     "character_set_catalog character_set_schema character_set_name "
     "collation_catalog collation_schema collation_name numeric_precision:i "
     "numeric_precision_radix:i numeric_scale:i datetime_precision:i "
     "interval_type interval_precision:i udt_catalog udt_schema udt_name "
     "scope_catalog scope_schema scope_name maximum_cardinality:i "
     "dtd_identifier parameter_default"},
    {VIEWS, "referential_constraints",
     "constraint_catalog constraint_schema constraint_name "
     "unique_constraint_catalog unique_constraint_schema "
     "unique_constraint_name match_option update_rule delete_rule"},
    {VIEWS, "role_column_grants",
     "grantor grantee table_catalog table_schema table_name column_name "
     "privilege_type is_grantable"},
    {VIEWS, "role_table_grants",
     "grantor grantee table_catalog table_schema table_name privilege_type "
     "is_grantable with_hierarchy"},
    {VIEWS, "routine_privileges",
     "grantor grantee specific_catalog specific_schema specific_name "
     "routine_catalog routine_schema routine_name privilege_type is_grantable"},
    {VIEWS, "routines",
     "specific_catalog specific_schema specific_name routine_catalog "
     "routine_schema routine_name routine_type module_catalog module_schema "
     "module_name udt_catalog udt_schema udt_name data_type "
     "character_maximum_length:i character_octet_length:i "
     "character_set_catalog character_set_schema character_set_name "
     "collation_catalog collation_schema collation_name numeric_precision:i "
     "numeric_precision_radix:i numeric_scale:i datetime_precision:i "
     "interval_type interval_precision:i type_udt_catalog type_udt_schema "
     "type_udt_name scope_catalog scope_schema scope_name "
     "maximum_cardinality:i dtd_identifier routine_body routine_definition "
     "external_name external_language parameter_style is_deterministic "
     "sql_data_access is_null_call sql_path schema_level_routine "
     "max_dynamic_result_sets:i is_user_defined_cast is_implicitly_invocable "
     "security_type to_sql_specific_catalog to_sql_specific_schema "
     "to_sql_specific_name as_locator created:T last_altered:T "
     "new_savepoint_level is_udt_dependent result_cast_from_data_type "
     "result_cast_as_locator result_cast_char_max_length:i "
     "result_cast_char_octet_length:i result_cast_char_set_catalog "
     "result_cast_char_set_schema result_cast_char_set_name "
     "result_cast_collation_catalog result_cast_collation_schema "
     "result_cast_collation_name result_cast_numeric_precision:i "
     "result_cast_numeric_precision_radix:i result_cast_numeric_scale:i "
     "result_cast_datetime_precision:i result_cast_interval_type "
     "result_cast_interval_precision:i result_cast_type_udt_catalog "
     "result_cast_type_udt_schema result_cast_type_udt_name "
     "result_cast_scope_catalog result_cast_scope_schema "
     "result_cast_scope_name result_cast_maximum_cardinality:i "
     "result_cast_dtd_identifier"},
    {VIEWS, "schemata",
     "catalog_name schema_name schema_owner default_character_set_catalog "
     "default_character_set_schema default_character_set_name sql_path"},
    {VIEWS, "sequences",
     "sequence_catalog sequence_schema sequence_name data_type "
     "numeric_precision:i numeric_precision_radix:i numeric_scale:i "
     "start_value minimum_value maximum_value increment cycle_option"},
    {VIEWS, "table_constraints",
     "constraint_catalog constraint_schema constraint_name table_catalog "
     "table_schema table_name constraint_type is_deferrable initially_deferred "
     "enforced nulls_distinct"},
    {VIEWS, "table_privileges",
     "grantor grantee table_catalog table_schema table_name privilege_type "
     "is_grantable with_hierarchy"},
    {VIEWS, "tables",
     "table_catalog table_schema table_name table_type "
     "self_referencing_column_name reference_generation "
     "user_defined_type_catalog user_defined_type_schema "
     "user_defined_type_name is_insertable_into is_typed commit_action"},
    {VIEWS, "triggers",
     "trigger_catalog trigger_schema trigger_name event_manipulation "
     "event_object_catalog event_object_schema event_object_table "
     "action_order:i action_condition action_statement action_orientation "
     "action_timing action_reference_old_table action_reference_new_table "
     "action_reference_old_row action_reference_new_row created:T"},
    {VIEWS, "usage_privileges",
     "grantor grantee object_catalog object_schema object_name object_type "
     "privilege_type is_grantable"},
    {VIEWS, "user_defined_types",
     "user_defined_type_catalog user_defined_type_schema "
     "user_defined_type_name user_defined_type_category is_instantiable "
     "is_final ordering_form ordering_category ordering_routine_catalog "
     "ordering_routine_schema ordering_routine_name reference_type data_type "
     "character_maximum_length:i character_octet_length:i "
     "character_set_catalog character_set_schema character_set_name "
     "collation_catalog collation_schema collation_name numeric_precision:i "
     "numeric_precision_radix:i numeric_scale:i datetime_precision:i "
     "interval_type interval_precision:i source_dtd_identifier "
     "ref_dtd_identifier"},
    {VIEWS, "view_column_usage",
     "view_catalog view_schema view_name table_catalog table_schema table_name "
     "column_name"},
    {VIEWS, "view_table_usage",
     "view_catalog view_schema view_name table_catalog table_schema "
     "table_name"},
    {VIEWS, "views",
     "table_catalog table_schema table_name view_definition check_option "
     "is_updatable is_insertable_into is_trigger_updatable "
     "is_trigger_deletable is_trigger_insertable_into"},
    {CALLS, "pg_get_keywords", "word catcode barelabel:b catdesc baredesc"},
    {CALLS, "pg_options_to_table", "option_name option_value"},
    {CALLS, "pg_partition_ancestors", "relid:o depth:l"},
    {CALLS, "aclexplode", "grantor:o grantee:o privilege_type is_grantable:b"},
};

const size_t catalog_n_tables = COUNT_OF(catalog_tables);

bool
catalog_knows(const char *schema, const char *name)
{
    bool views = !strcmp(schema, "information_schema");

    for (size_t i = 0; i < catalog_n_tables; i++)
        if ((catalog_tables[i].kind == VIEWS) == views &&
            !strcmp(catalog_tables[i].name, name))
            return true;
    return false;
}
