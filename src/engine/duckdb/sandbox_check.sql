-- Any sandbox answers this, unless the engine has closed its database after an internal
-- error.
SELECT 1;
