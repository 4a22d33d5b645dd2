# Stands for the official nginx image, as far as the example sees one: Debian's
# nginx with that image's user, paths and defaults.
FROM localhost/debian
RUN groupadd --system --gid 101 nginx \
 && useradd --system --uid 101 --gid 101 --no-create-home --home-dir /nonexistent --shell /bin/false nginx \
 && ln -sf /dev/stdout /var/log/nginx/access.log \
 && ln -sf /dev/stderr /var/log/nginx/error.log \
 && printf '%s\n' 'server { listen 80; root /usr/share/nginx/html; }' > /etc/nginx/conf.d/default.conf
EXPOSE 80
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
