# The example's image with a Secret: the directory that confit links beside nginx's,
# so that "../tls/tls.crt" is right in a candidate and in /etc/nginx.
FROM localhost/web:1
RUN echo 'link  tls/  /etc/tls' >> /etc/confit/links && confit --check && confit --bake
