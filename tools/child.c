/* SPDX-License-Identifier: MIT */
/*
 * The command under `cairn record`. All signals of interest are blocked and read from a descriptor,
 * so that the recorder handles them between two steps and nothing of it is interrupted.
 *
 * The command stays in our process group, so a key of the terminal (^C, ^\, a new window size)
 * reaches it directly, and is not passed on a second time: many programs take the second ^C for "at
 * once".
 */
#define _GNU_SOURCE 1
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH };
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

int cairn_child_prepare(struct cairn_child *child)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;
	size_t i;

	child->pid = -1;
	child->ended = false;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, &child->mask);
	/* Inherited as ignored it would take the statuses of our children. */
	sigaction(SIGCHLD, &action, &child->chld);
	/* Our own messages must not end us when nobody reads them. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, &child->pipe);
	/* A file at its limit (ulimit -f) is an error like a full disk. */
	sigaction(SIGXFSZ, &action, &child->xfsz);
	if (!getrlimit(RLIMIT_NOFILE, &child->files)) {
		const struct rlimit most = { .rlim_cur = child->files.rlim_max,
					     .rlim_max = child->files.rlim_max };

		setrlimit(RLIMIT_NOFILE, &most);
	}
	child->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (child->signals >= 0)
		return 0;
	cairn_tool_say("cannot wait for signals: %s: check the limits (ulimit -a)",
		       strerror(errno));
	return CAIRN_EXIT_FAILED;
}

static size_t name_length(const char *variable)
{
	return strcspn(variable, "=");
}

static bool is_replaced(const char *variable, const char *const *environment)
{
	const size_t length = name_length(variable);

	for (; *environment; environment++)
		if (name_length(*environment) == length && !memcmp(variable, *environment, length))
			return true;
	return false;
}

/* Ours with `environment` in place of what has the same names; to be freed. */
static char **join_environment(const char *const *environment)
{
	size_t ours = 0, theirs = 0, n = 0, i;
	char **joined;

	while (environ[ours])
		ours++;
	while (environment[theirs])
		theirs++;
	joined = calloc(ours + theirs + 1, sizeof(*joined));
	if (!joined)
		return NULL;
	for (i = 0; i < ours; i++)
		if (!is_replaced(environ[i], environment))
			joined[n++] = environ[i];
	for (i = 0; i < theirs; i++)
		joined[n++] = (char *)environment[i];
	return joined;
}

/* In the new process. The pipe closes by itself at exec: nothing in it means success. */
static void become(const struct cairn_child *child, char **argv, char **environment, int report)
{
	int error;

	sigaction(SIGCHLD, &child->chld, NULL);
	sigaction(SIGPIPE, &child->pipe, NULL);
	sigaction(SIGXFSZ, &child->xfsz, NULL);
	if (child->files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &child->files);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	execvpe(argv[0], argv, environment);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(CAIRN_EXIT_NOT_FOUND);
}

/* Fork and exec. 0, or the errno of what failed; *forked says which of the two. */
static int spawn(struct cairn_child *child, char **argv, char **environment, bool *forked)
{
	int report[2], error = 0;
	ssize_t got;

	*forked = false;
	if (pipe2(report, O_CLOEXEC))
		return errno;
	child->pid = fork();
	if (child->pid == 0)
		become(child, argv, environment, report[1]);
	if (child->pid < 0)
		error = errno;
	close(report[1]);
	if (child->pid > 0) {
		*forked = true;
		while ((got = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR)
			;
		if (got != (ssize_t)sizeof(error))
			error = 0;
		if (error)
			waitpid(child->pid, NULL, 0);
	}
	close(report[0]);
	return error;
}

static int explain_exec(const char *name, int error)
{
	if (error == ENOENT && strchr(name, '/') && !access(name, F_OK)) {
		cairn_tool_say("cannot execute %s: its interpreter is missing (the program behind "
			       "#!, or the dynamic loader): install it",
			       name);
		return CAIRN_EXIT_NOT_EXECUTABLE;
	}
	if (error == ENOENT) {
		cairn_tool_say("no such program: %s: check the name%s", name,
			       strchr(name, '/') ? "" : " and PATH, or give the path, as in ./app");
		return CAIRN_EXIT_NOT_FOUND;
	}
	cairn_tool_say("cannot execute %s: %s: %s", name, strerror(error),
		       error == EACCES ? "check its execute permission (chmod +x) and that of its "
					 "folders" :
					 "check that it is a program for this machine");
	return CAIRN_EXIT_NOT_EXECUTABLE;
}

int cairn_child_start(struct cairn_child *child, char **argv, const char *const *environment)
{
	char **joined = join_environment(environment);
	bool forked;
	int error;

	if (!joined) {
		cairn_tool_say("no memory to start %s: close other programs and try again",
			       argv[0]);
		return CAIRN_EXIT_FAILED;
	}
	/* Orphans of the command become ours, so that their ends are noticed. */
	prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
	error = spawn(child, argv, joined, &forked);
	free(joined);
	if (!error)
		return CAIRN_EXIT_OK;
	if (forked)
		return explain_exec(argv[0], error);
	cairn_tool_say("cannot start a process: %s: check the limits (ulimit -a)", strerror(error));
	return CAIRN_EXIT_FAILED;
}

/* The terminal's keys reach the command by themselves while it is in our process group. */
static bool has_it_already(const struct cairn_child *child, const struct signalfd_siginfo *info)
{
	if ((pid_t)info->ssi_pid == child->pid)
		return true; /* it sent the signal, perhaps to its whole group */
	return info->ssi_code == SI_KERNEL && getpgid(child->pid) == getpgrp();
}

static void reap(struct cairn_child *child)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != child->pid)
			continue;
		child->status = status;
		child->ended = true;
	}
}

void cairn_child_signals(struct cairn_child *child)
{
	struct signalfd_siginfo info;

	while (read(child->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD && !has_it_already(child, &info))
			kill(child->pid, (int)info.ssi_signo);
	/* Last: until here the number is the command's, even if it has ended. */
	reap(child);
}

int cairn_child_exit(const struct cairn_child *child)
{
	return WIFSIGNALED(child->status) ? CAIRN_EXIT_SIGNAL + WTERMSIG(child->status) :
					    WEXITSTATUS(child->status);
}
