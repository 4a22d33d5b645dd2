# Stands for the official Debian image after the package prometheus was installed, as
# far as the example sees it.
FROM localhost/debian
COPY prometheus promtool /usr/bin/
RUN mkdir -p /etc/prometheus && echo 'global: {}' > /etc/prometheus/prometheus.yml
