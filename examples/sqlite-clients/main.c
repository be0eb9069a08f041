/* SPDX-License-Identifier: MIT */
/*
 * sqlite-clients: processes that contend for the lock of one SQLite database. See README.md.
 *
 * The launcher starts this program again, once per client, with the hidden options --client and --board.
 */
#define _GNU_SOURCE
#include "clients.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const char usage[] =
	"usage: sqlite-clients [OPTION]...\n"
	"Start processes that read and write one SQLite database at the same time.\n"
	"\n"
	"  --clients N        processes, 1 to 64 (4)\n"
	"  --transactions N   of each client (500)\n"
	"  --readers PERCENT  transactions that only read (50)\n"
	"  --think-us N       pause inside a transaction, with its locks held (100)\n"
	"  --seed N           of the random choices (1)\n"
	"  --db PATH          database to create and keep (default: in a new folder under\n"
	"                     $TMPDIR or /tmp, removed at the end)\n"
	"  --quiet            print the last line only\n"
	"  --help             print this\n"
	"\n"
	"The last line is: transactions=N seconds=S tps=N cpu_seconds=S retries=N waits=N\n"
	"Exit status: 0, 1 if a client failed or the database is wrong afterwards, 2 bad usage.\n";

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_us(unsigned us)
{
	struct timespec left = { us / 1000000, us % 1000000 * 1000L };

	while (us && nanosleep(&left, &left) && errno == EINTR)
		;
}

void complain(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "sqlite-clients: %s\n", text); /* one write: clients share the terminal */
}

struct board *board_map(int file)
{
	void *at = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* A decimal number from `first` to `last`; else a message, and the program ends. */
static uint64_t number(const char *option, const char *text, uint64_t first, uint64_t last)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || value < first || value > last) {
		complain("--%s %s: a number from %llu to %llu is wanted", option, text,
			 (unsigned long long)first, (unsigned long long)last);
		exit(2);
	}
	return value;
}

enum {
	OPT_CLIENTS = 1,
	OPT_TRANSACTIONS,
	OPT_READERS,
	OPT_THINK,
	OPT_SEED,
	OPT_DB,
	OPT_QUIET,
	OPT_HELP,
	OPT_CLIENT,
	OPT_BOARD
};

static const struct option long_options[] = {
	{ "clients", required_argument, NULL, OPT_CLIENTS },
	{ "transactions", required_argument, NULL, OPT_TRANSACTIONS },
	{ "readers", required_argument, NULL, OPT_READERS },
	{ "think-us", required_argument, NULL, OPT_THINK },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "db", required_argument, NULL, OPT_DB },
	{ "quiet", no_argument, NULL, OPT_QUIET },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "client", required_argument, NULL, OPT_CLIENT },
	{ "board", required_argument, NULL, OPT_BOARD },
	{ NULL, 0, NULL, 0 },
};

/* One option; `name` is its long name. False: unknown, and getopt has said so. */
static bool option_set(struct options *options, int option, const char *name, const char *text)
{
	switch (option) {
	case OPT_CLIENTS:
		options->clients = (unsigned)number(name, text, 1, CLIENTS_MAX);
		return true;
	case OPT_TRANSACTIONS:
		options->transactions = (unsigned)number(name, text, 1, UINT32_MAX);
		return true;
	case OPT_READERS:
		options->readers = (unsigned)number(name, text, 0, 100);
		return true;
	case OPT_THINK:
		options->think_us = (unsigned)number(name, text, 0, 1000000);
		return true;
	case OPT_SEED:
		options->seed = number(name, text, 0, UINT64_MAX);
		return true;
	case OPT_DB:
		options->database = text;
		return true;
	case OPT_QUIET:
		options->quiet = true;
		return true;
	case OPT_CLIENT:
		options->client = (int)number(name, text, 0, CLIENTS_MAX - 1);
		return true;
	case OPT_BOARD:
		options->board = (int)number(name, text, 0, INT32_MAX);
		return true;
	default:
		return false;
	}
}

int main(int argc, char **argv)
{
	struct options options = { .clients = 4,
				   .transactions = 500,
				   .readers = 50,
				   .think_us = 100,
				   .seed = 1,
				   .client = -1,
				   .board = -1 };
	int index = 0, option;

	while ((option = getopt_long(argc, argv, "", long_options, &index)) != -1) {
		if (option == OPT_HELP) {
			fputs(usage, stdout);
			return 0;
		}
		if (!option_set(&options, option, long_options[index].name, optarg)) {
			complain("see sqlite-clients --help");
			return 2;
		}
	}
	if (optind < argc) {
		complain("%s: there are only options; see sqlite-clients --help", argv[optind]);
		return 2;
	}
	if (options.client < 0)
		return launcher_run(&options);
	if (options.board < 0 || !options.database) {
		complain("--client is for the launcher's own use");
		return 2;
	}
	return client_run(&options);
}
