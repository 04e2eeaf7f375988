/*
 * Two small routes: /v1/learn, open to everybody, shows the distribution of one
 * noisy answer to a toy question; /v1/me says whose token the request has.
 */
#include "http/api.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "contract/contract.h"
#include "report/learn.h"

void
api_me(str who, struct http_reply *out)
{
    struct json j;

    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    json_add_text_or_null(&j, "name", who);
    json_add_bool(&j, "owner", !who.len);
    json_add_text(&j, "version", str_of(custos_version()));
    json_end(&j);
}

static void
add_people(struct json *j)
{
    json_begin_list(j, "people");
    for (size_t i = 0; i < LEARN_PEOPLE; i++) {
        json_begin(j, NULL);
        json_add_text(j, "name", str_of(learn_people[i].name));
        json_add_bool(j, "answer", learn_people[i].answer);
        json_end(j);
    }
    json_end(j);
    json_add_text(j, "person", str_of(learn_one->name));
}

/* The distribution of the answer if its exact value is `at`. */
static void
add_law(struct json *j, const struct learn *l, const char *name, int at)
{
    json_begin_list(j, name);
    for (int v = l->without - l->half; v <= l->with + l->half; v++)
        json_add_text(j, NULL, str_of(l->chance[abs(v - at)]));
    json_end(j);
}

static void
add_learn(struct json *j, const struct learn *l)
{
    char within[16];

    snprintf(within, sizeof within, "%d", l->within);
    json_add_text(j, "epsilon", str_of(l->epsilon));
    json_add_text(j, "question", str_of(learn_question));
    add_people(j);
    json_add_int(j, "with", l->with);
    json_add_int(j, "without", l->without);
    json_begin_list(j, "values");
    for (int v = l->without - l->half; v <= l->with + l->half; v++)
        json_add_int(j, NULL, v);
    json_end(j);
    add_law(j, l, "p_with", l->with);
    add_law(j, l, "p_without", l->without);
    json_add_text(j, "within", str_of(within));
    json_begin(j, "risk");
    contract_risk(j, &l->risk);
    json_end(j);
}

void
api_learn(const struct http_request *r, struct http_reply *out)
{
    char epsilon[DIGITS_GIVEN_MAX] = "1";
    struct learn *l = malloc(sizeof *l);
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st =
        l ? CUSTOS_OK : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");

    if (!st && r->n_arguments)
        st = api_number(r, "epsilon", epsilon, &err);
    if (!st)
        st = learn_make(l, epsilon, &err);
    if (!st) {
        json_init(&j, &out->body, JSON_LINES);
        json_begin(&j, NULL);
        add_learn(&j, l);
        json_end(&j);
    } else {
        http_refuse(out, &err, str_of(""));
    }
    free(l);
}
