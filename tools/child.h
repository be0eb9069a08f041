/* SPDX-License-Identifier: MIT */
/*
 * Run a command as `cairn record` does: start it, tell exactly why it could not be started, pass
 * signals on, take its status and that of every orphan below it. One command at a time; the signal
 * mask is the process'.
 */
#ifndef CAIRN_CHILD_H
#define CAIRN_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct cairn_child {
	pid_t pid;
	int status; /* as of waitpid, when `ended` */
	bool ended;
	int signals;   /* descriptor: readable when cairn_child_signals has work */
	sigset_t mask; /* before us; what the command gets */
	struct sigaction chld, pipe, xfsz;
	struct rlimit files; /* descriptors; the recorder takes all that it may */
};

/*
 * From here on our signals wait for cairn_child_signals, and we may have as many descriptors as the
 * hard limit says; the command gets what we had before. 0, or an exit code, and the reason was
 * said.
 */
int cairn_child_prepare(struct cairn_child *child);

/*
 * Start argv[0] with its arguments and `environment` ("NAME=value" strings, NULL at the end) added
 * to ours. 0, or an exit code, and the reason was said.
 */
int cairn_child_start(struct cairn_child *child, char **argv, const char *const *environment);

/* Pass on the signals that came, and notice ends. Never blocks. */
void cairn_child_signals(struct cairn_child *child);

/* The ended command's exit status, or 128 + the number of the signal that ended it. */
int cairn_child_exit(const struct cairn_child *child);

#endif
