/* SPDX-License-Identifier: MIT */
/*
 * What tests/cli.sh runs under `cairn record`, and a terminal to run `cairn` on. The first argument
 * says what to do:
 *   events N        hit cli:number N times
 *   exit N, die N   exit with status N; die of signal N
 *   signals N       say "ready", take N signals and those that come within 0.3 s, say which
 *   fork N          N children at once, with 10 events each
 *   live N          the same, and all of them live until the last has hit its events
 *   burst N         more cli:number than a small ring holds, and 0.2 s later N times cli:other
 *   limits          the soft limit of open files, and what SIGXFSZ does
 *   orphan          leave a child behind, that hits an event and lives for 3 s more
 *   sleep N         N ms
 *   terminal COMMAND...  run it on a terminal of its own, press ^C when it says "ready", copy what
 *                   it shows to stdout, exit with its status
 */
#define _GNU_SOURCE 1
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cairn/event.h>

CAIRN_EVENT(cli, number, CAIRN_U32(n));
CAIRN_EVENT(cli, other);

static const int caught[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGWINCH };
#define CAUGHT (sizeof(caught) / sizeof(caught[0]))
static volatile sig_atomic_t taken, count[65];

static void take(int number)
{
	count[number]++;
	taken++;
}

static int events(unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		cairn_trace(cli, number, i);
	return 0;
}

static int signals(int n)
{
	const struct sigaction action = { .sa_handler = take };
	size_t i;
	int rest;

	for (i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &action, NULL);
	puts("ready");
	fflush(stdout);
	while (taken < n)
		usleep(10000); /* a signal ends it early */
	for (rest = 0; rest < 30; rest++)
		usleep(10000);
	for (i = 0; i < CAUGHT; i++)
		if (count[caught[i]])
			printf("signal %d: %d\n", caught[i], (int)count[caught[i]]);
	return 0;
}

static int children(unsigned n, bool together)
{
	int done[2], end[2];
	unsigned i;
	char byte;

	if (pipe(done) || pipe(end))
		return 1;
	for (i = 0; i < n; i++) {
		if (fork() == 0) {
			close(end[1]);
			events(10);
			_exit(together && (write(done[1], "", 1) != 1 || read(end[0], &byte, 1)));
		}
	}
	for (i = 0; together && i < n; i++)
		if (read(done[0], &byte, 1) != 1)
			return 1;
	close(end[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}

static int burst(int n)
{
	events(300000);
	usleep(200000);
	while (n-- > 0) {
		cairn_trace(cli, other);
		usleep(500);
	}
	return 0;
}

static int limits(void)
{
	struct sigaction action;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || sigaction(SIGXFSZ, NULL, &action))
		return 1;
	printf("files %llu, SIGXFSZ %s\n", (unsigned long long)files.rlim_cur,
	       action.sa_handler == SIG_DFL ? "default" : "other");
	return 0;
}

static int orphan(void)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		return 1;
	if (fork() == 0) {
		events(1);
		close(1);
		close(2);
		if (write(ready[1], "", 1) == 1)
			sleep(3);
		_exit(0);
	}
	return read(ready[0], &byte, 1) != 1;
}

static int terminal(char **command)
{
	char all[65536];
	size_t used = 0;
	bool pressed = false;
	ssize_t got;
	int status, fd;
	const pid_t pid = forkpty(&fd, NULL, NULL, NULL);

	if (pid == 0) {
		execv(command[0], command);
		_exit(99);
	}
	while (used < sizeof(all) - 1 && (got = read(fd, all + used, sizeof(all) - 1 - used)) > 0) {
		used += (size_t)got;
		all[used] = 0;
		if (!pressed && strstr(all, "ready"))
			pressed = write(fd, "\003", 1) == 1;
	}
	fwrite(all, 1, used, stdout);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const int number = argc > 2 ? atoi(argv[2]) : 0;

	alarm(120);
	if (argc < 0)
		cairn_trace(cli, other);
	if (!strcmp(what, "events"))
		return events((unsigned)number);
	if (!strcmp(what, "exit"))
		return number;
	if (!strcmp(what, "die"))
		return raise(number);
	if (!strcmp(what, "signals"))
		return signals(number);
	if (!strcmp(what, "fork"))
		return children((unsigned)number, false);
	if (!strcmp(what, "live"))
		return children((unsigned)number, true);
	if (!strcmp(what, "burst"))
		return burst(number);
	if (!strcmp(what, "limits"))
		return limits();
	if (!strcmp(what, "orphan"))
		return orphan();
	if (!strcmp(what, "sleep"))
		return usleep(1000 * (useconds_t)number);
	if (!strcmp(what, "terminal"))
		return terminal(argv + 2);
	return 97;
}
