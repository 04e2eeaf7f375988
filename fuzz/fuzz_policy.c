/*
 * Policies: any bytes must give a policy that keeps the rules of policy.h, or
 * be rejected with a message that names a line; a policy can be migrated. The
 * same bytes, read as SmartNoise metadata, must be rejected in the same way, or
 * converted to a policy that is rejected because of a TODO.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/import.h"
#include "policy/migrate.h"
#include "policy/policy.h"
#include "support/said.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MEMORY = 1 << 26, WRITTEN_MAX = 1 << 24 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
check_refused(custos_status st, const custos_err *err)
{
    require(st == CUSTOS_EPOLICY && err->code == st);
    require(memchr(err->said, '\0', sizeof err->said));
    require(!strncmp(err->said, "p.yaml, line ", 13));
}

static void
check_table(const struct policy *p, const struct policy_table *t)
{
    const struct policy_column *key = NULL;
    size_t steps = 0;

    require(t->n_columns > 0 && t->name.len > 0 && t->source.len > 0);
    require(policy_table_find(p, t->name) == t);
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];

        require(policy_column_find(t, c->name) == c);
        require(!c->has_range || datum_cmp(&c->lower, &c->upper) < 0);
        for (size_t k = 1; k < c->n_values; k++)
            require(datum_cmp(&c->values[k - 1], &c->values[k]) < 0);
    }
    if (t->is_public)
        return;
    require(t->groups_per_unit >= 1 &&
            (!t->rows_given || t->groups_per_unit <= t->rows_per_unit));
    require(t->unit_is_row ? t->rows_per_unit == 1
                           : t->unit_column < t->n_columns);
    while ((t = policy_unit_parent(p, t, &key))) {
        require(!t->is_public && !t->unit_is_row);
        require(++steps <= p->n_tables);
    }
}

/* A policy that can be read is a policy of the current format after migration,
   and migrating that again changes nothing. */
static void
check_migrated(arena *a, str text)
{
    struct policy *p = NULL;
    struct buf once, twice;

    buf_init(&once, NULL, WRITTEN_MAX);
    buf_init(&twice, NULL, WRITTEN_MAX);
    require(!policy_migrate(a, text, "p.yaml", &once, NULL));
    text = (str){buf_text(&once), once.len};
    require(!policy_read(a, text, "p.yaml", &p, NULL));
    require(p->format == POLICY_FORMAT);
    require(!policy_migrate(a, text, "p.yaml", &twice, NULL));
    require(str_equal((str){buf_text(&twice), twice.len}, text));
    buf_clear(&once);
    buf_clear(&twice);
}

static void
check_taken(arena *a, const struct policy *p)
{
    struct policy_remark *remarks = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;

    require(p->n_tables > 0);
    for (size_t i = 0; i < p->n_tables; i++) {
        check_table(p, &p->tables[i]);
        for (size_t k = 0; k < p->n_analysts; k++)
            (void)policy_grants_table(p, &p->analysts[k], &p->tables[i]);
    }
    for (size_t i = 0; i < p->n_views; i++) {
        require(policy_view_find(p, p->views[i].name) == &p->views[i]);
        for (size_t k = 0; k < p->n_analysts; k++)
            (void)policy_grants_view(p, &p->analysts[k], &p->views[i]);
    }
    require(!policy_check(a, p, &remarks, &n, &err));
    for (size_t i = 1; i < n; i++)
        require(remarks[i - 1].line <= remarks[i].line);
}

/* With a value in place of each TODO, the result must at least be YAML. */
static void
check_imported(arena *a, struct buf *out)
{
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st =
        policy_read(a, (str){buf_text(out), out->len}, "p.yaml", &p, &err);

    check_refused(st, &err);
    if (out->len > 1 << 20)
        return;
    require(strstr(whole_said(&err), "TODO"));
    for (char *at = out->ptr; (at = strstr(at, "TODO"));)
        memcpy(at, "1   ", 4);
    st = policy_read(a, (str){buf_text(out), out->len}, "p.yaml", &p, &err);
    require(!st || !strstr(whole_said(&err), "not valid YAML"));
}

static void
import(str text)
{
    arena *a = arena_new(NULL, MEMORY);
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    struct buf out;

    require(a != NULL);
    buf_init(&out, NULL, WRITTEN_MAX);
    st = policy_import(a, text, "p.yaml", &out, &err);
    if (st) {
        check_refused(st, &err);
    } else {
        require(!out.failed);
        check_imported(a, &out);
    }
    buf_clear(&out);
    arena_free(a);
}

/* policy_read_all must fail as policy_read did, and must list at least one
   mistake if the policy has any, else none. */
static void
check_list(str text, custos_status st)
{
    arena *a = arena_new(NULL, MEMORY);
    struct policy_remark *list = NULL;
    struct policy *p = NULL;
    size_t n = 0;

    require(a != NULL);
    require(policy_read_all(a, text, "p.yaml", &p, &list, &n, NULL) == st);
    require((n > 0) == (st == CUSTOS_EPOLICY));
    for (size_t i = 1; i < n; i++)
        require(list[i - 1].line < list[i].line);
    arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    str text = {(const char *)data, len};
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    require(a != NULL);
    st = policy_read(a, text, "p.yaml", &p, &err);
    if (st)
        check_refused(st, &err);
    else
        check_taken(a, p);
    if (!st)
        check_migrated(a, text);
    check_list(text, st);
    arena_free(a);
    import(text);
    return 0;
}
