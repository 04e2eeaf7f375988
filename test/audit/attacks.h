/* What the tests of the attacks share. */
#ifndef TEST_AUDIT_ATTACKS_H
#define TEST_AUDIT_ATTACKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/attack/attack.h"
#include "audit/bound.h"

/*
 * The noise of custos cannot be seeded, so a test of it can fail by chance: each
 * bound below is taken at this level. Naive servers and secrets have fixed seeds.
 */
#define FALSE_ALARM 1e-9

/* Runs an attack quickly and checks its report: every text is there, every share of
   custos is below its ceiling. */
static inline void
run_attack(const struct attack *attack, const char *command,
           struct attack_report *r)
{
    const struct attack_options options = {
        .seed = 1, .quick = true, .command = command};
    custos_err err = CUSTOS_ERR_INIT;

    memset(r, 0, sizeof *r);
    assert_int_equal(attack->run(&options, r, &err), CUSTOS_OK);
    assert_true(r->title[0] && r->knows[0] && r->means[0] && r->picture[0]);
    assert_true(r->n_rows >= 2);
    for (size_t i = 0; i < r->n_rows; i++) {
        assert_true(r->rows[i].who[0]);
        assert_false(attack_broken(&r->rows[i])); /* ATTACK_BLAME a row */
    }
    for (size_t i = 0; i < r->n_curves; i++)
        assert_true(r->curves[i].n >= 2);
}

/* The first row of a server. */
static inline const struct attack_row *
row_of(const struct attack_report *r, enum attack_server server)
{
    for (size_t i = 0; i < r->n_rows; i++)
        if (r->rows[i].server == server)
            return &r->rows[i];
    fail_msg("no such row");
    return NULL;
}

#endif
