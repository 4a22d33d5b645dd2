#!/bin/sh
# make.sh DIR: a Debian with its own kernel, as DIR/root.img, DIR/vmlinuz and DIR/initrd for qemu. What it finds as run.sh on the 9p mount share it
# runs once, and powers off.
set -eu
dir=$1
[ ! -e "$dir/root.img" ] || exit 0
mkdir -p "$dir"
packages=systemd-sysv,udev,dbus,linux-image-amd64,initramfs-tools,kmod,iproute2,procps,util-linux,mount,crun,runc,podman,conmon,catatonit,fuse3
packages=$packages,fuse-overlayfs,uidmap,golang-github-containers-common,nfs-kernel-server,nfs-common,rpcbind,e2fsprogs,dosfstools,apparmor,busybox-static,libpam-systemd
root=$dir/root
rm -rf "$root"
trap 'rm -rf "$root"' EXIT
mmdebstrap --variant=minbase --include=$packages --aptopt='APT::Install-Recommends "false"' \
	--customize-hook='echo machine >"$1/etc/hostname"; echo "/dev/vda / ext4 rw,noatime 0 1" >"$1/etc/fstab"' \
	--customize-hook='printf "9p\n9pnet_virtio\nvirtio_pci\nvirtio_blk\next4\n" >>"$1/etc/initramfs-tools/modules"; chroot "$1" update-initramfs -u' \
	--customize-hook='chroot "$1" systemctl disable nfs-server rpcbind || true; echo "nobody:200000:65536" | tee "$1/etc/subuid" >"$1/etc/subgid"' \
	--customize-hook='printf "[Unit]\nAfter=local-fs.target dbus.service apparmor.service\n[Service]\nType=oneshot\nTimeoutStartSec=infinity\nExecStart=/bin/sh -c \"mkdir -p /share; mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576 share /share; sh /share/run.sh >/share/log 2>&1; sync; systemctl poweroff -ff\"\n[Install]\nWantedBy=multi-user.target\n" >"$1/etc/systemd/system/scenes.service"; chroot "$1" systemctl enable scenes' \
	bookworm "$root"
cp "$root"/boot/vmlinuz-* "$dir/vmlinuz"
cp "$root"/boot/initrd.img-* "$dir/initrd"
truncate -s 6G "$dir/new.img"
mkfs.ext4 -q -F -d "$root" "$dir/new.img"
mv "$dir/new.img" "$dir/root.img"
