# Stands for the official postgres image: Debian's PostgreSQL with that image's
# directory, and an entrypoint that does what that image's does.
FROM localhost/debian-postgres
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV PGDATA=/var/lib/postgresql/data/pgdata
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN groupmod --gid 999 postgres && usermod --uid 999 postgres
RUN chmod 755 /usr/local/bin/docker-entrypoint.sh \
 && mkdir /docker-entrypoint-initdb.d \
 && install --directory --owner=postgres --group=postgres /run/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
