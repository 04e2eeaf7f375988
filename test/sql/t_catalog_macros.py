"""sql/catalog_size.c bounds how often a macro of the catalog copies its arguments. The
bound is compared with the macros themselves, engine/duckdb/catalog_macros.sql, whose
text the database puts in the place of each call.
"""
import os
import pathlib
import re
import unittest

SRC = pathlib.Path(os.environ.get("SRC", ".")) / "src"
TOKEN = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|[\w.]+|\s+|.", re.S)
OPEN, CLOSE = "([{", ")]}"


def tokens_of(text):
    return [t for t in TOKEN.findall(text)
            if not t.isspace() and not t.startswith("--")]


def split(tokens, mark):
    """The parts of a list between marks that are in no parentheses."""
    parts, depth = [[]], 0
    for t in tokens:
        depth += (t in OPEN) - (t in CLOSE)
        if t == mark and depth == 0:
            parts.append([])
        else:
            parts[-1].append(t)
    return parts


def end_of(tokens, i, openers, closers):
    """Where the bracket or CASE at i is closed."""
    depth = 0
    for k in range(i, len(tokens)):
        depth += (tokens[k] in openers) - (tokens[k] in closers)
        if depth == 0:
            return k
    raise ValueError("not closed: " + " ".join(tokens[i:]))


class Macros:
    def __init__(self, text):
        """Each macro by name and number of parameters: its parameters and text."""
        self.bodies, self.known = {}, {}
        for statement in split(tokens_of(text), ";"):
            if not statement:
                continue
            if statement[:2] != ["CREATE", "MACRO"]:
                raise ValueError("not a macro: " + " ".join(statement))
            self.add(statement[2], statement[3:])

    def add(self, name, tokens):
        for part in split(tokens, ","):
            end = end_of(part, 0, "(", ")") if part[0] == "(" else 0
            if end == 0 or part[end + 1] != "AS":
                raise ValueError(f"{name} is not read: {' '.join(part)}")
            params = [p for p in part[1:end] if p != ","]
            self.bodies[name, len(params)] = params, part[end + 2:]

    def copies(self, name, n_args):
        """How often the call copies each of its arguments."""
        if name == "nullif":
            return [2, 1]
        if not name.startswith("pgc."):
            return [1] * n_args
        if (name, n_args) not in self.known:
            params, body = self.bodies[name, n_args]
            self.known[name, n_args] = [self.count(body, p) for p in params]
        return self.known[name, n_args]

    def count(self, tokens, param):
        """How often the text has the parameter, once all macros are replaced."""
        n, i = 0, 0
        while i < len(tokens):
            t = tokens[i]
            if i + 1 < len(tokens) and tokens[i + 1] == "(" and re.match(r"\w", t):
                end = end_of(tokens, i + 1, "(", ")")
                args = split(tokens[i + 2:end], ",")
                args = args if args != [[]] else []
                n += sum(times * self.count(arg, param) for times, arg in
                         zip(self.copies(t, len(args)), args, strict=True))
                i = end
            elif t == "CASE":
                end = end_of(tokens, i, ["CASE"], ["END"])
                n += self.count_case(tokens[i + 1:end], param)
                i = end
            else:
                n += t == param
            i += 1
        return n

    def count_case(self, inside, param):
        """What is compared with each WHEN is copied to each WHEN."""
        depth, whens = 0, []
        for k, t in enumerate(inside):
            depth += (t == "CASE") - (t == "END")
            if t == "WHEN" and depth == 0:
                whens.append(k)
        return (len(whens) * self.count(inside[:whens[0]], param)
                + self.count(inside[whens[0]:], param))


class CatalogMacros(unittest.TestCase):
    def test_copies_are_counted(self):
        macros = Macros("""
            CREATE MACRO pgc.two(x) AS x || 'x' || x; -- x
            CREATE MACRO pgc.six(x, y) AS pgc.two(pgc.two(x) || f(x)) || y,
                (x) AS CASE x WHEN 1 THEN 2 WHEN pgc.two(2) THEN x END;
            CREATE MACRO pgc.five(x) AS nullif(k.x, x) || nullif(len(pgc.two(x)), 0);
        """)
        self.assertEqual(macros.copies("pgc.two", 1), [2])
        self.assertEqual(macros.copies("pgc.six", 2), [6, 1])
        self.assertEqual(macros.copies("pgc.six", 1), [3])
        self.assertEqual(macros.copies("pgc.five", 1), [5])

    def test_the_size_of_a_query_counts_all_copies(self):
        size = (SRC / "sql/catalog_size.c").read_text()
        most = int(re.search(r"COPIES_MOST = (\d+)", size).group(1))
        once = re.findall(r'"(\w+)"',
                          re.search(r"once\[\] = \{(.*?)\};", size, re.S).group(1))
        macros = Macros((SRC / "engine/duckdb/catalog_macros.sql").read_text())
        found = {}
        for name, n_args in macros.bodies:
            copies = macros.copies(name, n_args)
            found[name] = max([found.get(name, 0), *copies])
        for name in once:
            self.assertLessEqual(found[f"pgc.{name}"], 1, name)
        self.assertEqual(max(found.values()), most, found)


if __name__ == "__main__":
    unittest.main()
