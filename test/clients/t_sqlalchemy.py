"""SQLAlchemy: reflection of tables, columns, keys and comments; questions built
from the reflected tables."""
import unittest

from client import ClientCase, need_module

need_module("psycopg2")
sqlalchemy = need_module("sqlalchemy")


class SqlAlchemy(ClientCase):
    def setUp(self):
        self.engine = sqlalchemy.create_engine(self.url(), future=True)
        self.addCleanup(self.engine.dispose)

    def test_inspector(self):
        look = sqlalchemy.inspect(self.engine)
        self.assertIn("public", look.get_schema_names())
        self.assertEqual(sorted(look.get_table_names()),
                         ["departments", "patients", "visits"])
        self.assertEqual(look.get_view_names(), ["dear"])
        types = {c["name"]: str(c["type"])
                 for c in look.get_columns("patients")}
        self.assertEqual(types["id"], "BIGINT")
        self.assertEqual(types["sex"], "TEXT")
        self.assertTrue(types["weight"].startswith("NUMERIC"))
        self.assertEqual(types["since"], "DATE")
        self.assertEqual(look.get_table_comment("patients")["text"][:21],
                         "Everybody who came in")
        keys = look.get_foreign_keys("visits")
        self.assertEqual([(k["constrained_columns"], k["referred_table"],
                           k["referred_columns"]) for k in keys],
                         [(["patient_id"], "patients", ["id"])])
        self.assertEqual(look.get_indexes("patients"), [])
        self.assertEqual(look.get_unique_constraints("patients"), [])
        self.assertEqual(look.get_check_constraints("patients"), [])
        look.get_pk_constraint("patients")

    def test_reflection_and_a_question(self):
        data = sqlalchemy.MetaData()
        data.reflect(self.engine, views=True)
        patients = data.tables["patients"]
        count = sqlalchemy.func.count()
        ask = sqlalchemy.select(patients.c.sex, count.label("n")) \
            .where(patients.c.born < 2010).group_by(patients.c.sex)
        with self.engine.connect() as connection:
            rows = connection.execute(ask).all()
        self.near(rows)

    def test_what_is_not_granted_is_not_reflected(self):
        engine = sqlalchemy.create_engine(self.url("bob"))
        self.addCleanup(engine.dispose)
        look = sqlalchemy.inspect(engine)
        self.assertNotIn("patients", look.get_table_names())
        self.assertEqual([c["name"] for c in look.get_columns("visits")],
                         ["department", "cost"])
        self.assertEqual(look.get_foreign_keys("visits"), [])


if __name__ == "__main__":
    unittest.main()
