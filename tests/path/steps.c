/* SPDX-License-Identifier: MIT */
/*
 * steps START SIZE PROGRAM: runs the program, which asks for it (PTRACE_TRACEME) and stops itself, one instruction
 * at a time from there, and writes for those between START and START + SIZE what the emulator writes for
 * tests/path/ran.awk. Some microseconds an instruction: events are not late for it, as they are in a debugger.
 * Ends with the program's status.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the step ended: the address of the trap. */
static uintptr_t program_counter(pid_t pid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) ? 0 : (uintptr_t)info.si_addr;
}

int main(int argc, char **argv)
{
	uintptr_t at, start;
	uint8_t *known;
	size_t size;
	pid_t pid;
	int status = 0;

	if (argc != 4)
		return 125;
	start = (uintptr_t)strtoull(argv[1], NULL, 16);
	size = (size_t)strtoull(argv[2], NULL, 16);
	known = calloc(size, 1);
	if (!known)
		return 125;
	pid = fork();
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(argv[3], argv[3], "traced", (char *)NULL);
		_exit(126);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		at = program_counter(pid);
		if (at - start < size) {
			if (!known[at - start])
				printf("IN:\n0x%" PRIxPTR ": \n", at);
			known[at - start] = 1;
			printf("Trace 0: 0 [0/%" PRIxPTR "/0]\n", at);
		}
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
			break;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
