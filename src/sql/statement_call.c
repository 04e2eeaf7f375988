/*
 * Settings by a SELECT, as drivers write them: SELECT set_config('name',
 * 'value', false) does what SET does, and SELECT current_setting('custos...')
 * what SHOW does. The call must be the only output; its texts are literals or,
 * for set_config, parameters.
 */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "sql/catalog.h"
#include "sql/statement.h"
#include "sql/statement_call.h"

bool
setting_is_ours(const char *name)
{
    return name && !strncasecmp(name, "custos.", 7);
}

/* The call, if the SELECT consists of nothing else; or NULL. */
static const PgQuery__FuncCall *
only_call(const PgQuery__SelectStmt *s, const char **as)
{
    const PgQuery__ResTarget *t;

    if (s->n_target_list != 1 || s->n_distinct_clause || s->n_from_clause ||
        s->where_clause || s->n_group_clause || s->having_clause ||
        s->n_window_clause || s->n_values_lists || s->n_sort_clause ||
        s->limit_offset || s->limit_count || s->with_clause || s->larg ||
        s->into_clause || s->n_locking_clause ||
        s->target_list[0]->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
        return NULL;
    t = s->target_list[0]->res_target;
    *as = t->name;
    return t->val && t->val->node_case == PG_QUERY__NODE__NODE_FUNC_CALL
               ? t->val->func_call
               : NULL;
}

/* Reads a text: a literal, or a parameter by its number. False: neither. */
static bool
text_take(arena *a, const pg_node *node, str *text, int *param)
{
    const char *quoted;

    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
        node = node->type_cast->arg; /* $1::text */
    quoted = node_quoted(node);
    if (node->node_case == PG_QUERY__NODE__NODE_PARAM_REF)
        *param = node->param_ref->number;
    else if (quoted)
        *text = (str){arena_copy(a, str_of(quoted)), strlen(quoted)};
    return *param > 0 || text->ptr;
}

static bool
is_null(const pg_node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_A_CONST &&
           node->a_const->isnull;
}

/* set_config(name, value, is_local) */
static bool
set_read(arena *a, const PgQuery__FuncCall *f, struct statement *out)
{
    const pg_node *local = f->n_args == 3 ? f->args[2] : NULL;

    if (!local || local->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        local->a_const->val_case != PG_QUERY__A__CONST__VAL_BOOLVAL ||
        !text_take(a, f->args[0], &out->name, &out->name_param) ||
        (!is_null(f->args[1]) &&
         !text_take(a, f->args[1], &out->value, &out->value_param)))
        return false;
    out->sets = true;
    out->local = local->a_const->boolval->boolval;
    return true;
}

bool
statement_call_read(arena *a, const PgQuery__SelectStmt *s,
                    struct statement *out)
{
    const char *as = NULL;
    const PgQuery__FuncCall *f = only_call(s, &as);
    const char *name = f ? name_last(f->funcname, f->n_funcname) : NULL;
    struct statement made = *out;

    if (!name)
        return false;
    if (!strcmp(name, "current_setting") && f->n_args >= 1 &&
        setting_is_ours(node_quoted(f->args[0])))
        (void)text_take(a, f->args[0], &made.name, &made.name_param);
    else if (strcmp(name, "set_config") != 0 || !set_read(a, f, &made))
        return false;
    made.kind = STATEMENT_SHOW;
    made.column = str_of(arena_copy(a, str_of(as[0] ? as : name)));
    *out = made;
    return true;
}
