/*
 * From a request to a release. What is asked of the planner is a query that counts
 * every column of the table: it says which rows of a unit count, and checks all that
 * queries on the table must satisfy. Its own price is not used.
 */
#include "release/release.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sha256.h"
#include "curator/course.h"
#include "curator/tripwire.h"
#include "release/charge.h"
#include "release/names.h"
#include "release/publish.h"
#include "release/schema.h"
#include "release/workload.h"
#include "sql/print.h"
#include "store/file.h"
#include "synopsis/fine.h"
#include "synopsis/synthetic.h"

/* Released tables and what is computed of them. */
#define RELEASE_BYTES ((size_t)1 << 33)
enum { SQL_MAX = 1 << 20 };

/* For the texts of one evaluation of a constraint. */
enum { SCRATCH_BYTES = 1 << 24 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* -------------------------------------------------------------- planning -- */

/* SELECT count(CASE WHEN "a" = "a" THEN 1 END), ... FROM "t", or, for no columns,
   count(CASE WHEN true THEN 1 END). A count of rows, or of values that are never NULL,
   would not read them; and where the policy states their number, it would be public. */
static custos_status
write_query(str table, const struct relation *from, const bool *chosen,
            struct buf *out, custos_err *err)
{
    size_t n = 0;

    buf_add_text(out, "SELECT ");
    for (size_t i = 0; from && i < from->n_names; i++) {
        if (!chosen[i])
            continue;
        buf_add_text(out, n++ > 0 ? ", count(CASE WHEN " : "count(CASE WHEN ");
        print_name(from->names[i].name, out);
        buf_add_text(out, " = ");
        print_name(from->names[i].name, out);
        buf_add_text(out, " THEN 1 END)");
    }
    if (n == 0)
        buf_add_text(out, "count(CASE WHEN true THEN 1 END)");
    buf_add_text(out, " FROM ");
    print_name(table, out);
    return out->failed ? no_memory(err) : CUSTOS_OK;
}

static custos_status
plan_query(struct curator *c, arena *a, int64_t now, const char *sql,
           struct plan **out, custos_err *err)
{
    const struct ask ask = {.sql = str_of(sql), .now = now};
    struct course k = {.asked = &ask};
    custos_status st = course_plan(c, a, NULL, &k, err);

    if (st) {
        plan_free(k.p);
        if (err)
            err->at = -1;
    } else {
        *out = k.p;
    }
    return st;
}

/* Plans the query over the chosen columns of `like`'s relation, or, without it, over
   none. */
static custos_status
plan_columns(struct curator *c, arena *a, const struct release_request *r,
             const struct plan *like, const bool *chosen, struct plan **out,
             custos_err *err)
{
    custos_status st;
    struct buf sql;
    char *text;

    buf_init(&sql, NULL, SQL_MAX);
    st = write_query(r->table, like ? like->from : NULL, chosen, &sql, err);
    text = st ? NULL : arena_copy(a, str_of(buf_text(&sql)));
    if (!st)
        st = text ? plan_query(c, a, r->now, text, out, err) : no_memory(err);
    buf_clear(&sql);
    return st;
}

static custos_status
check_plan(const struct release_request *r, const struct plan *p,
           custos_err *err)
{
    if (p->is_public)
        return custos_fail(err, CUSTOS_EINVAL,
                           "table %.*s is public: its rows can be copied",
                           (int)r->table.len, r->table.ptr);
    if (p->raced || p->n_stages == 0 || p->stages[0].kind != STAGE_VALUES)
        return custos_fail(err, CUSTOS_EPOLICY,
                           "the policy does not say how many rows of %.*s one "
                           "unit may have" HINT
                           "add rows_per_unit: N to the table",
                           (int)r->table.len, r->table.ptr);
    return CUSTOS_OK;
}

/* --------------------------------------------------------------- columns -- */

static custos_status
choose_columns(arena *a, const struct relation *from, str columns, bool **out,
               custos_err *err)
{
    bool *chosen = arena_take(a, from->n_names + 1, sizeof *chosen);
    custos_status st;

    if (!chosen)
        return no_memory(err);
    for (size_t i = 0; i < from->n_names; i++)
        chosen[i] = columns.len == 0 && !from->names[i].hidden;
    while (columns.len > 0) {
        bool found = false;
        str name;

        st = names_take(a, &columns, '\0', &name, err);
        if (st)
            return st;
        for (size_t i = 0; i < from->n_names; i++)
            if (!from->names[i].hidden && str_equal(from->names[i].name, name))
                chosen[i] = found = true;
        if (!found)
            return custos_fail(err, CUSTOS_ENAME, "%.*s has no column '%.*s'",
                               (int)relation_shown(from).len,
                               relation_shown(from).ptr,
                               (int)(name.len < 60 ? name.len : 60), name.ptr);
    }
    *out = chosen;
    return CUSTOS_OK;
}

static custos_status
make_schema(struct curator *c, const struct release_request *r,
            struct release *out, custos_err *err)
{
    struct plan *first = NULL;
    bool *chosen = NULL;
    custos_status st = plan_columns(c, out->arena, r, NULL, NULL, &first, err);

    if (!st)
        st = check_plan(r, first, err);
    if (!st)
        st = choose_columns(out->arena, first->from, r->columns, &chosen, err);
    if (!st) /* before the planner meets so many */
        st = schema_make(out->arena, first->from, chosen, &out->schema,
                         &out->field, err);
    if (!st)
        st = plan_columns(c, out->arena, r, first, chosen, &out->plan, err);
    if (!st)
        st = check_plan(r, out->plan, err);
    if (!st)
        st = schema_make(out->arena, out->plan->from, chosen, &out->schema,
                         &out->field, err);
    plan_free(first);
    return st;
}

/* ---------------------------------------------------------------- method -- */

/* Checks the method; of a model that is too large, names the column that contributes
   most to it. */
static custos_status
check_method(struct release *out, custos_err *err)
{
    const struct schema *s = out->schema;
    custos_err why = CUSTOS_ERR_INIT;
    custos_status st =
        method_check(&out->method, out->arena, &out->facts, &why);
    size_t most = 0;
    str name;

    for (size_t i = 1; i < s->domain.n; i++)
        most = s->domain.size[i] > s->domain.size[most] ? i : most;
    name = s->columns[s->column[most]].name;
    if (st == CUSTOS_EOVERFLOW)
        return custos_fail(err, st,
                           "%s" HINT "leave out columns by --columns; %.*s has "
                           "the most values, %u",
                           why.said, (int)name.len, name.ptr,
                           (unsigned)s->domain.size[most]);
    return st ? custos_fail(err, st, "%s" HINT "%s", why.said, why.hint)
              : CUSTOS_OK;
}

static custos_status
check_constraint(const struct release *out, struct colset set, custos_err *err)
{
    COLSET_EACH(column, set)
    if (ranges_have(&out->ranges, column)) {
        const str name = out->schema->columns[out->schema->column[column]].name;

        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "a constraint of the policy is about %.*s, whose "
                           "values must then be cut at public places" HINT
                           "leave it out of --ranges",
                           (int)name.len, name.ptr);
    }
    return CUSTOS_OK;
}

/* Constraints speak of cuts that are public; those of ranges are found later. */
static custos_status
check_constraints(const struct release *out, custos_err *err)
{
    const struct zeros_list *z = &out->zeros;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < z->n; i++)
        st = check_constraint(out, z->of[i].set, err);
    for (size_t i = 0; !st && i < z->n_rules; i++)
        st = check_constraint(out, z->rules[i].set, err);
    return st;
}

static custos_status
make_method(struct curator *c, const struct release_request *r,
            struct release *out, custos_err *err)
{
    struct method *m = &out->method;
    custos_status st;

    *m = (struct method){.domain = &out->schema->domain, .rho = out->price.rho};
    if (!method_find(r->method, &m->is))
        return custos_fail(
            err, CUSTOS_EINVAL,
            "there is no method '%.*s'" HINT "give auto, aim, mst or tables",
            (int)(r->method.len < 40 ? r->method.len : 40), r->method.ptr);
    if (out->plan->rows > (uint64_t)1 << 30)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "a unit of %.*s may have more rows than can be "
                           "released" HINT "lower its rows_per_unit",
                           (int)r->table.len, r->table.ptr);
    measuring_bounds(curator_policy(c)->adjacency, out->plan->rows, &m->l1,
                     &m->l2_squared);
    st = zeros_make(out->arena, curator_policy(c), out->plan->from, out->schema,
                    out->field, &out->zeros, err);
    m->zeros = out->zeros.of;
    m->n_zeros = out->zeros.n;
    if (!st)
        st = ranges_prepare(out->arena, out->plan->from, out->field, r->ranges,
                            m->l1, m->l2_squared, &out->schema, &m->rho,
                            &out->ranges, err);
    if (!st)
        st = check_constraints(out, err);
    m->domain = &out->schema->domain;
    if (!st)
        st = workload_make(out->arena, out->schema, r->workload, &m->workload,
                           &out->skipped, err);
    if (!st)
        st = check_method(out, err);
    return st ? st : zeros_leave_rows(&out->zeros, &out->schema->domain, err);
}

/* ---------------------------------------------------------------- stored -- */

static void
hash_text(struct sha256 *h, str text)
{
    const uint64_t len = text.len;

    sha256_add(h, &len, sizeof len);
    sha256_add(h, text.ptr, text.len);
}

/* Names the release: everything that it depends on. */
static void
set_id(struct curator *c, const struct release_request *r, struct release *out)
{
    const uint64_t version = engine_version(c->engine);
    const struct workload *w = &out->method.workload;
    uint8_t hash[SHA256_BYTES];
    struct sha256 h;

    sha256_init(&h);
    hash_text(&h, str_of("custos release 1"));
    hash_text(&h, r->table);
    for (size_t i = 0; i < out->schema->n; i++)
        hash_text(&h, out->schema->columns[i].name);
    hash_text(&h, str_of(method_name(out->method.is)));
    hash_text(&h, str_of(out->price.epsilon));
    hash_text(&h, str_of(out->price.delta));
    hash_text(&h, str_of(out->price.rho_text));
    for (size_t i = 0; i < w->n; i++)
        sha256_add(&h, w->sets[i].word, sizeof w->sets[i].word);
    hash_text(&h, str_of("ranges"));
    for (size_t i = 0; i < out->ranges.n; i++)
        sha256_add(&h, &out->ranges.column[i], sizeof out->ranges.column[i]);
    sha256_add(&h, &r->rows, sizeof r->rows);
    sha256_add(&h, curator_policy(c)->id, sizeof curator_policy(c)->id);
    sha256_add(&h, &version, sizeof version);
    sha256_end(&h, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(out->id + 2 * i, 3, "%02x", hash[i]);
}

/* The store's folder of releases, made if need be, or of one of them. */
static custos_status
stored_path(struct curator *c, const char *id, char out[STORE_PATH_MAX],
            custos_err *err)
{
    char name[96];

    snprintf(name, sizeof name, "releases%s%s", *id ? "/" : "", id);
    store_path(&c->shared->store, name, out);
    if (!*id && access(out, F_OK))
        return folder_new(out, err);
    return CUSTOS_OK;
}

static custos_status
find_stored(struct curator *c, struct release *out, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st = stored_path(c, out->id, path, err);

    out->stored = !st && !access(path, F_OK);
    return st;
}

/* ------------------------------------------------------------- preparing -- */

static custos_status
check_rows(const struct release_request *r, const struct release *out,
           custos_err *err)
{
    const size_t columns = out->schema->domain.n;
    const size_t most = synthetic_rows_most(columns);

    if (r->rows <= most)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "%" PRIu64 " synthetic rows of %zu columns would take "
                       "too much memory" HINT
                       "ask for at most %zu, or for fewer columns",
                       r->rows, columns, most);
}

/* Growing arrays take half as much again, and one at a time is copied (coded.c). */
static custos_status
check_true_rows(const struct release *out, custos_err *err)
{
    const struct policy_table *t = out->plan->table;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t row = (out->schema->domain.n + 1) * sizeof(uint16_t) * 3 / 2;
    const uint64_t memory =
        pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;

    if (!t->max_rows_given || t->max_rows <= memory / row)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "%" PRIu64 " rows, the policy's max_rows, would not fit "
                       "in memory (%" PRIu64 " MB)" HINT
                       "lower max_rows, or leave out columns by --columns",
                       t->max_rows, memory >> 20);
}

custos_status
release_prepare(struct curator *c, const struct release_request *r,
                struct release *out, custos_err *err)
{
    custos_status st;

    *out = (struct release){.arena = arena_new(NULL, RELEASE_BYTES)};
    if (!out->arena)
        return no_memory(err);
    st = curator_refresh(c, err);
    if (!st) {
        out->of = curator_snapshot(c);
        st = release_price_make(r->epsilon, r->delta, r->rho, &out->price, err);
    }
    if (!st)
        st = release_price_check(&out->price, curator_policy(c), err);
    if (!st)
        st = make_schema(c, r, out, err);
    if (!st)
        st = check_rows(r, out, err);
    if (!st)
        st = check_true_rows(out, err);
    if (!st)
        st = make_method(c, r, out, err);
    if (!st && r->out)
        st = folder_place(r->out, curator_path(c), &out->out, err);
    if (!st) {
        set_id(c, r, out);
        st = find_stored(c, out, err);
    }
    if (!st && !out->stored)
        st = release_charge_check(c, out, r->now, err);
    if (!st && r->out)
        st = owner_report_place(curator_path(c), out->id, r->report, &out->out,
                                &out->report, err);
    if (st)
        release_free(out);
    return st;
}

void
release_free(struct release *r)
{
    folder_drop(&r->out);
    coded_free(r->rows);
    r->rows = NULL;
    synthetic_free(&r->synthetic);
    plan_free(r->plan);
    r->plan = NULL;
    arena_free(r->arena);
    r->arena = NULL;
}

/* ------------------------------------------------------------- measuring -- */

struct watching {
    const struct release_request *request;
    amount all;
};

static void
watch(void *ctx, amount left)
{
    const struct watching *w = ctx;
    const amount part = w->all / 1000 + 1;

    if (w->request->progress)
        w->request->progress(w->request->progress_ctx, "measuring",
                             (uint64_t)((w->all - left) / part), 1000);
}

/* Reads the rows, and measures them until the price is spent. *end: whether what
   failed had seen private data; a fit of released values has not. */
static custos_status
measure(struct curator *c, const struct release_request *request,
        struct release *r, struct released **released, struct synthesis *out,
        enum work_end *end, custos_err *err)
{
    struct watching watching = {request, r->price.rho};
    struct measuring m = {.rng = c->rng,
                          .l1 = r->method.l1,
                          .l2_squared = r->method.l2_squared,
                          .left = r->price.rho,
                          .progress = watch,
                          .progress_ctx = &watching};
    const struct trusted t = measuring_trusted(&m);
    custos_status st =
        coded_read(c->engine, r->plan, r->ranges.fine, r->field, &r->rows, err);
    const bool read = !st;
    struct released_range *ranges =
        arena_take(r->arena, r->ranges.n + 1, sizeof *ranges);

    m.coded = r->rows;
    if (!st && !ranges)
        st = no_memory(err);
    if (!st)
        st = ranges_measure(r->arena, &r->ranges, &m, r->schema, ranges, err);
    if (!st)
        st = released_new(r->arena, &r->schema->domain, released, err);
    if (!st) {
        m.released = *released;
        m.released->ranges = ranges;
        m.released->n_ranges = r->ranges.n;
        st = method_run(&r->method, &t, c->rng, out, err);
    }
    *end = read && !m.failed ? WORK_DONE : WORK_FAILED;
    return st;
}

/* ------------------------------------------------------------ publishing -- */

static str
text_of(arena *a, const char *text)
{
    return str_of(arena_copy(a, str_of(text)));
}

static void
set_facts(struct curator *c, const struct release *r,
          const struct receipt *receipt, struct synopsis_facts *out)
{
    char text[RECEIPT_TEXT_MAX];

    receipt_write(receipt, text);
    *out = (struct synopsis_facts){
        .epsilon = str_of(r->price.epsilon),
        .delta = str_of(r->price.delta),
        .rho = str_of(r->price.rho_text),
        .adjacency = str_of(curator_policy(c)->adjacency == CUSTOS_CHANGE_ONE
                                ? "change-one"
                                : "add-remove"),
        .unit = r->plan->unit,
        .rows_per_unit = r->plan->rows,
        .method = str_of(method_name(r->method.is)),
        .theorems = release_theorems(r),
        .receipt = receipt->seq,
        .receipt_hash = text_of(r->arena, strchr(text, ':') + 1),
        .version = str_of(custos_version()),
    };
}

/* How the codes of the model become those of the schema: as the recoding says, or as
   they are. */
static custos_status
set_share(const struct release *r, const struct synthesis *made,
          struct synopsis *out, custos_err *err)
{
    const struct domain *d = &r->schema->domain;

    out->share = arena_take(r->arena, d->n, sizeof *out->share);
    if (!out->share)
        return no_memory(err);
    for (size_t i = 0; i < d->n; i++) {
        out->share[i] = arena_take(r->arena, d->size[i], sizeof **out->share);
        if (!out->share[i])
            return no_memory(err);
        for (uint32_t k = 0; k < d->size[i]; k++)
            out->share[i][k] = made->recoding ? made->recoding->share[i][k] : 1;
    }
    return CUSTOS_OK;
}

static void
watch_files(void *ctx, const char *what, size_t done, size_t all)
{
    const struct release_request *request = ctx;

    if (request->progress)
        request->progress(request->progress_ctx, what, done, all);
}

/* Writes the files into the store's folder of the release. */
static custos_status
keep(struct curator *c, const struct release_request *request,
     struct release *r, const struct receipt *receipt,
     const struct synthesis *made, struct synopsis *s, struct folder *kept,
     custos_err *err)
{
    struct release_request copy = *request;
    struct rules rules = {.schema = r->schema,
                          .of = r->zeros.rules,
                          .n = r->zeros.n_rules,
                          .scratch = arena_new(NULL, SCRATCH_BYTES)};
    const struct synthetic_rules settle = {rules_settle, &rules};
    const struct products_options files = {
        .rules = &settle, .progress = watch_files, .ctx = &copy};
    custos_status st =
        rules.scratch
            ? released_limits(s->released, made->limits, made->n_limits, err)
            : no_memory(err);

    if (!st)
        st = set_share(r, made, s, err);
    if (!st && !fine_spread(r->arena, s))
        st = no_memory(err);
    if (!st) {
        s->model = made->model;
        set_facts(c, r, receipt, &s->facts);
        st = release_publish(s, kept->partial, request->rows,
                             r->plan->table->max_rows, c->rng, &files,
                             &r->synthetic, err);
    }
    if (!st)
        st = folder_finish(kept, err);
    arena_free(rules.scratch);
    return st;
}

/* --------------------------------------------------------------- running -- */

/* Charges and measures. Failures of the measurements are recorded; what comes after
   them is computed from released values. */
static custos_status
charge_and_measure(struct curator *c, const struct release_request *request,
                   struct release *r, struct receipt *receipt,
                   struct released **released, struct synthesis *made,
                   custos_err *err)
{
    const struct ask nobody = {.now = request->now};
    custos_status st = engine_check_attached(c->engine, r->plan, err);
    enum work_end end;
    int work;

    if (!st && engine_has_public_parts(r->plan))
        st = engine_prepare(c->engine, r->plan, err);
    if (!st)
        st = tripwire_claim(&work, err);
    if (st)
        return st;
    st = release_charge(c, r, request->now, receipt, err);
    if (st) {
        tripwire_drop(work);
        return st;
    }
    tripwire_begin(c, receipt, work);
    st = measure(c, request, r, released, made, &end, err);
    tripwire_after(c, &nobody, receipt, work, end, st);
    return st;
}

/* The store's folder of the release is begun before the charge: where it cannot be,
   nothing is spent. */
static custos_status
make(struct curator *c, const struct release_request *request,
     struct release *r, struct receipt *receipt, custos_err *err)
{
    struct synopsis s = {.schema = r->schema,
                         .workload = r->method.workload.sets,
                         .n_workload = r->method.workload.n};
    struct synthesis made = {.model = NULL};
    struct folder kept = {.partial = ""};
    custos_status st = stored_path(c, r->id, kept.path, err);

    if (!st)
        st = folder_begin(&kept, err);
    if (!st && chmod(kept.partial, FOLDER_MODE))
        st = custos_fail(err, CUSTOS_EIO, "cannot close a folder of the store");
    if (!st)
        st =
            charge_and_measure(c, request, r, receipt, &s.released, &made, err);
    engine_unprepare(c->engine);
    if (!st)
        st = keep(c, request, r, receipt, &made, &s, &kept, err);
    folder_drop(&kept);
    synthesis_free(&made);
    return st;
}

/* Runs of the same store take turns, so that the second of two equal requests finds
   the release of the first. What other runs left unfinished is removed. */
static custos_status
lock_releases(struct curator *c, int *out, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st = stored_path(c, "", path, err);

    if (st)
        return st;
    *out = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out < 0 || flock(*out, LOCK_EX))
        st = custos_fail(err, CUSTOS_EIO,
                         "cannot lock the releases of the store");
    if (st && *out >= 0)
        close(*out);
    if (!st)
        folder_sweep(path);
    return st;
}

/* What was prepared is about the data and the policy of that moment. */
static custos_status
check_unchanged(struct curator *c, const struct release *r, custos_err *err)
{
    custos_status st = curator_refresh(c, err);
    const struct work_snapshot now = curator_snapshot(c);

    if (st || (now.version == r->of.version && now.policy == r->of.policy))
        return st;
    return custos_fail(err, CUSTOS_EBUSY,
                       "the data or the policy changed while this release "
                       "waited for another" HINT
                       "nothing was charged: run it again");
}

/* Puts a copy in its place, with what is computed of it on request; only now is
   anything to be seen there. */
static custos_status
give(struct curator *c, const struct release_request *request,
     struct release *r, custos_err *err)
{
    struct release_request copy = *request;
    const struct products_options o = {.progress = watch_files, .ctx = &copy};
    char path[STORE_PATH_MAX];
    custos_status st = stored_path(c, r->id, path, err);

    if (!st)
        st = folder_begin(&r->out, err);
    if (!st)
        st = folder_copy(path, r->out.partial, err);
    if (!st && request->consistent)
        st = release_publish_consistent(r->out.partial, &o, err);
    return st ? st : folder_finish(&r->out, err);
}

custos_status
release_run(struct curator *c, const struct release_request *request,
            struct release *r, struct receipt *receipt, custos_err *err)
{
    custos_status st;
    int lock = -1;

    *receipt = (struct receipt){.seq = 0};
    st = lock_releases(c, &lock, err);
    if (st)
        return st;
    st = check_unchanged(c, r, err);
    if (!st)
        st = folder_try(&r->out, err);
    if (!st)
        st = find_stored(c, r, err);
    if (!st && !r->stored)
        st = make(c, request, r, receipt, err);
    if (!st)
        st = give(c, request, r, err);
    close(lock);
    return st;
}

static void
watch_report(void *ctx, unsigned done)
{
    watch_files(ctx, "report", done, 100);
}

custos_status
release_report(const struct release_request *request, struct release *r,
               custos_err *err)
{
    struct release_request copy = *request;

    return owner_report_write(&r->report, r->schema, r->rows, &r->synthetic,
                              watch_report, &copy, err);
}
