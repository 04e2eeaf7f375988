"""asyncpg, which uses only the binary format and prepares every statement."""
import asyncio
import datetime
import decimal
import unittest

from client import COUNT, ClientCase, need_module

asyncpg = need_module("asyncpg")


class Asyncpg(ClientCase):
    def run_with(self, use):
        async def body():
            connection = await asyncpg.connect(self.url())
            try:
                return await use(connection)
            finally:
                await connection.close()
        return asyncio.run(body())

    def test_a_question(self):
        rows = self.run_with(lambda c: c.fetch(COUNT))
        self.near([tuple(row) for row in rows])

    def test_types(self):
        row = self.run_with(lambda c: c.fetchrow(
            "SELECT count(*), median(since), avg(weight), true, 'x', NULL "
            "FROM patients"))
        people, day, weight, *rest = row
        self.assertIsInstance(people, int)
        self.assertIsInstance(day, datetime.date)
        self.assertIsInstance(weight, (float, decimal.Decimal))
        self.assertEqual(rest, [True, "x", None])

    def test_values(self):
        rows = self.run_with(lambda c: c.fetch(
            "SELECT count(*) FROM visits WHERE cost < $1 AND came > $2 AND "
            "department = $3 AND patient_id > $4", decimal.Decimal("99.5"),
            datetime.datetime(2024, 2, 3), "eyes", 5))
        self.assertEqual(len(rows), 1)

    def test_lists(self):
        rows = self.run_with(lambda c: c.fetch(
            "SELECT count(*) FROM visits WHERE department = ANY($1) AND "
            "patient_id <> ALL($2) AND came <> ALL($3)", ["eyes", None], [],
            [datetime.datetime(2024, 2, 3)]))
        self.assertEqual(len(rows), 1)

    def test_a_statement_and_a_cursor(self):
        async def use(c):
            statement = await c.prepare(
                "SELECT department FROM departments ORDER BY department")
            names = [a.name for a in statement.get_attributes()]
            async with c.transaction():
                rows = [r[0] async for r in statement.cursor(prefetch=1)]
            return names, rows
        self.assertEqual(self.run_with(use),
                         (["department"], ["bones", "eyes", "heart"]))

    def test_errors(self):
        async def use(c):
            with self.assertRaises(asyncpg.UndefinedObjectError):
                await c.fetch("SELECT count(*) FROM nowhere")
            with self.assertRaises(asyncpg.FeatureNotSupportedError):
                await c.execute("CREATE TABLE x (y int)")
            return await c.fetchval("SELECT 1")
        self.assertEqual(self.run_with(use), 1)

    def test_a_pool(self):
        async def body():
            async with asyncpg.create_pool(self.url(), min_size=2,
                                           max_size=4) as pool:
                return await asyncio.gather(
                    *(pool.fetchval("SELECT floor FROM departments "
                                    "WHERE department = $1", "bones")
                      for _ in range(12)))
        self.assertEqual(asyncio.run(body()), [2] * 12)


if __name__ == "__main__":
    unittest.main()
