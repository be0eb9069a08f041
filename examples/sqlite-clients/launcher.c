/* SPDX-License-Identifier: MIT */
/*
 * The launcher: makes the database and the board, starts the clients, lets them go together, waits for
 * them, checks the database, prints the figures.
 */
#define _GNU_SOURCE
#include "clients.h"
#include "events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct launcher {
	const struct options *options;
	struct board *board;
	int board_file;
	char program[4096]; /* this one's file */
	char folder[256];   /* made here, "" if the user gave a path */
	char database[320];
	pid_t pid[CLIENTS_MAX]; /* 0: not started, or exited */
	unsigned running;
	bool failed;
	uint64_t cpu_ns; /* of the clients that have exited */
};

static volatile sig_atomic_t launcher_signal;

static void launcher_on_signal(int number)
{
	launcher_signal = number;
}

/* Where the database is to be; makes the folder if the user gave no path. */
static bool launcher_place(struct launcher *l)
{
	const char *given = l->options->database;
	const char *tmp = getenv("TMPDIR");

	if (given) {
		if (access(given, F_OK) == 0) {
			complain("--db %s: the file exists; remove it, or take another path",
				 given);
			return false;
		}
		if ((size_t)snprintf(l->database, sizeof(l->database), "%s", given) >=
		    sizeof(l->database)) {
			complain("--db: the path is longer than %zu bytes",
				 sizeof(l->database) - 1);
			return false;
		}
		return true;
	}
	tmp = tmp && *tmp ? tmp : "/tmp";
	if ((size_t)snprintf(l->folder, sizeof(l->folder), "%s/sqlite-clients-XXXXXX", tmp) >=
		    sizeof(l->folder) ||
	    !mkdtemp(l->folder)) {
		complain("%s: no folder can be made: %s", tmp, strerror(errno));
		l->folder[0] = 0;
		return false;
	}
	snprintf(l->database, sizeof(l->database), "%s/clients.db", l->folder);
	return true;
}

/* The database is kept if the user named it. */
static void launcher_clean(struct launcher *l)
{
	char path[sizeof(l->database) + 16];

	if (!l->folder[0])
		return;
	snprintf(path, sizeof(path), "%s-journal", l->database);
	unlink(path);
	unlink(l->database);
	if (rmdir(l->folder))
		complain("%s is not removed: %s", l->folder, strerror(errno));
}

static bool launcher_create(struct launcher *l)
{
	static const char sql[] =
		"PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF; BEGIN;"
		"CREATE TABLE account(id INTEGER PRIMARY KEY, owner TEXT NOT NULL,"
		"  balance INTEGER NOT NULL);"
		"CREATE TABLE transfer(id INTEGER PRIMARY KEY, client INTEGER NOT NULL,"
		"  source INTEGER NOT NULL, target INTEGER NOT NULL, amount INTEGER NOT NULL);"
		"CREATE INDEX transfer_source ON transfer(source);";
	char insert[200];
	sqlite3 *db = NULL;
	int status = sqlite3_open(l->database, &db);

	snprintf(insert, sizeof(insert),
		 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
		 "INSERT INTO account SELECT i, 'owner of account ' || i, %d FROM n; COMMIT;",
		 ACCOUNTS, ACCOUNT_START);
	if (!status)
		status = sqlite3_exec(db, sql, NULL, NULL, NULL);
	if (!status)
		status = sqlite3_exec(db, insert, NULL, NULL, NULL);
	if (status)
		complain("%s: cannot be created: %s", l->database, sqlite3_errmsg(db));
	sqlite3_close(db);
	return !status;
}

static bool launcher_board(struct launcher *l)
{
	l->board_file = memfd_create("board", 0); /* without MFD_CLOEXEC: the clients inherit it */
	if (l->board_file < 0 || ftruncate(l->board_file, sizeof(struct board)))
		l->board = NULL;
	else
		l->board = board_map(l->board_file);
	if (!l->board) {
		complain("no shared memory: %s", strerror(errno));
		return false;
	}
	l->board->launcher = (int32_t)getpid();
	return true;
}

/* Become a client. Returns only if that fails. */
static void launcher_exec(const struct launcher *l, unsigned client)
{
	const struct options *o = l->options;
	char text[6][32];
	char *argv[] = { "sqlite-clients",
			 "--client",
			 text[0],
			 "--board",
			 text[1],
			 "--transactions",
			 text[2],
			 "--readers",
			 text[3],
			 "--think-us",
			 text[4],
			 "--seed",
			 text[5],
			 "--db",
			 (char *)l->database,
			 NULL };

	snprintf(text[0], sizeof(text[0]), "%u", client);
	snprintf(text[1], sizeof(text[1]), "%d", l->board_file);
	snprintf(text[2], sizeof(text[2]), "%u", o->transactions);
	snprintf(text[3], sizeof(text[3]), "%u", o->readers);
	snprintf(text[4], sizeof(text[4]), "%u", o->think_us);
	snprintf(text[5], sizeof(text[5]), "%" PRIu64, o->seed);
	execv(l->program, argv);
	complain("client %u: this program cannot be started again: %s", client, strerror(errno));
}

static bool launcher_spawn(struct launcher *l, unsigned client)
{
	const pid_t pid = fork();

	if (pid == 0) {
		launcher_exec(l, client);
		_exit(1);
	}
	if (pid < 0) {
		complain("client %u: fork: %s", client, strerror(errno));
		return false;
	}
	l->pid[client] = pid;
	l->running++;
	cairn_trace(sqlite, client_spawned, client, pid);
	return true;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static void launcher_exited(struct launcher *l, pid_t pid, int status, const struct rusage *usage)
{
	const uint64_t cpu_ns = timeval_ns(usage->ru_utime) + timeval_ns(usage->ru_stime);
	unsigned i;

	for (i = 0; i < l->options->clients && l->pid[i] != pid; i++)
		;
	if (i == l->options->clients)
		return;
	l->pid[i] = 0;
	l->running--;
	l->cpu_ns += cpu_ns;
	cairn_trace(sqlite, client_exited, i, pid,
		    WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), cpu_ns);
	if (!status || l->failed)
		return;
	l->failed = true;
	if (WIFSIGNALED(status))
		complain("client %u (process %d) was killed by signal %d", i, (int)pid,
			 WTERMSIG(status));
	else
		complain("client %u (process %d) failed with exit status %d", i, (int)pid,
			 WEXITSTATUS(status));
}

/* Take note of clients that exited; `flags` as for wait4. */
static void launcher_reap(struct launcher *l, int flags)
{
	struct rusage usage;
	int status;
	const pid_t pid = wait4(-1, &status, flags, &usage);

	if (pid > 0)
		launcher_exited(l, pid, status, &usage);
}

static void launcher_kill(struct launcher *l)
{
	unsigned i;

	l->failed = true; /* or interrupted: why has been said, or the user knows */
	for (i = 0; i < l->options->clients; i++)
		if (l->pid[i])
			kill(l->pid[i], SIGTERM);
	while (l->running)
		launcher_reap(l, 0);
}

/* Start all clients and wait until they are ready. */
static bool launcher_start(struct launcher *l)
{
	unsigned i;

	for (i = 0; i < l->options->clients; i++)
		if (!launcher_spawn(l, i))
			return false;
	while (atomic_load(&l->board->ready) < l->options->clients) {
		launcher_reap(l, WNOHANG);
		if (l->failed || launcher_signal)
			return false;
		sleep_us(500);
	}
	return true;
}

/* Is the money still there, and has each transaction that wrote left its row? */
static bool launcher_check(struct launcher *l, uint64_t writes)
{
	const int64_t expected = (int64_t)ACCOUNTS * ACCOUNT_START;
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	int64_t balance = -1;
	uint64_t rows = 0;

	if (!sqlite3_open(l->database, &db) &&
	    !sqlite3_prepare_v2(db,
				"SELECT (SELECT sum(balance) FROM account), count(*) FROM transfer",
				-1, &stmt, NULL) &&
	    sqlite3_step(stmt) == SQLITE_ROW) {
		balance = sqlite3_column_int64(stmt, 0);
		rows = (uint64_t)sqlite3_column_int64(stmt, 1);
	} else {
		complain("%s: %s", l->database, sqlite3_errmsg(db));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	if (balance == expected && rows == writes)
		return true;
	complain("the database is wrong: balance %" PRId64 ", expected %" PRId64 "; %" PRIu64
		 " transfers, expected %" PRIu64,
		 balance, expected, rows, writes);
	return false;
}

/* Let the clients go, wait for them, print the line. */
static bool launcher_measure(struct launcher *l)
{
	const uint64_t since = clock_ns();
	struct seat sum = { .transactions = 0 };
	uint64_t duration;
	unsigned i;

	atomic_store(&l->board->go, 1);
	while (l->running && !l->failed && !launcher_signal)
		launcher_reap(l, 0);
	duration = clock_ns() - since;
	if (l->failed || launcher_signal)
		return false;
	for (i = 0; i < l->options->clients; i++) {
		sum.transactions += l->board->seat[i].transactions;
		sum.writes += l->board->seat[i].writes;
		sum.retries += l->board->seat[i].retries;
		sum.waits += l->board->seat[i].waits;
	}
	cairn_trace(sqlite, launch_end, sum.transactions, sum.retries, sum.waits, duration);
	printf("transactions=%" PRIu64 " seconds=%.6f tps=%.1f cpu_seconds=%.6f retries=%" PRIu64
	       " waits=%" PRIu64 "\n",
	       sum.transactions, (double)duration / 1e9,
	       (double)sum.transactions * 1e9 / (double)duration, (double)l->cpu_ns / 1e9,
	       sum.retries, sum.waits);
	return launcher_check(l, sum.writes);
}

/* For the clients to be called as this program is, and not "exe". */
static bool launcher_self(struct launcher *l)
{
	const ssize_t length = readlink("/proc/self/exe", l->program, sizeof(l->program));

	if (length > 0 && (size_t)length < sizeof(l->program)) {
		l->program[length] = 0;
		return true;
	}
	complain("/proc/self/exe: the program's file is not known: %s", strerror(errno));
	return false;
}

static bool launcher_go(struct launcher *l)
{
	const struct options *o = l->options;

	if (!launcher_self(l) || !launcher_create(l) || !launcher_board(l))
		return false;
	cairn_trace(sqlite, launch_begin, o->clients, o->transactions, o->readers, o->seed,
		    l->database);
	if (!o->quiet) {
		printf("%u clients, %u transactions each, %u %% of them read, database %s\n",
		       o->clients, o->transactions, o->readers, l->database);
		fflush(stdout);
	}
	if (launcher_start(l) && launcher_measure(l))
		return true;
	launcher_kill(l);
	return false;
}

int launcher_run(const struct options *options)
{
	struct sigaction action = { .sa_handler = launcher_on_signal };
	struct launcher l = { .options = options };
	bool good;

	sigaction(SIGINT, &action, NULL); /* without SA_RESTART: wait4 returns */
	sigaction(SIGTERM, &action, NULL);
	if (!launcher_place(&l))
		return 1;
	good = launcher_go(&l);
	launcher_clean(&l);
	if (launcher_signal) {
		signal(launcher_signal, SIG_DFL);
		raise(launcher_signal);
	}
	return good ? 0 : 1;
}
