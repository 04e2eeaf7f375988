/*
 * Belief propagation on the junction tree (Lauritzen, Spiegelhalter 1988), in
 * logarithms on the way up and in probabilities on the way down.
 *
 * Up: a node adds the potentials of its cliques and the messages of its children,
 * takes exp of the sum less its largest cell, and sends the logarithms of the
 * sums over its separator. The factor that this drops is made up for at the end,
 * where the root is scaled to the total. Down: a node is multiplied by what its
 * parent says about the separator, divided by what it said itself.
 *
 * Each cell is read twice on the way up (sum; exp) and once on the way down.
 */
#include <math.h>
#include <string.h>

#include "synth/model.h"

/* Tables beside that of a node; handed over when there are enough of them. */
struct bundle {
    struct smaller tables[WALK_TABLES - 1];
    size_t n;
};

/* Calls `put` for the cliques of the node, and for its children with their
   messages up or down. */
enum direction { UP, DOWN };

struct pass {
    struct model *m;
    enum direction direction;
    double *cliques; /* the cells of all cliques: potentials or marginals */
    size_t node;
    struct bundle bundle;
    double most; /* up: the largest cell */
    double by; /* down: the first bundle scales the table by this and by ... */
    const struct smaller *factor;
    bool begun;
};

static void
hand_over(struct pass *p)
{
    struct belief *b = &p->m->beliefs[p->node];

    if (p->direction == UP) {
        p->most = halves_sum(&p->m->halves, &b->walk, p->bundle.tables,
                             p->bundle.n, p->begun, b->table);
    } else {
        halves_scale(&p->m->halves, &b->walk, p->begun ? 1 : p->by,
                     p->begun ? NULL : p->factor, b->table, p->bundle.tables,
                     p->bundle.n);
    }
    p->begun = true;
    p->bundle.n = 0;
}

static void
put(struct pass *p, const struct beside *at, double *cells)
{
    if (p->bundle.n == WALK_TABLES - 1)
        hand_over(p);
    p->bundle.tables[p->bundle.n++] = (struct smaller){at, cells};
}

/* Everything beside the table of the node. */
static void
pass_node(struct pass *p)
{
    const struct model *m = p->m;

    p->begun = false;
    for (size_t i = 0; i < m->n_cliques; i++)
        if (m->cliques[i].node == p->node)
            put(p, &m->cliques[i].in_node, p->cliques + m->cliques[i].first);
    for (size_t i = p->node + 1; i < m->tree.n; i++)
        if (m->tree.node[i].parent == p->node) {
            struct belief *child = &m->beliefs[i];

            put(p, &child->in_parent,
                p->direction == UP ? child->up : child->down);
        }
    if (p->bundle.n > 0 || !p->begun)
        hand_over(p);
}

/*
 * The message of a node to its parent. If all cells of a separator's cell are too
 * far below the largest one for a double, or forbidden, each cell of the separator
 * gets a scale of its own, which the way down cancels like the other.
 */
static void
send_up(struct pass *p)
{
    struct belief *b = &p->m->beliefs[p->node];
    const struct smaller own = {&b->separator, b->own};
    const struct smaller most = {&b->separator, b->up};
    const size_t n = b->separator_cells;
    double least = INFINITY;

    memset(b->own, 0, n * sizeof *b->own);
    memset(b->down, 0, n * sizeof *b->down);
    halves_exp(&p->m->halves, &b->walk, p->most, b->table, &own);
    for (size_t i = 0; i < n; i++) {
        b->up[i] = log(b->own[i]);
        least = b->up[i] < least ? b->up[i] : least;
    }
    if (least > -INFINITY)
        return;
    pass_node(p);
    for (size_t i = 0; i < n; i++)
        b->up[i] = -INFINITY;
    walk_raise(&b->walk, b->table, &most);
    for (size_t i = 0; i < n; i++)
        b->own[i] = b->up[i] > -INFINITY ? -b->up[i] : 0;
    walk_sum(&b->walk, &own, 1, true, b->table);
    memset(b->own, 0, n * sizeof *b->own);
    walk_exp(&b->walk, 0, b->table, &own);
    for (size_t i = 0; i < n; i++)
        b->up[i] += log(b->own[i]);
}

void
model_believe(struct model *m, double *marginals)
{
    struct pass p = {.m = m, .direction = UP, .cliques = m->potentials};
    struct belief *root = &m->beliefs[0];
    double all;

    for (p.node = m->tree.n; p.node-- > 1;) {
        pass_node(&p);
        send_up(&p);
    }
    p.node = 0;
    pass_node(&p);
    all = halves_exp(&m->halves, &root->walk, p.most, root->table, NULL);
    p = (struct pass){.m = m,
                      .direction = DOWN,
                      .cliques = marginals,
                      .by = all > 0 ? m->total / all : 0};
    memset(marginals, 0, m->cells * sizeof *marginals);
    pass_node(&p);
    p.by = 1;
    for (p.node = 1; p.node < m->tree.n; p.node++) {
        struct belief *b = &m->beliefs[p.node];
        const struct smaller down = {&b->separator, b->down};

        for (size_t i = 0; i < b->separator_cells; i++)
            b->down[i] = b->own[i] > 0 ? b->down[i] / b->own[i] : 0;
        p.factor = &down;
        pass_node(&p);
    }
}
