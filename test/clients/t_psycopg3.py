"""psycopg 3: both formats, prepared statements, pipelines, cancelling."""
import datetime
import decimal
import unittest

from client import COUNT, ClientCase, need_module

psycopg = need_module("psycopg")


class Psycopg3(ClientCase):
    def setUp(self):
        self.connection = psycopg.connect(self.url(), autocommit=True)
        self.addCleanup(self.connection.close)

    def test_both_formats(self):
        sql = ("SELECT count(*), median(since), avg(weight), true, 'x', NULL, "
               "1.50 FROM patients")
        rows = []
        for binary in [False, True]:
            with self.connection.cursor(binary=binary) as cursor:
                rows.append(cursor.execute(sql).fetchall()[0])
        self.assertEqual(rows[0], rows[1])
        people, day, weight, *rest = rows[0]
        self.assertIsInstance(people, int)
        self.assertIsInstance(day, datetime.date)
        self.assertIsInstance(weight, (float, decimal.Decimal))
        self.assertEqual(rest, [True, "x", None, decimal.Decimal("1.50")])

    def test_values_in_both_formats(self):
        for sql in ["SELECT count(*) FROM visits WHERE cost < %s AND came > %s "
                    "AND department = %s",
                    "SELECT count(*) FROM visits WHERE cost < %b AND came > %b "
                    "AND department = %b"]:
            rows = self.connection.execute(
                sql, (decimal.Decimal("250.75"),
                      datetime.datetime(2024, 3, 1, 12), "heart")).fetchall()
            self.assertEqual(len(rows), 1)

    def test_lists(self):
        for sql in ["SELECT count(*) FROM visits WHERE department = ANY(%s) "
                    "AND patient_id <> ALL(%s)",
                    "SELECT count(*) FROM visits WHERE department = ANY(%b) "
                    "AND patient_id <> ALL(%b)"]:
            rows = self.connection.execute(
                sql, (["heart", "eyes"], [1, 70000])).fetchall()
            self.assertEqual(len(rows), 1)

    def test_arrays(self):
        sql = ("SELECT percentile_cont(ARRAY[0.75, 0.25]) WITHIN GROUP "
               "(ORDER BY weight) AS q, count(*) FROM patients")
        for binary in [False, True]:
            with self.connection.cursor(binary=binary) as cursor:
                high_low, people = cursor.execute(sql).fetchall()[0]
                names = [c.name for c in cursor.description]
            self.assertEqual(names, ["q", "count"])
            self.assertEqual(len(high_low), 2)
            self.assertGreaterEqual(high_low[0], high_low[1])
            self.assertIsInstance(people, int)

    def test_settings_by_a_select(self):
        row = self.connection.execute(
            "SELECT set_config(%s, %s, false)", ("custos.epsilon", "0.25"))
        self.assertEqual(row.fetchall(), [("0.25",)])
        row = self.connection.execute("SHOW custos.epsilon")
        self.assertEqual(row.fetchall(), [("0.25",)])

    def test_prepared(self):
        for born in range(1950, 1960):
            self.connection.execute(
                "SELECT count(*) FROM patients WHERE born < %s", (born,),
                prepare=True)
        self.near(self.connection.execute(COUNT, prepare=True).fetchall())

    def test_a_server_cursor(self):
        with self.connection.transaction():
            with self.connection.cursor("own") as cursor:
                cursor.execute("SELECT department FROM departments "
                               "ORDER BY department")
                self.assertEqual(cursor.fetchone(), ("bones",))
                self.assertEqual(cursor.fetchall(), [("eyes",), ("heart",)])

    def test_a_pipeline(self):
        with self.connection.pipeline():
            first = self.connection.execute("SELECT 1")
            second = self.connection.execute("SELECT 2")
        self.assertEqual((first.fetchone(), second.fetchone()), ((1,), (2,)))

    def test_notices(self):
        heard = []
        self.connection.add_notice_handler(
            lambda notice: heard.append(notice.message_primary))
        self.connection.execute(COUNT)
        self.assertTrue(heard)

    def test_errors(self):
        with self.assertRaises(psycopg.Error) as caught:
            self.connection.execute("SELECT count(*) FROM nowhere")
        self.assertEqual(caught.exception.diag.statement_position, "22")
        self.assertEqual(self.connection.execute("SELECT 1").fetchone(), (1,))
        with self.assertRaises(psycopg.errors.FeatureNotSupported):
            with self.connection.cursor() as cursor:
                with cursor.copy("COPY patients TO STDOUT") as copy:
                    list(copy)

    def test_a_wrong_password(self):
        with self.assertRaises(psycopg.OperationalError):
            psycopg.connect(self.url(), password="wrong")


if __name__ == "__main__":
    unittest.main()
