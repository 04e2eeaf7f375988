"""The checks of the source work: a small tree passes, and fails with each
planted fault.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SRC = pathlib.Path(os.environ.get("SRC", "."))
TREE = {
    "README.md": "[doc](doc/README.md), `src/plan/plan.h`, `tools/docs`\n",
    "include/custos.h": "int custos_noise(void);\n",
    "src/LAYERS": "base:\nplan: base\n<gmp.h>: base\n\"base/seal.h\": base\n",
    "src/SQLTEXT": "# why\nprinter plan/plan_print.c\n",
    "src/base/README.md": "| File | What |\n|---|---|\n| `text` | text |\n",
    "src/base/text.c": "int\ntext_read(void)\n{\n    return 0;\n}\n",
    "src/plan/README.md": "| File | What |\n|---|---|\n| `plan*` | plans |\n",
    "src/plan/plan.h": "int plan_make(void);\n",
    "src/plan/plan.c": """/*
 * THEOREM  plan-holds
 *   A plan holds.
 * SOURCE   by construction
 * NEEDS    nothing.
 * GIVES    a plan.
 * FAILS    cannot.
 * TESTED   plan_holds
 */
#include "plan/plan.h"

int
plan_make(void)
{
    return 0;
}
""",
    "src/plan/plan_print.c": 'const char *const engine = "SELECT 1";\n',
    "src/plan/plan_fail.c": """const int refused =
    custos_fail("no aggregates in WHERE", HINT
                "write count(*), or GROUP BY the unit");
""",
    "src/plan/plan_main.c": """int
main(void)
{
    return plan_make() + text_read();
}
""",
    "test/budgets": "# seconds\nplan 10\nfuzz 5\nexamples 5\n",
    "test/meson.build": "",
    "fuzz/meson.build": "suite: 'fuzz',\n",
    "examples/meson.build": "suite: 'examples',\n",
    "test/plan/t_slow.py": "",
    "test/t_plan.c": "void\nplan_holds(void)\n{\n}\n",
    "doc/README.md": "[a](architecture.md) [d](decisions/README.md) "
                     "[t](theorems.md)\n",
    "doc/architecture.md": "`plan_make()` in `plan/plan`, `gmp.h`\n"
                           "```\nplan/plan.c\n```\n",
    "doc/decisions/README.md": "[one](one.md)\n",
    "doc/decisions/one.md": "One.\n",
}

FUNCTIONS = {
    "src/sql/functions.def": """
ROW(ABS, /* (a comment) */
    TYPES(type_arithmetic) RANGE(range_magnitude)
    DOC("Numbers", "abs(x)", "without sign")
    EXAMPLE("abs(-1)", "1"))

ROW(LOWER,
    TYPES(type_text) LENGTH(length_of_case)
    DOC("Texts", "lower(s)", "in small "
        "letters")
    EXAMPLE("lower('A')", "a"))

#undef ROW
""",
    "src/sql/aggregates.def": """
ROW(SUM,
    CALLED("sum")
    DOC("Aggregates", "sum(x)", "of numbers"))

#undef ROW
""",
    "test/sql/t_functions.c": """
    {CALL_ABS, "abs(0)", "0"},
    {CALL_LOWER, "lower(NULL)", NULL},
    {AGG_SUM, "sum(i)", "12"},
""",
    "doc/analyst.md": "<!-- functions: tools/functions --write -->\n"
                      "<!-- end of functions -->\n"
                      "<!-- aggregates: tools/functions --write -->\n"
                      "<!-- end of aggregates -->\n",
    "web/src/ask/functions.ts": "",
}


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in TREE.items():
            self.write(name, text)
        (self.root / "tools").mkdir()
        for tool in ("docs", "functions", "layers", "sqltext", "theorems", "budgets"):
            shutil.copy(SRC / "tools" / tool, self.root / "tools")
        self.run_tool("theorems")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, tool, *args, **env):
        done = subprocess.run([self.root / "tools" / tool, *args],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, **env})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def found(self, said, tool, *args):
        status, text = self.run_tool(tool, *args)
        self.assertEqual(status, 1, text)
        self.assertIn(said, text)

    def test_a_good_tree_passes(self):
        self.assertEqual(self.run_tool("docs")[0], 0, self.run_tool("docs"))
        self.assertEqual(self.run_tool("theorems", "--check")[0], 0)
        self.assertEqual(self.run_tool("budgets"), (0, ""))
        self.assertEqual(self.run_tool("sqltext")[0], 0,
                         self.run_tool("sqltext"))

    def test_layers_finds_forbidden_includes(self):
        self.write("src/base/seal.h", "")
        for line, said in (
                ('"plan/plan.h"', "base/ may not include plan/"),
                ("<gmp.h>", "gmp.h belongs to base"),
                ('"base/seal.h"', "base/seal.h belongs to base")):
            home = "base" if "plan.h" in line else "plan"
            self.write(f"src/{home}/bad.c", f"#include {line}\n")
            self.found(f"src/{home}/bad.c: ", "layers")
            self.found(said, "layers")
            (self.root / f"src/{home}/bad.c").unlink()
        self.write("src/base/good.c", '#include "base/seal.h"\n')
        self.assertEqual(self.run_tool("layers")[0], 0)

    def test_layers_look_into_folders_of_folders(self):
        self.assertEqual(self.run_tool("layers")[0], 0, self.run_tool("layers"))
        for name, include, said in [
                ("src/base/in/a.c", '"plan/plan.h"', "base/ may not include plan/"),
                ("src/plan/in/a.c", "<gmp.h>", "gmp.h belongs to base")]:
            self.write(name, f"#include {include}\n")
            self.found(said, "layers")
            (self.root / name).unlink()
        self.write("src/LAYERS", TREE["src/LAYERS"] + "<in.h>: plan/in\n")
        self.write("src/plan/in/a.c", "#include <in.h>\n")
        self.assertEqual(self.run_tool("layers")[0], 0, self.run_tool("layers"))
        self.write("src/plan/more.c", "#include <in.h>\n")
        self.found("in.h belongs to plan/in", "layers")

    def test_sqltext_finds_sql_outside_printers(self):
        for text in ["SELECT u FROM t", "CAST(%s AS BIGINT)", " FROM ", ", %s AS ",
                     " WHERE rank <= %d", "count(*)", "CASE WHEN %s", "x IS NULL",
                     'DROP TABLE " "t', " ORDER BY"]:
            with self.subTest(text=text):
                self.write("src/plan/more.c", f'const char a[] = "{text}";\n')
                self.found("src/plan/more.c:1: SQL outside a printer", "sqltext")
        for text in ["rows that pass WHERE count", "UNION ALL adds up rows"]:
            self.write("src/plan/more.c", f'const char a[] = "{text}";\n')
            self.assertEqual(self.run_tool("sqltext")[0], 0, text)

    def test_sqltext_finds_sql_files_outside_a_dialect(self):
        self.write("src/engine/duckdb/made.sql", "SELECT 1;\n")
        self.assertEqual(self.run_tool("sqltext")[0], 0,
                         self.run_tool("sqltext"))
        for name in ("plan/made.sql", "engine/made.sql", "engine/duckdb/in/made.sql"):
            self.write(f"src/{name}", "SELECT 1;\n")
            self.found(f"src/{name}: a .sql file outside a dialect's", "sqltext")
            (self.root / "src" / name).unlink()

    def test_sqltext_finds_files_listed_in_vain(self):
        self.write("src/SQLTEXT", TREE["src/SQLTEXT"] + "printer plan/plan.c\n")
        self.found("plan/plan.c has no SQL: remove it", "sqltext")

    def test_docs_finds_names_without_files(self):
        for name, text, said in [
                ("doc/architecture.md", "[x](gone.md)", "gone.md leads nowhere"),
                ("doc/architecture.md", "`plan/gone.c`", "`plan/gone.c` does"),
                ("doc/architecture.md", "`plan/gone`", "`plan/gone` does"),
                ("doc/architecture.md", "`gone.h`", "`gone.h` does"),
                ("doc/architecture.md", "`plan_gone()`", "no such function"),
                ("doc/architecture.md", "```\nplan/gone.c\n```", "plan/gone.c"),
                ("src/plan/README.md", TREE["src/plan/README.md"]
                 + "| `plan`, `gone` | x |\n", "`gone` does not exist in"),
                ("src/LAYERS", "base:\ngone: base\nplan: base\n", "src/gone")]:
            with self.subTest(name=name, text=text):
                self.write(name, text)
                self.found(said, "docs")
                self.write(name, TREE[name])

    def test_docs_finds_files_without_names(self):
        for name, said in [
                ("src/base/more.c", "src/base/README.md: does not name more"),
                ("doc/more.md", "doc/README.md: does not name more.md"),
                ("doc/more.1.scd", "does not name more.1.scd"),
                ("doc/decisions/two.md", "decisions/README.md: does not name")]:
            with self.subTest(name=name):
                self.write(name, "")
                self.found(said, "docs")
                (self.root / name).unlink()

    def test_theorems_finds_functions_without_callers(self):
        main, text = "src/plan/plan_main.c", "src/base/text.c"
        said = "plan.c: plan-holds: plan_make has no caller"
        self.write(main, "int\nmain(void)\n{\n    return 0;\n}\n")
        self.found(said, "theorems", "--check")
        # its only caller has no caller, or calls a static function of the same
        # name
        for body in ["int\ntext_read(void)\n{\n    return plan_make();\n}\n",
                     "static int\nplan_make(void)\n{\n    return 1;\n}\n\n"
                     "int\ncustos_noise(void)\n{\n"
                     "    return plan_make();\n}\n"]:
            with self.subTest(body=body):
                self.write(text, body)
                self.found(said, "theorems", "--check")
        # used by a table, a function of the public header, a macro, or a row
        for body in ["int (*const calls[])(void) = {plan_make};\n",
                     "int\ncustos_noise(void)\n{\n"
                     "    return plan_make();\n}\n",
                     "#define MAKE() plan_make()\n",
                     '#include "plan/rows.def"\n']:
            with self.subTest(body=body):
                self.write("src/plan/rows.def", "ROW(ONE, MADE(plan_make))\n")
                self.write(text, body)
                self.assertEqual(self.run_tool("theorems", "--check")[0], 0)

    def test_theorems_finds_named_functions_without_callers(self):
        self.write("src/plan/plan_main.c",
                   "int\nmain(void)\n{\n    return plan_make();\n}\n")
        self.found("text.c: text_read has no caller", "theorems", "--check")
        self.write("src/plan/plan.c", TREE["src/plan/plan.c"].replace(
            "GIVES    a plan.", "GIVES    what text_read gives."))
        self.run_tool("theorems")
        self.found("plan-holds: text_read has no caller", "theorems", "--check")

    def test_budgets_finds_suites_without_one(self):
        good = TREE["test/budgets"]
        for text, said in [
                (good.replace("plan 10\n", ""), "the suite plan has no budget"),
                (good.replace("fuzz 5\n", ""), "the suite fuzz has no budget"),
                (good + "gone 5\n", "there is no suite gone"),
                (good + "plan 20\n", "plan has two lines"),
                (good.replace("10", "0"), "not 'plan 0'"),
                (good.replace("10", "10 s"), "not 'plan 10 s'")]:
            with self.subTest(text=text):
                self.write("test/budgets", text)
                self.found(said, "budgets")

    def test_budgets_compares(self):
        """Three times a budget is allowed, more is not."""
        def log(*seconds):
            self.write("log.json", "".join(
                f'{{"name": "custos:plan+unit / plan/t_x", "duration": {s}}}\n'
                for s in seconds))
            path = str(self.root / "log.json")
            seen, text = self.run_tool("budgets", path, CUSTOS_BUDGETS="show")
            self.assertEqual(seen, 0)
            status, same = self.run_tool("budgets", path,
                                         CUSTOS_BUDGETS="enforce")
            self.assertEqual(same, text)
            return status, text.splitlines()[1]

        self.assertEqual(log(4, 5.5), (0, "plan           9.5      10"))
        self.assertEqual(log(10, 20), (0, "plan          30.0      10  over"))
        self.assertEqual(log(10, 20.1),
                         (1, "plan          30.1      10  more than 3 times its "
                             "budget"))

    def write_functions(self):
        """Functions, an aggregate, their tests, and places for their lists."""
        for name, text in FUNCTIONS.items():
            self.write(name, text)
        self.run_tool("functions", "--write")

    def test_functions_finds_rows_that_lack_something(self):
        self.write_functions()
        self.assertEqual(self.run_tool("functions")[0], 0,
                         self.run_tool("functions"))
        rows, tests = "src/sql/functions.def", "test/sql/t_functions.c"
        for name, text, fault, said in [
                (rows, '    DOC("Numbers", "abs(x)", "without sign")\n', "",
                 "ABS has no ALSO or DOC"),
                (rows, '    EXAMPLE("abs(-1)", "1"))', ")",
                 "ABS has no EXAMPLE"),
                (rows, " LENGTH(length_of_case)", "",
                 "LOWER makes a text and has no LENGTH"),
                (tests, '    {CALL_LOWER, "lower(NULL)", NULL},\n', "",
                 "LOWER has no test"),
                ("src/sql/aggregates.def", 'DOC("Aggregates", "sum(x)", '
                 '"of numbers")', "", "SUM has no ALSO or DOC"),
                (tests, '    {AGG_SUM, "sum(i)", "12"},\n', "",
                 "SUM has no test"),
                ("src/plan/plan.c", "    return 0;",
                 "    switch (kind) {\n    case AGG_SUM: return 1;\n    }",
                 "src/plan/plan.c: SUM stands outside its row"),
                (rows, "without sign", "its size", "doc/analyst.md: its list"),
                ("web/src/ask/functions.ts", "lower()", "smaller()",
                 "web/src/ask/functions.ts: its list"),
                ("src/plan/plan.c", "    return 0;",
                 "    switch (call) {\n    case CALL_ABS: return 1;\n    }",
                 "src/plan/plan.c: ABS stands outside its row"),
                ("src/plan/plan.c", "    return 0;",
                 "    int weights[] = {[CALL_ABS] = 1};",
                 "src/plan/plan.c: ABS stands outside its row")]:
            with self.subTest(said=said):
                good = (self.root / name).read_text()
                self.assertIn(text, good)
                self.write(name, good.replace(text, fault))
                self.found(said, "functions")
                self.write(name, good)


if __name__ == "__main__":
    unittest.main()
