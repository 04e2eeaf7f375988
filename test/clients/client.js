// Run by t_node.py: node-postgres with one connection and with a pool.
'use strict';
const assert = require('assert');
const path = require('path');
const { Client, Pool } = require(path.join(process.argv[2], 'pg'));

async function main(url) {
  const client = new Client({ connectionString: url });
  const heard = [];
  client.on('notice', (notice) => heard.push(notice.message));
  await client.connect();
  let got = await client.query(
    'SELECT sex, count(*) AS n FROM patients GROUP BY sex');
  assert.deepStrictEqual(got.rows.map((row) => row.sex), ['f', 'm']);
  got.rows.forEach((row) => assert(Math.abs(Number(row.n) - 200) < 100));
  assert.strictEqual(got.command, 'SELECT');
  assert(heard.length > 0);
  got = await client.query(
    'SELECT count(*) AS n FROM visits WHERE department = $1 AND cost < $2',
    ['eyes', 1200.5]);
  assert.strictEqual(got.rows.length, 1);
  for (let i = 0; i < 3; i += 1) {
    got = await client.query({
      name: 'floors',
      text: 'SELECT floor FROM departments WHERE department = $1',
      values: ['heart'],
    });
    assert.deepStrictEqual(got.rows, [{ floor: '1' }]);
  }
  await assert.rejects(client.query('SELECT count(*) FROM nowhere'),
    { code: '42704', position: '22' });
  await client.end();

  const pool = new Pool({ connectionString: url, max: 4 });
  const all = await Promise.all(Array.from({ length: 12 }, () =>
    pool.query('SELECT 1 AS one')));
  assert(all.every((one) => String(one.rows[0].one) === '1'));
  await pool.end();
  console.log('done');
}

main(process.argv[3]).catch((error) => {
  console.error(error);
  process.exit(1);
});
