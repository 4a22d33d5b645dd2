// blocks: what programs do with HUP in their threads. Each says "ready" when it is set up, and leaves at the end of its standard input.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigset_t hup;

static void *leave(void *unused)
{
	char c;
	while (read(0, &c, 1) > 0)
		;
	exit(0);
}

static void *rest(void *unused)
{
	for (;;)
		pause();
}

// by_sigwait is named.
static void *by_sigwait(void *unused)
{
	int sig;
	for (;;)
		sigwait(&hup, &sig);
}

// thread starts one, which inherits the mask.
static void thread(void *(*run)(void *))
{
	pthread_t t;
	if (pthread_create(&t, NULL, run, NULL) != 0)
		abort();
}

static void handler(int sig)
{
}

int main(int argc, char **argv)
{
	const char *how = argv[1];

	sigemptyset(&hup), sigaddset(&hup, SIGHUP);
	if (strcmp(how, "open"))
		sigprocmask(SIG_BLOCK, &hup, NULL);
	thread(leave), thread(rest);
	if (!strcmp(how, "handler"))
		signal(SIGHUP, handler);
	if (!strcmp(how, "ignored"))
		signal(SIGHUP, SIG_IGN);
	if (!strcmp(how, "one_open") || !strcmp(how, "leader_gone"))
		sigprocmask(SIG_UNBLOCK, &hup, NULL);
	dprintf(1, "ready\n");
	if (!strcmp(how, "leader_gone"))
		pthread_exit(NULL);
	if (!strcmp(how, "sigwait"))
		by_sigwait(NULL);
	rest(NULL);
}
