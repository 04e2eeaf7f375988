/*
 * The public handles of charges, filters and odometers. They add memory
 * management and text to the structs of charge.h, filter.h and odometer.h.
 */
#include <assert.h>

#include "account/charge.h"
#include "account/filter.h"
#include "account/odometer.h"
#include "base/sized.h"
#include "base/alloc.h"
#include "base/error.h"
#include "num/batch.h"

struct custos_charge {
    custos_alloc alloc;
    struct charge charge;
    custos_charge_facts facts;
    char text[5][AMOUNT_TEXT_MAX];
};

struct custos_filter {
    custos_alloc alloc;
    struct filter filter;
};

struct custos_odometer {
    custos_alloc alloc;
    struct odometer odometer;
};

static_assert(AMOUNT_TEXT_MAX == CUSTOS_AMOUNT_MAX, "one size of text");

static custos_status
fail_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

static custos_status
fail_null(custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
}

/* -------------------------------------------------------------- charges -- */

static custos_status
charge_from_amounts(const custos_charge_options *o, struct charge *out,
                    custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat x[4];

    if (!o->epsilon && !o->rho)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a charge needs a mechanism, epsilon or rho");
    if (o->delta_rho && !o->rho)
        return custos_fail(err, CUSTOS_EINVAL, "delta_rho needs a rho");
    rats_init(x, 4);
    if (o->epsilon)
        st = rat_read_positive(o->epsilon, "epsilon", &x[0], err);
    if (!st && o->epsilon &&
        (rat_log2_floor(&x[0]) < -66 || rat_log2_floor(&x[0]) >= 40))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon must lie between 2^-66 and 2^40");
    if (!st && o->rho)
        st = rat_read_positive(o->rho, "rho", &x[1], err);
    if (!st && o->delta)
        st = rat_read_delta(o->delta, "delta", &x[2], err);
    if (!st && o->delta_rho)
        st = rat_read_delta(o->delta_rho, "delta_rho", &x[3], err);
    if (!st)
        charge_of_amounts(o->epsilon ? &x[0] : NULL, o->rho ? &x[1] : NULL,
                          &x[2], o->delta_rho ? &x[3] : NULL, out);
    rats_clear(x, 4);
    return st;
}

static custos_status
charge_from_mechanism(const custos_charge_options *o, struct charge *out,
                      custos_err *err)
{
    struct mechanism m;
    custos_status st;

    if (o->epsilon || o->rho || o->delta || o->delta_rho)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a charge takes a mechanism or amounts, not both");
    mechanism_init(&m);
    st = mechanism_read(
        o->mechanism, o->adjacency ? o->adjacency : CUSTOS_ADD_REMOVE, &m, err);
    if (!st && !o->adjacency && mechanism_is_sampled(&m))
        st = custos_fail(
            err, CUSTOS_EINVAL,
            "a sampled mechanism is priced under add/remove only" HINT
            "set adjacency to CUSTOS_ADD_REMOVE");
    if (!st)
        charge_of_mechanism(&m, out);
    mechanism_clear(&m);
    return st;
}

static void
charge_write(custos_charge *c)
{
    amount_write(c->charge.epsilon, AMOUNT_LOSS, c->text[0]);
    amount_write(c->charge.rho, AMOUNT_LOSS, c->text[1]);
    amount_write(c->charge.mu_squared, AMOUNT_LOSS, c->text[2]);
    amount_write(c->charge.delta, AMOUNT_DELTA, c->text[3]);
    amount_write(c->charge.delta_rho, AMOUNT_DELTA, c->text[4]);
    c->facts.epsilon = c->text[0];
    c->facts.rho = c->text[1];
    c->facts.mu_squared = c->text[2];
    c->facts.delta = c->text[3];
    c->facts.delta_rho = c->text[4];
}

custos_status
custos_charge_new(const custos_alloc *alloc,
                  const custos_charge_options *options, custos_charge **out,
                  custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_charge_options o;
    custos_charge *c;
    custos_status st;

    if (!out)
        return fail_null(err);
    if (!options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set");
    c = alloc_take(&hooks, 1, sizeof *c);
    if (!c)
        return fail_memory(err);
    c->alloc = hooks;
    st = o.mechanism ? charge_from_mechanism(&o, &c->charge, err)
                     : charge_from_amounts(&o, &c->charge, err);
    if (st) {
        custos_charge_free(c);
        return st;
    }
    charge_write(c);
    *out = c;
    return CUSTOS_OK;
}

void
custos_charge_free(custos_charge *charge)
{
    custos_alloc hooks;

    if (!charge)
        return;
    hooks = charge->alloc;
    alloc_give(&hooks, charge, 1, sizeof *charge);
}

const custos_charge_facts *
custos_charge_report(const custos_charge *charge)
{
    return charge ? &charge->facts : NULL;
}

/* -------------------------------------------------------------- filters -- */

custos_status
custos_filter_new(const custos_alloc *alloc,
                  const custos_filter_options *options, custos_filter **out,
                  custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_filter *made;
    struct filter f;
    custos_status st;

    if (!out)
        return fail_null(err);
    st = filter_init(&f, options, err);
    if (st)
        return st;
    made = alloc_take(&hooks, 1, sizeof *made);
    if (!made)
        return fail_memory(err);
    made->alloc = hooks;
    made->filter = f;
    *out = made;
    return CUSTOS_OK;
}

void
custos_filter_free(custos_filter *filter)
{
    custos_alloc hooks;

    if (!filter)
        return;
    hooks = filter->alloc;
    alloc_give(&hooks, filter, 1, sizeof *filter);
}

custos_status
custos_filter_admit(custos_filter *filter, const custos_charge *charge,
                    custos_err *err)
{
    if (!filter || !charge)
        return fail_null(err);
    return filter_admit(&filter->filter, &charge->charge, err);
}

custos_status
custos_filter_report(const custos_filter *filter, custos_filter_facts *out,
                     custos_err *err)
{
    custos_filter_facts made;
    custos_status st = result_check(out, err);

    if (st)
        return st;
    if (!filter)
        return fail_null(err);
    filter_report(&filter->filter, &made);
    result_write(out, &made, sizeof made);
    return CUSTOS_OK;
}

custos_status
custos_filter_save(const custos_filter *filter,
                   uint8_t bytes[CUSTOS_FILTER_BYTES], custos_err *err)
{
    if (!filter || !bytes)
        return fail_null(err);
    filter_save(&filter->filter, bytes);
    return CUSTOS_OK;
}

custos_status
custos_filter_load(const custos_alloc *alloc, const uint8_t *bytes, size_t len,
                   custos_filter **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_filter *made;
    struct filter f;
    custos_status st;

    if (!bytes || !out)
        return fail_null(err);
    if (len != CUSTOS_FILTER_BYTES)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the state of a filter has %d bytes",
                           CUSTOS_FILTER_BYTES);
    st = filter_load(&f, bytes, err);
    if (st)
        return st;
    made = alloc_take(&hooks, 1, sizeof *made);
    if (!made)
        return fail_memory(err);
    made->alloc = hooks;
    made->filter = f;
    *out = made;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------ odometers -- */

custos_status
custos_odometer_new(const custos_alloc *alloc,
                    const custos_odometer_options *options,
                    custos_odometer **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_odometer *made;
    struct odometer o;
    custos_status st;

    if (!out)
        return fail_null(err);
    st = odometer_init(&o, options, err);
    if (st)
        return st;
    made = alloc_take(&hooks, 1, sizeof *made);
    if (!made)
        return fail_memory(err);
    made->alloc = hooks;
    made->odometer = o;
    *out = made;
    return CUSTOS_OK;
}

void
custos_odometer_free(custos_odometer *odometer)
{
    custos_alloc hooks;

    if (!odometer)
        return;
    hooks = odometer->alloc;
    alloc_give(&hooks, odometer, 1, sizeof *odometer);
}

custos_status
custos_odometer_add(custos_odometer *odometer, const custos_charge *charge,
                    custos_err *err)
{
    if (!odometer || !charge)
        return fail_null(err);
    odometer_add(&odometer->odometer, &charge->charge);
    return CUSTOS_OK;
}

custos_status
custos_odometer_read(const custos_odometer *odometer,
                     custos_odometer_facts *out, custos_err *err)
{
    custos_odometer_facts made = CUSTOS_ODOMETER_FACTS_INIT;
    custos_status st = result_check(out, err);
    const struct odometer *o;

    if (st)
        return st;
    if (!odometer)
        return fail_null(err);
    o = &odometer->odometer;
    amount_write(odometer_epsilon(o), AMOUNT_LOSS, made.epsilon);
    amount_write(odometer_delta(o), AMOUNT_DELTA, made.delta);
    amount_write(o->epsilon_sum, AMOUNT_LOSS, made.epsilon_sum);
    amount_write(o->rho_sum, AMOUNT_LOSS, made.rho_sum);
    made.theorem = "odometer-grid";
    result_write(out, &made, sizeof made);
    return CUSTOS_OK;
}
