/*
 * THEOREM  doors-in-the-chain
 *   Who may come in changes only together with a row of the chain that says
 *   so, and the row has nothing of a password or a token.
 * SOURCE   one transaction (ledger-durable-first); the row is made of the
 *          name alone, below.
 * NEEDS    SHA-256 is one-way on 256 random bits; a SCRAM verifier does not let
 *          its holder log in (RFC 5802, section 9).
 * GIVES    after a crash door and row are both there or neither; who reads the
 *          store's ledger cannot come in by it.
 * FAILS    CUSTOS_ENAME, CUSTOS_EINVAL: nothing is written. As a charge does.
 * TESTED   doors_and_rows_are_one doors_survive_a_power_cut
 *          doors_leave_no_secret_in_the_chain
 */
#include "ledger/doors.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "ledger/inside.h"

static const char OWNER[] = "owner";

/* Columns: name, seq, verifier, token. False: not what we write. */
static bool
door_read(struct query *q, struct ledger_door *out)
{
    str name = query_bytes(q, 0), verifier = query_bytes(q, 2);

    memset(out, 0, sizeof *out);
    if (name.len >= sizeof out->name || verifier.len >= sizeof out->verifier ||
        !query_fixed(q, 3, out->token, sizeof out->token))
        return false;
    memcpy(out->name, name.ptr, name.len);
    memcpy(out->verifier, verifier.ptr, verifier.len);
    out->seq = (uint64_t)query_int(q, 1);
    return true;
}

static custos_status
fail_damage(custos_err *err)
{
    return custos_fail(err, CUSTOS_ECORRUPT,
                       "the ledger is damaged: a door is not as it was "
                       "written; put back a backup");
}

/* The door of a query that has one row or none. */
static custos_status
door_of(struct query *q, struct ledger_door *out, custos_err *err)
{
    bool found = query_next(q), whole = !found || door_read(q, out);
    custos_status st = query_end(q, err);

    if (st)
        return st;
    if (!whole)
        return fail_damage(err);
    return found ? CUSTOS_OK : custos_fail(err, CUSTOS_ENAME, "no such door");
}

static custos_status
find_name(struct db *d, str name, struct ledger_door *out, custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "SELECT name, seq, verifier, token FROM doors WHERE name = ?");
    query_put_text(&q, name);
    return door_of(&q, out, err);
}

/* Does the policy in force have this name? The owner is always there. */
static custos_status
check_name(struct ledger *l, str name, custos_err *err)
{
    custos_status st = name.len ? ledger_terms_now(l, err) : CUSTOS_OK;
    size_t ignored;

    if (!st && name.len)
        st = terms_find(l->terms, name, &ignored, err);
    return st;
}

/* ------------------------------------------------------------- looking up -- */

struct look {
    str name;
    const uint8_t *token; /* or NULL: by name */
    struct ledger_door *out;
};

static custos_status
step_find(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    struct query q;
    custos_status st;

    if (look->token) {
        query_begin(&q, l->db,
                    "SELECT name, seq, verifier, token FROM doors"
                    " WHERE token = ?");
        query_put_bytes(&q, look->token, LEDGER_TOKEN_BYTES);
        st = door_of(&q, look->out, err);
    } else {
        st = find_name(l->db, look->name, look->out, err);
    }
    return st ? st : check_name(l, str_of(look->out->name), err);
}

custos_status
ledger_door_find(struct ledger *l, str name, struct ledger_door *out,
                 custos_err *err)
{
    struct look look = {.name = name, .out = out};

    return ledger_read(l, step_find, &look, err);
}

custos_status
ledger_door_of_token(struct ledger *l, const uint8_t token[LEDGER_TOKEN_BYTES],
                     struct ledger_door *out, custos_err *err)
{
    struct look look = {.token = token, .out = out};

    return ledger_read(l, step_find, &look, err);
}

struct list {
    arena *a;
    struct ledger_door *doors;
    size_t n;
};

static custos_status
step_list(struct ledger *l, void *arg, custos_err *err)
{
    struct list *list = arg;
    size_t room = 0;
    struct query q;
    bool whole = true;
    custos_status st;

    query_begin(&q, l->db, "SELECT count(*) FROM doors");
    if (query_next(&q))
        room = (size_t)query_int(&q, 0);
    st = query_end(&q, err);
    if (st)
        return st;
    list->doors = arena_take(list->a, room + 1, sizeof *list->doors);
    if (!list->doors)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    query_begin(&q, l->db,
                "SELECT name, seq, verifier, token FROM doors ORDER BY name");
    while (whole && list->n < room && query_next(&q))
        whole = door_read(&q, &list->doors[list->n++]);
    st = query_end(&q, err);
    return st || whole ? st : fail_damage(err);
}

custos_status
ledger_doors(struct ledger *l, arena *a, struct ledger_door **out, size_t *n,
             custos_err *err)
{
    struct list list = {.a = a};
    custos_status st = ledger_read(l, step_list, &list, err);

    if (!st) {
        *out = list.doors;
        *n = list.n;
    }
    return st;
}

/* --------------------------------------------------------------- changing -- */

struct change {
    const struct ledger_door *door;
    enum ledger_door_how how;
    struct ledger_row row;
};

static custos_status
check_door(struct ledger *l, const struct change *c, custos_err *err)
{
    str name = str_of(c->door->name);
    struct ledger_door was;
    custos_status st = check_name(l, name, err), found;
    custos_err quiet;

    if (st)
        return st;
    found = find_name(l->db, name, &was, &quiet);
    if (found && found != CUSTOS_ENAME) {
        *err = quiet;
        return found;
    }
    if (c->how == LEDGER_DOOR_NEW && !found)
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.60s has a password and a token already: rotate "
                           "gives new ones",
                           name.len ? name.ptr : OWNER);
    if (c->how == LEDGER_DOOR_AGAIN && found)
        return custos_fail(err, CUSTOS_ENAME,
                           "%.60s has no password and no token: add gives them",
                           name.len ? name.ptr : OWNER);
    return CUSTOS_OK;
}

static custos_status
step_put(struct ledger *l, void *arg, custos_err *err)
{
    struct change *c = arg;
    struct query q;
    custos_status st = check_door(l, c, err);

    if (!st)
        st = ledger_append(l, &c->row, NULL, NULL, err);
    if (st)
        return st;
    query_begin(&q, l->db,
                "INSERT OR REPLACE INTO doors (name, seq, verifier, token)"
                " VALUES (?, ?, ?, ?)");
    query_put_text(&q, str_of(c->door->name));
    query_put_int(&q, (int64_t)c->row.seq);
    query_put_text(&q, str_of(c->door->verifier));
    query_put_bytes(&q, c->door->token, sizeof c->door->token);
    while (query_next(&q))
        ;
    return query_end(&q, err);
}

static custos_status
step_drop(struct ledger *l, void *arg, custos_err *err)
{
    struct change *c = arg;
    struct ledger_door was;
    struct query q;
    custos_status st = find_name(l->db, str_of(c->door->name), &was, err);

    if (st == CUSTOS_ENAME)
        return custos_fail(err, CUSTOS_ENAME,
                           "%.60s has no password and no token",
                           *c->door->name ? c->door->name : OWNER);
    if (!st)
        st = ledger_append(l, &c->row, NULL, NULL, err);
    if (st)
        return st;
    query_begin(&q, l->db, "DELETE FROM doors WHERE name = ?");
    query_put_text(&q, str_of(c->door->name));
    while (query_next(&q))
        ;
    return query_end(&q, err);
}

/* The row says what was done and to whom. */
static custos_status
change(struct ledger *l, ledger_step *step, struct change *c, const char *act,
       int64_t now, struct receipt *out, custos_err *err)
{
    custos_status st;

    c->row.kind = str_of(act);
    c->row.words = str_of(*c->door->name ? c->door->name : OWNER);
    c->row.who = str_of(OWNER);
    c->row.time = now;
    st = ledger_write(l, step, c, err);
    if (!st)
        *out = c->row.receipt;
    return st;
}

custos_status
ledger_door_put(struct ledger *l, const struct ledger_door *door,
                enum ledger_door_how how, int64_t now, struct receipt *out,
                custos_err *err)
{
    struct change c = {.door = door, .how = how};

    return change(l, step_put, &c, how == LEDGER_DOOR_NEW ? "add" : "rotate",
                  now, out, err);
}

custos_status
ledger_door_drop(struct ledger *l, str name, int64_t now, struct receipt *out,
                 custos_err *err)
{
    struct ledger_door door = {.seq = 0};
    struct change c = {.door = &door};

    if (name.len >= sizeof door.name)
        return custos_fail(err, CUSTOS_ENAME, "no name is so long");
    memcpy(door.name, name.ptr, name.len);
    return change(l, step_drop, &c, "revoke", now, out, err);
}
