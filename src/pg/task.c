#include "pg/task.h"

#include <stdlib.h>

enum { TASK_BYTES = 1 << 26 };

struct task *
task_new(enum task_kind kind)
{
    struct task *t = calloc(1, sizeof *t);

    if (t && !(t->a = arena_new(NULL, TASK_BYTES))) {
        free(t);
        t = NULL;
    }
    if (t)
        t->kind = kind;
    return t;
}

void
task_free(struct task *t)
{
    if (!t)
        return;
    share_change(t->share, SHARE_MESSAGES, &t->counted, 0);
    share_drop(t->share);
    answer_free(t->q.answer);
    rows_drop(t->rows);
    arena_free(t->a);
    wipe(t, sizeof *t);
    free(t);
}

str
task_copy(struct task *t, str text)
{
    return (str){arena_copy(t->a, text), text.len};
}
