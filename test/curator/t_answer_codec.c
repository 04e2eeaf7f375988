/*
 * Answers as bytes: a stored answer decodes to the same answer, however large
 * its numbers. Truncated or changed bytes are reported as damage and never
 * crash.
 */
#include "base/ck.h"
#include "curator/answer.h"
#include "ledger/helpers.h"

enum { ROWS = 9 };

static const struct policy keeping = {.answer_bytes = 1 << 30};

static struct datum
number(i128 n, int scale)
{
    return (struct datum){.type = TYPE_REAL, .n = n, .scale = scale};
}

static struct answer *
make_answer(const struct receipt *r)
{
    static const i128 numbers[ROWS] = {0,   1,    -1,       63,      64,
                                       -65, 8191, I128_MAX, I128_MIN};
    struct answer *a = NULL;

    assert_int_equal(answer_new(2, &a, NULL), CUSTOS_OK);
    a->epsilon = str_of("0.1");
    a->rho = str_of("0.005");
    a->delta = str_of("0");
    a->remarks = str_of("");
    a->receipt = *r;
    a->columns[0] = (struct answer_column){
        .name = str_of("k"), .type = TYPE_TEXT, .is_key = true};
    a->columns[1] = (struct answer_column){.name = str_of("n[1]"),
                                           .type = TYPE_REAL,
                                           .array = {str_of("n"), 0, 1}};
    a->n_rows = ROWS;
    a->cells = arena_take(a->arena, 2 * ROWS, sizeof *a->cells);
    assert_non_null(a->cells);
    for (size_t i = 0; i < ROWS; i++) {
        a->cells[2 * i].value =
            (struct datum){.type = TYPE_TEXT,
                           .text = i == 3 ? (str){"a\0\xff", 3} : str_of("")};
        a->cells[2 * i + 1] = (struct answer_cell){
            .value = number(numbers[i], 36),
            .has_bar = i % 2,
            .low = i % 2 ? number(numbers[ROWS - 1 - i], 0) : (struct datum){0},
            .high = i % 2 ? number(numbers[i], 1) : (struct datum){0},
        };
    }
    return a;
}

static void
assert_same_datum(const struct datum *a, const struct datum *b)
{
    assert_true(a->type == b->type && a->scale == b->scale && a->n == b->n);
    if (a->type == TYPE_TEXT)
        assert_true(str_equal(a->text, b->text));
}

static void
assert_same_answer(const struct answer *a, const struct answer *b)
{
    assert_true(str_equal(a->epsilon, b->epsilon));
    assert_true(str_equal(a->rho, b->rho));
    assert_true(str_equal(a->delta, b->delta));
    assert_true(str_equal(a->remarks, b->remarks));
    assert_memory_equal(&a->receipt, &b->receipt, sizeof a->receipt);
    assert_int_equal(a->n_columns, b->n_columns);
    assert_int_equal(a->n_rows, b->n_rows);
    for (size_t i = 0; i < a->n_columns; i++) {
        assert_true(str_equal(a->columns[i].name, b->columns[i].name));
        assert_int_equal(a->columns[i].type, b->columns[i].type);
        assert_int_equal(a->columns[i].is_key, b->columns[i].is_key);
        assert_int_equal(a->columns[i].array.n, b->columns[i].array.n);
        assert_int_equal(a->columns[i].array.at, b->columns[i].array.at);
        assert_true(
            str_equal(a->columns[i].array.name, b->columns[i].array.name));
    }
    for (size_t i = 0; i < a->n_rows * a->n_columns; i++) {
        assert_same_datum(&a->cells[i].value, &b->cells[i].value);
        assert_int_equal(a->cells[i].has_bar, b->cells[i].has_bar);
        if (a->cells[i].has_bar) {
            assert_same_datum(&a->cells[i].low, &b->cells[i].low);
            assert_same_datum(&a->cells[i].high, &b->cells[i].high);
        }
    }
}

struct kept {
    struct place p;
    struct ledger *l;
    struct ledger_writer *t;
    struct receipt r;
    struct answer *a;
};

static void
kept_make(struct kept *k)
{
    struct ledger_terms t = terms_of("1", "0");

    place_make(&k->p);
    k->l = open_at(&k->p);
    set_terms(k->l, &t);
    assert_int_equal(ledger_writer_open(k->p.path, k->p.lock, &k->t, NULL),
                     CUSTOS_OK);
    assert_int_equal(charge_at(k->l, "", "0.1", 1, &k->r, NULL), CUSTOS_OK);
    k->a = make_answer(&k->r);
}

static void
kept_remove(struct kept *k)
{
    answer_free(k->a);
    ledger_writer_close(k->t);
    ledger_close(k->l);
    place_remove(&k->p);
}

static void
kept_answers_come_back(void **state)
{
    struct answer *back = NULL;
    uint8_t key[32] = {1};
    struct kept k;

    (void)state;
    kept_make(&k);
    assert_int_equal(answer_find(k.l, key, &back, NULL), CUSTOS_ENAME);
    assert_int_equal(answer_store(k.t, key, k.a, &keeping, NULL), CUSTOS_OK);
    assert_int_equal(answer_find(k.l, key, &back, NULL), CUSTOS_OK);
    assert_true(back->stored);
    assert_same_answer(k.a, back);
    answer_free(back);
    kept_remove(&k);
}

/* Every prefix, and every byte with its top bit flipped. */
static void
damaged_bytes_are_refused(void **state)
{
    arena *a = arena_new(NULL, 1 << 20);
    uint8_t key[32] = {1};
    struct receipt r;
    struct kept k;
    char copy[4096];
    str bytes;

    (void)state;
    kept_make(&k);
    assert_int_equal(answer_store(k.t, key, k.a, &keeping, NULL), CUSTOS_OK);
    assert_int_equal(ledger_answer_find(k.l, key, a, &bytes, &r, NULL),
                     CUSTOS_OK);
    assert_true(bytes.len < sizeof copy);
    for (size_t i = 0; i < 2 * bytes.len; i++) {
        struct answer *back = NULL;
        bool cut = i < bytes.len;
        str bad = {copy, cut ? i : bytes.len};
        custos_status st;

        memcpy(copy, bytes.ptr, bytes.len);
        if (!cut)
            copy[i - bytes.len] ^= (char)0x80;
        key[0] = 2;
        memcpy(key + 1, &i, sizeof i);
        assert_int_equal(post_answer(k.l, key, &k.r, bad, NULL), CUSTOS_OK);
        st = answer_find(k.l, key, &back, NULL);
        assert_true(st == CUSTOS_ECORRUPT || (!cut && st == CUSTOS_OK));
        answer_free(back);
    }
    kept_remove(&k);
    arena_free(a);
}

/* answer_size.c counts the memory of a cell and its text. That must bound its
   bytes too: the message of a worker has room for ANSWER_BYTES. */
static void
a_cell_takes_less_as_bytes(void **state)
{
    const struct datum widest = {
        .type = TYPE_TIMESTAMP, .scale = 36, .n = I128_MIN};
    struct answer_cell cells[ROWS];
    struct answer a = {.n_columns = 0};
    struct buf empty, full;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        cells[i] = (struct answer_cell){
            .value = widest, .has_bar = true, .low = widest, .high = widest};
    buf_init(&empty, NULL, 1 << 20);
    buf_init(&full, NULL, 1 << 20);
    answer_pack(&a, &empty);
    a = (struct answer){.n_columns = 1,
                        .columns = &(struct answer_column){.type = TYPE_REAL},
                        .n_rows = ROWS,
                        .cells = cells};
    answer_pack(&a, &full);
    assert_true(full.len > empty.len + ROWS * sizeof(struct answer_cell) / 3);
    assert_true(full.len < empty.len + ROWS * sizeof(struct answer_cell));
    buf_clear(&empty);
    buf_clear(&full);
}

/* Whoever shows an array reads all of its elements from the columns behind it. */
static void
incomplete_arrays_are_refused(void **state)
{
    static const struct {
        size_t at[3], n[3];
        bool good;
    } cases[] = {
        {{0, 0, 0}, {0, 0, 0}, true},  {{0, 1, 2}, {3, 3, 3}, true},
        {{0, 0, 1}, {1, 2, 2}, true},  {{0, 0, 0}, {1, 1, 0}, true},
        {{0, 1, 0}, {3, 3, 0}, false}, {{0, 1, 1}, {3, 3, 3}, false},
        {{1, 2, 3}, {3, 3, 3}, false}, {{0, 0, 0}, {0, 0, 2}, false},
        {{0, 1, 2}, {3, 2, 3}, false}, {{0, 0, 0}, {9, 0, 0}, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct answer_column columns[3] = {
            {.type = TYPE_REAL}, {.type = TYPE_REAL}, {.type = TYPE_REAL}};
        struct answer a = {.n_columns = 3, .columns = columns}, *back = NULL;
        struct buf b;

        for (size_t k = 0; k < 3; k++)
            columns[k].array =
                (struct array_place){{"q", 1}, cases[i].at[k], cases[i].n[k]};
        buf_init(&b, NULL, 1 << 20);
        answer_pack(&a, &b);
        assert_int_equal(answer_new(1, &back, NULL), CUSTOS_OK);
        assert_int_equal(answer_unpack((str){b.ptr, b.len}, back),
                         cases[i].good);
        answer_free(back);
        buf_clear(&b);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_answers_come_back),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(incomplete_arrays_are_refused),
        cmocka_unit_test(a_cell_takes_less_as_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
