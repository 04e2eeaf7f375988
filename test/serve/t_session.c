/*
 * Sessions: every message in every state, and the replies that PostgreSQL
 * clients expect.
 */
#include "support/support.h"

#include <stdio.h>

#include "pg/session_inside.h"
#include "serve/throttle.h"
#include "support/session_fake.h"

#define NONE "" /* a name or text that is empty */

static struct fake *
logged_in(struct cache *cache)
{
    static struct fake f;
    char said[4096];

    fake_init(&f, FAKE_PLAIN, cache);
    fake_login(&f, "ana", "pencil");
    assert_string_equal(fake_said(&f, said), "R10 R11 R12 R0 Z:I");
    return &f;
}

static void
expect(struct fake *f, const char *words)
{
    char said[4096];

    assert_string_equal(fake_said(f, said), words);
}

static void
query(struct fake *f, const char *sql, const char *words)
{
    fake_send(f, 'Q', "s", sql);
    expect(f, words);
}

/* ---------------------------------------------------------------- login -- */

static void
the_login_says_who_it_is(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    assert_string_equal(session_who(f->session)->name, "ana");
    assert_int_equal(f->looked_up, 1);
    assert_int_equal(session_need(f->session), NEED_BYTES);
    fake_send(f, 'X', "");
    assert_int_equal(session_need(f->session), NEED_END);
    fake_clear(f);
}

static void
wrong_passwords_and_names_look_alike(void **state)
{
    static const char *const names[] = {"ana", "nobody"};
    struct fake f;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    for (size_t i = 0; i < 2; i++) {
        fake_again(&f);
        fake_login(&f, names[i], i ? "pencil" : "wrong");
        expect(&f, "R10 R11 E:28P01");
        assert_int_equal(f.strayed, i + 1);
        assert_null(session_who(f.session));
        assert_int_equal(session_need(f.session), NEED_END);
    }
    /* after a few failures one has to wait */
    for (int i = 0; i < 6; i++) {
        fake_again(&f);
        fake_login(&f, "ana", "wrong");
    }
    fake_again(&f);
    fake_login(&f, "ana", "pencil");
    expect(&f, "R10 E:28000");
    f.now += 3600 * (int64_t)1000000;
    fake_again(&f);
    fake_login(&f, "ana", "pencil");
    expect(&f, "R10 R11 R12 R0 Z:I");
    fake_clear(&f);
}

/* At the second step of SCRAM, failures since the first step count too. */
static void
many_guesses_at_once_are_still_counted(void **state)
{
    static const char first[] = "n,,n=,r=abcdefghijklmnop";
    struct fake f;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    fake_startup(&f, "ana");
    fake_send(&f, 'p', "s4b", "SCRAM-SHA-256", (int)sizeof first - 1, first,
              (int)sizeof first - 1);
    expect(&f, "R10 R11");
    for (int i = 0; i < 6; i++)
        throttle_failed(f.host.throttle, str_of("192.0.2.1"), str_of("ana"),
                        f.now);
    fake_send(&f, 'p', "b", "c=biws,r=x,p=", 13);
    expect(&f, "E:28000");
    assert_int_equal(f.strayed, 0);
    fake_clear(&f);
}

/*
 * Sends message number `which` of those that a client can send; the last two
 * are first packets.
 */
static void
send_any(struct fake *f, int which)
{
    static const char *const texts[] = {"SELECT city, count(*) FROM p", "x"};

    switch (which) {
    case 0: fake_send(f, 'Q', "s", texts[0]); break;
    case 1: fake_send(f, 'P', "ss2", NONE, texts[0], 0u); break;
    case 2: fake_send(f, 'B', "ss222", NONE, NONE, 0u, 0u, 0u); break;
    case 3: fake_send(f, 'D', "bs", "S", 1, NONE); break;
    case 4: fake_send(f, 'E', "s4", NONE, 0u); break;
    case 5: fake_send(f, 'C', "bs", "S", 1, NONE); break;
    case 6: fake_send(f, 'H', ""); break;
    case 7: fake_send(f, 'S', ""); break;
    case 8: fake_send(f, 'd', "b", "abc", 3); break;
    case 9: fake_send(f, 'c', ""); break;
    case 10: fake_send(f, 'f', "s", "no"); break;
    case 11: fake_send(f, 'F', "42242", 1u, 0u, 0u, 0u, 0u); break;
    case 12: fake_send(f, 'p', "s", texts[1]); break;
    case 13: fake_send(f, 'p', "s4", "SCRAM-SHA-256", 0xffffffffu); break;
    case 14: fake_send(f, 'X', ""); break;
    case 15: fake_startup(f, "ana"); break;
    default: fake_send(f, 0, "4", 80877103u); break;
    }
}
enum { KINDS = 17 };

static void
every_message_before_the_login_ends_it(void **state)
{
    struct fake f;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    for (int steps = 0; steps < 2; steps++)
        for (int k = 0; k < KINDS; k++) {
            char said[4096];

            fake_again(&f);
            if (steps)
                fake_startup(&f, "ana");
            send_any(&f, k);
            fake_said(&f, said);
            assert_null(strstr(said, "R0"));
            assert_null(strstr(said, "Z:"));
            assert_null(session_who(f.session));
            if (steps || k < 15) /* 15 and 16 may come first */
                assert_int_equal(session_need(f.session), NEED_END);
        }
    assert_int_equal(f.asked + f.described + f.catalogs, 0);
    fake_clear(&f);
}

/*
 * Random sequences of all messages: without the password nothing is ever asked.
 */
static void
no_order_of_messages_skips_the_login(void **state)
{
    struct fake f;
    uint32_t x = 1;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    for (int walk = 0; walk < test_size(300, 3000); walk++) {
        fake_again(&f);
        for (int i = 0; i < 8; i++) {
            x = x * 1664525 + 1013904223;
            send_any(&f, (int)(x >> 16) % KINDS);
        }
        assert_null(session_who(f.session));
    }
    assert_int_equal(f.asked + f.described + f.catalogs, 0);
    fake_clear(&f);
}

static void
tls_is_asked_for_and_then_required(void **state)
{
    struct fake f;

    (void)state;
    fake_init(&f, FAKE_TLS, NULL);
    fake_startup(&f, "ana");
    expect(&f, "E:28000");
    fake_again(&f);
    fake_send(&f, 0, "4", 80877103u);
    expect(&f, "+");
    fake_login(&f, "ana", "pencil");
    /*
     * y,, means that the client believes the server cannot do channel binding:
     * rejected
     */
    expect(&f, "R10 E:28000");
    /* bytes after the request came in plain text and could be anybody's */
    fake_again(&f);
    fake_feed(&f, "\0\0\0\10\4\322\26\57\0\0\0\10\4\322\26\57", 16, 0);
    expect(&f, "E:08P01");
    fake_clear(&f);
    fake_init(&f, FAKE_PLAIN, NULL);
    fake_send(&f, 0, "4", 80877103u);
    expect(&f, "-");
    fake_send(&f, 0, "4", 80877104u);
    expect(&f, "-");
    fake_login(&f, "ana", "pencil");
    expect(&f, "R10 R11 R12 R0 Z:I");
    fake_clear(&f);
}

static void
entry_can_be_refused(void **state)
{
    struct fake f;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    f.refuse_entry = true;
    fake_login(&f, "ana", "pencil");
    expect(&f, "R10 R11 E:53300");
    assert_int_equal(session_need(f.session), NEED_END);
    fake_clear(&f);
}

/* --------------------------------------------------------------- simple -- */

static void
simple_queries(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    query(f, "SELECT city, count(*) FROM p GROUP BY city",
          "N:00000 T D D C:SELECT_2 Z:I");
    query(f, "", "I Z:I");
    query(f, " ; ;", "I Z:I");
    query(f, "SELECT count(*) FROM p; SELECT sum(x) FROM p;",
          "N:00000 T D D C:SELECT_2 N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_sql, "SELECT sum(x) FROM p");
    query(f, "SELECT (", "E:42601 Z:I");
    query(f, "SET custos.epsilon = 0.25; SELECT count(*) FROM p",
          "C:SET N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "0.25");
    query(f, "SHOW custos.epsilon", "T D C:SELECT_1 Z:I");
    query(f, "SHOW custos.budget", "T D C:SELECT_1 Z:I");
    query(f, "RESET custos.epsilon; SELECT count(*) FROM p",
          "C:RESET N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "");
    query(f, "SET client_min_messages = warning; SELECT count(*) FROM p",
          "C:SET T D D C:SELECT_2 Z:I");
    f->refuse = CUSTOS_ESPENT;
    query(f, "SELECT count(*) FROM p; SELECT 2 FROM p", "E:53400 Z:I");
    fake_clear(f);
}

/* A price in rho replaces one in epsilon and an accuracy, and they replace
   it. */
static void
the_last_price_counts(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    query(f, "SET custos.epsilon = 3; SET custos.rho = 0.005; SELECT 1 FROM p",
          "C:SET C:SET N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_rho, "0.005");
    assert_string_equal(f->last_epsilon, "");
    query(f, "SET custos.within = 7; SELECT 2 FROM p",
          "C:SET N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_rho, "");
    query(f, "SET custos.rho = 0.25; SET custos.epsilon = 2; SELECT 3 FROM p",
          "C:SET C:SET N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_rho, "");
    assert_string_equal(f->last_epsilon, "2");
    query(f, "BEGIN; SET LOCAL custos.rho = 0.125; SELECT 4 FROM p",
          "C:BEGIN C:SET N:00000 T D D C:SELECT_2 Z:T");
    assert_string_equal(f->last_rho, "0.125");
    assert_string_equal(f->last_epsilon, "");
    query(f, "COMMIT; SELECT 5 FROM p",
          "C:COMMIT N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_rho, "");
    assert_string_equal(f->last_epsilon, "2");
    query(f, "SET custos.rho = much", "E:22P02 Z:I");
    query(f, "SHOW custos.rho", "T D C:SELECT_1 Z:I");
    fake_clear(f);
}

static void
what_a_session_does_not_do_is_refused(void **state)
{
    static const char *const texts[] = {
        "COPY p TO STDOUT",
        "CREATE TABLE x (a int)",
        "INSERT INTO p VALUES (1)",
        "DELETE FROM p",
        "LISTEN x",
        "VACUUM",
        "DROP TABLE p",
        "DECLARE c CURSOR WITH HOLD FOR SELECT count(*) FROM p",
    };
    struct fake *f = logged_in(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        query(f, texts[i], "E:0A000 Z:I");
    query(f, "UNLISTEN *", "C:UNLISTEN Z:I");
    query(f, "SET nonsense = 1", "E:42704 Z:I");
    query(f, "SET statement_timeout = 5", "E:0A000 Z:I");
    query(f, "SET statement_timeout = 0", "C:SET Z:I");
    query(f, "SET client_encoding = latin1", "E:0A000 Z:I");
    query(f, "SET client_encoding = 'UTF8'", "C:SET Z:I");
    query(f, "SHOW nonsense", "E:42704 Z:I");
    query(f, "SET is_superuser = on", "E:22023 Z:I");
    query(f, "SET ROLE postgres", "E:42704 Z:I");
    assert_int_equal(f->asked, 0);
    fake_clear(f);
}

/*
 * What JDBC, DBeaver and Metabase send before the first question and between
 * questions.
 */
static void
what_tools_say_first_is_heard(void **state)
{
    static const struct {
        const char *sql, *words;
    } lines[] = {
        {"SET extra_float_digits = 3", "C:SET Z:I"},
        {"SET application_name = 'DBeaver 25.1.5 - Main <custos>'",
         "C:SET Z:I"},
        {"SHOW search_path", "T D C:SELECT_1 Z:I"},
        {"SET search_path = public,\"$user\"", "C:SET Z:I"},
        {"SHOW TRANSACTION ISOLATION LEVEL", "T D C:SELECT_1 Z:I"},
        {"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ "
         "UNCOMMITTED",
         "C:SET Z:I"},
        {"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "C:SET Z:I"},
        {"BEGIN READ ONLY", "C:BEGIN Z:T"},
        {"COMMIT", "C:COMMIT Z:I"},
        {"show timezone;", "T D C:SELECT_1 Z:I"},
        {"SET SESSION TIMEZONE TO 'Europe/Berlin';", "C:SET Z:I"},
        {"SET ROLE NONE;", "C:SET Z:I"},
    };
    struct fake *f = logged_in(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        query(f, lines[i].sql, lines[i].words);
    assert_int_equal(f->asked + f->catalogs, 0);
    query(f, "SELECT current_schema(),session_user", "T D D C:SELECT_2 Z:I");
    assert_int_equal(f->catalogs, 1);
    fake_clear(f);
}

/* SELECT set_config(...) sets and rejects what SET sets and rejects. */
static void
settings_by_a_select(void **state)
{
    static const char set[] = "SELECT set_config($1, $2, false)";
    struct fake *f = logged_in(NULL);

    (void)state;
    query(f,
          "SELECT set_config('custos.epsilon', '0.5', false); SELECT count(*) "
          "FROM p",
          "T D C:SELECT_1 N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "0.5");
    query(f, "SELECT set_config('custos.epsilon', '0.7', true)",
          "T D C:SELECT_1 Z:I");
    query(f, "SELECT count(*) FROM p", "N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "0.5");
    query(f,
          "BEGIN; SELECT set_config('custos.epsilon', '0.9', true); SELECT "
          "count(*) FROM p",
          "C:BEGIN T D C:SELECT_1 N:00000 T D D C:SELECT_2 Z:T");
    assert_string_equal(f->last_epsilon, "0.9");
    query(f, "COMMIT; SELECT count(*) FROM p",
          "C:COMMIT N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "0.5");
    query(f, "SELECT current_setting('custos.epsilon')", "T D C:SELECT_1 Z:I");
    query(f,
          "SELECT set_config('custos.epsilon', NULL, false); SELECT count(*) "
          "FROM p",
          "T D C:SELECT_1 N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "");
    query(f, "SELECT set_config('custos.epsilon', 'much', false)",
          "E:22P02 Z:I");
    query(f, "SELECT set_config('statement_timeout', '5', false)",
          "E:0A000 Z:I");
    query(f, "SELECT set_config('nonsense', '5', false)", "E:42704 Z:I");
    query(f, "SELECT set_config('role', 'owner', false)", "E:42704 Z:I");
    query(f, "SELECT set_config($1, '5', false)", "E:22023 Z:I");
    fake_send(f, 'P', "ss2", NONE, set, 0u);
    fake_send(f, 'D', "bs", "S", 1, NONE);
    fake_send(f, 'B', "ss224b4b2", NONE, NONE, 0u, 2u, 14, "custos.epsilon", 14,
              4, "0.25", 4, 0u);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "1 t T 2 D C:SELECT_1 Z:I");
    query(f, "SELECT count(*) FROM p", "N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "0.25");
    assert_int_equal(f->catalogs, 0);
    fake_clear(f);
}

static void
transactions_are_kept_as_states(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    query(f, "BEGIN", "C:BEGIN Z:T");
    query(f, "SET custos.epsilon = 3", "C:SET Z:T");
    query(f, "SELECT (", "E:42601 Z:E");
    query(f, "SELECT count(*) FROM p", "E:25P02 Z:E");
    query(f, "COMMIT", "C:ROLLBACK Z:I");
    assert_int_equal(f->asked, 0);
    query(f, "SELECT count(*) FROM p", "N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "");
    query(f,
          "START TRANSACTION; SET LOCAL custos.epsilon = 4; SET "
          "custos.within = 9",
          "C:START_TRANSACTION C:SET C:SET Z:T");
    query(f, "SAVEPOINT a; SELECT (", "E:42601 Z:E");
    query(f, "ROLLBACK TO a", "C:ROLLBACK Z:T");
    query(f, "COMMIT", "C:COMMIT Z:I");
    query(f, "SHOW custos.epsilon", "T D C:SELECT_1 Z:I");
    query(f, "SELECT count(*) FROM p", "N:00000 T D D C:SELECT_2 Z:I");
    assert_string_equal(f->last_epsilon, "");
    query(f, "COMMIT", "N:25P01 C:COMMIT Z:I");
    query(f, "BEGIN; BEGIN", "C:BEGIN N:25001 C:BEGIN Z:T");
    query(f, "DISCARD ALL", "E:25001 Z:E");
    query(f, "ROLLBACK; DISCARD ALL", "C:ROLLBACK C:DISCARD_ALL Z:I");
    query(f, "SAVEPOINT a", "E:25P01 Z:I");
    fake_clear(f);
}

/* ------------------------------------------------------------- extended -- */

static void
extended_queries(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    fake_send(f, 'P', "ss24", "s1", "SELECT count(*) FROM p WHERE x = $1", 1u,
              0u);
    fake_send(f, 'D', "bs", "S", 1, "s1");
    fake_send(f, 'S', "");
    expect(f, "1 t T Z:I");
    assert_int_equal(f->asked, 0); /* Describe never asks */
    fake_send(f, 'B', "ss222", NONE, "s1", 0u, 0u, 0u);
    expect(f, "E:08P01");
    fake_send(f, 'S', "");
    expect(f, "Z:I");
    fake_send(f, 'B', "ss224b22", NONE, "s1", 0u, 1u, 2u, "42", 2, 1u, 1u);
    fake_send(f, 'D', "bs", "P", 1, NONE);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "2 T N:00000 D D C:SELECT_2 Z:I");
    assert_int_equal(f->last_params, 1);
    assert_int_equal(f->asked, 1);
    /* no transaction: the portal ended with Sync */
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "E:34000 Z:I");
    fake_send(f, 'C', "bs", "S", 1, "s1");
    fake_send(f, 'B', "ss222", NONE, "s1", 0u, 0u, 0u);
    fake_send(f, 'S', "");
    expect(f, "3 E:26000 Z:I");
    fake_clear(f);
}

/* A portal returns one released answer, in however many parts. */
static void
a_portal_is_one_answer(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    f->rows = 5;
    query(f, "BEGIN", "C:BEGIN Z:T");
    fake_send(f, 'P', "ss2", NONE, "SELECT city, count(*) FROM p", 0u);
    fake_send(f, 'B', "ss222", "c1", NONE, 0u, 0u, 0u);
    fake_send(f, 'E', "s4", "c1", 2u);
    fake_send(f, 'S', "");
    expect(f, "1 2 N:00000 D D s Z:T");
    fake_send(f, 'E', "s4", "c1", 2u);
    fake_send(f, 'S', "");
    expect(f, "D D s Z:T");
    assert_int_equal(f->asked, 1);
    fake_send(f, 'E', "s4", "c1", 2u);
    fake_send(f, 'S', "");
    expect(f, "D C:SELECT_1 Z:T");
    assert_int_equal(f->asked, 1);
    /* the portal is exhausted: executing it again is a new question */
    fake_send(f, 'E', "s4", "c1", 0u);
    fake_send(f, 'S', "");
    expect(f, "N:00000 D D D D D C:SELECT_5 Z:T");
    assert_int_equal(f->asked, 2);
    query(f, "CLOSE c1", "C:CLOSE_CURSOR Z:T");
    query(f, "COMMIT", "C:COMMIT Z:I");
    fake_clear(f);
}

static void
cursors_go_forward_over_one_answer(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    f->rows = 5;
    query(f, "DECLARE c CURSOR FOR SELECT city, count(*) FROM p",
          "E:25P01 Z:I");
    query(f,
          "BEGIN; DECLARE \"c\" NO SCROLL CURSOR WITHOUT HOLD FOR "
          "SELECT city, count(*) FROM p",
          "C:BEGIN C:DECLARE_CURSOR Z:T");
    assert_string_equal(f->last_sql, "SELECT city, count(*) FROM p");
    assert_int_equal(f->asked, 0);
    fake_send(f, 'D', "bs", "P", 1, "c");
    fake_send(f, 'S', "");
    expect(f, "T Z:T");
    query(f, "FETCH FORWARD 2 FROM c", "N:00000 T D D C:FETCH_2 Z:T");
    query(f, "MOVE 1 FROM c", "C:MOVE_1 Z:T");
    query(f, "FETCH ALL FROM c", "T D D C:FETCH_2 Z:T");
    query(f, "FETCH 3 FROM c", "T C:FETCH_0 Z:T");
    assert_int_equal(f->asked, 1);
    fake_send(f, 'P', "ss2", NONE, "FETCH 1 FROM c", 0u);
    fake_send(f, 'B', "ss222", NONE, NONE, 0u, 0u, 0u);
    fake_send(f, 'D', "bs", "P", 1, NONE);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "1 2 T C:FETCH_0 Z:T");
    query(f, "DECLARE c CURSOR FOR SELECT 1 FROM p", "E:42P03 Z:E");
    query(f, "ROLLBACK", "C:ROLLBACK Z:I");
    query(f, "FETCH 1 FROM c", "E:34000 Z:I");
    query(f, "BEGIN; DECLARE d CURSOR FOR SELECT (", "E:42601 Z:I");
    query(f, "BEGIN; DECLARE d CURSOR FOR SELECT 1 FROM p WHERE x = $1",
          "C:BEGIN E:0A000 Z:E");
    fake_clear(f);
}

static void
errors_skip_to_sync(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    fake_send(f, 'P', "ss2", NONE, "SELECT (", 0u);
    for (int k = 0; k < 7; k++)
        send_any(f, k);
    expect(f, "E:42601");
    assert_int_equal(f->asked + f->described, 0);
    fake_send(f, 'S', "");
    expect(f, "Z:I");
    fake_send(f, 'P', "ss2", NONE, "SELECT 1 FROM p; SELECT 2 FROM p", 0u);
    fake_send(f, 'S', "");
    expect(f, "E:42601 Z:I");
    fake_send(f, 'P', "ss2", "a", "BEGIN", 0u);
    fake_send(f, 'P', "ss2", "a", "BEGIN", 0u);
    fake_send(f, 'S', "");
    expect(f, "1 E:42P05 Z:I");
    fake_send(f, 'B', "ss222", NONE, "a", 0u, 0u, 0u);
    fake_send(f, 'D', "bs", "P", 1, NONE);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "2 n C:BEGIN Z:T");
    f->refuse = CUSTOS_EENGINE;
    fake_send(f, 'P', "ss2", NONE, "SELECT 1 FROM p", 0u);
    fake_send(f, 'S', "");
    expect(f, "E:58000 Z:E");
    fake_clear(f);
}

static void
what_is_not_a_question_can_be_prepared(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    fake_send(f, 'P', "ss2", NONE, "SHOW TimeZone", 0u);
    fake_send(f, 'B', "ss222", NONE, NONE, 0u, 0u, 0u);
    fake_send(f, 'D', "bs", "P", 1, NONE);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "1 2 T D C:SELECT_1 Z:I");
    fake_send(f, 'P', "ss2", NONE, "SHOW custos.budget", 0u);
    fake_send(f, 'B', "ss222", NONE, NONE, 0u, 0u, 0u);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'P', "ss2", NONE, NONE, 0u);
    fake_send(f, 'B', "ss222", NONE, NONE, 0u, 0u, 0u);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'P', "ss2", NONE, "DISCARD ALL", 0u);
    fake_send(f, 'B', "ss222", NONE, NONE, 0u, 0u, 0u);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "1 2 D C:SELECT_1 1 2 I 1 2 C:DISCARD_ALL Z:I");
    fake_clear(f);
}

static void
names_are_limited(void **state)
{
    struct fake *f = logged_in(NULL);
    char name[32], said[4096];

    (void)state;
    for (int i = 0; i < PREPARED_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        fake_send(f, 'P', "ss2", name, "BEGIN", 0u);
    }
    fake_said(f, said);
    assert_null(strchr(said, 'E'));
    fake_send(f, 'P', "ss2", "one more", "BEGIN", 0u);
    fake_send(f, 'S', "");
    expect(f, "E:54000 Z:I");
    query(f, "DEALLOCATE ALL", "C:DEALLOCATE_ALL Z:I");
    fake_send(f, 'P', "ss2", "one more", "BEGIN", 0u);
    expect(f, "1");
    fake_clear(f);
}

/*
 * A chain of prepared FETCHes, each from the portal of the one before: closed
 * ones are freed, and none keeps another alive.
 */
static void
a_chain_of_fetches_holds_nothing(void **state)
{
    struct fake *f = logged_in(NULL);
    char sql[64], name[32], said[4096], before[32] = "c";
    size_t most = 0;

    (void)state;
    f->host.shares = NULL;
    query(f, "BEGIN; DECLARE c CURSOR FOR SELECT city, count(*) FROM p",
          "C:BEGIN C:DECLARE_CURSOR Z:T");
    for (int i = 0; i < 20000; i++) {
        snprintf(sql, sizeof sql, "FETCH 1 FROM %s", before);
        snprintf(name, sizeof name, "p%d", i);
        fake_send(f, 'P', "ss2", "s", sql, 0u);
        fake_send(f, 'B', "ss222", name, "s", 0u, 0u, 0u);
        fake_send(f, 'C', "bs", "S", 1, "s");
        if (i)
            fake_send(f, 'C', "bs", "P", 1, before);
        snprintf(before, sizeof before, "%s", name);
        if (f->session->held.bytes > most)
            most = f->session->held.bytes;
    }
    fake_said(f, said);
    assert_null(strchr(said, 'E'));
    assert_true(most < 100000);
    fake_send(f, 'S', "");
    query(f, "ROLLBACK", "Z:T C:ROLLBACK Z:I");
    assert_int_equal(f->session->held.bytes, 0);
    fake_clear(f);
}

/* A closed statement counts as long as a portal uses it. */
static void
all_memory_of_statements_counts(void **state)
{
    enum { LONG = 60000 };
    static char sql[LONG + 64], said[4096];
    struct fake *f = logged_in(NULL);
    char name[32];
    int n = 0;

    (void)state;
    snprintf(sql, sizeof sql, "SELECT city, count(*) FROM p%*s", LONG, "");
    query(f, "BEGIN", "C:BEGIN Z:T");
    do {
        snprintf(name, sizeof name, "p%d", ++n);
        fake_send(f, 'P', "ss2", "s", sql, 0u);
        fake_send(f, 'B', "ss222", name, "s", 0u, 0u, 0u);
        fake_send(f, 'C', "bs", "S", 1, "s");
        fake_send(f, 'S', "");
    } while (n < 1000 && !strchr(fake_said(f, said), 'E'));
    assert_in_range(n, HELD_MAX / (LONG + 10000), HELD_MAX / LONG + 1);
    assert_non_null(strstr(said, "E:54000"));
    assert_true(f->session->held.bytes <= HELD_MAX);
    query(f, "ROLLBACK; DEALLOCATE ALL", "C:ROLLBACK C:DEALLOCATE_ALL Z:I");
    assert_int_equal(f->session->held.bytes, 0);
    fake_clear(f);
}

/* Two sessions of one analyst share a limit. */
static void
an_analysts_sessions_share_a_limit(void **state)
{
    const struct share_limits limits = {
        .bytes = {[SHARE_MESSAGES] = 1 << 20, [SHARE_PREPARED] = 40000},
        .requests = 100000,
    };
    struct shares *shares = shares_new(&limits);
    struct session *first;
    struct fake f;
    char said[4096], name[16];
    int n = 0;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    f.host.shares = shares;
    fake_login(&f, "ana", "pencil");
    fake_send(&f, 'P', "ss2", "a", "SELECT city FROM p", 0u);
    fake_send(&f, 'P', "ss2", "b", "SELECT city FROM p", 0u);
    fake_said(&f, said);
    first = f.session;
    f.session = NULL;
    fake_again(&f);
    fake_login(&f, "ana", "pencil");
    do {
        snprintf(name, sizeof name, "s%d", n++);
        fake_send(&f, 'P', "ss2", name, "SELECT city FROM p", 0u);
        fake_send(&f, 'S', "");
        fake_said(&f, said);
    } while (n < 20 && !strstr(said, "E:54000"));
    assert_in_range(n, 3, 8);
    /* another analyst has a separate limit */
    session_free(f.session);
    f.session = NULL;
    fake_again(&f);
    fake_login(&f, "bob", "pencil");
    fake_send(&f, 'P', "ss2", "a", "SELECT city FROM p", 0u);
    fake_said(&f, said);
    assert_null(strchr(said, 'E'));
    session_free(first);
    fake_clear(&f);
    assert_int_equal(shares_bytes(shares, SHARE_PREPARED), 0);
    assert_int_equal(shares_bytes(shares, SHARE_MESSAGES), 0);
    shares_free(shares);
}

/* Replies count towards the analyst's limit until they are sent. */
static void
unread_replies_count(void **state)
{
    const struct share_limits limits = {
        .bytes = {[SHARE_MESSAGES] = 1 << 20, [SHARE_PREPARED] = 1 << 20},
        .requests = 100000,
    };
    struct shares *shares = shares_new(&limits);
    struct fake f;
    char said[4096];
    struct buf *out;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    f.host.shares = shares;
    f.rows = 100000;
    fake_login(&f, "ana", "pencil");
    fake_said(&f, said);
    session_count(f.session);
    assert_true(shares_bytes(shares, SHARE_MESSAGES) < 10000);
    f.hold = true;
    fake_send(&f, 'Q', "s", "SELECT city, count(*) FROM p GROUP BY city");
    f.hold = false;
    {
        struct task *t = f.held;

        f.held = NULL;
        fake_work(&f, t);
        session_told(f.session, t, f.now);
    }
    assert_true(shares_bytes(shares, SHARE_MESSAGES) > 1 << 20);
    assert_true(share_is_full(session_share(f.session), SHARE_MESSAGES));
    while (session_need(f.session) == NEED_SPACE) {
        out = session_out(f.session);
        buf_clear(out);
        session_sent(f.session, f.now);
    }
    buf_clear(session_out(f.session));
    session_count(f.session);
    assert_true(shares_bytes(shares, SHARE_MESSAGES) < 10000);
    fake_clear(&f);
    assert_int_equal(shares_bytes(shares, SHARE_MESSAGES), 0);
    shares_free(shares);
}

/* Long texts are not parsed in the loop; the replies are the same. */
static void
long_texts_are_read_by_a_worker(void **state)
{
    struct fake *f = logged_in(NULL);
    static char sql[8000], bad[8100], declare[8200];
    size_t n = 0;

    (void)state;
    n +=
        (size_t)snprintf(sql, sizeof sql, "SELECT count(*) FROM p WHERE 0 = 1");
    while (n < 4500)
        n += (size_t)snprintf(sql + n, sizeof sql - n, " OR a = %zu", n);
    snprintf(bad, sizeof bad, "%s; SELECT (", sql);
    query(f, "SELECT 1 FROM p", "N:00000 T D D C:SELECT_2 Z:I");
    query(f, "SELECT (", "E:42601 Z:I");
    assert_int_equal(f->read, 0);
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    assert_int_equal(f->read, 1);
    query(f, bad, "E:42601 Z:I");
    snprintf(declare, sizeof declare, "%s; SHOW TimeZone", sql);
    query(f, declare, "N:00000 T D D C:SELECT_2 T D C:SELECT_1 Z:I");
    assert_int_equal(f->read, 3);
    fake_send(f, 'P', "ss24", "s", sql, 1u, 20u);
    fake_send(f, 'D', "bs", "S", 1, "s");
    fake_send(f, 'S', "");
    expect(f, "1 t T Z:I");
    fake_send(f, 'P', "ss2", "t", bad, 0u);
    fake_send(f, 'S', "");
    expect(f, "E:42601 Z:I");
    fake_send(f, 'P', "ss2", "t", declare, 0u);
    fake_send(f, 'S', "");
    expect(f, "E:42601 Z:I");
    assert_int_equal(f->read, 6);
    snprintf(declare, sizeof declare,
             "BEGIN; DECLARE c CURSOR FOR %s; FETCH 1 FROM c", sql);
    query(f, declare, "C:BEGIN C:DECLARE_CURSOR N:00000 T D C:FETCH_1 Z:T");
    query(f, "ROLLBACK", "C:ROLLBACK Z:I");
    assert_int_equal(f->read, 8);
    /* many tokens in few bytes count as long too */
    memset(sql, 0, sizeof sql);
    for (n = 0; n < 600; n++)
        sql[n] = n % 2 ? ',' : '1';
    query(f, sql, "E:42601 Z:I");
    assert_int_equal(f->read, 9);
    /* parsing can be cancelled */
    f->hold = true;
    fake_send(f, 'Q', "s", bad);
    assert_true(session_stop(f->session, STOP_CANCEL));
    fake_bring(f);
    expect(f, "E:57014 Z:I");
    fake_clear(f);
}

/* Many small messages at once: other sessions get turns in between. */
static void
no_session_keeps_the_loop(void **state)
{
    enum { MANY = 1000 };
    struct fake *f = logged_in(NULL);
    char said[4096];
    struct buf all;

    (void)state;
    buf_init(&all, NULL, 1 << 20);
    for (int i = 0; i < MANY; i++)
        buf_add(&all, "P\0\0\0\x0d\0BEGIN\0\0\0", 14);
    buf_add(&all, "S\0\0\0\4", 5);
    session_receive(f->session, (str){all.ptr, all.len}, ++f->now);
    assert_int_equal(session_need(f->session), NEED_TURN);
    session_sent(f->session, f->now); /* nothing more in the same turn */
    assert_int_equal(session_need(f->session), NEED_TURN);
    fake_pump(f);
    assert_in_range(f->turns, MANY / 256, MANY);
    fake_said(f, said);
    assert_non_null(strstr(said, "Z:I"));
    /* also between the statements of one text */
    f->turns = 0;
    all.len = 0;
    for (int i = 0; i < 900; i++)
        buf_add_text(&all, "SHOW TimeZone;");
    fake_send(f, 'Q', "s", buf_text(&all));
    assert_true(f->turns >= 900 / 256);
    fake_said(f, said);
    assert_null(strstr(said, "E:"));
    buf_clear(&all);
    fake_clear(f);
}

static void
strangers_may_try_so_often(void **state)
{
    const struct throttle_limits limits = {.per_address = 3, .all = 100};
    struct fake f;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    throttle_free(f.host.throttle);
    f.host.throttle = throttle_new(&limits);
    fake_login(&f, "ana", "pencil");
    expect(&f, "R10 R11 R12 R0 Z:I");
    for (int i = 0; i < 2; i++) {
        fake_again(&f);
        fake_startup(&f, "bob");
        expect(&f, "R10");
    }
    fake_again(&f);
    fake_startup(&f, "bob");
    expect(&f, "E:53300");
    assert_int_equal(f.crowded, 1);
    assert_int_equal(session_need(f.session), NEED_END);
    /* a name that has logged in from there is not affected */
    fake_again(&f);
    fake_login(&f, "ana", "pencil");
    expect(&f, "R10 R11 R12 R0 Z:I");
    f.now += 20 * 1000000 + 1;
    fake_again(&f);
    fake_startup(&f, "bob");
    expect(&f, "R10");
    fake_clear(&f);
}

/* ------------------------------------------------------ cancel and time -- */

/* Answers suspended in portals count towards a memory limit. */
static void
suspended_answers_are_limited(void **state)
{
    struct fake *f = logged_in(NULL);
    char name[32], said[4096];
    int n = 0;

    (void)state;
    f->rows = 200000;
    query(f, "BEGIN", "C:BEGIN Z:T");
    fake_send(f, 'P', "ss2", "s", "SELECT city, count(*) FROM p", 0u);
    for (int i = 1; i <= 20; i++) {
        snprintf(name, sizeof name, "p%d", i);
        fake_send(f, 'B', "ss222", name, "s", 0u, 0u, 0u);
    }
    do {
        snprintf(name, sizeof name, "p%d", ++n);
        fake_said(f, said);
        fake_send(f, 'E', "s4", name, 1u);
    } while (n < 20 && !strstr(fake_said(f, said), "E:54000"));
    assert_in_range(n, 2, 10);
    assert_int_equal(f->asked, n - 1);
    fake_send(f, 'S', "");
    query(f, "ROLLBACK", "Z:E C:ROLLBACK Z:I");
    fake_clear(f);
}

/*
 * The reply of a cancelled question leaves when its task comes back, which is
 * at its public time, and is the same whatever the result is.
 */
static void
a_cancelled_question_is_answered_at_its_time(void **state)
{
    struct fake *f = logged_in(NULL);
    struct pg_cancel right = {42, 4, "0123"}, wrong = {42, 4, "0124"};
    struct pg_cancel longer = {42, 32, "0123456789abcdef0123456789abcde"};
    struct pg_cancel other = {43, 4, "0123"};

    (void)state;
    assert_true(session_is(f->session, &right));
    assert_false(session_is(f->session, &wrong));
    assert_false(session_is(f->session, &longer)); /* of protocol 3.2 */
    assert_false(session_is(f->session, &other));
    assert_false(session_stop(f->session, STOP_CANCEL));
    for (int i = 0; i < 3; i++) {
        f->hold = true;
        f->refuse = i ? CUSTOS_OK : CUSTOS_EENGINE;
        fake_send(f, 'Q', "s", "SELECT count(*) FROM p; SELECT 2 FROM p");
        assert_true(session_stop(f->session, STOP_CANCEL));
        assert_false(session_stop(f->session, STOP_CANCEL));
        assert_false(session_stop(f->session, STOP_TIME));
        fake_pump(f);
        fake_send(f, 'Q', "s", "SELECT 3 FROM p"); /* it waits */
        expect(f, "");
        if (i == 2)
            f->held->q.job.stopped = true; /* never begun: the same reply */
        f->hold = false;
        fake_bring(f);
        expect(f, i ? "E:57014 Z:I N:00000 T D D C:SELECT_2 Z:I"
                    : "E:57014 Z:I E:58000 Z:I");
    }
    f->hold = true;
    fake_send(f, 'P', "ss2", NONE, "SELECT 1 FROM p", 0u);
    assert_true(session_stop(f->session, STOP_TIME));
    fake_send(f, 'S', "");
    expect(f, "");
    fake_bring(f);
    expect(f, "E:57014 Z:I");
    /* the cancelled question does not affect the next one */
    fake_send(f, 'Q', "s", "SELECT 1 FROM p");
    fake_bring(f);
    expect(f, "N:00000 T D D C:SELECT_2 Z:I");
    fake_clear(f);
}

/* A task that comes back to an ended session is only freed. */
static void
what_comes_back_too_late_is_nobodys(void **state)
{
    struct fake *f = logged_in(NULL);

    (void)state;
    f->hold = true;
    fake_send(f, 'Q', "s", "SELECT 1 FROM p");
    session_end(f->session, "57P01", "end");
    fake_pump(f);
    expect(f, "E:57P01");
    fake_bring(f);
    expect(f, "");
    assert_int_equal(session_need(f->session), NEED_END);
    fake_clear(f);
}

/*
 * A client of protocol 3.2 has a key of 256 bits; a part of it is not enough.
 */
static void
newer_clients_have_longer_keys(void **state)
{
    struct pg_cancel whole = {42, 32, "0123456789abcdef0123456789abcde"};
    struct pg_cancel part = {42, 4, "0123"}, wrong = whole, longer = whole;
    struct fake f;
    char said[4096];

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    assert_false(session_is(f.session, &whole)); /* not logged in yet */
    fake_send(&f, 0, "4sss", 3u << 16 | 2, "user", "ana", "");
    assert_null(strchr(fake_said(&f, said), 'v'));
    assert_true(session_is(f.session, &whole));
    assert_false(session_is(f.session, &part));
    wrong.key[31] = 1;
    assert_false(session_is(f.session, &wrong));
    longer.len = 33;
    assert_false(session_is(f.session, &longer));
    fake_clear(&f);
}

static void
a_cancel_request_names_its_session(void **state)
{
    struct fake f;
    struct pg_cancel c;

    (void)state;
    fake_init(&f, FAKE_PLAIN, NULL);
    fake_send(&f, 0, "444", 80877102u, 77u, 88u);
    assert_int_equal(session_need(f.session), NEED_CANCEL);
    c = session_cancelled(f.session);
    assert_int_equal(c.process, 77);
    assert_int_equal(c.len, 4);
    assert_memory_equal(c.key, "\0\0\0X", 4);
    fake_clear(&f);
}

/* -------------------------------------------------------------- the rest -- */

static void
messages_may_come_in_pieces(void **state)
{
    static const char text[] = "Q\0\0\0\x1bSELECT count(*) FROM p\0"
                               "Q\0\0\0\x1bSELECT count(*) FROM q\0";
    struct fake *f = logged_in(NULL);

    (void)state;
    for (size_t piece = 0; piece < sizeof text; piece++) {
        fake_feed(f, text, sizeof text - 1, piece);
        expect(f, "N:00000 T D D C:SELECT_2 Z:I N:00000 T D D C:SELECT_2 Z:I");
    }
    fake_clear(f);
}

static void
large_answers_wait_for_space(void **state)
{
    struct fake *f = logged_in(NULL);
    struct buf *out;
    size_t most = 0;

    (void)state;
    f->rows = 200000;
    f->hold = true;
    fake_send(f, 'Q', "s", "SELECT city, count(*) FROM p");
    f->hold = false;
    fake_bring(f);
    out = session_out(f->session);
    assert_true(f->sent.len > 200000 * 20);
    assert_int_equal(out->len, 0);
    f->sent.len = 0;
    f->hold = true;
    fake_send(f, 'Q', "s", "SELECT city, sum(x) FROM p");
    f->hold = false;
    {
        struct task *t = f->held;
        const str none = {"", 0};

        f->held = NULL;
        t->q.status = rows_of_text(str_of("n"), none, &t->rows, &t->q.err);
        for (int i = 0; i < 100000; i++)
            buf_add(&t->rows->bytes, "D\0\0\0\5x", 6);
        session_told(f->session, t, f->now);
    }
    while (session_need(f->session) == NEED_SPACE) {
        most = out->len > most ? out->len : most;
        buf_clear(out);
        session_sent(f->session, f->now);
    }
    assert_true(most < (1 << 19));
    fake_clear(f);
}

static void
too_long_is_refused(void **state)
{
    struct fake *f = logged_in(NULL);
    size_t n = (1 << 16) + 10;
    char *text = malloc(n + 1);

    (void)state;
    memset(text, ' ', n);
    text[n] = '\0';
    query(f, text, "E:54000 Z:I");
    fake_send(f, 'P', "ss2", NONE, text, 0u);
    fake_send(f, 'S', "");
    expect(f, "E:54000 Z:I");
    free(text);
    fake_feed(f, "Q\x7f\xff\xff\xff", 5, 0);
    expect(f, "E:54000");
    assert_int_equal(session_need(f->session), NEED_END);
    fake_clear(f);
}

/* ---------------------------------------------------------------- cache -- */

static void
the_same_question_comes_from_memory(void **state)
{
    struct cache *cache = cache_new(1 << 20);
    struct fake *f = logged_in(cache);
    const char *sql = "SELECT count(*) FROM p";

    (void)state;
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    assert_int_equal(f->asked, 1);
    assert_int_equal(f->again, 1);
    /*
     * a worker thread is asked again after a while, because credentials, policy
     * and data may change
     */
    f->now += 300000;
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    assert_int_equal(f->asked, 2);
    /* another price or another analyst makes another question */
    query(f, "SET custos.epsilon = 0.2", "C:SET Z:I");
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    assert_int_equal(f->asked, 3);
    query(f, "RESET custos.epsilon", "C:RESET Z:I");
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    assert_int_equal(f->asked, 3);
    fake_again(f);
    fake_login(f, "bob", "pencil");
    expect(f, "R10 R11 R12 R0 Z:I");
    query(f, "SELECT 7 FROM p", "N:00000 T D D C:SELECT_2 Z:I");
    query(f, sql, "N:00000 T D D C:SELECT_2 Z:I");
    assert_int_equal(f->asked, 5);
    /* an aborted transaction gives no answers */
    query(f, "BEGIN; SELECT (", "E:42601 Z:I");
    query(f, "BEGIN", "C:BEGIN Z:T");
    query(f, "SELECT (", "E:42601 Z:E");
    query(f, sql, "E:25P02 Z:E");
    fake_clear(f);
    cache_free(cache);
}

static void
parameters_are_part_of_the_question(void **state)
{
    static const char *const values[] = {"42", "43", "42", "43"};
    struct cache *cache = cache_new(1 << 20);
    struct fake *f = logged_in(cache);

    (void)state;
    fake_send(f, 'P', "ss2", "s", "SELECT count(*) FROM p WHERE x = $1", 0u);
    expect(f, "1");
    for (int i = 0; i < 4; i++) {
        fake_send(f, 'B', "ss224b2", NONE, "s", 0u, 1u, 2u, values[i], 2, 0u);
        fake_send(f, 'E', "s4", NONE, 0u);
        fake_send(f, 'S', "");
        expect(f, "2 N:00000 D D C:SELECT_2 Z:I");
    }
    assert_int_equal(f->asked, 2);
    /* another format has different bytes */
    fake_send(f, 'B', "ss224b22", NONE, "s", 0u, 1u, 2u, "42", 2, 1u, 1u);
    fake_send(f, 'E', "s4", NONE, 0u);
    fake_send(f, 'S', "");
    expect(f, "2 N:00000 D D C:SELECT_2 Z:I");
    assert_int_equal(f->asked, 3);
    fake_clear(f);
    cache_free(cache);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_login_says_who_it_is),
        cmocka_unit_test(wrong_passwords_and_names_look_alike),
        cmocka_unit_test(many_guesses_at_once_are_still_counted),
        cmocka_unit_test(every_message_before_the_login_ends_it),
        cmocka_unit_test(no_order_of_messages_skips_the_login),
        cmocka_unit_test(tls_is_asked_for_and_then_required),
        cmocka_unit_test(entry_can_be_refused),
        cmocka_unit_test(simple_queries),
        cmocka_unit_test(the_last_price_counts),
        cmocka_unit_test(what_a_session_does_not_do_is_refused),
        cmocka_unit_test(what_tools_say_first_is_heard),
        cmocka_unit_test(settings_by_a_select),
        cmocka_unit_test(transactions_are_kept_as_states),
        cmocka_unit_test(extended_queries),
        cmocka_unit_test(a_portal_is_one_answer),
        cmocka_unit_test(cursors_go_forward_over_one_answer),
        cmocka_unit_test(errors_skip_to_sync),
        cmocka_unit_test(what_is_not_a_question_can_be_prepared),
        cmocka_unit_test(names_are_limited),
        cmocka_unit_test(suspended_answers_are_limited),
        cmocka_unit_test(a_chain_of_fetches_holds_nothing),
        cmocka_unit_test(all_memory_of_statements_counts),
        cmocka_unit_test(an_analysts_sessions_share_a_limit),
        cmocka_unit_test(unread_replies_count),
        cmocka_unit_test(long_texts_are_read_by_a_worker),
        cmocka_unit_test(no_session_keeps_the_loop),
        cmocka_unit_test(strangers_may_try_so_often),
        cmocka_unit_test(a_cancelled_question_is_answered_at_its_time),
        cmocka_unit_test(what_comes_back_too_late_is_nobodys),
        cmocka_unit_test(newer_clients_have_longer_keys),
        cmocka_unit_test(a_cancel_request_names_its_session),
        cmocka_unit_test(messages_may_come_in_pieces),
        cmocka_unit_test(large_answers_wait_for_space),
        cmocka_unit_test(too_long_is_refused),
        cmocka_unit_test(the_same_question_comes_from_memory),
        cmocka_unit_test(parameters_are_part_of_the_question),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
