-- Run once, by the superuser `postgres`, when the volume is empty. A database of an earlier release has the superuser
-- `relata` and no `relata_app`; there `relata migrate` makes the latter.
\getenv owner_password RELATA_OWNER_PASSWORD
\getenv app_password RELATA_APP_PASSWORD

-- A restore goes into a new database, which its owner creates.
CREATE ROLE relata LOGIN CREATEDB PASSWORD :'owner_password';
CREATE ROLE relata_app LOGIN PASSWORD :'app_password';
ALTER DATABASE :"DBNAME" OWNER TO relata;

-- From here on the superuser comes in by the socket of the container alone: docker compose exec postgres psql -U postgres
ALTER ROLE postgres PASSWORD NULL;
