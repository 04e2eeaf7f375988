-- Seals a sandbox that sandbox_begin.sql has begun: little memory, no files, and nothing
-- that can be set again. The last statement locks all settings.
COMMIT;

-- As in PostgreSQL, 7 / 2 is 3.
SET integer_division = true;

SET memory_limit = '128MB';

SET temp_directory = '';

SET enable_external_access = false;

SET lock_configuration = true;
