-- Run once, by the superuser `postgres`, when the volume is empty. A database of an earlier release has the superuser
-- `relata` and no role `relata_app`; there `relata migrate` creates `relata_app`.
\getenv owner_password RELATA_OWNER_PASSWORD
\getenv app_password RELATA_APP_PASSWORD

-- A restore creates a new database as its owner, who therefore needs CREATEDB.
CREATE ROLE relata LOGIN CREATEDB PASSWORD :'owner_password';
CREATE ROLE relata_app LOGIN PASSWORD :'app_password';
ALTER DATABASE :"DBNAME" OWNER TO relata;

-- From now on the superuser connects only through the container's socket: docker compose exec postgres psql -U postgres
ALTER ROLE postgres PASSWORD NULL;
