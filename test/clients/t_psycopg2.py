"""psycopg 2: questions, parameters, named cursors, notices, errors."""
import datetime
import decimal
import unittest

from client import COUNT, ClientCase, need_module

psycopg2 = need_module("psycopg2")
errors = need_module("psycopg2.errors")


class Psycopg2(ClientCase):
    def setUp(self):
        self.connection = psycopg2.connect(self.url())
        self.addCleanup(self.connection.close)

    def ask(self, sql, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return cursor.fetchall()

    def test_a_question(self):
        self.near(self.ask(COUNT))
        self.assertTrue(any("NOTICE" in n for n in self.connection.notices))

    def test_types(self):
        people, day, weight = self.ask(
            "SELECT count(*), median(since), avg(weight) FROM patients")[0]
        self.assertIsInstance(people, int)
        self.assertIsInstance(day, datetime.date)
        self.assertIsInstance(weight, (float, decimal.Decimal))
        self.assertIsInstance(
            self.ask("SELECT median(came) FROM visits")[0][0],
            datetime.datetime)
        self.assertEqual(self.ask("SELECT true, NULL, 'x'"),
                         [(True, None, "x")])

    def test_values(self):
        self.assertEqual(
            self.ask("SELECT floor FROM departments WHERE department = %s",
                     "heart"), [(1,)])
        rows = self.ask("SELECT count(*) FROM patients WHERE born < %s "
                        "AND since >= %s", 2000, datetime.date(2003, 1, 2))
        self.assertEqual(len(rows), 1)

    def test_a_named_cursor(self):
        with self.connection.cursor("own") as cursor:
            cursor.itersize = 1
            cursor.execute("SELECT department FROM departments "
                           "ORDER BY department")
            self.assertEqual([row[0] for row in cursor],
                             ["bones", "eyes", "heart"])

    def test_errors(self):
        with self.assertRaises(errors.UndefinedObject) as caught:
            self.ask("SELECT count(*) FROM patients WHERE nobody = 1")
        self.assertIn("nobody", caught.exception.pgerror)
        with self.assertRaises(errors.InFailedSqlTransaction):
            self.ask("SELECT 1")
        self.connection.rollback()
        self.assertEqual(self.ask("SELECT 1"), [(1,)])
        with self.assertRaises(errors.FeatureNotSupported):
            self.ask("INSERT INTO patients VALUES (1)")

    def test_autocommit_and_status(self):
        self.connection.autocommit = True
        self.assertEqual(self.ask("SHOW server_encoding"), [("UTF8",)])
        self.assertGreaterEqual(self.connection.server_version, 130000)


if __name__ == "__main__":
    unittest.main()
