"""A store as its owner and analysts use it: init, query, explain, shell,
backup, restore.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from command import CUSTOS, lines


def custos(*args, given=""):
    done = subprocess.run([CUSTOS, *args], input=given.encode(), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Store(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.hospital = cls.folder / "hospital"
        lines("demo", "--people", "300", "--keep", str(cls.hospital))
        cls.number = 0

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        """A separate store for every test, with nothing spent."""
        Store.number += 1
        self.store = str(self.folder / f"store{self.number}")
        code, _, said = custos("init", str(self.hospital / "policy.yaml"),
                               "--store", self.store)
        self.assertEqual((code, said), (0, ""))

    def ask(self, sql, *options, verb="query"):
        return custos(verb, "--store", self.store, *options, sql)

    def answer(self, sql, *options):
        code, text, said = self.ask(sql, "--format", "json", *options)
        self.assertEqual((code, said), (0, ""))
        return json.loads(text)

    def refused(self, sql, *options, says, code=2):
        found, text, said = self.ask(sql, *options)
        self.assertEqual((found, text), (code, ""), said)
        self.assertRegex(said, r"\Acustos: .+\n(hint: .+\n)?\Z")
        self.assertIn(says, said)

    def left(self, *who):
        text = custos("budget", "--store", self.store, "--json", *who)[1]
        return json.loads(text)

    def test_json_has_all_there_is(self):
        a = self.answer("SELECT city, count(*) AS n FROM patients GROUP BY city",
                        "--epsilon", "0.25")
        self.assertEqual([c["name"] for c in a["columns"]], ["city", "n"])
        self.assertEqual(len(a["rows"]), 6)
        for city, n in a["rows"]:
            self.assertEqual(list(city), ["value"])
            value, low, high = (int(n[end]) for end in ("value", "low", "high"))
            self.assertEqual(high - low, 24) # scale 4
            self.assertEqual(value * 2, high + low)
        self.assertEqual(a["cost"]["epsilon"], "0.25")
        self.assertEqual(a["remaining"]["epsilon"], "0.75")
        self.assertFalse(a["stored"])
        self.assertRegex(a["receipt"], r"^\d+:[0-9a-f]{64}$")
        again = self.answer(
            "select city, count(*) n from patients group by 1", "--epsilon",
            "1/4")
        self.assertTrue(again["stored"])
        for key in ("rows", "receipt", "remaining"):
            self.assertEqual(again[key], a[key])

    def test_csv_quotes_and_names_bounds(self):
        code, text, _ = self.ask(
            'SELECT city AS "a,b", count(*) FROM patients GROUP BY city '
            "LIMIT 1", "--format", "csv")
        self.assertEqual(code, 0)
        first, row = text.splitlines()
        self.assertEqual(first, '"a,b",count,count_low,count_high')
        self.assertRegex(row, r"^Bergen,-?\d+,-?\d+,-?\d+$")

    def test_refusals_name_the_place(self):
        self.refused("SELECT count(*) FROM patients WHERE agee > 3",
                     says="line 1, column 37: ")
        self.refused("SELECT count(*)\nFROM nowhere", says="line 2, column 6: ")
        self.refused("SELECT count(*) FROM patients", "--epsilon", "5",
                     says="0.5")
        self.refused("SELECT count(*) FROM patients", "--epsilon", "nan",
                     says="epsilon")
        self.refused("DROP TABLE patients", says="DROP")
        self.refused("", says="")
        self.refused("SELECT 1; SELECT 2", says="")

    def test_explain_names_the_place_in_what_was_given(self):
        for sql, says in (
                ("SELEC 1", "line 1, column 1: "),
                ("SELECT count(*) FROM patients WHERE agee > 3",
                 "line 1, column 37: "),
                ("SELECT count(*)\nFROM nowhere", "line 2, column 6: ")):
            for verb in ("query", "explain"):
                code, _, said = self.ask(sql, verb=verb)
                self.assertEqual(code, 2)
                self.assertIn(says, said, verb)

    def test_explain_says_what_is_stored(self):
        sql = "SELECT count(*) FROM patients"
        says = ("  stored     this answer is cached: asking again costs "
                "nothing\n")
        self.assertNotIn("stored", self.ask(sql, verb="explain")[1])
        self.answer(sql)
        self.assertIn(says, self.ask(sql, verb="explain")[1])
        self.assertIn(says, self.ask("EXPLAIN " + sql)[1])
        self.assertNotIn("stored", self.ask(sql, "--epsilon", "0.2",
                                            verb="explain")[1])

    def test_error_bars_are_named_where_there_are_any(self):
        policy, store = self.small(
            "distinct", "who,größe\n" + "".join(
                f"{i},{i % 2}\n" for i in range(400)))
        path = pathlib.Path(policy)
        path.write_text(path.read_text().replace(
            "{epsilon: 1000}", "{epsilon: 1000, delta: 1e-6, n: 400}").replace(
            ", range: [0, 9]", ""))
        self.assertEqual(custos("init", policy, "--store", store)[0], 0)
        for sql, bars in (('SELECT DISTINCT "größe" FROM d', False),
                          ("SELECT count(*) FROM d", True)):
            code, text, said = custos("query", "--store", store, sql)
            self.assertEqual((code, said), (0, ""))
            self.assertEqual("95 % error bars" in text, bars, text)
            self.assertIn("  Cost: ε " if not bars else ". Cost: ε ", text)

    def test_what_does_not_exist_is_wrong_input(self):
        """Exit 2, as custos(1) says, whatever is missing."""
        gone = str(self.folder / "gone")
        code, text, said = custos("restore", gone, "--store", gone + ".store")
        self.assertEqual((code, text), (2, ""))
        self.assertEqual(said, f"custos: there is no backup at {gone}\nhint: "
                               "give the folder that custos backup has "
                               "created\n")
        path = self.hospital / "gone.yaml"
        path.write_text((self.hospital / "policy.yaml").read_text().replace(
            "source: visits.csv", "source: gone.csv"))
        for words in (["init", str(path), "--store", gone],
                      ["policy", "draft", str(self.hospital / "gone.csv")]):
            code, _, said = custos(*words)
            self.assertEqual(code, 2, words)
            self.assertIn("gone.csv does not exist or is not readable", said)

    def test_bad_options(self):
        sql = "SELECT count(*) FROM patients"
        for options, says in (
                (("--epsilon", "1", "--within", "3"), "give one of"),
                (("--jointly",), "--jointly needs --within"),
                (("--format", "xml"), "there is no format xml"),
                (("--as", "nobody"), "no analyst"),
                (("--within", "-1"), "within")):
            self.refused(sql, *options, says=says)
        self.refused("SELECT avg(born) FROM patients", "--within", "1",
                     says="not public")
        code, _, said = custos("query", "--store", str(self.folder / "none"),
                               sql)
        self.assertEqual(code, 2, said)
        self.assertIn("no store", said)

    def test_a_warned_query_can_be_stopped_before_its_charge(self):
        sql = "SELECT count(*) FROM patients WHERE sex = 'female'"
        said = "'female' is not among the public values of sex"
        before = self.left()
        self.assertIn(f"  warning    {said}",
                      self.ask(sql, verb="explain")[1].splitlines())
        self.refused(sql, "--cautious", says=said)
        self.assertEqual(self.left(), before)
        self.assertEqual(self.answer(sql)["warnings"], [said])
        self.answer(sql, "--cautious")  # cached: free
        self.answer("SELECT count(*) FROM patients WHERE sex = 'f'",
                    "--cautious")

    def write_batch(self, *queries):
        path = self.folder / f"batch{self.number}.sql"
        path.write_text(";\n".join(queries) + ";\n")
        return str(path)

    def batch(self, path, *options, verb="query"):
        return custos(verb, "--store", self.store, *options, "-f", path)

    def test_a_batch_from_a_file(self):
        count = "SELECT count(*) FROM patients"
        path = self.write_batch(
            "-- a; comment\n" + count, count + " WHERE sex = 'a;b'", count)
        code, text, said = self.batch(path, "--epsilon", "0.1",
                                      verb="explain")
        self.assertEqual((code, said), (0, ""))
        self.assertIn("3 queries, which together cost: ε 0.2.", text)
        self.assertEqual(self.left()["common"]["charges"], 0)
        code, text, said = self.batch(path, "--epsilon", "0.1")
        self.assertEqual((code, said), (0, ""))
        self.assertIn("3 queries, charged together: ε 0.2.", text)
        self.assertIn("Cached: no cost.", text)
        self.assertEqual(self.left()["common"]["charges"], 2)
        code, text, said = self.batch(path, "--epsilon", "0.1", "--format",
                                      "json")
        got = json.loads(text)
        self.assertEqual([a["stored"] for a in got["answers"]], [True] * 3)
        self.assertEqual(got["cost"]["epsilon"], "0")
        self.assertEqual(self.left()["common"]["charges"], 2)

    def test_a_batch_is_charged_as_a_whole_or_not_at_all(self):
        count = "SELECT count(*) FROM patients"
        for queries, options, code, says in (
                ([count, "SELECT 1 +\n  FROM patients"], [], 2,
                 "query 2, line 3, column 3: "),
                ([count, count + " WHERE colour = 1"], [], 2,
                 "query 2, line 2, column 37: "),
                ([count, "EXPLAIN " + count], [], 2, "query 2, line 2"),
                ([count, "COMMIT"], [], 2, "query 2, line 2"),
                ([count + f" WHERE born > {1920 + i}" for i in range(65)], [],
                 2, "65 queries"),
                ([""], [], 2, "no query"),
                ([count + f" WHERE born > {1920 + i}" for i in range(4)],
                 ["--epsilon", "0.3"], 3, "needs epsilon 1.2, and 1 is left"),
                ([count, count + " WHERE sex = 'female'"], ["--cautious"], 2,
                 "query 2, line 2, column 1: 'female' is not among"),
                ([count], ["--format", "csv"], 2, "csv is for one answer")):
            path = self.write_batch(*queries)
            found, text, said = self.batch(path, *options)
            self.assertEqual((found, text), (code, ""), said)
            self.assertIn(says, said)
            self.assertEqual(self.left()["common"]["charges"], 0)
        self.assertEqual(self.batch(str(self.folder / "none.sql"))[0], 2)
        self.assertEqual(custos("query", "--store", self.store, "-f", path,
                                count)[0], 2)

    def test_within_is_the_cheapest(self):
        sql = "SELECT sex, count(*) FROM patients GROUP BY sex"
        each = self.answer(sql, "--within", "30")
        both = self.answer(sql, "--within", "30", "--jointly")
        for row in each["rows"]:
            self.assertLessEqual(
                int(row[1]["high"]) - int(row[1]["value"]), 30)
        price = float(each["cost"]["epsilon"])
        self.assertGreater(float(both["cost"]["epsilon"]), price)
        a = self.answer(sql, "--epsilon", f"{price - 1e-8:.9f}")
        n = a["rows"][0][1]
        self.assertGreater(int(n["high"]) - int(n["value"]), 30)

    def test_analysts_have_their_own(self):
        sql = "SELECT count(*) FROM patients"
        self.answer(sql, "--as", "ana", "--epsilon", "0.4")
        self.refused("SELECT count(*) FROM visits", "--as", "ana",
                     "--epsilon", "0.2", says="own budget", code=3)
        self.refused("SELECT count(*) FROM patients WHERE smoker", "--as",
                     "ana", says="smoker")
        self.answer("SELECT count(*) FROM patients WHERE smoker", "--epsilon",
                    "0.5")
        self.answer("SELECT count(*) FROM visits", "--epsilon", "0.05")
        self.refused("SELECT count(*) FROM visits", "--as", "ana",
                     "--epsilon", "0.1", says="common", code=3)

    def small(self, name, rows, *more):
        """Writes a small file and a policy for it, with extra lines."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "d.csv").write_text(rows)
        (folder / "policy.yaml").write_text("\n".join((
            "\ufeffcustos: 1", "budget: {epsilon: 1000}", "tables:", "  d:",
            "    source: d.csv", "    unit: who", "    columns:",
            "      who: {type: integer}",
            "      \"größe\": {type: integer, range: [0, 9]}", *more)) + "\n")
        return str(folder / "policy.yaml"), str(folder / "store")

    def test_a_table_without_max_rows_is_counted(self):
        rows = "who,größe\n" + "".join(f"{i},2\n" for i in range(40))
        policy, store = self.small("counted", rows)
        code, text, said = custos("init", policy, "--store", store)
        self.assertEqual(code, 0, said)
        self.assertRegex(text, r"  d: the policy has no max_rows; a noisy count"
                         r" was charged, epsilon 1, as it is at every init: at "
                         r"most (32|64|128|256) rows, which is public\. Receipt \d+:[0-9a-f]{64}\n")
        charges = custos("ledger", "--store", store)[1].count(" charge ")
        self.assertEqual(charges, 1)
        path = pathlib.Path(policy)
        path.write_text(path.read_text().replace(
            "    unit: who", "    unit: who\n    max_rows: 40"))
        code, text, said = custos("init", policy, "--store", store)
        self.assertEqual(code, 0, said)
        self.assertNotIn("charged", text)
        path.write_text(path.read_text().replace("max_rows: 40",
                                                 "max_rows: 39"))
        code, _, said = custos("init", policy, "--store", store)
        self.assertNotEqual(code, 0)
        self.assertIn("table d has more rows than its max_rows", said)

    def test_left_is_what_the_window_admits(self):
        policy, store = self.small(
            "window", "who,größe\n1,2\n", "analysts:",
            "  bo: {budget: {epsilon: 50}, window: {epsilon: 5, days: 1}}")
        self.assertEqual(custos("init", policy, "--store", store)[0], 0)
        sql = "SELECT count(*) FROM d"
        for format, says in (("json", '"remaining":{"epsilon":"1"}'),
                             ("table", "Remaining: ε 1.\n")):
            _, text, said = custos("query", "--store", store, "--as", "bo",
                                   "--epsilon", "4", "--format", format, sql)
            self.assertIn(says, text, said)
        self.assertRegex(custos("budget", "--store", store, "--as", "bo")[1],
                         r"left: epsilon 46\n  - 1 day .*\n +left: epsilon 1\n"
                         r" +each charge counts here for 1 day\n")
        text = custos("shell", "--store", store, "--as", "bo",
                      given="\\budget\n")[1]
        self.assertEqual(text, "  epsilon 46 of 50 left\n  epsilon 1 of 5 left "
                               "in your window: a question must fit both\n")

    def test_left_is_compared_exactly(self):
        """The window has 1e-20 less than the budget; as doubles they are equal."""
        policy, store = self.small(
            "exact", "who,größe\n1,2\n", "analysts:",
            "  bo: {budget: {epsilon: 5}, "
            "window: {epsilon: 4.99999999999999999999, days: 1}}")
        self.assertEqual(custos("init", policy, "--store", store)[0], 0)
        text = custos("query", "--store", store, "--as", "bo", "--epsilon", "4",
                      "--format", "json", "SELECT count(*) FROM d")[1]
        self.assertEqual(json.loads(text)["remaining"]["epsilon"],
                         "0.99999999999999999999")

    def test_catalog_names_what_is_granted(self):
        policy, store = self.small(
            "granted", "who,größe\n1,2\n", "analysts:",
            "  bo: {tables: {d: [\"größe\"]}}")
        self.assertEqual(custos("init", policy, "--store", store)[0], 0)
        shown = "\\d\n\\d d\n"
        text = custos("shell", "--store", store, "--as", "bo", given=shown)[1]
        self.assertNotIn("who", text)
        self.assertIn("how many rows of one unit count", text)
        text = custos("shell", "--store", store, given=shown)[1]
        self.assertIn("  who    integer\n  größe  integer    from 0", text)

    def test_catalog_shows_granted_views(self):
        policy, store = self.small(
            "views", "who,größe\n1,2\n", "views:",
            "  v: {sql: SELECT who FROM d, comment: all of them}",
            "  w: {sql: SELECT who FROM v}",
            "analysts:", "  bo: {tables: [v]}")
        self.assertEqual(custos("init", policy, "--store", store)[0], 0)
        shown = "\\d\n\\d v\n"
        text = custos("shell", "--store", store, "--as", "bo", given=shown)[1]
        self.assertEqual(text.count("a view"), 2, text)
        self.assertEqual(text.count("-- all of them\n"), 2, text)
        self.assertNotIn("who", text)
        self.assertEqual(
            custos("shell", "--store", store, given=shown)[1].count("a view"),
            3)
        with open(policy, encoding="utf-8") as f:
            text = f.read().replace("FROM d,", "FROM e,")
        with open(policy, "w", encoding="utf-8") as f:
            f.write(text)
        for verb in (["init", "--store", store], ["policy", "check"]):
            code, _, said = custos(*verb, policy)
            self.assertNotEqual(code, 0)
            self.assertRegex(said, r"line \d+: view 'v': there is no table or "
                                   "view e")

    def test_init_tells_of_attached_tables(self):
        policy, store = self.small("attached", "who,größe\n1,2\n,x\n")
        _, text, said = custos("init", policy, "--store", store,
                               "--accept-loss")
        self.assertIn("  d: 2 rows read, 1 kept, of 1 unit; 1 belongs to no "
                      "unit\n    größe: 1 unreadable, now NULL, e.g. 'x'\n",
                      text, said)
        with open(policy, "a", encoding="utf-8") as f:
            f.write("    attach: true\n")
        _, text, said = custos("init", policy, "--store", store,
                               "--accept-loss")
        self.assertIn("  d: attached, read from its file in every query; 2 "
                      "rows read, 2 used\n", text, said)

    def test_bars_align(self):
        text = self.ask("SELECT city, count(*) FROM patients GROUP BY city",
                        "--epsilon", "0.5", "--format", "bars")[1]
        ends = {len(line) for line in text.splitlines() if "±" in line[:70]
                and "holds" not in line}
        self.assertEqual(len(ends), 1, text)

    def test_bars_of_all_aggregates(self):
        text = self.ask("SELECT sex, count(*) AS n, avg(born) AS mean FROM "
                        "patients GROUP BY sex", "--epsilon", "0.5",
                        "--format", "bars")[1]
        lines = text.splitlines()
        names = [i for i, line in enumerate(lines) if line in ("  n", "  mean")]
        self.assertEqual([lines[i] for i in names], ["  n", "  mean"], text)
        blocks = lines[names[0] + 1:names[1] - 1], lines[names[1] + 1:]
        for block in blocks:
            self.assertIn("±", block[0], text)
        self.assertEqual(lines[names[1] - 1], "")
        for line, other in zip(*blocks):
            self.assertEqual(line.split()[0], other.split()[0], text)

    def test_explain_charges_nothing(self):
        before = self.left()
        code, text, _ = self.ask("SELECT sum(cost) FROM visits",
                                 "--epsilon", "0.1", verb="explain")
        self.assertEqual(code, 0)
        self.assertIn("sensitivity", text)
        self.assertIn("0.1", text)
        self.assertEqual(self.left(), before)

    def test_shell_reads_questions(self):
        given = ("\\d\n\\d visits\nSELECT count(*)\n  FROM patients;\n"
                 "\\epsilon 0.2\nSELECT count(*) FROM visits;\n"
                 "SELECT nonsense;\n\\budget\n\\nothing\n\\q\n"
                 "SELECT count(*) FROM departments;\n")
        code, text, said = custos("shell", "--store", self.store, given=given)
        self.assertEqual(code, 0)
        self.assertIn("patients", text)
        self.assertIn("the unit is patient_id, at most 8 rows of one unit "
                      "count\n", text)
        self.assertIn("Cost: ε 0.1.", text)
        self.assertIn("Cost: ε 0.2.", text)
        self.assertIn("epsilon 0.7 of 1 left", text)
        self.assertEqual([line.split(":")[0] for line in said.splitlines()],
                         ["custos", "custos", "hint"])
        code, _, said = custos("shell", "--store", self.store,
                               given="SELECT count(*) FROM patients")
        self.assertEqual(code, 2)
        self.assertIn("semicolon", said)

    def test_the_store_is_the_owners(self):
        for path, _, files in os.walk(self.store):
            for name in [path] + [os.path.join(path, f) for f in files]:
                self.assertEqual(os.stat(name).st_mode & 0o077, 0, name)

    def test_backup_says_how_to_restore(self):
        text = " ".join(" ".join(lines("backup", "--help")).split())
        self.assertIn("Use custos restore to make a store of the copy again; "
                      "do not copy its files by hand", text)

    def test_backup_and_restore(self):
        to, back = (str(self.folder / f"{x}{self.number}")
                    for x in ("backup", "back"))
        self.answer("SELECT count(*) FROM patients")
        self.assertEqual(custos("backup", "--store", self.store, to)[0], 0)
        last = self.answer("SELECT count(*) FROM visits")["receipt"]
        code, _, said = custos("restore", to, "--store", back, "--receipt",
                               last)
        self.assertEqual(code, 1, said)
        self.assertIn("older", said)
        self.assertFalse(os.path.exists(back))
        code, text, said = custos("restore", to, "--store", back)
        self.assertEqual((code, said), (0, ""))
        self.assertRegex(text, r"receipt \d+:[0-9a-f]{64}")
        code, text, _ = custos("query", "--store", back, "--format", "json",
                               "SELECT count(*) FROM patients")
        self.assertTrue(json.loads(text)["stored"])
        self.assertIn("restore", custos("ledger", "--store", back)[1])
        code, _, said = custos("restore", to, "--store", back)
        self.assertNotEqual(code, 0)
        self.assertIn(back, said)

    def policy(self, storage):
        """Puts the demo's policy in force with a storage section added."""
        text = (self.hospital / "policy.yaml").read_text()
        path = self.hospital / f"policy{self.number}.yaml"
        path.write_text(text + f"\nstorage: {storage}\n")
        code, _, said = custos("init", str(path), "--store", self.store)
        self.assertEqual((code, said), (0, ""))

    def test_vacuum_tells_what_it_frees(self):
        sql = "SELECT count(*) FROM patients"
        self.assertFalse(self.answer(sql)["stored"])
        self.assertTrue(self.answer(sql)["stored"])
        # leftovers: a version that never came into force, and spill files
        store = pathlib.Path(self.store)
        (store / "data" / "77.duckdb").write_bytes(b"x" * 100000)
        (store / "tmp" / "spill-gone").mkdir()
        (store / "tmp" / "spill-gone" / "a.tmp").write_bytes(b"x" * 50000)
        code, text, said = custos("store", "vacuum", "--json", "--store",
                                  self.store)
        self.assertEqual((code, said), (0, ""))
        freed = json.loads(text)
        self.assertGreaterEqual(freed["data_bytes"], 100000)
        self.assertGreaterEqual(freed["tmp_bytes"], 50000)
        self.assertEqual(freed["answers"], 0)
        self.assertFalse((store / "data" / "77.duckdb").exists())
        self.assertEqual(os.listdir(store / "tmp"), [])
        self.assertTrue(self.answer(sql)["stored"])
        custos("ledger", "verify", "--store", self.store, "--receipt",
               freed["receipt"])
        code, text, said = custos("store", "vacuum", "--store", self.store)
        self.assertEqual((code, said), (0, ""))
        self.assertIn("0 dropped", text)
        self.assertEqual(custos("store", "--store", self.store)[0], 2)

    def test_retention_and_growth_follow_the_policy(self):
        self.policy("{answer_bytes: 1, ledger_bytes: 4000}")
        sql = "SELECT count(*) FROM patients"
        self.assertFalse(self.answer(sql)["stored"])
        self.assertFalse(self.answer(sql)["stored"])  # not cached: costs again
        for i in range(20):
            code, _, said = self.ask(f"SELECT count(*) AS n{i} FROM patients",
                                     "--as", "ana", "--epsilon", "0.001")
            if code:
                break
        self.assertIn("room in the ledger", said)
        self.assertEqual(custos("ledger", "verify", "--store", self.store)[0],
                         0)

    def test_no_verb_makes_a_ledger_anew(self):
        """Nothing is spent in a new ledger, so only a new store may get one."""
        policy = str(self.hospital / "policy.yaml")
        to = str(self.folder / f"none{self.number}")
        for name in os.listdir(self.store):
            if name.startswith("ledger.db"):
                os.remove(os.path.join(self.store, name))
        for words in (["query", "SELECT count(*) FROM patients"], ["budget"],
                      ["ledger"], ["ledger", "verify"], ["backup", to],
                      ["init", policy]):
            code, _, said = custos(*words, "--store", self.store)
            self.assertNotEqual(code, 0, words)
            self.assertIn("no ledger", said)
            self.assertFalse(
                os.path.exists(os.path.join(self.store, "ledger.db")), words)
        code, _, said = custos("restore", self.store, "--store", to)
        self.assertNotEqual(code, 0)
        self.assertIn("no ledger", said)

    def test_a_new_version_keeps_the_ledger(self):
        self.answer("SELECT count(*) FROM patients")
        code, text, _ = custos("init", str(self.hospital / "policy.yaml"),
                               "--store", self.store)
        self.assertEqual(code, 0)
        self.assertIn("data version 2", text)
        self.assertFalse(self.answer("SELECT count(*) FROM patients")["stored"])
        text = custos("ledger", "--store", self.store)[1]
        self.assertEqual(len(re.findall("charge", text)), 2)
        self.assertEqual(
            custos("ledger", "verify", "--store", self.store)[0], 0)


if __name__ == "__main__":
    unittest.main()
