/*
 * Parses the command line according to a verb's table. For an unknown name,
 * suggests the nearest known one.
 */
#include "cli/args.h"

#include <string.h>

enum { NAME_MAX_LEN = 40 };

static int
fail_unknown(const struct verb *verb, const char *arg, size_t len)
{
    const char *names[ARGS_OPTIONS_MAX], *guess;
    char name[NAME_MAX_LEN + 1];
    size_t dashes = strspn(arg, "-");
    size_t bare = len - (dashes < len ? dashes : len);

    if (bare > NAME_MAX_LEN)
        bare = NAME_MAX_LEN;
    memcpy(name, arg + len - bare, bare);
    name[bare] = '\0';
    for (size_t i = 0; i < verb->n_options; i++)
        names[i] = verb->options[i].name;
    guess = nearest(name, names, verb->n_options);
    if (guess)
        return fail_usage("unknown option %.*s" HINT "did you mean --%s?",
                          len > 60 ? 60 : (int)len, arg, guess);
    return fail_usage("unknown option %.*s" HINT "see custos %s --help",
                      len > 60 ? 60 : (int)len, arg, verb->name);
}

/* Does the name of its value end in "..."? */
static bool
may_repeat(const struct option *option)
{
    size_t len = option->value ? strlen(option->value) : 0;

    return len > 3 && !strcmp(option->value + len - 3, "...");
}

static int
add_many(const struct option *option, struct args *args, const char *value)
{
    if (args->n_many == ARGS_MANY_MAX)
        return fail_usage("--%s is given more than %d times", option->name,
                          (int)ARGS_MANY_MAX);
    args->many[args->n_many++] = value;
    return CLI_OK;
}

/* Reads the option at argv[*i]; advances *i if its value is the next word. */
static int
read_option(const struct verb *verb, int argc, char **argv, int *i,
            struct args *args)
{
    const char *arg = argv[*i], *equals = strchr(arg, '=');
    size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
    const struct option *option = NULL;
    size_t at = 0;

    for (; at < verb->n_options && !option; at++) {
        const char *name = verb->options[at].name;

        if ((len == strlen(name) + 2 && !memcmp(arg, "--", 2) &&
             !memcmp(arg + 2, name, len - 2)) ||
            (!strcmp(arg, "-f") && !strcmp(name, "file")))
            option = &verb->options[at];
    }
    if (!option)
        return fail_unknown(verb, arg, len);
    at--;
    if (args->given[at] && !may_repeat(option))
        return fail_usage("--%s is given twice", option->name);
    args->given[at] = NULL;
    if (!option->value && equals)
        return fail_usage("--%s takes no value", option->name);
    if (!option->value) {
        args->given[at] = "";
        return CLI_OK;
    }
    if (equals)
        args->given[at] = equals + 1;
    else if (*i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        args->given[at] = argv[++*i];
    if (!args->given[at] || !args->given[at][0])
        return fail_usage("--%s needs a value (%s)", option->name,
                          option->value);
    return may_repeat(option) ? add_many(option, args, args->given[at])
                              : CLI_OK;
}

int
args_read(const struct verb *verb, int argc, char **argv, struct args *args)
{
    bool options = true;
    int code;

    memset(args, 0, sizeof *args);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            args->help = true;
            return CLI_OK;
        }
    for (int i = 1; i < argc; i++) {
        if (options && !strcmp(argv[i], "--")) {
            options = false;
        } else if (options && argv[i][0] == '-') {
            code = read_option(verb, argc, argv, &i, args);
            if (code)
                return code;
        } else if (args->n_words == ARGS_WORDS_MAX) {
            return fail_usage("too many words" HINT "see custos %s --help",
                              verb->name);
        } else {
            args->words[args->n_words++] = argv[i];
        }
    }
    return CLI_OK;
}

int
args_read_options(const struct verb *verb, int argc, char **argv,
                  struct args *args)
{
    int code = args_read(verb, argc, argv, args);

    if (!code && !args->help && args->n_words > 0)
        return fail_usage("unexpected word %.60s" HINT "see custos %s --help",
                          args->words[0], verb->name);
    return code;
}
