#!/bin/sh
# Does what 20-envsubst-on-templates.sh of the official nginx image is documented to do (hub.docker.com/_/nginx, "Using environment
# variables in nginx configuration"): each file below NGINX_ENVSUBST_TEMPLATE_DIR whose name ends in NGINX_ENVSUBST_TEMPLATE_SUFFIX
# is written below NGINX_ENVSUBST_OUTPUT_DIR without the suffix. Variables that are defined, and whose names match
# NGINX_ENVSUBST_FILTER, are replaced in it.
set -e
templates=${NGINX_ENVSUBST_TEMPLATE_DIR:-/etc/nginx/templates}
suffix=${NGINX_ENVSUBST_TEMPLATE_SUFFIX:-.template}
output=${NGINX_ENVSUBST_OUTPUT_DIR:-/etc/nginx/conf.d}
[ -d "$templates" ] || exit 0
defined=$(awk -v filter="${NGINX_ENVSUBST_FILTER:-}" 'BEGIN { for (name in ENVIRON) if (name ~ filter) printf "${%s} ", name }')
cd "$templates"
find . -follow -type f -name "*$suffix" | while read -r template; do
	mkdir -p "$output/$(dirname "$template")"
	envsubst "$defined" <"$template" >"$output/${template%"$suffix"}"
done
