#!/bin/sh
# Creates the database and its owner: compose.yaml. The image of PostgreSQL runs it once, in an empty volume. The service must not be a
# superuser, who could read files and run programs. Nobody can sign in as the superuser over the network: it has no password.
set -eu

psql --no-psqlrc --set ON_ERROR_STOP=1 --username postgres --dbname postgres \
  --set password="$(cat /run/secrets/database-password)" <<'END'
create role loyalty login password :'password';
create database loyalty owner loyalty;
alter role postgres password null;
END
