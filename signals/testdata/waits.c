// waits: programs that take HUP without a handler, and such as look like it. Each says "ready" when it is set up, "took HUP" when
// HUP has come, and leaves at the end of its standard input.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static sigset_t hup, usr1;

static void say(const char *text)
{
	dprintf(1, "%s\n", text);
}

static void *leave(void *unused)
{
	char c;
	while (read(0, &c, 1) > 0)
		;
	exit(0);
}

// thread starts one, which inherits the mask.
static void thread(void *(*run)(void *))
{
	pthread_t t;
	if (pthread_create(&t, NULL, run, NULL) != 0)
		abort();
}

// by_sigwait is named.
static void *by_sigwait(void *unused)
{
	int sig;
	for (;;)
		if (sigwait(&hup, &sig) == 0)
			say("took HUP");
}

// by_sigtimedwait is tini.
static void by_sigtimedwait(void)
{
	struct timespec second = { 1, 0 };
	for (;;)
		if (sigtimedwait(&hup, NULL, &second) == SIGHUP)
			say("took HUP");
}

// by_signalfd is keepalived.
static void by_signalfd(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	struct signalfd_siginfo info;
	int poll = epoll_create1(0), fd = signalfd(-1, &hup, 0);
	epoll_ctl(poll, EPOLL_CTL_ADD, fd, &e);
	for (;;)
		if (epoll_wait(poll, &e, 1, -1) == 1 && read(fd, &info, sizeof info) == sizeof info)
			say("took HUP");
}

// unblocked is a thread that would die of HUP.
static void *unblocked(void *unused)
{
	pthread_sigmask(SIG_UNBLOCK, &hup, NULL);
	say("ready");
	for (;;)
		pause();
}

static void handler(int sig)
{
	say("took HUP");
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int sig;

	sigemptyset(&hup), sigaddset(&hup, SIGHUP);
	sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);
	if (!strcmp(how, "nothing")) {
		thread(leave), say("ready");
		for (;;)
			pause();
	}
	if (!strcmp(how, "another")) { // waits, but not for HUP
		sigprocmask(SIG_BLOCK, &usr1, NULL);
		sigset_t all;
		sigfillset(&all), pthread_sigmask(SIG_BLOCK, &all, &all), thread(leave), pthread_sigmask(SIG_SETMASK, &all, NULL);
		say("ready"), sigwait(&usr1, &sig);
	}
	sigprocmask(SIG_BLOCK, &hup, NULL);
	thread(leave);
	if (!strcmp(how, "sigwait"))
		say("ready"), by_sigwait(NULL);
	if (!strcmp(how, "sigtimedwait"))
		say("ready"), by_sigtimedwait();
	if (!strcmp(how, "signalfd"))
		say("ready"), by_signalfd();
	if (!strcmp(how, "one_open"))
		thread(by_sigwait), unblocked(NULL);
	if (!strcmp(how, "open_thread"))
		thread(unblocked), by_sigwait(NULL);
	if (!strcmp(how, "leader_gone")) {
		sigset_t before;
		thread(by_sigwait);
		sigprocmask(SIG_UNBLOCK, &hup, &before); // what the leader did doesn't matter any more
		say("ready"), pthread_exit(NULL);
	}
	if (!strcmp(how, "blocked")) { // and never asked for
		say("ready");
		for (;;)
			pause();
	}
	signal(SIGHUP, strcmp(how, "ignored") ? handler : SIG_IGN);
	if (strcmp(how, "ignored")) {
		sigset_t none;
		sigemptyset(&none), say("ready");
		for (;;)
			sigsuspend(&none);
	}
	say("ready");
	for (;;)
		pause();
}
