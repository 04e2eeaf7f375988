"""A person in two tables counts as one person: a group of one is not shown,
however large epsilon is. Types under which the person would count twice are
rejected.
"""
import pathlib
import tempfile
import unittest

from command import CommandCase, run

POLICY = """\
custos: 1
budget: {{epsilon: 100000, delta: 1e-3, force_delta: true}}
query: {{epsilon: 1, max_epsilon: 1000, delta: 1e-9}}
tables:
  a: {{source: a.csv, unit: id, rows_per_unit: 1,
      columns: {{id: {{type: {a}}}, city: {{type: text}}}}}}
  b: {{source: b.csv, unit: id, rows_per_unit: 1,
      columns: {{id: {{type: {b}}}, city: {{type: text}}}}}}
"""
GROUPS = ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 100) city, "
          "count(*) FROM (SELECT city FROM a UNION ALL SELECT city FROM b) "
          "AS both_tables GROUP BY city")


class Units(CommandCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        # 1 is alone in nuuk; 2 and 3 live in oslo
        (self.folder / "a.csv").write_text("id,city\n1,nuuk\n2,oslo\n3,oslo\n")
        (self.folder / "b.csv").write_text(
            "id,city\n1.0,nuuk\n2.00,oslo\n 3,oslo\n")

    def write(self, a, b):
        path = self.folder / "policy.yaml"
        path.write_text(POLICY.format(a=a, b=b))
        return str(path)

    def cities(self, kind):
        """The cities that are shown when both units are of this type."""
        store = str(self.folder / f"store-{kind}")
        done = run("init", self.write(kind, kind), "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("query", "--store", store, GROUPS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {city for city in ("nuuk", "oslo")
                if city.encode() in done.stdout}

    def test_a_group_of_one_is_not_shown(self):
        """False alarms: 1e-9. With text units the person does count as two,
        which shows that the question can tell one person from two."""
        self.assertEqual(self.cities("integer"), {"oslo"})
        self.assertEqual(self.cities("text"), {"nuuk", "oslo"})

    def test_two_types_are_refused(self):
        for a, b in (("integer", "decimal, scale: 1"), ("integer", "text"),
                     ("decimal, scale: 1", "decimal, scale: 2"),
                     ("date", "timestamp")):
            path = self.write(a, b)
            for words in (("policy", "check", path),
                          ("init", path, "--store",
                           str(self.folder / "none"))):
                done = run(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(b"one person could count as two",
                              done.stdout + done.stderr)
                self.assertIn(b"line 8", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
