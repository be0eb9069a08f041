/* SPDX-License-Identifier: MIT */
/*
 * A client process: transactions of three kinds against the database that its siblings use too.
 *
 *   read             BEGIN, two SELECTs: SHARED lock from the first on
 *   write            BEGIN IMMEDIATE: RESERVED at once; EXCLUSIVE during COMMIT, when no reader is left
 *   read then write  BEGIN, SELECT, UPDATE: from SHARED to RESERVED, which SQLite refuses without
 *                    waiting when another client has RESERVED: both would wait for each other
 *
 * A statement that finds the database locked waits in the busy handler below; if it is refused, the
 * transaction is rolled back and begun again. The choices depend on the seed and the client's number,
 * so that each client's sequence of transactions is the same in each run; who waits for whom is not.
 */
#define _GNU_SOURCE
#include "clients.h"
#include "events.h"

#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define ATTEMPTS 200  /* of one statement to get a lock; then the transaction starts again */
#define PATIENCE_S 60 /* for one transaction; then something is wrong */

enum query {
	Q_BEGIN,
	Q_BEGIN_IMMEDIATE,
	Q_SUM,
	Q_RECENT,
	Q_BALANCE,
	Q_TAKE,
	Q_GIVE,
	Q_NOTE,
	Q_COMMIT,
	Q_ROLLBACK,
	Q_COUNT
};

static const char *const client_sql[Q_COUNT] = {
	[Q_BEGIN] = "BEGIN",
	[Q_BEGIN_IMMEDIATE] = "BEGIN IMMEDIATE",
	[Q_SUM] = "SELECT sum(balance) FROM account",
	[Q_RECENT] =
		"SELECT target, amount FROM transfer WHERE source = :id ORDER BY id DESC LIMIT 10",
	[Q_BALANCE] = "SELECT balance FROM account WHERE id = :id",
	[Q_TAKE] = "UPDATE account SET balance = balance - :amount WHERE id = :id",
	[Q_GIVE] = "UPDATE account SET balance = balance + :amount WHERE id = :id",
	[Q_NOTE] = "INSERT INTO transfer VALUES (NULL, :client, :source, :target, :amount)",
	[Q_COMMIT] = "COMMIT",
	[Q_ROLLBACK] = "ROLLBACK",
};

enum kind { KIND_READ, KIND_WRITE, KIND_READ_THEN_WRITE };

struct transfer {
	int64_t source, target, amount;
};

struct client {
	const struct options *options;
	struct board *board;
	struct seat *seat;
	uint32_t number;
	uint64_t choices, pauses; /* random states, never 0 */
	sqlite3 *db;
	sqlite3_stmt *stmt[Q_COUNT];
	int64_t value;     /* first column of the last row read */
	enum lock wanted;  /* by the statement that runs */
	enum lock refused; /* to the transaction that is rolled back */
	int refused_by;    /* client, or -1 */
	/* the wait of the statement that runs */
	uint32_t attempts; /* 0: it did not wait */
	uint64_t waiting_since;
};

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static uint32_t client_random(uint64_t *state, uint32_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * 0x2545f4914f6cdd1du >> 33) % below);
}

/* Who has noted a lock that excludes the wanted one? -1: nobody. */
static int client_holder(const struct client *c)
{
	uint32_t i;

	for (i = 0; i < c->options->clients; i++) {
		const int has = atomic_load_explicit(&c->board->seat[i].has, memory_order_relaxed);

		if (i == c->number || has == LOCK_NONE)
			continue;
		/* Readers exclude only the writer that commits; a writer excludes everybody. */
		if (has >= LOCK_RESERVED || c->wanted == LOCK_EXCLUSIVE)
			return (int)i;
	}
	return -1;
}

static void client_note(struct client *c, enum lock has)
{
	atomic_store_explicit(&c->seat->has, (int32_t)has, memory_order_relaxed);
}

/* SQLite calls this when the lock is taken, the n-th time for one statement. 0: give up. */
static int client_busy(void *data, int n)
{
	struct client *c = data;
	const int holder = client_holder(c);
	unsigned pause_us;

	if (c->attempts++ == 0) {
		const struct seat *seat = holder < 0 ? NULL : &c->board->seat[holder];

		c->waiting_since = clock_ns();
		c->seat->waits++;
		cairn_trace(sqlite, lock_wait_begin, c->number, (uint8_t)c->wanted, holder,
			    seat ? atomic_load(&seat->pid) : -1,
			    seat ? (uint8_t)atomic_load(&seat->has) : LOCK_NONE);
	} else if (cairn_enabled(sqlite, lock_wait_again)) {
		cairn_trace(sqlite, lock_wait_again, c->number, c->attempts, holder,
			    clock_ns() - c->waiting_since);
	}
	if (n >= ATTEMPTS)
		return 0;
	pause_us = 50u << (n < 5 ? n : 5);
	sleep_us(pause_us / 2 + client_random(&c->pauses, pause_us));
	return 1;
}

static void client_wait_end(struct client *c, int status)
{
	if (!c->attempts)
		return;
	cairn_trace(sqlite, lock_wait_end, c->number, (uint8_t)c->wanted, status != SQLITE_BUSY,
		    c->attempts, clock_ns() - c->waiting_since);
	c->attempts = 0;
}

/* Run a statement whose parameters are bound. SQLITE_OK, SQLITE_BUSY, or an error, which is printed. */
static int client_query(struct client *c, enum query query, enum lock wanted)
{
	const uint64_t since = cairn_enabled(sqlite, statement_end) ? clock_ns() : 0;
	sqlite3_stmt *stmt = c->stmt[query];
	uint32_t rows = 0;
	int status;

	c->wanted = wanted;
	cairn_trace(sqlite, statement_begin, c->number, client_sql[query]);
	while ((status = sqlite3_step(stmt)) == SQLITE_ROW) {
		c->value = sqlite3_column_int64(stmt, 0);
		rows++;
	}
	status = sqlite3_reset(stmt) & 0xff; /* the primary code */
	client_wait_end(c, status);
	if (cairn_enabled(sqlite, statement_end))
		cairn_trace(sqlite, statement_end, c->number, client_sql[query], status, rows,
			    clock_ns() - since);
	if (status && status != SQLITE_BUSY)
		complain("client %" PRIu32 ": %s: %s", c->number, client_sql[query],
			 sqlite3_errmsg(c->db));
	return status;
}

static int client_query_2(struct client *c, enum query query, enum lock wanted, int64_t one,
			  int64_t two)
{
	sqlite3_bind_int64(c->stmt[query], 1, one);
	sqlite3_bind_int64(c->stmt[query], 2, two);
	return client_query(c, query, wanted);
}

static void client_think(const struct client *c)
{
	sleep_us(c->options->think_us);
}

/* The statements of each kind between BEGIN and COMMIT; the same results as client_query. */
static int client_read(struct client *c, int64_t account)
{
	int status = client_query(c, Q_BEGIN, LOCK_NONE);

	if (!status)
		status = client_query(c, Q_SUM, LOCK_SHARED);
	if (status)
		return status;
	client_note(c, LOCK_SHARED);
	if (c->value != (int64_t)ACCOUNTS * ACCOUNT_START) {
		complain("client %" PRIu32 " reads half a transaction: the balance is %" PRId64,
			 c->number, c->value);
		return SQLITE_CORRUPT;
	}
	client_think(c);
	sqlite3_bind_int64(c->stmt[Q_RECENT], 1, account);
	return client_query(c, Q_RECENT, LOCK_SHARED);
}

static int client_transfer(struct client *c, const struct transfer *t)
{
	sqlite3_stmt *note = c->stmt[Q_NOTE];
	int status = client_query_2(c, Q_TAKE, LOCK_RESERVED, t->amount, t->source);

	if (status)
		return status;
	client_note(c, LOCK_RESERVED);
	status = client_query_2(c, Q_GIVE, LOCK_RESERVED, t->amount, t->target);
	if (status)
		return status;
	client_think(c);
	sqlite3_bind_int64(note, 1, c->number);
	sqlite3_bind_int64(note, 2, t->source);
	sqlite3_bind_int64(note, 3, t->target);
	sqlite3_bind_int64(note, 4, t->amount);
	return client_query(c, Q_NOTE, LOCK_RESERVED);
}

static int client_write(struct client *c, const struct transfer *t)
{
	const int status = client_query(c, Q_BEGIN_IMMEDIATE, LOCK_RESERVED);

	if (status)
		return status;
	client_note(c, LOCK_RESERVED);
	return client_transfer(c, t);
}

static int client_read_then_write(struct client *c, const struct transfer *t)
{
	int status = client_query(c, Q_BEGIN, LOCK_NONE);

	sqlite3_bind_int64(c->stmt[Q_BALANCE], 1, t->source);
	if (!status)
		status = client_query(c, Q_BALANCE, LOCK_SHARED);
	if (status)
		return status;
	client_note(c, LOCK_SHARED);
	client_think(c);
	return client_transfer(c, t);
}

/* One attempt. SQLITE_OK: committed. SQLITE_BUSY: rolled back. Else an error that cannot be helped. */
static int client_attempt(struct client *c, uint32_t number, enum kind kind,
			  const struct transfer *t)
{
	const uint64_t since = clock_ns();
	int status, undone;

	status = kind == KIND_READ  ? client_read(c, t->source) :
		 kind == KIND_WRITE ? client_write(c, t) :
				      client_read_then_write(c, t);
	if (!status && kind != KIND_READ)
		client_note(c, LOCK_EXCLUSIVE); /* or on the way to it: no reader may come in */
	if (!status)
		status = client_query(c, Q_COMMIT, kind == KIND_READ ? LOCK_NONE : LOCK_EXCLUSIVE);
	if (!status) {
		client_note(c, LOCK_NONE);
		cairn_trace(sqlite, commit, c->number, number, clock_ns() - since);
		return SQLITE_OK;
	}
	c->refused = c->wanted;
	c->refused_by = client_holder(c);
	undone = sqlite3_get_autocommit(c->db) ? SQLITE_OK : client_query(c, Q_ROLLBACK, LOCK_NONE);
	client_note(c, LOCK_NONE);
	cairn_trace(sqlite, rollback, c->number, number, clock_ns() - since);
	return undone ? SQLITE_ERROR : status;
}

static const char *client_reason(enum lock refused)
{
	switch (refused) {
	case LOCK_SHARED:
		return "a writer commits";
	case LOCK_RESERVED:
		return "another client writes";
	case LOCK_EXCLUSIVE:
		return "others still read";
	default:
		return "the database is locked";
	}
}

/* One transaction, as often as it takes. 0, or -1 after a message. */
static int client_transaction(struct client *c, uint32_t number, enum kind kind,
			      const struct transfer *t)
{
	const uint64_t since = clock_ns();
	uint32_t attempt = 1, pause_us;
	int status;

	for (;; attempt++) {
		if (kind == KIND_READ_THEN_WRITE && attempt > 3)
			kind = KIND_WRITE; /* take the lock first: the usual remedy */
		cairn_trace(sqlite, transaction_begin, c->number, number, (uint8_t)kind, attempt);
		status = client_attempt(c, number, kind, t);
		if (!status)
			break;
		if (status != SQLITE_BUSY)
			return -1;
		if (clock_ns() - since > PATIENCE_S * UINT64_C(1000000000)) {
			complain("client %" PRIu32 ": transaction %" PRIu32
				 " found the database locked for "
				 "%d s",
				 c->number, number, PATIENCE_S);
			return -1;
		}
		c->seat->retries++;
		pause_us = 100 + client_random(&c->pauses, attempt < 8 ? 200u * attempt : 1600);
		cairn_trace(sqlite, retry, c->number, number, attempt, (uint8_t)c->refused,
			    c->refused_by, client_reason(c->refused), pause_us);
		sleep_us(pause_us);
	}
	c->seat->transactions++;
	c->seat->writes += kind != KIND_READ;
	return 0;
}

static bool client_open(struct client *c)
{
	char *const pragma =
		"PRAGMA synchronous=OFF"; /* the disk's speed is not what this is about */
	unsigned i;

	if (sqlite3_open_v2(c->options->database, &c->db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_busy_handler(c->db, client_busy, c) ||
	    sqlite3_exec(c->db, pragma, NULL, NULL, NULL)) {
		complain("client %" PRIu32 ": %s: %s", c->number, c->options->database,
			 sqlite3_errmsg(c->db));
		return false;
	}
	for (i = 0; i < Q_COUNT; i++) {
		if (sqlite3_prepare_v3(c->db, client_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &c->stmt[i], NULL)) {
			complain("client %" PRIu32 ": %s: %s", c->number, client_sql[i],
				 sqlite3_errmsg(c->db));
			return false;
		}
	}
	return true;
}

static void client_close(struct client *c)
{
	unsigned i;

	for (i = 0; i < Q_COUNT; i++)
		sqlite3_finalize(c->stmt[i]);
	sqlite3_close(c->db);
}

/* All transactions. What the next one is does not depend on how often this one is retried. */
static bool client_work(struct client *c)
{
	uint32_t i;

	for (i = 0; i < c->options->transactions; i++) {
		struct transfer t;
		enum kind kind = KIND_READ;

		if (client_random(&c->choices, 100) >= c->options->readers)
			kind = client_random(&c->choices, 4) ? KIND_WRITE : KIND_READ_THEN_WRITE;
		t.source = 1 + client_random(&c->choices, ACCOUNTS);
		t.target = 1 + client_random(&c->choices, ACCOUNTS);
		t.amount = 1 + client_random(&c->choices, 9);
		if (client_transaction(c, i, kind, &t))
			return false;
	}
	return true;
}

int client_run(const struct options *options)
{
	struct client c = { .options = options, .board = board_map(options->board) };
	char name[16];
	bool good;

	c.number = (uint32_t)options->client;
	c.choices = (options->seed * CLIENTS_MAX + c.number) * 0x9e3779b97f4a7c15u | 1;
	c.pauses = ~c.choices;
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* no client outlives the launcher */
	snprintf(name, sizeof(name), "client-%" PRIu32, c.number);
	prctl(PR_SET_NAME, name); /* the trace shows it */
	if (!c.board) {
		complain("client %" PRIu32 ": --board %d is not the launcher's", c.number,
			 options->board);
		return 1;
	}
	if (getppid() != c.board->launcher)
		return 1; /* it died before prctl */
	c.seat = &c.board->seat[c.number];
	atomic_store(&c.seat->pid, (int32_t)getpid());
	cairn_trace(sqlite, process_begin, c.number, getpid());
	good = client_open(&c);
	if (good) {
		atomic_fetch_add(&c.board->ready, 1);
		while (!atomic_load(&c.board->go))
			sleep_us(200);
		good = client_work(&c);
	}
	client_note(&c, LOCK_NONE);
	client_close(&c);
	cairn_trace(sqlite, process_end, c.number, c.seat->transactions, c.seat->retries,
		    c.seat->waits);
	return good ? 0 : 1;
}
