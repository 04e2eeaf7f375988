/*
 * Sends rows: as many as there is space for, but no more than were asked for. A
 * portal keeps those that it has not sent yet.
 */
#include <stdio.h>

#include "pg/session_inside.h"

/* Saves how much a portal has given out. True: all of it. */
static bool
portal_keep(struct held *h, const struct giving *g)
{
    struct portal *p = g->portal;

    p->at = g->at;
    if (g->at < g->rows->bytes.len)
        return false;
    held_given(h, p);
    return true;
}

static void
giving_end(struct session *s)
{
    struct giving g = s->giving;
    bool all = !g.portal || portal_keep(&s->held, &g);
    char tag[32];

    s->giving = (struct giving){0};
    s->at = AT_READY;
    if (g.how == GIVE_FETCH || g.how == GIVE_MOVE) {
        snprintf(tag, sizeof tag, "%s %llu",
                 g.how == GIVE_MOVE ? "MOVE" : "FETCH",
                 (unsigned long long)g.given);
        pg_out_complete(&s->out, tag);
    } else if (all) {
        pg_out_complete_select(&s->out, g.given);
    } else {
        pg_out_word(&s->out, PG_PORTAL_SUSPENDED);
    }
    rows_drop(g.rows);
    if (!g.portal && !s->batch.a) /* a cached answer, which has no batch */
        session_ready(s);
}

void
giving_go(struct session *s)
{
    struct giving *g = &s->giving;
    const struct buf *b = &g->rows->bytes;

    while (s->out.len < OUT_HIGH && g->at < b->len && g->given < g->most) {
        size_t end = rows_end_of(g->rows, g->at);

        if (g->how != GIVE_MOVE)
            buf_add(&s->out, b->ptr + g->at, end - g->at);
        g->at = end;
        g->given++;
    }
    if (g->at >= b->len || g->given >= g->most)
        giving_end(s);
}

void
session_give(struct session *s, struct rows *rows)
{
    s->giving = (struct giving){.rows = rows_hold(rows), .most = UINT64_MAX};
    pg_out_row_description(&s->out, rows->columns, rows->n_columns);
    s->at = AT_GIVING;
}

void
session_give_some(struct session *s, struct portal *p, enum give how,
                  uint64_t most)
{
    s->giving = (struct giving){
        .rows = rows_hold(p->rows),
        .portal = p,
        .how = how,
        .at = p->at,
        .most = most,
    };
    if (how == GIVE_FETCH && s->batch.a)
        pg_out_row_description(&s->out, p->rows->columns, p->rows->n_columns);
    s->at = AT_GIVING;
}
