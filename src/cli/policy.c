/*
 * `custos policy VERB`: what its verbs share, and `check`; the other verbs have
 * files of their own.
 */
#include "cli/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/help.h"
#include "cli/out.h"
#include "plan/from/views.h"
#include "policy/policy.h"
#include "release/zeros.h"
#include "store/secret_file.h"

enum { TEXT_MAX = 1 << 20, CONVERTED_MAX = 1 << 24, PATH_ROOM = 4096 };

static const struct verb *const subs[] = {
    &policy_verb_draft,
    &policy_verb_check,
    &policy_verb_import,
    &policy_verb_migrate,
};

/* -------------------------------------------------------------- files -- */

int
file_text(arena *a, const char *path, str *out)
{
    char *text = arena_take(a, TEXT_MAX + 1, 1);
    size_t len = 0;
    ssize_t n = 1;
    int fd;

    if (!text)
        return fail_run("out of memory");
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_usage("cannot open %.200s: %s", path, strerror(errno));
    while (n > 0 && len <= TEXT_MAX) {
        n = read(fd, text + len, TEXT_MAX + 1 - len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            len += (size_t)n;
    }
    close(fd);
    if (n < 0)
        return fail_usage("cannot read %.200s", path);
    if (len > TEXT_MAX)
        return fail_usage("%.200s is larger than %d bytes", path,
                          (int)TEXT_MAX);
    *out = (str){text, len};
    return CLI_OK;
}

int
text_put(const char *path, const char *text, size_t len)
{
    static struct out o;
    int fd = STDOUT_FILENO, code;

    if (path)
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_usage("cannot create %.200s: %s", path, strerror(errno));
    out_init(&o, fd);
    out_add(&o, text, len);
    code = out_end(&o);
    if (path && close(fd) && !code)
        code = fail_run("cannot write %.200s: %s", path, strerror(errno));
    return code;
}

int
text_convert(arena *a, const char *from, const char *to,
             custos_status (*convert)(arena *a, str text, const char *path,
                                      struct buf *out, custos_err *err))
{
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    str text;
    int code = file_text(a, from, &text);

    if (code)
        return code;
    buf_init(&out, NULL, CONVERTED_MAX);
    st = convert(a, text, from, &out, &err);
    if (st)
        code = st == CUSTOS_EPOLICY
                   ? fail_usage("%s" HINT "%s", err.said, err.hint)
                   : fail_status(st, &err);
    else if (out.failed)
        code = fail_run("out of memory");
    else
        code = text_put(to, buf_text(&out), out.len);
    buf_clear(&out);
    return code;
}

int
policy_run(const struct verb *verb, int argc, char **argv,
           enum policy_files files, const char *needs,
           int (*body)(arena *a, const struct args *args))
{
    struct args args;
    arena *a;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words == 0 || (files == FILES_ONE && args.n_words > 1))
        return fail_usage("%s %s" HINT "see custos %s --help", verb->name,
                          needs, verb->name);
    a = arena_new(NULL, POLICY_ARENA);
    if (!a)
        return fail_run("out of memory");
    code = body(a, &args);
    arena_free(a);
    return code;
}

/* -------------------------------------------------------------- check -- */

/* The path of a file that the policy at path names. */
static void
beside_policy(const char *path, str name, char file[PATH_ROOM])
{
    const char *slash = strrchr(path, '/');
    bool absolute = name.ptr[0] == '/' || !slash;

    snprintf(file, PATH_ROOM, "%.*s%.*s",
             absolute ? 0 : (int)(slash + 1 - path), path, (int)name.len,
             name.ptr);
}

/*
 * Names the sources that do not exist here. That is not an error: a policy may
 * be checked on a machine that does not have the data. Sources with wildcards
 * are left to custos init.
 */
static void
print_missing_sources(struct out *o, const char *path, const struct policy *p)
{
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];
        char file[PATH_ROOM];

        beside_policy(path, t->source, file);
        if (strpbrk(file, "*?[") || !access(file, R_OK))
            continue;
        out_printf(o,
                   "Note: the source of table '%.*s' does not exist or is not "
                   "readable here: %.400s\n",
                   (int)t->name.len, t->name.ptr, file);
    }
}

/* Says which secrets custos init would reject here, and why. */
static void
print_bad_secrets(struct out *o, const char *path, const struct policy *p)
{
    for (size_t i = 0; i < p->n_sources; i++) {
        const struct policy_source *s = &p->sources[i];
        custos_err err = CUSTOS_ERR_INIT;
        struct secret_file secret;
        char file[PATH_ROOM];

        if (s->secret_file.len == 0)
            continue;
        beside_policy(path, s->secret_file, file);
        if (secret_file_read(file, &secret, &err))
            out_printf(o, "Note: %s%s%s\n", err.said, *err.hint ? "; " : "",
                       err.hint);
        else
            secret_file_clear(&secret);
    }
}

static int
print_remarks(const char *path, const struct policy *p,
              const struct policy_remark *remarks, size_t n)
{
    static struct out o;
    struct buf said;

    out_init(&o, STDOUT_FILENO);
    for (size_t i = 0; i <= n; i++) {
        buf_init(&said, NULL, TEXT_MAX);
        if (i < n)
            policy_remark_write(&remarks[i], &said);
        else
            policy_summary_write(p, remarks, n, &said);
        out_printf(&o, "%s%s%s %s\n", i == n && n ? "\n" : "", path,
                   i < n ? "," : "", buf_text(&said));
        buf_clear(&said);
    }
    print_missing_sources(&o, path, p);
    print_bad_secrets(&o, path, p);
    out_text(&o, "The sources were not read; custos init checks that they have "
                 "these columns.\n");
    return out_end(&o);
}

static int
check_policy(arena *a, const struct args *args)
{
    const char *path = args->words[0];
    struct policy_remark *remarks = NULL;
    struct policy *p = NULL;
    size_t n = 0, dangers = 0;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    str text;
    int code = file_text(a, path, &text);

    if (code)
        return code;
    st = policy_read_all(a, text, path, &p, &remarks, &n, &err);
    if (st == CUSTOS_EPOLICY) {
        for (size_t i = 0; i < n; i++)
            code = fail_usage("%s, line %d: %s", path, remarks[i].line,
                              remarks[i].said);
        return code;
    }
    if (!st)
        st = views_check(a, p, path, &err);
    if (!st)
        st = zeros_check(a, p, path, &err);
    if (!st)
        st = policy_check(a, p, &remarks, &n, &err);
    if (st)
        return st == CUSTOS_EPOLICY
                   ? fail_usage("%s" HINT "%s", err.said, err.hint)
                   : fail_status(st, &err);
    for (size_t i = 0; i < n; i++)
        dangers += remarks[i].danger;
    code = print_remarks(path, p, remarks, n);
    return dangers ? CLI_FAILED : code;
}

static int
run_check(const struct verb *verb, int argc, char **argv)
{
    return policy_run(verb, argc, argv, FILES_ONE, "reads one file",
                      check_policy);
}

const struct verb policy_verb_check = {
    .name = "policy check",
    .summary = "read a policy and report what is missing or dangerous",
    .usage = "policy check FILE",
    .about = "Prints each finding with its line. A danger is a promise that "
             "protects less\n"
             "than it seems to; other remarks are advice. If the policy cannot "
             "be used yet, all\n"
             "mistakes are listed, including questions of a draft that are "
             "still open. Sources\n"
             "that do not exist here are named, but no source is read: custos "
             "init checks their\n"
             "columns.\n"
             "\n"
             "Exit code: 0 the policy can be used, 1 it can but has dangers, 2 "
             "it cannot.",
    .examples = "custos policy check policy.yaml",
    .run = run_check,
};

/* ----------------------------------------------------------- the verb -- */

const struct verb verb_policy = {
    .name = "policy",
    .summary = "draft, check, import or migrate a data owner's policy",
    .usage = "policy VERB [options]",
    .about = "A policy is one YAML file: the tables, whom they protect, what "
             "is public about\n"
             "their columns, the privacy budget, and who may ask. See "
             "custos-policy(5).",
    .examples = "custos policy draft patients.csv visits.parquet > "
                "policy.yaml\n"
                "custos policy check policy.yaml",
    .subs = subs,
    .n_subs = COUNT_OF(subs),
    .run = subs_run,
};
