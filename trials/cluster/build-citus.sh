#!/usr/bin/env bash
# Builds PostgreSQL with Citus for trials, from source folders, into a folder of its own. Needs a C compiler and make, and neither root nor
# the network:
#
#   trials/cluster/build-citus.sh CITUS_SOURCE FOLDER [POSTGRES]
#
# POSTGRES is the source of PostgreSQL (a release archive: a checkout has no parser and needs bison, flex and perl besides), or the pg_config of an
# installed one with headers, whose programs are copied. By default it is `pg_config` of the PATH. The programs are in FOLDER/bin at the end.
# Citus 13 builds with PostgreSQL 15 to 17, Citus 14 with 16 to 18.
set -euo pipefail

citus=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
postgres=${3:-pg_config}
jobs=${JOBS:-1}

if [[ -d $postgres ]]; then
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
  cd "$build"
  "$(realpath "$postgres")/configure" --quiet --prefix="$folder" --with-ssl=openssl --without-readline --without-icu
  nice make -s -j"$jobs"
  nice make -s install
  nice make -s -C contrib install
  pg_config=$folder/bin/pg_config
  destination=
else
  pg_config=$(command -v "$postgres")
  # PostgreSQL finds its files from where its programs are, so a copy of both folders runs elsewhere.
  bin=$("$pg_config" --bindir) share=$("$pg_config" --sharedir)
  mkdir -p "$folder$(dirname "$bin")" "$folder$(dirname "$share")"
  cp -r "$(dirname "$bin")" "$folder$(dirname "$(dirname "$bin")")"
  cp -rL "$share" "$folder$(dirname "$share")"
  ln -sfn ".$bin" "$folder/bin"
  destination=$folder
fi

copy=$(mktemp -d)
cp -r "$citus/." "$copy"
cd "$copy"
# A copy has new dates, and make would call autoconf.
touch configure
# The name of a function of PostgreSQL 15 itself since one of its minor releases.
if "$pg_config" --version | grep -q ' 15\.'; then
  grep -rl have_createdb_privilege src/backend src/include | xargs -r sed -i 's/\bhave_createdb_privilege\b/citus_have_createdb_privilege/g'
fi
./configure --quiet --without-libcurl --without-lz4 --without-zstd PG_CONFIG="$pg_config"
# Without code for a just-in-time compiler, which takes as long again.
nice make -s -j"$jobs" extension with_llvm=no
nice make -s install-extension with_llvm=no DESTDIR="$destination"
rm -rf "$copy"
"$folder/bin/postgres" --version
ls "$("$folder/bin/pg_config" --pkglibdir 2>/dev/null || dirname "$(find "$folder" -name citus.so | head -1)")/citus.so"
