/* SPDX-License-Identifier: MIT */
/* CPU time that process PID has used so far, all threads, in ns: `cpu_of PID`. */
#include "bench.h"

int main(int argc, char **argv)
{
	clockid_t clock;

	if (argc != 2 || clock_getcpuclockid((pid_t)bench_count(argv[1]), &clock))
		bench_fail("usage: cpu_of PID of a process that runs");
	printf("%llu\n", (unsigned long long)bench_now(clock));
	return 0;
}
