/*
 * The ranges of truncated dates and of years.
 */
#include "evaluate/date_cut.h"
#include "num/rat_round.h"
#include "plan/type/range.h"

static int64_t
year_of(const rat *x, enum data_type type)
{
    i128 at = 0;

    CUSTOS_REQUIRE(rat_floor_i128(x, &at));
    return date_year(type, at);
}

void
range_year(struct expr *e)
{
    const struct expr *x = e->args[0];
    const struct fact *a = fact_of(x);
    struct fact *f = fact_of(e);

    if (a->known == KNOWN_DECLARED) {
        f->known = KNOWN_DECLARED;
        rat_set_i64(&f->lower, year_of(&a->lower, x->type), 1);
        rat_set_i64(&f->upper, year_of(&a->upper, x->type), 1);
    }
}

void
range_period(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);
    i128 at = 0;

    if (a->known != KNOWN_DECLARED)
        return;
    f->known = KNOWN_DECLARED;
    CUSTOS_REQUIRE(rat_floor_i128(&a->lower, &at));
    rat_set_i128(&f->lower, date_cut(e->call, e->args[0]->type, at));
    CUSTOS_REQUIRE(rat_floor_i128(&a->upper, &at));
    rat_set_i128(&f->upper, date_cut(e->call, e->args[0]->type, at));
}
