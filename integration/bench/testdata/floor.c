// The least that could be called confit's work: at each change of a volume's ..data copy all keys to a new directory, put it in force by
// one rename, send SIGHUP, and remove the directory before. Nothing is checked, nothing is hashed, nothing is taken back.
//
//	floor VOLUME STATE APP [ARG]…
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static char live[64], old[64]; // the directory in force, below STATE, and the one before

static void copy(int from, int to, const char *name) {
	static char bytes[1 << 20];
	int in = openat(from, name, O_RDONLY | O_CLOEXEC);
	int out = openat(to, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
	for (ssize_t n; (n = read(in, bytes, sizeof bytes)) > 0;)
		if (write(out, bytes, n) != n)
			exit(125);
	close(in);
	close(out);
}

static void drop(int state, const char *dir) {
	int fd = openat(state, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fdopendir(fd);
	for (struct dirent *e; (e = readdir(entries));)
		if (e->d_name[0] != '.')
			unlinkat(fd, e->d_name, 0);
	closedir(entries);
	unlinkat(state, dir, AT_REMOVEDIR);
}

static void publish(const char *volume, int state) {
	static int number;
	char data[PATH_MAX], dir[64];
	snprintf(data, sizeof data, "%s/..data", volume);
	snprintf(dir, sizeof dir, "%d", ++number);
	mkdirat(state, dir, 0755);
	int from = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC), to = openat(state, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fdopendir(from);
	for (struct dirent *e; (e = readdir(entries));)
		if (e->d_name[0] != '.')
			copy(from, to, e->d_name);
	closedir(entries);
	close(to);
	symlinkat(dir, state, "next");
	renameat(state, "next", state, "live");
	strcpy(old, live);
	strcpy(live, dir);
}

int main(int argc, char **argv) {
	if (argc < 4)
		return 2;
	mkdir(argv[2], 0755);
	int state = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC), events = inotify_init1(IN_CLOEXEC);
	inotify_add_watch(events, argv[1], IN_MOVED_TO);
	publish(argv[1], state);
	pid_t app = fork();
	if (app == 0) {
		execv(argv[3], argv + 3);
		_exit(127);
	}
	char link[PATH_MAX], seen[PATH_MAX] = "", now[PATH_MAX], buffer[4096];
	snprintf(link, sizeof link, "%s/..data", argv[1]);
	seen[readlink(link, seen, sizeof seen - 1)] = 0;
	while (read(events, buffer, sizeof buffer) > 0) {
		ssize_t n = readlink(link, now, sizeof now - 1);
		now[n < 0 ? 0 : n] = 0;
		if (strcmp(now, seen) == 0)
			continue;
		strcpy(seen, now);
		publish(argv[1], state);
		kill(app, SIGHUP);
		drop(state, old);
	}
	return 125;
}
