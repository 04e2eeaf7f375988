/*
 * `custos noise`: the exact noise of the library on the command line. Finds the
 * law and the mode; draws and releases have a file each.
 */
#include "cli/noise.h"

#include <string.h>

#include "base/base.h"
#include "cli/help.h"

static const struct option options[NOISE_OPTIONS] = {
    [NOISE_SCALE] = {"scale", "NUMBER",
                     "of the Laplace and geometric laws, 2^-20 to 2^60"},
    [NOISE_SIGMA] = {"sigma", "NUMBER", "of the Gaussian law, 2^-20 to 2^60"},
    [NOISE_P] = {"p", "NUMBER", "of bernoulli: 1 with probability p"},
    [NOISE_X] = {"x", "NUMBER", "of bernoulli-exp: 1 with probability exp(-x)"},
    [NOISE_N] = {"n", "NUMBER", "of uniform: 0 to n-1, n up to 2^64"},
    [NOISE_DRAWS] = {"draws", "COUNT", "print this many draws; read no input"},
    [NOISE_EPSILON] = {"epsilon", "NUMBER", "epsilon of the promise, above 0"},
    [NOISE_DELTA] = {"delta", "NUMBER",
                     "delta of the promise (Gaussian), between 0 and 1"},
    [NOISE_SENSITIVITY] =
        {"sensitivity", "NUMBER",
         "how far one person can move all the values together:\n"
         "l1 distance (Laplace), Euclidean distance (Gaussian)"},
    [NOISE_SENSITIVITY_SQUARED] =
        {"sensitivity-squared", "N",
         "of the Gaussian, squared: exact where the root is not"},
    [NOISE_CHANGES] = {"changes", "one|several",
                       "how many of the values one person can move\n"
                       "(several, if there are several)"},
    [NOISE_CALIBRATION] =
        {"calibration", "HOW",
         "how to find sigma: exact, analytic, classical, zcdp"},
    [NOISE_REAL] = {"real", NULL,
                    "the values are decimals, released on a public grid"},
    [NOISE_GRID] = {"grid", "NUMBER",
                    "the grid, a power of two (follows from the options)"},
    [NOISE_LOWER] = {"lower", "NUMBER",
                     "clamp released values to this minimum"},
    [NOISE_UPPER] = {"upper", "NUMBER", "and to this maximum"},
    [NOISE_ERROR] = {"error", NULL, "print the error bar of each value"},
    [NOISE_CONFIDENCE] = {"confidence", "PERCENT",
                          "of the error bar, above 0 and below 100 (95)"},
    [NOISE_SIMULTANEOUS] = {"simultaneous", NULL,
                            "the error bar holds for all values at once"},
    [NOISE_FACTS] = {"facts", NULL,
                     "first print the guarantee, in lines that begin with #"},
    [NOISE_JSON] = {"json", NULL, "print one JSON object, numbers as text"},
};

static const struct noise_law laws[] = {
    {"discrete-laplace", CUSTOS_DISCRETE_LAPLACE, NOISE_SCALE, CUSTOS_LAPLACE},
    {"discrete-gaussian", CUSTOS_DISCRETE_GAUSSIAN, NOISE_SIGMA,
     CUSTOS_GAUSSIAN},
    {"geometric", CUSTOS_GEOMETRIC, NOISE_SCALE, 0},
    {"two-sided-geometric", CUSTOS_TWO_SIDED_GEOMETRIC, NOISE_SCALE,
     CUSTOS_LAPLACE},
    {"bernoulli", CUSTOS_BERNOULLI, NOISE_P, 0},
    {"bernoulli-exp", CUSTOS_BERNOULLI_EXP, NOISE_X, 0},
    {"uniform", CUSTOS_UNIFORM, NOISE_N, 0},
};

const char *
noise_option_name(enum noise_option option)
{
    return options[option].name;
}

static int
law_find(const char *name, const struct noise_law **law)
{
    const char *names[COUNT_OF(laws)], *guess;

    for (size_t i = 0; i < COUNT_OF(laws); i++) {
        names[i] = laws[i].name;
        if (!strcmp(name, laws[i].name)) {
            *law = &laws[i];
            return CLI_OK;
        }
    }
    guess = nearest(name, names, COUNT_OF(laws));
    if (guess)
        return fail_usage("there is no law %.60s" HINT "did you mean %s?", name,
                          guess);
    return fail_usage("there is no law %.60s" HINT "see custos noise --help",
                      name);
}

/* The parameters of other laws are refused, not ignored. */
static int
check_parameters(const struct noise_law *law, const struct args *args)
{
    for (enum noise_option i = NOISE_SCALE; i <= NOISE_N; i++)
        if (args->given[i] && i != law->parameter)
            return fail_usage("%s takes --%s, not --%s", law->name,
                              options[law->parameter].name, options[i].name);
    return CLI_OK;
}

static int
run_noise(const struct verb *verb, int argc, char **argv)
{
    const struct noise_law *law = NULL;
    struct args args;
    int code = args_read(verb, argc, argv, &args);

    if (code)
        return code;
    if (args.help)
        return help_of_verb(verb);
    if (args.n_words == 0)
        return fail_usage("noise needs a law, such as discrete-laplace" HINT
                          "see custos noise --help");
    if (args.n_words > 1)
        return fail_usage("unexpected word %.60s after the law", args.words[1]);
    code = law_find(args.words[0], &law);
    if (!code)
        code = check_parameters(law, &args);
    if (code)
        return code;
    if (args.given[NOISE_DRAWS])
        return noise_draws(law, &args);
    if (!law->kind)
        return fail_usage("%s can only be drawn from" HINT "give --draws COUNT",
                          law->name);
    return noise_release(law, &args);
}

const struct verb verb_noise = {
    .name = "noise",
    .summary = "draw exact noise, or add it to your numbers",
    .usage = "noise LAW --PARAMETER NUMBER --draws COUNT\n"
             "noise LAW --epsilon NUMBER --sensitivity NUMBER <values",
    .about =
        "The first form prints draws. LAW is discrete-laplace, geometric,\n"
        "two-sided-geometric (each with --scale), discrete-gaussian "
        "(--sigma),\n"
        "bernoulli (--p), bernoulli-exp (--x) or uniform (--n).\n"
        "\n"
        "The second form reads values from standard input, one per line, and\n"
        "prints each with noise. LAW is discrete-laplace, which is\n"
        "epsilon-private, or discrete-gaussian, which is (epsilon, delta)-\n"
        "private. --scale or --sigma may replace one of epsilon and delta.\n"
        "If a line is not a number, nothing is printed.\n"
        "\n"
        "custos noise KEEPS NO BUDGET: if you run it twice on the same data,\n"
        "you have spent twice. It trusts the sensitivity that you give.",
    .examples =
        "custos noise discrete-laplace --scale 1000 --draws 10\n"
        "custos noise discrete-gaussian --sigma 2.5 --draws 3 --json\n"
        "echo 1834 | custos noise discrete-laplace --epsilon 0.5 \\\n"
        "    --sensitivity 1 --error\n"
        "printf '410\\n95\\n7\\n' | custos noise discrete-gaussian --epsilon 1 "
        "\\\n    --delta 1e-6 --sensitivity 1 --changes one --error "
        "--simultaneous\n"
        "echo 36.65 | custos noise discrete-laplace --real --epsilon 1 \\\n"
        "    --sensitivity 1/10 --facts",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_noise,
};
