-- The statements that speed.c measures on the rows of speed_made.sql, each after a line
-- with the kind of work that it stands for. They look as the printers write those of
-- queries. A computed key is there twice: as the key, and in the condition that it is not
-- NULL.

-- measure: scan
SELECT kind, sum(steps), count(steps), count(*), sum(rank), count(rank)
FROM made
WHERE rank <= 8
GROUP BY kind;

-- measure: scan
SELECT sum(unit)
FROM made
WHERE unit BETWEEN 1 AND 9223372036854775807 AND name = 'value 3'
    AND day >= CAST('2025-01-01' AS DATE);

-- measure: real
SELECT key_0, count(*)
FROM (
    SELECT
        whole_index(
            whole_of(
                floor(CAST(amount AS DOUBLE) / CAST(CAST('1000' AS BIGINT) AS DOUBLE)),
                CAST('0' AS BIGINT), CAST('20' AS BIGINT)),
            CAST('0' AS BIGINT), CAST('21' AS BIGINT)) AS key_0
    FROM made
    WHERE rank <= 8
        AND whole_index(
            whole_of(
                floor(CAST(amount AS DOUBLE) / CAST(CAST('1000' AS BIGINT) AS DOUBLE)),
                CAST('0' AS BIGINT), CAST('20' AS BIGINT)),
            CAST('0' AS BIGINT), CAST('21' AS BIGINT)) IS NOT NULL)
GROUP BY key_0;

-- measure: date
SELECT key_0, count(*)
FROM (
    SELECT
        whole_index(
            quarter(TRY_CAST(day AS TIMESTAMP)),
            CAST('1' AS BIGINT), CAST('4' AS BIGINT)) AS key_0
    FROM made
    WHERE rank <= 8
        AND whole_index(
            quarter(TRY_CAST(day AS TIMESTAMP)),
            CAST('1' AS BIGINT), CAST('4' AS BIGINT)) IS NOT NULL)
GROUP BY key_0;

-- measure: join
SELECT index_1, count(*)
FROM (SELECT unit AS unit_0, rank AS rank_0, unit AS column_0 FROM made)
    JOIN (SELECT unit AS unit_1, id AS column_1, kind AS index_1 FROM units)
    ON unit_0 = unit_1 AND column_0 = column_1
WHERE rank_0 <= 8
GROUP BY index_1;

-- measure: join
SELECT unit, count(*), sum(steps)
FROM made
WHERE rank <= 8
GROUP BY unit;

-- measure: label
SELECT key_0, count(*)
FROM (
    SELECT enum_code(TRY_CAST(CAST(day AS VARCHAR) AS label)) AS key_0
    FROM made
    WHERE rank <= 8
        AND enum_code(TRY_CAST(CAST(day AS VARCHAR) AS label)) IS NOT NULL)
GROUP BY key_0;

-- measure: sort
SELECT count(*)
FROM (
    SELECT
        row_number() OVER (
            PARTITION BY unit
            ORDER BY hash(rank, made.name, names.kind), rank, names.kind) AS row_no
    FROM made JOIN names ON made.name = names.name)
WHERE row_no <= 8;

-- measure: quantile
SELECT kind, steps
FROM made
WHERE rank <= 8 AND steps IS NOT NULL;

-- measure: tiny
SELECT sum(row_count), count(*)
FROM (
    SELECT unit, count(*) AS row_count
    FROM (SELECT kind AS unit FROM names WHERE name <> 'value 3')
    GROUP BY unit)
WHERE row_count <= 8;
