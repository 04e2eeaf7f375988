/*
 * Threads ask through lanes: a lane has one connection to each store, so both
 * neighbours are asked the same way. Every question has a serial number, which
 * makes its price new and its answer independent of the others.
 */
#include "audit/stranger/query.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "audit/hash.h"
#include "base/error.h"

enum { LANES_MAX = 64, PROBES = 2, SPARE_NUMBERS = 4, ROWS_SORTED_MAX = 4096 };

#define BUDGET_SPENT "53400"

struct query_target {
    struct audit_target target;
    struct query_target_options options;
    atomic_uint_fast64_t serial;
    pthread_mutex_t lock;          /* guards what follows */
    struct lane *lanes[LANES_MAX]; /* that no thread uses now */
    size_t n_lanes, n_opened;
};

/* A connection to each store; one thread at a time uses it. */
struct lane {
    struct query_target *of;
    size_t n;
    struct client clients[];
};

/* ----------------------------------------------------------------- outputs -- */

/* The order of rows by the cells that are not numbers. */
static bool
row_precedes(const struct reply *r, size_t a, size_t b)
{
    for (size_t c = 0; c < r->columns; c++) {
        const char *x = reply_cell(r, a, c), *y = reply_cell(r, b, c);
        int order;

        if (reply_column_is_number(r, c))
            continue;
        order = !x || !y ? (x != NULL) - (y != NULL) : strcmp(x, y);
        if (order)
            return order < 0;
    }
    return a < b;
}

/* Insertion sort: the server sends rows almost in order. */
static size_t
sort_rows(const struct reply *r, size_t order[ROWS_SORTED_MAX])
{
    size_t n = r->rows < ROWS_SORTED_MAX ? r->rows : ROWS_SORTED_MAX;

    for (size_t i = 0; i < n; i++) {
        size_t k = i;

        for (; k > 0 && row_precedes(r, i, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return n;
}

/* Writes at most `room` numbers; returns how many there are, and what else the
   reply shows as a hash that is never 0. */
static size_t
read_output(const struct reply *r, double *number, size_t room, uint32_t *code)
{
    size_t order[ROWS_SORTED_MAX], rows = sort_rows(r, order), n = 0;
    uint64_t h = reply_hash(r);
    double bars[AUDIT_WIDTH_MAX];
    size_t n_bars = reply_notice_numbers(r, bars, AUDIT_WIDTH_MAX);

    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < r->columns; c++) {
            const char *cell = reply_cell(r, order[i], c);

            if (!reply_column_is_number(r, c) || !cell) {
                h = hash_text(h, cell ? cell : "\x01");
                continue;
            }
            if (n < room)
                number[n] = reply_number(r, order[i], c);
            n++;
        }
    for (size_t i = 0; i < n_bars; i++, n++)
        if (n < room)
            number[n] = bars[i];
    *code = hash_fold(h);
    *code += *code == 0;
    return n;
}

/* ------------------------------------------------------------------ sampling -- */

static custos_status
ask_once(struct query_target *q, struct client *client, struct reply *reply,
         custos_err *err)
{
    const struct query_target_options *o = &q->options;
    custos_status st = client_set_price(client, o->unit, o->price,
                                        atomic_fetch_add(&q->serial, 1), err);

    return st ? st : client_ask(client, o->sql, reply, err);
}

static void
free_lane(struct lane *lane)
{
    if (!lane)
        return;
    for (size_t i = 0; i < lane->n; i++)
        client_close(&lane->clients[i]);
    free(lane);
}

/* Logs in to every store. Threads share the analysts evenly, because a server
   limits what one of them may have in progress. */
static custos_status
connect_lane(struct query_target *q, size_t number, struct lane **out,
             custos_err *err)
{
    const struct query_target_options *o = &q->options;
    struct lane *lane =
        calloc(1, sizeof *lane + o->n_servers * sizeof lane->clients[0]);
    custos_status st = CUSTOS_OK;

    if (!lane)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    lane->of = q;
    for (; lane->n < o->n_servers && !st; lane->n++) {
        const struct stranger_server *s = &o->servers[lane->n];

        st = client_open(s->port, number % s->analysts, s->password,
                         &lane->clients[lane->n], err);
    }
    if (st)
        free_lane(lane);
    else
        *out = lane;
    return st;
}

/* Logging in takes longer than many answers, and an audit opens its target
   several times, so connections are kept. */
static custos_status
take_lane(const struct audit_target *target, void **state, custos_err *err)
{
    struct query_target *q = (struct query_target *)target->self;
    struct lane *lane = NULL;
    custos_status st = CUSTOS_OK;
    size_t number;

    pthread_mutex_lock(&q->lock);
    if (q->n_lanes)
        lane = q->lanes[--q->n_lanes];
    number = q->n_opened;
    q->n_opened += !lane;
    pthread_mutex_unlock(&q->lock);
    if (!lane)
        st = connect_lane(q, number, &lane, err);
    *state = lane;
    return st;
}

static void
put_lane(void *state)
{
    struct lane *lane = state;
    struct query_target *q = lane->of;
    bool kept = false;

    pthread_mutex_lock(&q->lock);
    if (q->n_lanes < LANES_MAX) {
        q->lanes[q->n_lanes++] = lane;
        kept = true;
    }
    pthread_mutex_unlock(&q->lock);
    if (!kept)
        free_lane(lane);
}

static custos_status
sample_store(const struct audit_target *target, void *state,
             const struct data *data, struct coins *coins, struct batch *out,
             custos_err *err)
{
    struct query_target *q = (struct query_target *)target->self;
    struct client *client =
        &((struct lane *)state)->clients[(size_t)data->value[0]];
    custos_status st = CUSTOS_OK;
    struct reply reply;

    (void)coins; /* the store draws its own */
    for (size_t i = 0; i < out->n && !st; i++) {
        st = ask_once(q, client, &reply, err);
        if (st)
            break;
        out->length[i] = (uint32_t)read_output(
            &reply, out->number + i * out->width, out->width, &out->code[i]);
        if (out->seconds)
            out->seconds[i] = reply.seconds;
        if (!strcmp(reply.sqlstate, CLIENT_LOST))
            st = client_reopen(client, err);
        else if (reply_was_cached(&reply))
            st = custos_fail(err, CUSTOS_EINVAL,
                             "an answer came from the cache: answers are no "
                             "longer independent");
        else if (!strcmp(reply.sqlstate, BUDGET_SPENT))
            st = custos_fail(err, CUSTOS_EINVAL,
                             "the raised budget of a store is spent" HINT
                             "ask at a lower price, or fewer times");
    }
    return st;
}

/* ------------------------------------------------------------------- probing -- */

/* Errors that say something about the query or the budget, never about data. */
static bool
is_rejected(const struct reply *r)
{
    return reply_failed(r) &&
           (!strncmp(r->sqlstate, "42", 2) || !strncmp(r->sqlstate, "0A", 2) ||
            !strncmp(r->sqlstate, "22", 2) || !strncmp(r->sqlstate, "53", 2) ||
            !strncmp(r->sqlstate, "54", 2));
}

static custos_status
fail_rejected(const struct reply *r, custos_err *err)
{
    bool priced = strstr(r->message, "asked for twice") != NULL;

    return custos_fail(err, CUSTOS_EINVAL,
                       "the query is rejected: %s" HINT "%s", r->message,
                       priced ? "leave the price out of the query; --epsilon "
                                "or --rho sets it"
                              : r->hint);
}

static custos_status
check_probe(const struct reply *r, custos_err *err)
{
    if (is_rejected(r))
        return fail_rejected(r, err);
    if (!r->n_notices && !reply_failed(r))
        return custos_fail(err, CUSTOS_EINVAL,
                           "the answer costs nothing: there is no claim to "
                           "audit" HINT "ask about a private table");
    if (reply_was_cached(r))
        return custos_fail(err, CUSTOS_EINVAL,
                           "the query states its own price, so every asking "
                           "is answered from the cache" HINT
                           "leave the price out of OPTIONS, and give --epsilon "
                           "or --rho");
    return CUSTOS_OK;
}

/* Asks every store on every connection, which also warms up the servers. Groups
   that are discovered come and go, hence the spare numbers. */
static custos_status
choose_width(struct query_target *q, custos_err *err)
{
    size_t least = AUDIT_WIDTH_MAX, most = 1;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < PROBES * q->n_lanes * q->options.n_servers;
         i++) {
        struct lane *lane = q->lanes[i % q->n_lanes];
        double number[AUDIT_WIDTH_MAX];
        struct reply r;
        uint32_t code;
        size_t n;

        st = ask_once(q, &lane->clients[i / q->n_lanes % lane->n], &r, err);
        if (!st)
            st = check_probe(&r, err);
        if (st)
            break;
        n = read_output(&r, number, AUDIT_WIDTH_MAX, &code);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least != most)
        most += SPARE_NUMBERS;
    q->target.width = most < AUDIT_WIDTH_MAX ? most : AUDIT_WIDTH_MAX;
    return st;
}

/* An audit first measures how fast its target is: logins would distort that. */
static custos_status
connect_ahead(struct query_target *q, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    do {
        st = connect_lane(q, q->n_opened++, &q->lanes[q->n_lanes], err);
        q->n_lanes += !st;
    } while (!st && q->n_lanes < q->options.lanes && q->n_lanes < LANES_MAX);
    return st;
}

custos_status
query_target_new(const struct query_target_options *options,
                 struct query_target **out, custos_err *err)
{
    struct query_target *q = calloc(1, sizeof *q);
    custos_status st;

    if (!q)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    q->options = *options;
    atomic_init(&q->serial, options->first_serial);
    pthread_mutex_init(&q->lock, NULL);
    q->target = (struct audit_target){
        .name = "query",
        .width = 1,
        .timed = options->timed,
        .slow = true,
        .self = q,
        .open = take_lane,
        .sample = sample_store,
        .close = put_lane,
    };
    st = connect_ahead(q, err);
    if (!st)
        st = choose_width(q, err);
    if (st)
        query_target_free(q);
    else
        *out = q;
    return st;
}

void
query_target_free(struct query_target *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->n_lanes; i++)
        free_lane(q->lanes[i]);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

const struct audit_target *
query_target_get(const struct query_target *q)
{
    return &q->target;
}

uint64_t
query_target_serial(const struct query_target *q)
{
    return atomic_load(&q->serial);
}

/* --------------------------------------------------------------------- claim -- */

/* "epsilon 0.1, rho 0.005, delta 0": the number after a word. */
static bool
number_after(const char *text, const char *word, double *out)
{
    const char *at = strstr(text, word);
    char *end;

    if (!at)
        return false;
    *out = strtod(at + strlen(word), &end);
    return end > at + strlen(word);
}

static custos_status
read_claim(const struct reply *r, enum client_unit unit, struct claim *out,
           custos_err *err)
{
    for (size_t i = 0; i < r->rows; i++) {
        const char *line = reply_cell(r, i, 0);
        struct claim c = {0};
        double rho;

        if (!line || strncmp(line, "price ", 6) != 0)
            continue;
        number_after(line, "delta ", &c.delta);
        if (unit == PRICE_EPSILON &&
            number_after(line, "epsilon ", &c.epsilon)) {
            *out = c;
            return CUSTOS_OK;
        }
        if (unit == PRICE_RHO && number_after(line, "rho ", &rho)) {
            *out = (struct claim){.rho = rho, .delta = c.delta};
            return CUSTOS_OK;
        }
    }
    return custos_fail(
        err, CUSTOS_EINVAL,
        "EXPLAIN states no price: there is no claim to audit" HINT
        "ask about a private table, or give --claim");
}

custos_status
query_claim(const struct stranger_server *server, const char *sql,
            enum client_unit unit, double price, struct claim *out,
            custos_err *err)
{
    struct client client;
    struct reply reply;
    struct buf explain;
    custos_status st =
        client_open(server->port, 0, server->password, &client, err);

    if (st)
        return st;
    buf_init(&explain, NULL, 1 << 20);
    buf_printf(&explain, "EXPLAIN %s", sql);
    st = explain.failed
             ? custos_fail(err, CUSTOS_EINVAL, "the query is too long")
             : client_set_price(&client, unit, price, 0, err);
    if (!st)
        st = client_ask(&client, buf_text(&explain), &reply, err);
    if (!st && reply_failed(&reply))
        st = fail_rejected(&reply, err);
    if (!st)
        st = read_claim(&reply, unit, out, err);
    buf_clear(&explain);
    client_close(&client);
    return st;
}
