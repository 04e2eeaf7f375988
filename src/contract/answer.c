/* Answers and plans. */
#include "contract/inside.h"

static void
add_column(struct json *j, str name, enum data_type type, bool is_key)
{
    json_add_text(j, "name", name);
    json_add_text(j, "type", str_of(data_type_name(type)));
    json_add_bool(j, "key", is_key);
}

static void
add_columns(struct json *j, const struct answer *a)
{
    json_begin_list(j, "columns");
    for (size_t i = 0; i < a->n_columns; i++) {
        const struct answer_column *c = &a->columns[i];

        json_begin(j, NULL);
        add_column(j, c->name, c->type, c->is_key);
        json_end(j);
    }
    json_end(j);
}

static void
add_cell(struct json *j, const struct answer_cell *c)
{
    json_begin(j, NULL);
    json_add_datum(j, "value", &c->value);
    if (c->has_bar) {
        json_add_datum(j, "low", &c->low);
        json_add_datum(j, "high", &c->high);
    }
    json_end(j);
}

static void
add_rows(struct json *j, const struct answer *a)
{
    json_begin_list(j, "rows");
    for (size_t i = 0; i < a->n_rows; i++) {
        json_begin_list(j, NULL);
        for (size_t k = 0; k < a->n_columns; k++)
            add_cell(j, &a->cells[i * a->n_columns + k]);
        json_end(j);
    }
    json_end(j);
}

static void
add_amount(struct json *j, const char *name, str text)
{
    json_add_text(j, name, text.len ? text : str_of("0"));
}

static void
add_cost(struct json *j, const struct answer *a)
{
    json_begin(j, "cost");
    add_amount(j, "epsilon", a->epsilon);
    add_amount(j, "rho", a->rho);
    add_amount(j, "delta", a->delta);
    json_end(j);
    json_add_lines(j, "remarks", a->remarks);
    json_add_lines(j, "expected", a->expected);
    json_add_lines(j, "warnings", a->warnings);
}

void
contract_remaining(struct json *j, const char *name,
                   const struct ledger_remaining *remaining)
{
    if (!remaining) {
        json_add_null(j, name);
        return;
    }
    json_begin(j, name);
    json_add_text(j, "epsilon", str_of(remaining->epsilon));
    json_end(j);
}

void
contract_answer(struct json *j, const struct answer *a,
                const struct ledger_remaining *remaining)
{
    const char *kind = a->explained     ? "plan"
                       : a->is_released ? "released"
                       : a->is_public   ? "public"
                                        : "private";

    add_columns(j, a);
    add_rows(j, a);
    json_add_text(j, "kind", str_of(kind));
    json_add_bool(j, "stored", a->stored);
    json_add_text(j, "confidence", str_of("0.95"));
    add_cost(j, a);
    contract_remaining(j, "remaining", remaining);
    if (a->explained || a->is_public)
        json_add_null(j, "receipt");
    else
        contract_receipt(j, "receipt", &a->receipt);
}

/* If the answer is stored, asking again is free and leaves the budget as it
   is. */
static void
add_forecast(struct json *j, const struct forecast *f,
             const struct ledger_remaining *remaining)
{
    const struct ledger_remaining *after = f->stored ? remaining : &f->after;

    contract_remaining(j, "after", remaining && f->can_pay ? after : NULL);
    json_add_bool(j, "stored", f->stored);
    if (f->reply_us)
        json_add_seconds(j, "reply_seconds", f->reply_us);
    else
        json_add_null(j, "reply_seconds");
}

void
contract_plan(struct json *j, const struct answer *a,
              const struct description *d,
              const struct ledger_remaining *remaining)
{
    json_begin_list(j, "columns");
    for (size_t i = 0; i < d->n_columns; i++) {
        const struct description_column *c = &d->columns[i];

        json_begin(j, NULL);
        add_column(j, c->name, c->type, c->is_key);
        json_add_datum(j, "within", &c->within);
        json_add_datum(j, "relative", &c->relative);
        json_end(j);
    }
    json_end(j);
    json_add_bool(j, "released", a->is_released);
    json_begin_list(j, "plan");
    for (size_t i = 0; i < a->n_rows; i++)
        json_add_datum(j, NULL, &a->cells[i * a->n_columns].value);
    json_end(j);
    add_cost(j, a);
    contract_remaining(j, "remaining", remaining);
    add_forecast(j, &a->forecast, remaining);
}

static void
add_batch_cost(struct json *j, const struct ask_batch_cost *cost,
               const struct ledger_remaining *remaining)
{
    json_begin(j, "cost");
    json_add_text(j, "epsilon", str_of(cost->epsilon));
    json_add_text(j, "rho", str_of(cost->rho));
    json_add_text(j, "delta", str_of(cost->delta));
    json_end(j);
    contract_remaining(j, "remaining", remaining);
}

void
contract_batch(struct json *j, const struct ask_batch *b,
               const struct ledger_remaining *remaining)
{
    json_begin_list(j, "answers");
    for (size_t i = 0; i < b->n; i++) {
        json_begin(j, NULL);
        contract_answer(j, b->items[i].answer, NULL);
        json_end(j);
    }
    json_end(j);
    add_batch_cost(j, &b->cost, remaining);
}

void
contract_batch_plan(struct json *j, const struct ask_batch *b,
                    const struct description *descriptions,
                    const struct ledger_remaining *remaining)
{
    json_begin_list(j, "plans");
    for (size_t i = 0; i < b->n; i++) {
        json_begin(j, NULL);
        contract_plan(j, b->items[i].answer, &descriptions[i], remaining);
        json_end(j);
    }
    json_end(j);
    add_batch_cost(j, &b->cost, remaining);
    add_forecast(j, &b->forecast, remaining);
}
