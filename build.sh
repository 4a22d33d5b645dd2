#!/bin/sh
# build.sh OUT: confit as it is shipped, static and stripped. Whoever builds one to use or to measure calls this.
# GO, VERSION and GOARCH may be set.
#
# Where signals/ has an entry point for the architecture, the kernel is told to jump to it (-E), and it may refer to a table of
# the Go runtime (-checklinkname=0). Without it, as `go build .` makes it, confit works, but a signal in its first
# milliseconds may end it, what it was started with is passed on less exactly, and the app's GODEBUG, GOMEMLIMIT and the like
# act on confit, too: signals/entry.go, signals/environ.go.
set -eu
cd "$(dirname "$0")"
go=${GO:-go}
tags=
flags="-s -w -X main.version=${VERSION:-devel}"
if [ -e "signals/entry_$("$go" env GOARCH).s" ]; then
	tags=entry
	flags="$flags -E confit/signals.entry -checklinkname=0"
fi
CGO_ENABLED=0 GOOS=linux exec "$go" build -trimpath -tags "$tags" -ldflags "$flags" -o "$1" .
