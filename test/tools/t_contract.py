"""tools/contract passes on this tree, and fails with each planted fault: in the
description, the OpenAPI document, the console's types or calls, the routes, the version.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SRC = pathlib.Path(os.environ.get("SRC", "."))
FILES = ["src/contract/contract.txt", "src/contract/contract.h",
         "src/http/openapi.json", "src/http/http_route.c",
         "src/http/http_status.c", "web/src/contract.ts", "web/src/api.ts",
         "web/src/ledger/chain.ts", "tools/contract", "doc/json.md"]


class Contract(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SRC / name, self.root / name)

    def check(self, *words):
        done = subprocess.run([self.root / "tools/contract", *words],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def planted(self, name, old, new, *says):
        path = self.root / name
        text = path.read_text()
        self.assertTrue(old in text, old)
        path.write_text(text.replace(old, new, 1))
        status, said = self.check("--check")
        path.write_text(text)
        self.assertEqual(status, 1, said)
        for part in says:
            self.assertIn(part, said)

    def test_the_tree_passes(self):
        status, said = self.check("--check")
        self.assertEqual(status, 0, said)

    def test_what_follows_is_written(self):
        for name in ["src/http/openapi.json", "web/src/contract.ts",
                     "doc/json.md"]:
            (self.root / name).unlink()
            self.assertEqual(self.check("--check")[0], 1)
            self.check()
            self.assertEqual((self.root / name).read_text(),
                             (SRC / name).read_text())

    def test_a_wrong_name_in_the_openapi_document(self):
        self.planted("src/http/openapi.json", '"left_epsilon"', '"left"',
                     "src/http/openapi.json: is not what follows")

    def test_a_wrong_name_in_the_types(self):
        self.planted("web/src/contract.ts", "left_epsilon", "left",
                     "web/src/contract.ts: is not what follows")

    def test_a_wrong_name_in_the_routes(self):
        route = "src/http/http_route.c"
        self.planted(route, '"/v1/risk"', '"/v1/risks"',
                     "GET /v1/risk: is not in the routes",
                     "GET /v1/risks: is not in contract.txt")
        self.planted(route, '"epsilon delta"', '"epsilon"',
                     "GET /v1/risk: arguments is ['epsilon'] in the routes")
        self.planted(route, "{TASK_BUDGET, ACCESS_TOKEN,",
                     "{TASK_BUDGET, ACCESS_OPEN,",
                     "GET /v1/budget: access is open in the routes")
        self.planted(route, "0, 0}, true, true,", "0, 0}, true, false,",
                     "POST /v1/query: csv is False in the routes")
        self.planted(route, "{TASK_ME,", "{+TASK_ME,", "/v1/me")
        self.planted("src/http/http_status.c", "case TASK_LEARN:", "case 99:",
                     "GET /v1/learn: direct is False in the routes")

    def test_a_wrong_path_or_type_in_the_console(self):
        self.planted("web/src/api.ts", '"/v1/learn"', '"/v1/learns"',
                     "web/src/api.ts: there is no path /v1/learns")
        self.planted("web/src/api.ts", "export class Refused",
                     "export interface Me { name: string }\nexport class Refused",
                     "web/src/api.ts: Me belongs in contract.txt")

    def test_a_wrong_description(self):
        text = "src/contract/contract.txt"
        for old, new, says in [
                ("left_epsilon       Amount", "remaining       Amount",
                 "openapi.json: is not what follows"),
                ("cost        Cost", "cost        Costs", "no type Costs"),
                ("-> Budget\n", "-> Budgets\n", "no object Budgets"),
                ("object Nothing", "object Nothing\n\nobject Unused",
                 "nothing uses Unused"),
                ("object Cost\n", "object Cell\n", "Cell is described twice"),
                ("version 1", "version 2", "CONTRACT_VERSION is not 2"),
                ("object Freed\n", "object Freed\n  version count\n",
                 "Freed has a member `version`"),
                ("object Cost\n", "thing Cost\n", "unknown word thing"),
                ("currency    Currency\n", "currency    <Currency>\n",
                 "not a type")]:
            with self.subTest(new=new):
                self.planted(text, old, new, says)


if __name__ == "__main__":
    unittest.main()
