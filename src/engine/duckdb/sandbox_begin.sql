-- Before a sandbox is filled. One thread from the start: to wake others costs more than
-- these small statements do. One transaction, which sandbox_seal.sql ends, is faster than
-- one for each statement.
SET threads = 1;

BEGIN;
