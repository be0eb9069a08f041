/* SPDX-License-Identifier: MIT */
/* What the launcher and its clients share: options, and the board in shared memory. */
#ifndef CLIENTS_H
#define CLIENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CLIENTS_MAX 64
#define ACCOUNTS 4000
#define ACCOUNT_START 1000

struct options {
	unsigned clients;
	unsigned transactions; /* of each client */
	unsigned readers;      /* percent of the transactions that only read */
	unsigned think_us;     /* pause inside a transaction, with its locks held */
	uint64_t seed;
	const char *database; /* NULL: in a new folder, which is removed at the end */
	bool quiet;
	/* of a client process only */
	int client; /* -1: this is the launcher */
	int board;  /* file descriptor */
};

/* SQLite's file locks; the numbers are those of the events. */
enum lock { LOCK_NONE, LOCK_SHARED, LOCK_RESERVED, LOCK_EXCLUSIVE };

/* A client's place. SQLite tells nobody who holds a lock, so each client notes what it has. */
struct seat {
	_Alignas(64) _Atomic int32_t has; /* enum lock */
	_Atomic int32_t pid;
	/* results, for the launcher, which reads them when the client has exited */
	uint64_t transactions;
	uint64_t writes;  /* of these, those that wrote */
	uint64_t retries; /* transactions that were rolled back and begun again */
	uint64_t waits;   /* statements that had to wait for a lock */
};

struct board {
	_Atomic uint32_t ready; /* clients that wait for `go` */
	_Atomic uint32_t go;
	int32_t launcher; /* process id */
	struct seat seat[CLIENTS_MAX];
};

/* Nanoseconds of the monotonic clock. */
uint64_t clock_ns(void);
void sleep_us(unsigned us);
/* "sqlite-clients: " and the message on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct board *board_map(int file);

/* Both return the process' exit status. */
int launcher_run(const struct options *options);
int client_run(const struct options *options);

#endif
