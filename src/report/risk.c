#include "report/risk.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "num/batch.h"
#include "num/rat_round.h"

enum { SENTENCE_MAX = 512 };

/* How much a test finds: 1 - fnr at 5 % false positives. fnr is rounded down,
   so this is rounded up. */
static void
discovered_write(struct risk_told *t)
{
    rat x[2];

    rats_init(x, 2);
    rat_set_i64(&x[0], 1, 1);
    CUSTOS_REQUIRE(!rat_read(t->missed, "fnr", &x[1], NULL));
    rat_sub(&x[0], &x[0], &x[1]);
    rat_decimal(&x[0], RAT_UP, t->found);
    rats_clear(x, 2);
}

custos_status
risk_report(const custos_risk *risk, struct risk_told *t, custos_err *err)
{
    static const char *const fpr = "0.05";
    custos_status st;

    t->facts = (custos_risk_facts)CUSTOS_RISK_FACTS_INIT;
    st = custos_risk_report(risk, t->prior, t->people, &t->facts, err);
    if (!st)
        st = custos_risk_fnr(risk, &fpr, 1, &t->missed, err);
    if (!st)
        st = custos_risk_corners(risk, t->corners, RISK_CORNERS_MAX,
                                 &t->n_corners, err);
    if (!st)
        discovered_write(t);
    return st;
}

custos_status
risk_of_promise(const char *epsilon_given, const char *delta_given,
                custos_risk **out, char epsilon[RISK_TEXT_MAX],
                char delta[RISK_TEXT_MAX], custos_err *err)
{
    custos_risk *risk = NULL;
    custos_status st =
        custos_risk_new(NULL, epsilon_given, delta_given, &risk, err);
    rat x[2];

    if (st)
        return st;
    custos_risk_free(risk);
    rats_init(x, 2);
    CUSTOS_REQUIRE(!rat_read(epsilon_given, "epsilon", &x[0], NULL));
    if (delta_given)
        CUSTOS_REQUIRE(!rat_read(delta_given, "delta", &x[1], NULL));
    rat_decimal(&x[0], RAT_UP, epsilon);
    rat_decimal(&x[1], RAT_UP, delta);
    rats_clear(x, 2);
    return custos_risk_new(NULL, epsilon, delta, out, err);
}

/* ------------------------------------------------------------- sentences -- */

struct speech {
    risk_say *say;
    void *ctx;
    char text[SENTENCE_MAX];
};

static void CUSTOS_PRINTF(3, 4)
    speak(struct speech *s, const char *under, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->text, sizeof s->text, format, args);
    va_end(args);
    s->say(s->ctx, under, s->text);
}

/* What an attacker tries to find out. */
static const char *
secret_of(const struct risk_told *t)
{
    return t->adjacency == CUSTOS_CHANGE_ONE
               ? "which of two versions of your data was used"
               : "whether you took part";
}

static void
say_guess(struct speech *s, const struct risk_told *t)
{
    char guess[DIGITS_MAX], advantage[DIGITS_MAX];

    percent_up(t->facts.guess, 4, guess);
    digits_up(t->facts.advantage, 4, advantage);
    if (t->of == RISK_OF_NOTHING)
        speak(s, "Guessing",
              "Nothing has been answered %s nobody can tell %s better than by "
              "tossing a coin.",
              t->own ? "to this analyst yet: apart from answers to others,"
                     : "yet:",
              secret_of(t));
    else if (t->of == RISK_OF_ANSWERS)
        speak(s, "Guessing",
              "Someone who sees all answers %s can tell %s with at most %s %% "
              "success; a coin reaches 50 %%.",
              t->own ? "to this analyst so far, and no others," : "so far",
              secret_of(t), guess);
    else
        speak(s, "Guessing",
              "Someone who knows everything except %s guesses right with at "
              "most %s %%; a coin reaches 50 %%. (Advantage over chance: %s.)",
              secret_of(t), guess, advantage);
}

static void
say_belief(struct speech *s, const struct risk_told *t)
{
    const custos_risk_facts *f = &t->facts;
    char most[DIGITS_MAX], least[DIGITS_MAX], shift[DIGITS_MAX];

    percent_up(f->posterior_most, 4, most);
    percent_down(f->posterior_least, 4, least);
    digits_up(f->posterior_shift, 4, shift);
    speak(s, "Belief",
          "A belief of %.40s in anything about you rises to at most %s %% and "
          "falls to at least %s %%.",
          t->prior ? t->prior : "1/2", most, least);
    if (strcmp(shift, "1") != 0)
        speak(s, "Belief",
              "Any belief moves by at most %s from what it would be without "
              "your data.",
              shift);
}

static void
say_people(struct speech *s, const struct risk_told *t)
{
    char exposed[DIGITS_MAX];

    if (!t->facts.exposed[0])
        return;
    digits_up(t->facts.exposed, 4, exposed);
    speak(s, "People",
          "A release that publishes each person's data with probability delta "
          "keeps this promise too: it would expose %s of %s people on "
          "average.%s",
          exposed, t->people,
          t->facts.delta_too_large
              ? " That is one or more: delta promises nothing."
              : " (Keep that far below 1.)");
}

void
risk_sentences(const struct risk_told *t, risk_say *say, void *ctx)
{
    struct speech s = {.say = say, .ctx = ctx};
    char found[DIGITS_MAX], factor[DIGITS_MAX], delta[DIGITS_MAX];

    say_guess(&s, t);
    if (t->of == RISK_OF_NOTHING)
        return;
    percent_up(t->found, 4, found);
    digits_up(t->facts.utility_factor, 4, factor);
    digits_up(t->delta, 6, delta);
    speak(
        &s, "Testing",
        "A test that wrongly flags 5 %% of those who are absent finds at most "
        "%s %% of those who are present.",
        found);
    say_belief(&s, t);
    speak(&s, "Consequences",
          "Any consequence, good or bad, becomes at most %s times as likely as "
          "without your data.",
          factor);
    if (strcmp(t->delta, "0") != 0)
        speak(&s, "Chance",
              "With probability %s, belief and consequences have no bound.",
              delta);
    if (t->of == RISK_OF_ANSWERS)
        speak(&s, "Spending",
              "These bounds hold for spending of this size that was fixed in "
              "advance, as a budget is.");
    say_people(&s, t);
}
