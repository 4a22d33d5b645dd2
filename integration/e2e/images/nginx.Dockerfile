# Stands for the official nginx image, as far as the examples see one: Debian's
# nginx with that image's user, paths, defaults and entrypoint.
FROM localhost/debian
RUN groupadd --system --gid 101 nginx \
 && useradd --system --uid 101 --gid 101 --no-create-home --home-dir /nonexistent --shell /bin/false nginx \
 && ln -sf /dev/stdout /var/log/nginx/access.log \
 && ln -sf /dev/stderr /var/log/nginx/error.log \
 && rm /etc/nginx/sites-enabled/default \
 && printf '%s\n' 'server { listen 80; root /usr/share/nginx/html; }' > /etc/nginx/conf.d/default.conf \
 && mkdir /docker-entrypoint.d \
 && printf '%s\n' '#!/bin/sh -e' 'for s in /docker-entrypoint.d/*.sh; do [ ! -x "$s" ] || "$s"; done' 'exec "$@"' > /docker-entrypoint.sh \
 && chmod 755 /docker-entrypoint.sh
EXPOSE 80
STOPSIGNAL SIGQUIT
ENTRYPOINT ["/docker-entrypoint.sh"]
CMD ["nginx", "-g", "daemon off;"]
