/*
 * The leaves of expressions: columns, and literals near the ends of types, near
 * 2^53, 2^62 and 2^63, of many digits, outside the calendar, or of texts that
 * only some readers take for numbers.
 */
#include "audit/curator/leaves.h"

#include "base/base.h"

static const char *const wholes[] = {
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "10",
    "100",
    "-100",
    "1000000",
    "2147483647",
    "-2147483648",
    "2147483648",
    "9007199254740991",
    "9007199254740993",
    "9007199254740995",
    "-9007199254740993",
    "922337203685477",
    "92233720368547758",
    "46116860184273879",
    "230000000000000000",
    "922337203685477580",
    "1152921504606846976",
    "2305843009213693952",
    "3000000000000000000",
    "4611686018427387903",
    "4611686018427387904",
    "4611686018427387905",
    "-4611686018427387904",
    "9223372036854775806",
    "9223372036854775807",
    "-9223372036854775807",
    "(-9223372036854775807 - 1)",
    "9223372036854775808",
    "922000000000000",
    "85070591730234615865843651857942052863",
};

/* For $K, which is added and subtracted. */
static const char *const offsets[] = {
    "4000000000000000000", "4000000000000000000", "4611686018427387000",
    "3000000000000000000", "9223372036854775000", "9007199254740993",
};

static const char *const numbers[] = {
    "0.1",
    "0.2",
    "0.3",
    "0.5",
    "1.5",
    "2.5",
    "-0.5",
    "0.05",
    "1.005",
    "0.0",
    "-0.0",
    "0.7",
    "1.1",
    "99.5",
    "99.95",
    "999.5",
    "1e5",
    "1e15",
    "1e18",
    "1e19",
    "1e35",
    "1e-9",
    "1e-35",
    "0.49999999999999994",
    "9007199254740992.5",
    "9007199254740993.0",
    "4611686018427387904.0",
    "9223372036854775807.0",
    "123456789012345678.99",
    "9999999999999999999999999999999999.99",
    "0.000000000000000001",
    "99999999999999999999999999999999999999",
};

static const char *const texts[] = {
    "'1_000_000'",
    "' 100 '",
    "'99.5'",
    "'1e5'",
    "'1e400'",
    "'1e308'",
    "'1e-320'",
    "'inf'",
    "'nan'",
    "'-0'",
    "'+7'",
    "'0x10'",
    "'9223372036854775808'",
    "'9223372036854775807'",
    "'20000-01-01'",
    "'294247-01-11'",
    "'0000-01-01'",
    "'0044-03-15 (BC)'",
    "'5877642-06-25 (BC)'",
    "'290309-12-22 (BC) 00:00:00'",
    "'infinity'",
    "'-infinity'",
    "'epoch'",
    "'2020-02-30'",
    "'2020-1-5'",
    "'24:00'",
    "'true'",
    "'yes'",
    "''",
    "' '",
    "'x'",
    "'\xc3\xa9'",
    "'\xe1\xba\x9e'",
    "'\xc4\xb0'",
    "'\xef\xac\x83'",
    "'\xf0\x9f\x92\x89'",
    "'e\xcc\x81'",
    "'99999999999999999999999999999999999999'",
    "'0.000000000000000000000000000000000000001'",
};

static const char *const dates[] = {
    "date '0001-01-01'", "date '9999-12-31'", "date '1970-01-01'",
    "date '2000-02-29'", "date '2020-12-31'", "date '1969-12-31'",
};

static const char *const moments[] = {
    "timestamp '0001-01-01 00:00:00'",
    "timestamp '9999-12-31 23:59:59.999999'",
    "timestamp '1970-01-01 00:00:00'",
    "timestamp '1969-12-31 23:59:59.999999'",
};

static const char *const smalls[] = {
    "0", "1", "-1", "10000000", "-10000000", "3650000", "-719163", "2932897",
};

static const char *const functions[] = {"abs",   "round", "floor",  "ceil",
                                        "trunc", "sign",  "ceiling"};

/*
 * A decimal with more digits after the point than stored ones have, at most 36:
 * a few digits after many zeros, or digits throughout.
 */
static void
add_long_decimal(struct grammar *g)
{
    unsigned scale = 19 + grammar_below(g, 18);
    unsigned zeros = grammar_below(g, scale);

    buf_printf(g->out, "%s.",
               grammar_chance(g, 80)   ? "0"
               : grammar_chance(g, 50) ? "7"
                                       : "-3");
    for (unsigned i = 0; i < scale; i++)
        buf_printf(g->out, "%u",
                   i + 1 == scale ? 1 + grammar_below(g, 9)
                   : i < zeros    ? 0
                                  : grammar_below(g, 10));
}

static void
add_number(struct grammar *g)
{
    if (grammar_chance(g, 20))
        add_long_decimal(g);
    else
        buf_add_text(g->out, GRAMMAR_ONE(g, numbers));
}

/* One letter many times: on such texts patterns backtrack. */
static void
add_long_text(struct grammar *g)
{
    static const unsigned lengths[] = {40, 80, 400, 2000};
    unsigned n = GRAMMAR_ONE(g, lengths);

    buf_add_text(g->out, "'");
    for (unsigned i = 0; i < n; i++)
        buf_add_text(g->out, "a");
    buf_add_text(g->out, "'");
}

/* Pieces that match the letter a in many ways, and an end that does not. */
static void
add_pattern(struct grammar *g)
{
    static const char *const pieces[] = {
        "%a", "_%", "%_a", "a_%", "%a_a", "%\\%", "%", "_", "A%", "\xc3\x89%"};
    static const char *const ends[] = {"b", "%b", "", "%", "\\_", "%b%"};
    static const unsigned counts[] = {1, 2, 3, 6, 8, 12, 60, 120};
    unsigned n = GRAMMAR_ONE(g, counts);
    const char *same = GRAMMAR_ONE(g, pieces);
    bool mixed = grammar_chance(g, 40);

    buf_add_text(g->out, "'");
    for (unsigned i = 0; i < n; i++)
        buf_add_text(g->out, mixed ? GRAMMAR_ONE(g, pieces) : same);
    buf_printf(g->out, "%s'", GRAMMAR_ONE(g, ends));
}

static void
add_column(struct grammar *g, char type, const char *literal)
{
    const struct scope_column *c =
        grammar_chance(g, 65) ? scope_pick(g, g->scope, type) : NULL;

    buf_add_text(g->out, c ? c->name : literal);
}

/* A text to be read as another type: no plain literal, which is read when the
   query is. */
static void
add_readable(struct grammar *g)
{
    const struct scope_column *c =
        grammar_chance(g, 50) ? scope_pick(g, g->scope, 't') : NULL;

    if (c)
        buf_add_text(g->out, c->name);
    else
        grammar_form(g, "CASE WHEN $g THEN $q ELSE $q END", 1);
}

static void
add_real(struct grammar *g)
{
    const struct scope_column *c =
        grammar_chance(g, 75) ? scope_pick(g, g->scope, 'r') : NULL;

    if (c) {
        buf_add_text(g->out, c->name);
        return;
    }
    buf_add_text(g->out, "CAST(");
    add_number(g);
    buf_add_text(g->out, " AS double precision)");
}

static void
add_decimal(struct grammar *g)
{
    const struct scope_column *c =
        grammar_chance(g, 65) ? scope_pick(g, g->scope, 'm') : NULL;

    if (c)
        buf_add_text(g->out, c->name);
    else
        add_number(g);
}

static void
add_truth(struct grammar *g)
{
    const struct scope_column *c = scope_pick(g, g->scope, 'b');

    if (g->scope->unit[0] && (!c || grammar_chance(g, 50)))
        buf_printf(g->out, "(%s = $P)", g->scope->unit);
    else
        buf_add_text(g->out, c ? c->name : "true");
}

static void
add_ranged(struct grammar *g)
{
    const struct scope *s = g->scope;
    size_t found = 0, which;

    for (size_t i = 0; i < s->n; i++)
        found += s->column[i].ranged && strchr("imr", s->column[i].type);
    if (!found) {
        buf_add_text(g->out, "7");
        return;
    }
    which = grammar_below(g, found);
    for (size_t i = 0; i < s->n; i++)
        if (s->column[i].ranged && strchr("imr", s->column[i].type) &&
            which-- == 0)
            buf_add_text(g->out, s->column[i].name);
}

const char *
leaf_offset(struct grammar *g)
{
    return GRAMMAR_ONE(g, offsets);
}

void
grammar_leaf(struct grammar *g, char type)
{
    switch (type) {
    case 'k': buf_add_text(g->out, GRAMMAR_ONE(g, wholes)); break;
    case 'q': buf_add_text(g->out, GRAMMAR_ONE(g, texts)); break;
    case 'f': buf_add_text(g->out, GRAMMAR_ONE(g, functions)); break;
    case 'd': buf_add_text(g->out, GRAMMAR_ONE(g, dates)); break;
    case 's': buf_printf(g->out, "%u", 19 + grammar_below(g, 19)); break;
    case 'p': add_pattern(g); break;
    case 'C':
    case 'e': add_ranged(g); break;
    case 'l': add_long_text(g); break;
    case 'P': buf_add_text(g->out, "$P"); break;
    case 'g':
        buf_printf(g->out, "(%s = $P)",
                   g->scope->unit[0] ? g->scope->unit : "0");
        break;
    case 'v': add_readable(g); break;
    case 'x':
        if (grammar_chance(g, 50))
            add_number(g);
        else
            buf_add_text(g->out, GRAMMAR_ONE(g, wholes));
        break;
    case 'w': add_column(g, 'w', GRAMMAR_ONE(g, smalls)); break;
    case 'i': add_column(g, 'i', GRAMMAR_ONE(g, wholes)); break;
    case 't': add_column(g, 't', GRAMMAR_ONE(g, texts)); break;
    case 'D': add_column(g, 'D', GRAMMAR_ONE(g, dates)); break;
    case 'T': add_column(g, 'T', GRAMMAR_ONE(g, moments)); break;
    case 'm': add_decimal(g); break;
    case 'r': add_real(g); break;
    default: add_truth(g); break;
    }
}
