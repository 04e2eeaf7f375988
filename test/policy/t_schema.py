"""The JSON schema of policies: it has the same keys as the reader, accepts the
example and a policy with all keys, and rejects spoilt ones.

Python's library has neither a YAML parser nor a schema validator, so this file
has the parts of both that policies need.
"""
import copy
import json
import os
import pathlib
import re
import unittest

SRC = pathlib.Path(os.environ.get("SRC", "."))
SCHEMA = json.loads((SRC / "doc/policy.schema.json").read_text())
EXAMPLE = SRC / "examples/hospital/policy.yaml"


class Yaml:
    """A YAML parser for block maps, flow maps and lists, plain and quoted
    scalars, comments."""

    def __init__(self, text):
        self.lines = []
        for line in text.splitlines():
            line = re.sub(r"(^|\s)#.*$", "", line).rstrip()
            if line:
                self.lines.append(line)
        self.at = 0

    def block(self, indent):
        found = {}
        while self.at < len(self.lines):
            line = self.lines[self.at]
            depth = len(line) - len(line.lstrip())
            if depth < indent:
                break
            key, rest = re.fullmatch(r"\s*([^:]+):(?:\s+(.*))?", line).groups()
            self.at += 1
            if rest is None:
                next_depth = len(self.lines[self.at]) - len(
                    self.lines[self.at].lstrip())
                value = self.block(next_depth)
            else:
                while rest.count("{") + rest.count("[") > \
                        rest.count("}") + rest.count("]"):
                    rest += " " + self.lines[self.at].strip()
                    self.at += 1
                value, end = self.flow(rest, 0)
                assert not rest[end:].strip(), rest
            found[key.strip("\"'")] = value
        return found

    def flow(self, text, i):
        while text[i] == " ":
            i += 1
        if text[i] == "[":
            return self.items(text, i + 1, "]", [])
        if text[i] == "{":
            return self.items(text, i + 1, "}", {})
        if text[i] in "\"'":
            end = text.index(text[i], i + 1)
            return text[i + 1:end], end + 1
        end = re.compile(r"[,\]}]|: |$").search(text, i).start()
        return self.scalar(text[i:end].strip()), end

    def items(self, text, i, end, found):
        while True:
            while text[i] in " ,":
                i += 1
            if text[i] == end:
                return found, i + 1
            value, i = self.flow(text, i)
            if isinstance(found, dict):
                assert text[i] == ":", text
                found[value], i = self.flow(text, i + 1)
            else:
                found.append(value)

    @staticmethod
    def scalar(text):
        if text in ("true", "false"):
            return text == "true"
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                pass
        return text


KINDS = {"object": dict, "array": list, "string": str, "boolean": bool}


def is_kind(value, kind):
    if kind in ("number", "integer"):
        return isinstance(value, int if kind == "integer" else (int, float)) \
            and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def wrong(value, schema, path="$"):
    """The first violation of the schema by the value, or None."""
    known = {"$schema", "$id", "$defs", "title", "description", "default"}
    for word, rule in schema.items():
        if word in known:
            continue
        said = globals()["check_" + word.lstrip("$")](value, rule, schema, path)
        if said:
            return said
    return None


def check_ref(value, rule, _, path):
    return wrong(value, SCHEMA["$defs"][rule.split("/")[-1]], path)


def check_type(value, rule, _, path):
    kinds = [rule] if isinstance(rule, str) else rule
    return None if any(is_kind(value, k) for k in kinds) else f"{path}: {rule}"


def check_const(value, rule, _, path):
    return None if value == rule and type(value) is type(rule) else path


def check_enum(value, rule, _, path):
    return None if any(value == v and type(value) is type(v) for v in rule) \
        else f"{path}: one of {rule}"


def check_required(value, rule, _, path):
    missing = [k for k in rule if k not in value]
    return f"{path}: {missing}" if missing else None


def check_properties(value, rule, _, path):
    for key, part in rule.items():
        if isinstance(value, dict) and key in value:
            said = wrong(value[key], part, f"{path}.{key}")
            if said:
                return said
    return None


def check_additionalProperties(value, rule, schema, path):
    if not isinstance(value, dict):
        return None
    for key in set(value) - set(schema.get("properties", {})):
        if rule is False:
            return f"{path}: no key {key}"
        said = wrong(value[key], rule, f"{path}.{key}")
        if said:
            return said
    return None


def check_propertyNames(value, rule, _, path):
    for key in value:
        said = wrong(key, rule, f"{path} key {key}")
        if said:
            return said
    return None


def check_items(value, rule, _, path):
    if not isinstance(value, list):
        return None
    return next(filter(None, (wrong(v, rule, path) for v in value)), None)


def check_anyOf(value, rule, _, path):
    said = [wrong(value, part, path) for part in rule]
    return None if None in said else f"{path}: {said}"


def check_oneOf(value, rule, _, path):
    said = [wrong(value, part, path) for part in rule]
    return None if said.count(None) == 1 else f"{path}: {said}"


def measure(size, good):
    def check(value, rule, _, path):
        return None if size(value) is None or good(size(value), rule) else path
    return check


def number(value):
    return value if is_kind(value, "number") else None


def length(kind):
    return lambda value: len(value) if isinstance(value, kind) else None


check_minimum = measure(number, lambda a, b: a >= b)
check_maximum = measure(number, lambda a, b: a <= b)
check_exclusiveMinimum = measure(number, lambda a, b: a > b)
check_exclusiveMaximum = measure(number, lambda a, b: a < b)
check_minLength = measure(length(str), lambda a, b: a >= b)
check_maxLength = measure(length(str), lambda a, b: a <= b)
check_minItems = measure(length(list), lambda a, b: a >= b)
check_maxItems = measure(length(list), lambda a, b: a <= b)
check_minProperties = measure(length(dict), lambda a, b: a >= b)
check_maxProperties = measure(length(dict), lambda a, b: a <= b)


def check_pattern(value, rule, _, path):
    return None if not isinstance(value, str) or re.search(rule, value) \
        else path


def keys_of(file, name):
    """The keys in a table of the reader's source."""
    text = (SRC / "src/policy" / file).read_text()
    body = re.search(r"\b" + name + r"\[\] = \{(.*?)\};", text, re.S).group(1)
    return set(re.findall(r'"(\w+)"', body))


class Schema(unittest.TestCase):
    def setUp(self):
        self.policy = Yaml(EXAMPLE.read_text()).block(0)

    def test_example(self):
        self.assertEqual(set(self.policy["tables"]),
                         {"patients", "visits", "departments"})
        self.assertEqual(
            self.policy["tables"]["visits"]["columns"]["cost"],
            {"type": "decimal", "scale": 2, "range": [0, 20000]})
        self.assertIsNone(wrong(self.policy, SCHEMA))

    def test_all_keys(self):
        text = (SRC / "fuzz/corpus/policy/all_keys.yaml").read_text()
        self.assertIsNone(wrong(Yaml(text).block(0), SCHEMA))

    def test_keys_are_the_readers(self):
        top, defs = SCHEMA["properties"], SCHEMA["$defs"]
        analyst = defs["analyst"]["properties"]
        for got, file, name in [
                (top, "read.c", "top_keys"),
                (top["budget"]["properties"], "read_budget.c", "budget_keys"),
                (top["query"]["properties"], "read_budget.c", "query_keys"),
                (top["tripwire"]["properties"], "read_tripwire.c",
                 "tripwire_keys"),
                (defs["source"]["properties"], "read_source.c", "keys"),
                (defs["table"]["properties"], "read_table.c", "keys"),
                (defs["column"]["properties"], "read_column.c", "keys"),
                (defs["view"]["properties"], "read_view.c", "keys"),
                (analyst, "read_analyst.c", "keys"),
                (analyst["budget"]["properties"], "read_analyst.c",
                 "budget_keys"),
                (analyst["window"]["properties"], "read_analyst.c",
                 "window_keys")]:
            with self.subTest(file=file, name=name):
                self.assertEqual(set(got), keys_of(file, name))

    def test_engines_are_the_readers(self):
        text = (SRC / "src/policy/read_source.c").read_text()
        self.assertEqual(
            SCHEMA["$defs"]["source"]["properties"]["engine"]["enum"],
            re.findall(r'\{"(\w+)", ENGINE_\w+\}', text))

    def test_types_are_the_readers(self):
        text = (SRC / "src/base/datum.c").read_text()
        names = set(re.findall(r'\{"(\w+)", TYPE_\w+\}', text)) - {"null"}
        self.assertEqual(
            set(SCHEMA["$defs"]["column"]["properties"]["type"]["enum"]),
            names)

    def test_spoilt(self):
        def spoil(*path_and_value):
            *path, value = path_and_value
            policy = copy.deepcopy(self.policy)
            part = policy
            for step in path[:-1]:
                part = part[step]
            if value is None:
                del part[path[-1]]
            else:
                part[path[-1]] = value
            return policy

        visits = ("tables", "visits")
        for policy in [
                spoil("custos", 3), spoil("custos", True),
                spoil("budget", None), spoil("tables", {}),
                spoil("adjacency", "both"), spoil("extra", 1),
                spoil("budget", "epsilon", 0), spoil("budget", "epsilon", "x"),
                spoil("budget", "delta", 1), spoil("budget", "epsilom", 1),
                spoil("query", {"min_epsilon": -1}),
                spoil("tripwire", {"failures": 0}),
                spoil("tripwire", {"overrun_rate": 2}),
                spoil(*visits, "unit", None), spoil(*visits, "source", None),
                spoil(*visits, "from", "archive"),
                spoil("sources", {"s": {"engine": "oracle", "file": "f"}}),
                spoil("sources", {"s": {"engine": "duckdb"}}),
                spoil(*visits, "columns", {}),
                spoil(*visits, "rows_per_unit", 0),
                spoil(*visits, "bound", "never"),
                spoil(*visits, "columns", "cost", "type", "money"),
                spoil(*visits, "columns", "cost", "range", [1]),
                spoil(*visits, "columns", "cost", "nullable", "no"),
                spoil(*visits, "columns", "department", "values", []),
                spoil("tables", "departments", "public", False),
                spoil("views", {"v": {}}), spoil("views", {"v": "SELECT 1"}),
                spoil("views", {"v": {"sql": "SELECT 1", "public": True}}),
                spoil("analysts", "ana", "tables", "visits", "some"),
                spoil("analysts", "ana", "window", "days", None)]:
            self.assertIsNotNone(wrong(policy, SCHEMA))


if __name__ == "__main__":
    unittest.main()
