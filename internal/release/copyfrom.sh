#!/bin/sh
# copyfrom.sh DIST: shows that a build takes a program from the archive of make image, as Dockerfile.example says, and that what
# it takes is the binary of make dist. It needs podman and root, and says so where they aren't. Nothing of podman's own is touched.
set -eu
if ! command -v podman >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "COPY --from is not tried: that needs podman and root"
	exit 0
fi
dir=$(mktemp -d)
podman() {
	command podman --root "$dir/root" --runroot "$dir/run" --tmpdir "$dir/tmp" --storage-driver vfs \
		--cgroup-manager cgroupfs --events-backend none "$@"
}
trap 'podman image unmount --all >/dev/null; rm -rf "$dir"' EXIT
mkdir "$dir/context"
for program in confit confitctl; do
	printf 'FROM nowhere AS build\nFROM scratch\nCOPY --from=build /%s /program\n' $program >"$dir/context/Dockerfile"
	for arch in amd64 arm64; do
		image=$(podman pull --quiet --arch $arch "oci-archive:$1/$program-oci.tar")
		podman build --quiet --pull-never --network none --platform linux/$arch --build-context "build=container-image://$image" --tag result "$dir/context" >/dev/null
		cmp "$(podman image mount result)/program" "$1/$program-linux-$arch"
		podman image unmount --all >/dev/null
		echo "COPY --from takes $program for $arch"
	done
done
