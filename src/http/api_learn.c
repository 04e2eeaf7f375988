/*
 * Two small routes: /v1/learn, open to everybody, shows the distribution of one
 * noisy answer to a toy question; /v1/me says whose token the request has.
 */
#include "http/api.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "report/learn.h"
#include "wire/json.h"

void
api_me(str who, struct http_reply *out)
{
    struct buf *b = &out->body;

    buf_printf(b, "{\"owner\":%s,\"version\":\"%s\"",
               who.len ? "false" : "true", custos_version());
    json_add_member(b, "name", who);
    buf_add_text(b, "}\n");
}

static void
add_people(struct buf *b)
{
    buf_add_text(b, "\"people\":[");
    for (size_t i = 0; i < LEARN_PEOPLE; i++)
        buf_printf(b, "%s{\"name\":\"%s\",\"answer\":%s}", i ? "," : "",
                   learn_people[i].name,
                   learn_people[i].answer ? "true" : "false");
    buf_printf(b, "],\n\"person\":\"%s\",", learn_one->name);
}

/* The distribution of the answer if its exact value is `at`. */
static void
add_law(struct buf *b, const struct learn *l, const char *name, int at)
{
    int from = l->without - l->half, to = l->with + l->half;

    buf_printf(b, ",\n\"%s\":[", name);
    for (int v = from; v <= to; v++)
        buf_printf(b, "%s\"%s\"", v > from ? "," : "", l->chance[abs(v - at)]);
    buf_add_text(b, "]");
}

static void
add_learn(struct buf *b, const struct learn *l)
{
    int from = l->without - l->half, to = l->with + l->half;

    buf_printf(b, "{\"epsilon\":\"%s\",\"question\":\"%s\",\n", l->epsilon,
               learn_question);
    add_people(b);
    buf_printf(b, "\"with\":%d,\"without\":%d,\"within\":\"%d\",\n\"values\":[",
               l->with, l->without, l->within);
    for (int v = from; v <= to; v++)
        buf_printf(b, "%s%d", v > from ? "," : "", v);
    buf_add_text(b, "]");
    add_law(b, l, "p_with", l->with);
    add_law(b, l, "p_without", l->without);
    buf_add_text(b, ",\n\"risk\":");
    api_add_risk(b, &l->risk);
    buf_add_text(b, "}\n");
}

void
api_learn(const struct http_request *r, struct http_reply *out)
{
    char epsilon[DIGITS_GIVEN_MAX] = "1";
    struct learn *l = malloc(sizeof *l);
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st =
        l ? CUSTOS_OK : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");

    if (!st && r->n_arguments)
        st = api_number(r, "epsilon", epsilon, &err);
    if (!st)
        st = learn_make(l, epsilon, &err);
    if (!st)
        add_learn(&out->body, l);
    else
        http_refuse(out, &err, str_of(""));
    free(l);
}
