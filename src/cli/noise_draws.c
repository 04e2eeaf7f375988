/*
 * `custos noise LAW --draws N`: prints draws, one per line, in batches.
 */
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/document.h"
#include "cli/noise.h"
#include "cli/progress.h"

enum { BATCH = 4096 };

/* At a few million per second this takes days; a larger number must be a typing
   error. */
static const uint64_t draws_max = 1000000000000;

static int
read_count(const char *text, uint64_t *count)
{
    uint64_t n = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9' && n <= draws_max; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    if (*p || p == text || n == 0 || n > draws_max)
        return fail_usage("--draws must be a whole number from 1 to "
                          "1000000000000, not %.60s",
                          text);
    *count = n;
    return CLI_OK;
}

/* Options of releases do not apply to draws. */
static int
refuse_release_options(const struct args *args)
{
    for (enum noise_option i = NOISE_DRAWS + 1; i < NOISE_JSON; i++)
        if (args->given[i])
            return fail_usage("--%s is for releasing values, not for --draws",
                              noise_option_name(i));
    return CLI_OK;
}

static void
print_batch(struct out *o, const custos_wide *draws, size_t n)
{
    char text[48];

    for (size_t i = 0; i < n; i++) {
        size_t len = custos_wide_write(draws[i], text);

        text[len++] = '\n';
        out_add(o, text, len);
    }
}

static void
json_batch(struct document *d, const custos_wide *draws, size_t n)
{
    char text[48];

    for (size_t i = 0; i < n; i++) {
        size_t len = custos_wide_write(draws[i], text);

        json_add_text(&d->json, NULL, (str){text, len});
    }
    document_flush(d);
}

static void
json_head(struct document *d, struct out *o, const struct noise_law *law,
          const char *parameter)
{
    document_begin(d, o);
    json_add_text(&d->json, "law", str_of(law->name));
    json_add_text(&d->json, noise_option_name(law->parameter),
                  str_of(parameter));
    json_begin_list(&d->json, "draws");
}

static int
print_draws(const struct noise_law *law, const struct args *args,
            const custos_noise *noise, custos_rng *rng, uint64_t count)
{
    static struct out o;
    static custos_wide draws[BATCH];
    bool json = args->given[NOISE_JSON];
    struct progress progress;
    struct document d;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;

    out_init(&o, STDOUT_FILENO);
    progress_start(&progress, count);
    if (json)
        json_head(&d, &o, law, args->given[law->parameter]);
    for (uint64_t done = 0; done < count && !o.error;) {
        size_t n = count - done < BATCH ? (size_t)(count - done) : BATCH;

        st = custos_noise_draw_wide(noise, rng, draws, n, &err);
        if (st)
            break;
        if (json)
            json_batch(&d, draws, n);
        else
            print_batch(&o, draws, n);
        done += n;
        progress_step(&progress, done);
    }
    progress_end(&progress);
    wipe(draws, sizeof draws);
    if (json) {
        json_end(&d.json);
        document_end(&d);
    }
    return st ? fail_status(st, &err) : out_end(&o);
}

int
noise_draws(const struct noise_law *law, const struct args *args)
{
    custos_noise *noise = NULL;
    custos_rng *rng = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    uint64_t count = 0;
    int code = refuse_release_options(args);

    if (!code && !args->given[law->parameter])
        code = fail_usage("%s needs --%s", law->name,
                          noise_option_name(law->parameter));
    if (!code)
        code = read_count(args->given[NOISE_DRAWS], &count);
    if (code)
        return code;
    st = custos_noise_new(NULL, law->law, args->given[law->parameter], &noise,
                          &err);
    if (!st)
        st = custos_rng_new(&rng, &err);
    if (st)
        code = fail_status(st, &err);
    else
        code = print_draws(law, args, noise, rng, count);
    custos_rng_free(rng);
    custos_noise_free(noise);
    return code;
}
