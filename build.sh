#!/bin/sh
# build.sh OUT: builds confit as it is shipped, static and stripped. Every build that is used or measured comes from here.
# GO, VERSION and GOARCH may be set. Without VERSION release/version says it.
#
# Where signals/ has an entry point for the architecture, -E makes the kernel jump to it, and -checklinkname=0 lets it refer to a
# table of the Go runtime. confit works without it, too, as `go build .` makes it. But then a signal in its first milliseconds may
# end it, the app inherits less exactly what confit was started with, and the app's GODEBUG, GOMEMLIMIT and the like act on
# confit: signals/entry.go, signals/environ.go.
#
# Functions begin at the next multiple of 8 bytes, and not of 32 as Go has them for the sake of hot loops: 53 KB. Where instructions
# have any length they begin at the next byte: another 20 KB. A start that copies 3 MB takes the same processor time (1.00, 40 pairs).
#
# nogreenteagc chooses the older of Go's two collectors. The newer one is made for large heaps and many processors: confit has
# neither, and is 49 KB smaller without it.
#
# Only what is on the way of a signal or of a swap is inlined: in the runtime, hashes, linker and signals. The rest mostly
# makes text, and this is 120 KB. Nor is it in those packages of the linker where a system call takes longer than a call, in
# process, and in the runtime's maps: 12 KB. No function with a closure in it is inlined: 8 KB. A start takes the same processor
# time with both. In strconv, utf8, byteorder, reflectlite and io inlining makes the program smaller: 9 KB.
# Nor are the atomic operations of the runtime, but for what the compiler makes an instruction of: 32 KB, and a swap takes as long.
# Nor is anything in supervisor, which decides a few times a change: 24 KB.
#
# Where something is inlined, it is what is about as small as a call: the inliner's limit is 10 of its units, not 80 (40 KB). Only
# the inliner called newinliner can be told so. A start takes the same processor time (1.00, 300 rounds in turn with the other).
# Large tables that nothing refers to are left out, such as those of net, whatever their size: wrapglobalmapctl=2 (11 KB). The names of
# generic functions, which only a trace of the stack shows, are short: maxshapelen=8 (4 KB).
#
# A Go that lacks one of these choices builds with those that it has.
#
# -buildvcs=false keeps out whether the source came from git: an unpacked archive of it gives the same bytes. VERSION names both.
set -eu
cd "$(dirname "$0")"
go=${GO:-go}
tags=
align=8
case $("$go" env GOARCH) in amd64 | 386) align=1 ;; esac
flags="-s -w -funcalign=$align -X main.version=${VERSION:-$(./release/version)}"
if [ -e "signals/entry_$("$go" env GOARCH).s" ]; then
	tags=entry
	flags="$flags -E confit/signals.entry -checklinkname=0"
fi
experiments=
for choice in nogreenteagc newinliner; do
	if GOEXPERIMENT=$choice "$go" env GOARCH >/dev/null 2>&1; then experiments=${experiments:+$experiments,}$choice; fi
done
export GOEXPERIMENT="$experiments"
debug= # the compiler's choices that it has, for all packages
small= # and for those in which something is inlined
choices=$("$go" tool compile -d help 2>&1) || true
for choice in wrapglobalmapctl=2 maxshapelen=8; do
	case $choices in *"${choice%=*}"*) debug="$debug -d=$choice" ;; esac
done
for choice in inlfuncswithclosures=0 inlbudgetslack=-70; do
	case $choices in *"${choice%=*}"*) small="$small -d=$choice" ;; esac
done
set -- "$1" "-gcflags=all=-l$debug"
for package in runtime internal/runtime/sys internal/runtime/math internal/strconv strconv unicode/utf8 internal/byteorder internal/reflectlite io crypto/... confit/linker confit/linker/volume confit/signals; do
	set -- "$@" "-gcflags=$package=$debug$small"
done
out=$1
shift
CGO_ENABLED=0 GOOS=linux exec "$go" build -trimpath -buildvcs=false -tags "$tags" "$@" -ldflags "$flags" -o "$out" .
