#!/bin/sh
# Makes the database in an empty directory, and becomes the server. Root makes no
# more than the directory.
set -eu

if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA"
    chown -R postgres: "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

# make has a server of its own, which nobody reaches from outside, for the scripts.
make() {
    shift
    initdb --username=postgres --auth=trust
    pg_ctl --wait start -o "$* -c listen_addresses=''"
    for script in /docker-entrypoint-initdb.d/*.sh; do
        "$script"
    done
    pg_ctl --wait --mode=fast stop
}

if [ -s "$PGDATA/PG_VERSION" ]; then
    echo "told: found"
else
    make "$@"
    echo "told: made"
fi
exec "$@"
