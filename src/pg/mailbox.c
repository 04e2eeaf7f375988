#include "pg/mailbox.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/base.h"

struct mailbox {
    pthread_mutex_t lock;
    struct job *first, **last;
    int fd;
};

struct mailbox *
mailbox_new(void)
{
    struct mailbox *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->last = &m->first;
    m->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (m->fd < 0 || pthread_mutex_init(&m->lock, NULL)) {
        if (m->fd >= 0)
            close(m->fd);
        free(m);
        return NULL;
    }
    return m;
}

void
mailbox_free(struct mailbox *m)
{
    if (!m)
        return;
    CUSTOS_REQUIRE(!m->first);
    close(m->fd);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

int
mailbox_fd(const struct mailbox *m)
{
    return m->fd;
}

void
mailbox_put(struct mailbox *m, struct job *j)
{
    bool was_empty;

    pthread_mutex_lock(&m->lock);
    was_empty = !m->first;
    j->next = NULL;
    *m->last = j;
    m->last = &j->next;
    pthread_mutex_unlock(&m->lock);
    if (was_empty)
        eventfd_write(m->fd, 1);
}

struct job *
mailbox_take(struct mailbox *m)
{
    struct job *all;
    eventfd_t n;

    eventfd_read(m->fd, &n);
    pthread_mutex_lock(&m->lock);
    all = m->first;
    m->first = NULL;
    m->last = &m->first;
    pthread_mutex_unlock(&m->lock);
    return all;
}
