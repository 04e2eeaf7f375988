-- The made-up rows on which speed.c measures this machine: a table of 500,000 rows with
-- columns as they are stored, compressed as on disk, with units of two rows; a table of
-- the units; and a small public table.

-- One thread: what a worker has when all others are busy too.
SET threads = 1;

ATTACH ':memory:' AS m (COMPRESS);

USE m;

CREATE TABLE made AS
SELECT
    i // 2 AS unit, 1 + i % 2 AS rank,
    CAST(hash(i) % 5 AS SMALLINT) AS kind,
    CAST(hash(i + 1) % 2000000 AS BIGINT) AS steps,
    CAST(CAST(hash(i + 1) % 2000000 AS DECIMAL(18, 2)) / 100 AS DECIMAL(18, 2)) AS amount,
    DATE '2024-01-01' + CAST(hash(i + 2) % 731 AS INTEGER) AS day,
    'value ' || hash(i + 3) % 100 AS name
FROM range(1, 500001) AS numbers(i);

CREATE TABLE units AS
SELECT DISTINCT unit, unit AS id, CAST(unit % 6 AS SMALLINT) AS kind
FROM made
ORDER BY unit;

CREATE TABLE names AS
SELECT name, min(unit) % 7 AS kind
FROM made
GROUP BY name;

CREATE TYPE label AS ENUM (SELECT DISTINCT CAST(day AS VARCHAR) FROM made);

CHECKPOINT;
