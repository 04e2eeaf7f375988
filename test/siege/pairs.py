"""Queries about one person who is in the data and about one who is not.

Policy, columns and attack queries are those of test/attack (pairs.h, errors.txt,
time.txt), so that every query that once told two people apart is also asked
here. There are 500 pairs instead of one. All numbers are inside the range of
the stored ones, so that zone maps do not tell them apart. People who are
present have long names, on which a pattern is slow to match.
"""
import pathlib
import re
import tempfile

from sites import Store

ATTACK = pathlib.Path(__file__).resolve().parent.parent / "attack"

N_PAIRS = 500
FIRST, LAST = 1000, 1000 + 4 * (N_PAIRS + 4)
PRICE = "0.000000001"
LONG_PAIRS = 4  # queries about letters use only these
MAX_ROWS = 8192
WARDS = ("cardiology", "oncology", "surgery")

PRESENT, ABSENT = "present", "absent"


def person(pair, arm):
    """1007 and 1008, 1011 and 1012 ...: the second is never in the data."""
    return FIRST + 7 + 4 * pair + (arm == ABSENT)


def policy():
    """The policy of pairs.h with public bounds on rows and no least price. A
    query that is killed because its time is up suspends nobody, so that it can
    be compared."""
    text = (ATTACK / "pairs.h").read_text(encoding="utf-8")
    body = text.split("pairs_policy[] =")[1].split(";\n")[0]
    lines = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body))
    lines = lines.replace("\\n", "\n").replace(
        "delta: 1e-12}", "delta: 1e-12, min_epsilon: 0, min_rho: 0}")
    lines = lines.replace("analysts:\n", "analysts:\n  bob: {}\n")
    lines = re.sub(r"(?m)^    unit: ", f"    max_rows: {MAX_ROWS}\n    unit: ",
                   lines)
    return lines + "tripwire: {overrun_rate: 1}\n"


def write_people(folder):
    with open(folder / "patients.csv", "w", encoding="ascii") as out:
        print("id,name,age,born,city,sex,smoker,balance,weight,income,score,"
              "died,seen", file=out)
        for i in range(FIRST, LAST):
            if i % 4 == 0 and i > FIRST:
                continue
            print(i, "a" * 2000 if i % 4 == 3 else "Ann", i % 90 + 10,
                  f"19{i % 90 + 10:02}-0{i % 9 + 1}-1{i % 9}",
                  "Oslo" if i % 3 else "1_000_000", "f" if i % 2 else "m",
                  "true" if i % 5 else "false", f"{i % 500 - 250}.{i % 100:02}",
                  f"{i % 90}.5", i * 1000 if i % 7 else 0,
                  "0.1" if i % 6 else "1e308", "2020-01-01" if i % 8 else "",
                  "2021-03-04 05:06:07", sep=",", file=out)
    with open(folder / "visits.csv", "w", encoding="ascii") as out:
        print("patient_id,day,department,nights,cost,temperature", file=out)
        for i in range(FIRST, LAST):
            for k in range(i % 4 + 1 if i % 4 or i == FIRST else 0):
                print(i, f"2024-0{i % 9 + 1}-1{k}", WARDS[(i + k) % 3],
                      (i + k) % 30, f"{i % 20 * 900}.{i % 100:02}",
                      f"3{6 + k % 3}.{i % 10}", sep=",", file=out)
    write_letters(folder)
    (folder / "departments.csv").write_text("name,floor,beds\n" + "".join(
        f"ward{i},{i},{10 * i}\n" for i in range(12)), encoding="ascii")


def write_letters(folder):
    """As in pairs.h: everybody has a short text; the people of a few pairs who
    are present have 20 texts of 64 KB, in characters whose case is slow to
    change."""
    long = {person(pair, PRESENT) for pair in range(LONG_PAIRS)}
    with open(folder / "letters.csv", "w", encoding="utf-8") as out:
        print("person,page,body", file=out)
        for i in range(FIRST, LAST):
            if i in long:
                for page in range(20):
                    print(i, page, "\u023a\u00e9" * 16000, sep=",", file=out)
            elif i % 4 or i == FIRST:
                print(i, 0, "short", sep=",", file=out)
    (folder / "wards.csv").write_text("k,name\n" + "".join(
        f"{i},ward{i}\n" for i in range(900)), encoding="ascii")


class PairStore(Store):
    """A store that contains half of the people asked about."""

    def __init__(self):
        # pylint: disable=super-init-not-called
        self.folder = tempfile.TemporaryDirectory(prefix="custos-pairs.")
        base = pathlib.Path(self.folder.name)
        self.path = str(base / "store")
        write_people(base)
        (base / "policy.yaml").write_text(policy(), encoding="utf-8")
        self.custos("init", str(base / "policy.yaml"))
        self.tokens, self.passwords = {}, {}
        for name in ("ana", "bob"):
            self.let_in(name)


# -------------------------------------------------------------------- queries --

class Query:
    """A text with $P for the person, and its price."""

    def __init__(self, label, sql, price=PRICE):
        self.label, self.sql, self.price = label, sql, price
        self.seconds = 0.0  # of one reply, once it was asked

    def pair(self, number):
        """The pair that the question with this number is about."""
        return number % (LONG_PAIRS if "letters" in self.sql else N_PAIRS)

    def text(self, who):
        return self.sql.replace("$P", str(who))


PLAIN = [Query(f"plain {i}", sql) for i, sql in enumerate([
    "SELECT count(*) FROM patients WHERE id = $P",
    "SELECT sum(age) FROM patients WHERE id = $P",
    "SELECT sex, count(*) FROM patients WHERE id = $P GROUP BY sex",
    "SELECT count(*) FROM visits WHERE patient_id = $P",
    "SELECT department, count(*), sum(cost) FROM visits WHERE patient_id = $P "
    "GROUP BY department",
    "SELECT count(*) FROM visits AS v JOIN patients AS p ON v.patient_id = p.id "
    "WHERE p.id = $P",
    "SELECT avg(nights) FROM visits WHERE patient_id = $P OR cost > 100",
    "SELECT count(*) FROM patients WHERE CASE WHEN id = $P THEN age > 3 ELSE "
    "smoker END"])]

# Slow for a person who is present: long patterns that nearly match everywhere.
SLOW = Query("slow", "SELECT count(*) FROM patients WHERE id = $P AND (" +
             " OR ".join(f"name LIKE '%{'a' * 500}_{c}%'"
                         for c in "bcdefghijklmnopqrstuvwxyz") + ")")


def corpus(name):
    """The queries of a file of test/attack, as pairs_next reads them."""
    found, lines, price = [], [], PRICE
    for line in [*(ATTACK / name).read_text(encoding="utf-8").split("\n"), ""]:
        if not line and lines:
            found.append(Query(f"{name} {len(found) + 1}", " ".join(lines),
                               price))
            lines, price = [], PRICE
        elif line.startswith("@"):
            price = line[2:]
        elif line and not line.startswith("#"):
            lines.append(line)
    return found
