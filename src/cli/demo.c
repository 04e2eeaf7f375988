/*
 * `custos demo`: a story on generated data. Two questions on a table of visits
 * are answered with noise and error bars, the promise is stated, and at the
 * end, because nobody real is in the table, what the noise did.
 *
 * The table comes from a formula, the same on every run; the noise does not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/paint.h"

#define EPSILON_COUNT "0.1"
#define EPSILON_WARDS "0.05"
#define EPSILON_BOTH "0.15"
#define BETA "0.05"

enum {
    VISITS = 10000,
    WARDS = 8,
    BAR_COLUMNS = 44,
};

static const struct ward {
    const char *name;
    unsigned share; /* of 1,000 visits */
} wards[WARDS] = {
    {"Emergency", 205}, {"Surgery", 164},    {"Cardiology", 141},
    {"Maternity", 128}, {"Children", 121},   {"Orthopaedics", 104},
    {"Neurology", 83},  {"Dermatology", 54},
};

struct visits {
    int64_t night;
    int64_t by_ward[WARDS];
};

/* What was released: the only part that may be shown. */
struct answers {
    int64_t night, night_half;
    int64_t by_ward[WARDS], ward_half;
    char theorem[64];
};

/* ----------------------------------------------------------------- data -- */

/* A fixed scatter of x (the finalizer of splitmix64). Not random. */
static uint64_t
scatter(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static void
generate(struct visits *v)
{
    memset(v, 0, sizeof *v);
    for (uint64_t patient = 1; patient <= VISITS; patient++) {
        uint64_t h = scatter(patient * 0x9e3779b97f4a7c15);
        unsigned in_ward = (unsigned)(h % 1000);
        unsigned hour = (unsigned)(h / 1000 % 100);
        size_t ward = 0;

        while (ward < WARDS - 1 && in_ward >= wards[ward].share)
            in_ward -= wards[ward++].share;
        v->by_ward[ward]++;
        v->night += hour < (ward == 0 ? 37 : 13); /* wards sleep at night */
    }
}

/* ------------------------------------------------------------- releases -- */

/* n counts through one mechanism, with the error bar that covers them all. */
static custos_status
release(custos_mech *mech, custos_rng *rng, const int64_t *exact, size_t n,
        int64_t *out, int64_t *half, custos_err *err)
{
    custos_sealed *sealed = NULL;
    double width = 0;
    custos_status st = custos_mech_error(mech, BETA, n, &width, err);

    if (!st)
        st = custos_seal_ints(NULL, exact, n, &sealed, err);
    if (!st)
        st = custos_release_ints(mech, rng, sealed, out, n, err);
    *half = (int64_t)width; /* whole for counts; public */
    custos_sealed_free(sealed);
    return st;
}

static custos_status
answer(const struct visits *v, struct answers *a, custos_err *err)
{
    custos_mech_options count = {
        .size = sizeof count,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_INTS,
        .epsilon = EPSILON_COUNT,
        .sensitivity = "1",
    };
    custos_histogram_options histogram = {
        .size = sizeof histogram,
        .kind = CUSTOS_LAPLACE,
        .adjacency = CUSTOS_ADD_REMOVE,
        .bins = WARDS,
        .epsilon = EPSILON_WARDS,
    };
    custos_mech *nights = NULL, *by_ward = NULL;
    custos_rng *rng = NULL;
    custos_status st = custos_rng_new(&rng, err);

    if (!st)
        st = custos_mech_new(NULL, &count, &nights, err);
    if (!st)
        st = custos_histogram_new(NULL, &histogram, &by_ward, err);
    if (!st)
        st = release(nights, rng, &v->night, 1, &a->night, &a->night_half, err);
    if (!st)
        st = release(by_ward, rng, v->by_ward, WARDS, a->by_ward, &a->ward_half,
                     err);
    snprintf(a->theorem, sizeof a->theorem, "%s",
             st ? "" : custos_mech_facts(by_ward)->theorem);
    custos_mech_free(nights);
    custos_mech_free(by_ward);
    custos_rng_free(rng);
    return st;
}

/* ------------------------------------------------------------ the story -- */

static void
heading(struct painter *p, const char *text, const char *note)
{
    out_text(p->o, "\n  ");
    paint(p, PAINT_BOLD);
    out_text(p->o, text);
    paint(p, PAINT_PLAIN);
    paint(p, PAINT_DIM);
    out_text(p->o, note);
    paint(p, PAINT_PLAIN);
    out_text(p->o, "\n\n");
}

static void
show_count(struct painter *p, const struct answers *a)
{
    char text[32];

    heading(p, "How many of them came at night?", "");
    write_grouped(a->night, text);
    out_text(p->o, "    ");
    paint(p, PAINT_BOLD);
    out_printf(p->o, "%s ± %" PRId64, text, a->night_half);
    paint(p, PAINT_PLAIN);
    out_printf(p->o, "   (95 %% confidence, ε = %s)\n", EPSILON_COUNT);
}

static void
show_wards(struct painter *p, const struct answers *a)
{
    char text[32];
    int64_t most = 1;

    for (size_t i = 0; i < WARDS; i++)
        if (a->by_ward[i] + a->ward_half >= most)
            most = a->by_ward[i] + a->ward_half + 1;
    heading(p, "How many visits had each ward?", "");
    for (size_t i = 0; i < WARDS; i++) {
        write_grouped(a->by_ward[i], text);
        out_printf(p->o, "    %-13s", wards[i].name);
        paint_bar(p, a->by_ward[i], a->ward_half, most, BAR_COLUMNS);
        out_printf(p->o, "%7s ± %" PRId64 "\n", text, a->ward_half);
    }
    out_printf(p->o,
               "\n    The bars ├─●─┤ hold for all wards at once (95 %%, "
               "ε = %s).\n",
               EPSILON_WARDS);
}

static void
show_promise(struct painter *p, const struct answers *a)
{
    heading(p, "What is promised", "");
    out_printf(p->o,
               "    To whom     each patient (the unit is one patient, with "
               "one visit)\n"
               "    Neighbours  the table with that patient and the table "
               "without (add/remove)\n"
               "    How much    ε = %s + %s = %s, δ = 0\n"
               "    That is     any answer above is at most e^%s < 1.17 "
               "times as likely\n"
               "                with you in the table as without you, and the "
               "reverse\n"
               "    Theorem     %s (doc/theorems.md); the noise is exactly\n"
               "                discrete Laplace, drawn in whole numbers\n",
               EPSILON_COUNT, EPSILON_WARDS, EPSILON_BOTH, EPSILON_BOTH,
               a->theorem);
}

static int64_t
distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

static void
show_truth(struct painter *p, const struct visits *v, const struct answers *a)
{
    char exact[32], said[32];
    int64_t worst = 0;
    int held = 0;

    for (size_t i = 0; i < WARDS; i++) {
        int64_t d = distance(v->by_ward[i], a->by_ward[i]);

        worst = d > worst ? d : worst;
        held += d <= a->ward_half;
    }
    heading(p, "What the noise did",
            "  (can be shown only because the data are generated)");
    write_grouped(v->night, exact);
    write_grouped(a->night, said);
    out_printf(p->o,
               "    %s visits at night became %s. The worst ward is off by "
               "%" PRId64 ";\n    %d of %d error bars hold the exact count.\n",
               exact, said, worst, held, WARDS);
}

static void
show_next(struct painter *p)
{
    heading(p, "Try next", "");
    out_text(p->o,
             "    build/custos noise discrete-laplace --scale 10 --draws 5\n"
             "    echo 42 | build/custos noise discrete-laplace --epsilon 1 "
             "\\\n        --sensitivity 1 --error --facts\n"
             "    build/custos noise --help\n\n");
}

static int
run(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    struct painter p;
    struct visits v;
    struct answers a;
    struct args args;
    custos_err err;
    custos_status st;
    int code = args_read(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    if (args.n_words)
        return fail_usage("demo takes no words; see custos demo --help");
    generate(&v);
    st = answer(&v, &a, &err);
    if (st)
        return fail_status(st, &err);
    out_init(&o, STDOUT_FILENO);
    painter_init(&p, &o);
    heading(&p, "custos", "  differential privacy with exact noise");
    out_text(&o, "  A hospital keeps a table of 10,000 visits, one for each "
                 "patient. Its owner\n"
                 "  answers questions about all of them, so that no answer "
                 "depends much on any\n"
                 "  one. (The table is generated by a formula: nobody real is "
                 "in it.)\n");
    show_count(&p, &a);
    show_wards(&p, &a);
    show_promise(&p, &a);
    show_truth(&p, &v, &a);
    show_next(&p);
    return out_end(&o);
}

const struct verb verb_demo = {
    .name = "demo",
    .summary = "two questions about generated data, answered privately",
    .usage = "demo",
    .about = "Generates a table of 10,000 hospital visits and answers a count\n"
             "and a histogram with noise and error bars. The noise is new on\n"
             "every run. Colours follow NO_COLOR.",
    .examples = "custos demo\n"
                "NO_COLOR=1 custos demo | less",
    .run = run,
};
