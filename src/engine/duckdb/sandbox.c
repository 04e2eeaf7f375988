/*
 * The sandbox is sealed when it is made, and answers one caller at a time. A second
 * thread watches each question and ends it when its time is up.
 */
#include "engine/sandbox.h"

#include <pthread.h>
#include <time.h>

#include "base/alloc.h"
#include "base/datum.h"
#include "base/error.h"
#include "engine/duckdb/duck.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/duckdb/duck_texts.h"
#include "engine/duckdb/sandbox_fill.h"
#include "engine/duckdb/sandbox_value.h"

enum { ROWS_MOST = 100000, SQL_MOST = 1 << 21, AGAIN_MS = 50 };

struct sandbox {
    struct duck *db;
    struct duck_connection *c;
    pthread_mutex_t turn;
    unsigned limit_ms;
};

custos_status
sandbox_open(const struct sandbox_content *content, unsigned limit_ms,
             struct sandbox **out, custos_err *err)
{
    struct sandbox *s = calloc(1, sizeof *s);
    custos_status st;

    if (!s)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (pthread_mutex_init(&s->turn, NULL)) {
        free(s);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    s->limit_ms = limit_ms;
    st = duck_open(NULL, DUCK_WRITE, &s->db, err);
    if (!st)
        st = duck_connect(s->db, &s->c, err);
    if (!st)
        st = duck_own_add(s->c, err);
    if (!st)
        st = duck_do(s->c, (const char *)sandbox_begin_sql, err);
    if (!st)
        st = sandbox_fill(s->c, content, err);
    if (!st)
        st = duck_do(s->c, (const char *)sandbox_seal_sql, err);
    if (st)
        sandbox_close(s);
    else
        *out = s;
    return st;
}

void
sandbox_close(struct sandbox *s)
{
    if (!s)
        return;
    duck_disconnect(s->c);
    duck_close(s->db);
    pthread_mutex_destroy(&s->turn);
    free(s);
}

/* ----------------------------------------------------------------- time -- */

struct watch {
    struct duck_connection *c;
    unsigned limit_ms;
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool done;
};

static struct timespec
moment_in(unsigned ms)
{
    struct timespec t = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* An interrupt between two statements has no effect, so it is repeated until the
   question is done. */
static void *
watch_run(void *ctx)
{
    struct watch *w = ctx;
    struct timespec until = moment_in(w->limit_ms);

    pthread_mutex_lock(&w->lock);
    while (!w->done)
        if (pthread_cond_timedwait(&w->over, &w->lock, &until)) {
            duck_interrupt(w->c);
            until = moment_in(AGAIN_MS);
        }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool
watch_begin(struct watch *w, pthread_t *thread)
{
    pthread_condattr_t by;
    bool good;

    if (pthread_condattr_init(&by))
        return false;
    good = !pthread_condattr_setclock(&by, CLOCK_MONOTONIC) &&
           !pthread_cond_init(&w->over, &by);
    pthread_condattr_destroy(&by);
    if (!good)
        return false;
    if (pthread_mutex_init(&w->lock, NULL)) {
        pthread_cond_destroy(&w->over);
        return false;
    }
    if (!pthread_create(thread, NULL, watch_run, w))
        return true;
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->over);
    return false;
}

static void
watch_end(struct watch *w, pthread_t thread)
{
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->over);
    pthread_mutex_unlock(&w->lock);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->over);
}

/* ----------------------------------------------------------------- rows -- */

static custos_status
columns_take(const struct result *rows, arena *a, struct sandbox_rows *out,
             custos_err *err)
{
    size_t n = result_width(rows);

    out->n_columns = n;
    out->names = arena_take(a, n + 1, sizeof *out->names);
    out->types = arena_take(a, n + 1, sizeof *out->types);
    for (size_t i = 0; i < n && out->names && out->types; i++) {
        const char *name = arena_copy(a, str_of(result_name(rows, i)));

        if (!name)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        out->names[i] = str_of(name);
        out->types[i] = sandbox_oid(rows, i);
    }
    return out->names && out->types
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Doubles the room when it is full. */
static bool
cells_grow(arena *a, struct sandbox_rows *out, size_t *room)
{
    struct sandbox_value *more;

    if (out->n_rows < *room)
        return true;
    *room = *room ? 2 * *room : 64;
    more = arena_take(a, *room * (out->n_columns + 1), sizeof *more);
    if (!more)
        return false;
    if (out->n_rows > 0)
        memcpy(more, out->cells, out->n_rows * out->n_columns * sizeof *more);
    out->cells = more;
    return true;
}

static custos_status
rows_take(struct result *rows, arena *a, struct sandbox_rows *out,
          custos_err *err)
{
    struct column *columns = arena_take(a, out->n_columns + 1, sizeof *columns);
    size_t n = 0, room = 0;
    custos_status st = CUSTOS_OK;

    if (!columns)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0)
        for (size_t k = 0; k < n && !st; k++) {
            if (out->n_rows == ROWS_MOST)
                return custos_fail(err, CUSTOS_EENGINE,
                                   "the catalog's answer is too long");
            if (!cells_grow(a, out, &room))
                return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
            for (size_t i = 0; i < out->n_columns && !st; i++)
                st = sandbox_value(
                    &columns[i], k, a,
                    &out->cells[out->n_rows * out->n_columns + i], err);
            out->n_rows++;
        }
    return st;
}

static custos_status
ask_in_turn(struct sandbox *s, str database, const char *sql,
            enum sandbox_how how, arena *a, struct sandbox_rows *out,
            custos_err *err)
{
    struct result *rows = NULL;
    struct buf set;
    custos_status st;

    buf_init(&set, NULL, SQL_MOST);
    duck_print_variable("database", database, &set);
    st = set.failed
             ? custos_fail(err, CUSTOS_EINVAL, "not a valid database name")
             : duck_do(s->c, buf_text(&set), err);
    buf_clear(&set);
    if (!st)
        st = how == SANDBOX_RUN ? duck_ask(s->c, sql, &rows, err)
                                : duck_describe(s->c, sql, &rows, err);
    if (!st)
        st = columns_take(rows, a, out, err);
    if (!st && how == SANDBOX_RUN)
        st = rows_take(rows, a, out, err);
    result_free(rows);
    return st;
}

custos_status
sandbox_ask(struct sandbox *s, str database, const char *sql,
            enum sandbox_how how, arena *a, struct sandbox_rows *out,
            custos_err *err)
{
    struct sandbox_rows rows = {.n_rows = 0};
    struct watch w = {.c = s->c, .limit_ms = s->limit_ms};
    pthread_t thread;
    custos_status st;

    pthread_mutex_lock(&s->turn);
    if (watch_begin(&w, &thread)) {
        st = ask_in_turn(s, database, sql, how, a, &rows, err);
        watch_end(&w, thread);
    } else {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    pthread_mutex_unlock(&s->turn);
    if (!st)
        *out = rows;
    return st;
}

bool
sandbox_is_well(struct sandbox *s, arena *a)
{
    struct sandbox_rows rows;
    custos_err quiet = CUSTOS_ERR_INIT;

    return !sandbox_ask(s, str_of(""), (const char *)sandbox_check_sql,
                        SANDBOX_RUN, a, &rows, &quiet);
}
