/*
 * unruly plays the apps that make life hard for an init. It is in C for its forks to be cheap: a process of Go costs twenty
 * times as much.
 *
 *   unruly storm TOTAL CODE        TOTAL orphans, 64 alive at a time; says each "thousand", and exits with CODE at TERM
 *   unruly leave COUNT CODE        exits with CODE in the middle of a storm that goes on, after COUNT orphans
 *   unruly wild CODE SCRIPT…       a storm without end, and shell scripts beside it; says "asked" at USR1, exits with CODE at TERM
 *   unruly reuse FILE CODE         each time that FILE holds a pid it waits for that to be free, and gives it to an orphan, which
 *                                  exits with 0; says "reused" when that has worked; exits with CODE at TERM
 *   unruly traced HOW CODE         leaves an orphan behind that another orphan traces; exits with CODE at TERM, or, where
 *                                  HOW begins with "left-", when all is prepared
 *   unruly count FILE              counts each signal in FILE, which it maps; says "ready"
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALIVE 64

static int code;

static void leave(int sig) { _exit(code); }

static void say(const char *text) { dprintf(1, "%s\n", text); }

static void hear(int sig) { say("asked"); }

static void must(int ok, const char *what) {
	if (!ok) {
		perror(what);
		_exit(125);
	}
}

static int tube[2]; /* an orphan ends when it has read a byte, or the last writer has ended */

static void orphan(void) {
	char byte;
	close(tube[1]);
	signal(SIGTERM, SIG_DFL);
	while (read(tube[0], &byte, 1) < 0 && errno == EINTR)
		;
	_exit(3);
}

/* Half of the kernel's default pid_max, which all tests on the machine share: an init that is short of time leaves zombies for a while. */
enum { CROWD = 16384 };

static int crowded(void) {
	struct sysinfo now;
	return sysinfo(&now) == 0 && now.procs > CROWD;
}

/* Its parent is gone before this returns, so it is the init's. 0 when there is no room for it. */
static int make_orphan(void) {
	while (crowded())
		usleep(1000);
	pid_t parent = fork();
	if (parent == 0) {
		pid_t child = fork();
		if (child == 0)
			orphan();
		_exit(child < 0);
	}
	int status = -1;
	while (parent > 0 && waitpid(parent, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}

/* total is -1 for ever; after count it writes to said. */
static void storm(long total, long count, int said) {
	must(pipe(tube) == 0, "pipe");
	for (long made = 0; total < 0 || made < total;) {
		if (!make_orphan())
			continue;
		if (++made > ALIVE)
			must(write(tube[1], "x", 1) == 1, "write");
		if (total > 0 && made % 1000 == 0)
			say("thousand");
		if (made == count)
			must(write(said, "\n", 1) == 1, "write");
	}
}

static void leave_in_storm(long count) {
	int said[2];
	char byte;
	must(pipe(said) == 0, "pipe");
	if (fork() == 0)
		storm(-1, count, said[1]);
	must(read(said[0], &byte, 1) == 1, "read");
	_exit(code);
}

static void script(char *text) {
	if (fork() == 0) {
		signal(SIGTERM, SIG_DFL);
		execl("/bin/sh", "sh", "-c", text, (char *)0);
		must(0, "sh");
	}
}

static pid_t take_pid(const char *path) {
	char text[32] = "";
	int fd;
	while ((fd = open(path, O_RDONLY)) < 0)
		usleep(1000);
	must(read(fd, text, sizeof text - 1) > 0 && unlink(path) == 0, path);
	close(fd);
	return atoi(text);
}

/* The next pid is the one after the last, which can be set; proc_sys_kernel(5), namespaced by pid_namespaces(7). */
static void give_to_orphan(pid_t pid) {
	pid_t parent = fork();
	if (parent == 0) {
		int last = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
		must(dprintf(last, "%d", pid - 1) > 0, "ns_last_pid");
		pid_t orphan = fork();
		if (orphan == 0)
			_exit(0);
		say(orphan == pid ? "reused" : "missed");
		_exit(0);
	}
	waitpid(parent, 0, 0);
}

static void reuse(const char *path) {
	for (;;) {
		pid_t pid = take_pid(path);
		while (kill(pid, 0) == 0) /* a zombie still has its pid */
			;
		give_to_orphan(pid);
	}
}

/*
 * The traced one is a child of a process that has ended, and the tracer is another: for both the init is the parent. The
 * tracer never waits.
 *   running  it is traced
 *   stopped  and in a stop of ptrace(2)
 *   dead     it has ended; its status is the tracer's to take
 *   stubborn the same, and the tracer ignores TERM
 */
static void traced(const char *how) {
	int pid[2], go[2], ready[2];
	pid_t child;
	char byte;
	must(pipe(pid) == 0 && pipe(go) == 0 && pipe(ready) == 0, "pipe");
	pid_t parent = fork();
	if (parent == 0) {
		if ((child = fork()) != 0) {
			must(write(pid[1], &child, sizeof child) == sizeof child, "write");
			_exit(0);
		}
		close(go[1]);
		signal(SIGTERM, SIG_DFL);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* for a kernel with Yama */
		must(write(ready[1], "x", 1) == 1, "write");
		if (read(go[0], &byte, 1) == 1)
			_exit(3);
		for (;;)
			pause();
	}
	waitpid(parent, 0, 0);
	must(read(pid[0], &child, sizeof child) == sizeof child && read(ready[0], &byte, 1) == 1, "read");
	parent = fork();
	if (parent == 0) {
		if (fork() != 0)
			_exit(0);
		signal(SIGTERM, strcmp(how, "stubborn") == 0 ? SIG_IGN : SIG_DFL);
		must(ptrace(PTRACE_SEIZE, child, 0, 0) == 0, "ptrace");
		siginfo_t info;
		if (strcmp(how, "stopped") == 0) {
			must(ptrace(PTRACE_INTERRUPT, child, 0, 0) == 0, "ptrace");
			must(waitid(P_PID, child, &info, WSTOPPED | WNOWAIT | __WALL) == 0, "waitid");
		} else if (strcmp(how, "running") != 0) {
			must(write(go[1], "x", 1) == 1, "write");
			must(waitid(P_PID, child, &info, WEXITED | WNOWAIT | __WALL) == 0, "waitid");
		}
		must(write(ready[1], "x", 1) == 1, "write");
		for (;;)
			pause();
	}
	waitpid(parent, 0, 0);
	must(read(ready[0], &byte, 1) == 1, "read");
	dprintf(1, "traced %d\n", child);
}

/* FILE holds this. Who sends USR1 writes told before, so seen is no older than the last USR1 that came. */
static struct {
	unsigned got[65];  /* how often each signal came */
	unsigned ends[65]; /* the exit code that it brings; 0: it brings none */
	unsigned told, seen;
} *shared;

static void count(int sig) {
	if (sig == SIGUSR1)
		__atomic_store_n(&shared->seen, __atomic_load_n(&shared->told, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&shared->got[sig], 1, __ATOMIC_SEQ_CST);
	unsigned end = __atomic_load_n(&shared->ends[sig], __ATOMIC_SEQ_CST);
	if (end != 0)
		_exit(end);
}

static void count_all(const char *path) {
	int fd = open(path, O_RDWR);
	must(fd >= 0, path);
	shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(shared != MAP_FAILED, "mmap");
	struct sigaction action = {.sa_handler = count};
	sigfillset(&action.sa_mask); /* no handler interrupts another, or an older told would be seen last */
	for (int sig = 1; sig <= 64; sig++)
		sigaction(sig, &action, 0); /* refused for KILL, STOP, and the C library's 32 and 33 */
	say("ready");
}

int main(int argc, char **argv) {
	const char *role = argc > 2 ? argv[1] : "";
	if (argc > 3)
		code = atoi(argv[strcmp(role, "wild") == 0 ? 2 : 3]);
	signal(SIGTERM, leave);
	signal(SIGUSR1, hear);
	if (strcmp(role, "storm") == 0) {
		storm(atol(argv[2]), 0, -1); /* the last ones live as long as this process */
	} else if (strcmp(role, "leave") == 0) {
		leave_in_storm(atol(argv[2]));
	} else if (strcmp(role, "wild") == 0) {
		for (int i = 3; i < argc; i++)
			script(argv[i]);
		storm(-1, ALIVE, 1);
	} else if (strcmp(role, "reuse") == 0) {
		reuse(argv[2]);
	} else if (strcmp(role, "count") == 0) {
		count_all(argv[2]);
	} else if (strcmp(role, "traced") == 0) {
		const char *how = argv[2];
		int left = strncmp(how, "left-", 5) == 0;
		traced(left ? how + 5 : how);
		if (left)
			_exit(code);
	} else {
		return 125;
	}
	for (;;)
		pause();
}
