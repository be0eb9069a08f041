/* SPDX-License-Identifier: MIT */
/*
 * The events of sqlite-clients: who does what to the database, and who waits for whom.
 *
 * Compiled with -DSQLITE_CLIENTS_PLAIN the program has no events and does not need Cairn: the
 * benchmark's base line. -DSQLITE_CLIENTS_EVENTS='"file.h"' takes cairn_trace and cairn_enabled from
 * another header: how the benchmark puts another tracer at the same places.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdint.h>

#if defined(SQLITE_CLIENTS_EVENTS)
#include SQLITE_CLIENTS_EVENTS
#elif defined(SQLITE_CLIENTS_PLAIN)

static inline void plain_ignore(int unused, ...)
{
	(void)unused;
}

#define cairn_trace(...) PLAIN_TRACE(__VA_ARGS__, 0)
#define PLAIN_TRACE(provider, event, ...)                                                          \
	do {                                                                                       \
		if (0)                                                                             \
			plain_ignore(0, __VA_ARGS__);                                              \
	} while (0)
#define cairn_enabled(provider, event) 0

#else

#include <cairn/event.h>

CAIRN_ENUM_TYPE(sqlite_lock, u8, CAIRN_VALUE(NONE, 0), CAIRN_VALUE(SHARED, 1),
		CAIRN_VALUE(RESERVED, 2), CAIRN_VALUE(EXCLUSIVE, 3));
CAIRN_ENUM_TYPE(sqlite_kind, u8, CAIRN_VALUE(READ, 0), CAIRN_VALUE(WRITE, 1),
		CAIRN_VALUE(READ_THEN_WRITE, 2));
CAIRN_ENUM_TYPE(sqlite_result, i32, CAIRN_VALUE(OK, 0), CAIRN_VALUE(BUSY, 5),
		CAIRN_VALUE(DONE, 101));

/* The launcher. A client's exit status is 128 + the signal if one killed it, as in a shell. */
CAIRN_EVENT(sqlite, launch_begin, CAIRN_LOGLEVEL(INFO), CAIRN_U32(clients), CAIRN_U32(transactions),
	    CAIRN_U32(readers_percent), CAIRN_U64(seed), CAIRN_STR(database));
CAIRN_EVENT(sqlite, client_spawned, CAIRN_LOGLEVEL(INFO), CAIRN_U32(client), CAIRN_I32(pid));
CAIRN_EVENT(sqlite, client_exited, CAIRN_LOGLEVEL(INFO), CAIRN_U32(client), CAIRN_I32(pid),
	    CAIRN_I32(exit_status), CAIRN_U64(cpu_ns));
CAIRN_EVENT(sqlite, launch_end, CAIRN_LOGLEVEL(INFO), CAIRN_U64(transactions), CAIRN_U64(retries),
	    CAIRN_U64(waits), CAIRN_U64(duration_ns));

/* A client process. */
CAIRN_EVENT(sqlite, process_begin, CAIRN_LOGLEVEL(INFO), CAIRN_U32(client), CAIRN_I32(pid));
CAIRN_EVENT(sqlite, process_end, CAIRN_LOGLEVEL(INFO), CAIRN_U32(client), CAIRN_U64(transactions),
	    CAIRN_U64(retries), CAIRN_U64(waits));

/* Transactions. One that is retried begins again with the next attempt. */
CAIRN_EVENT(sqlite, transaction_begin, CAIRN_LOGLEVEL(INFO), CAIRN_U32(client), CAIRN_U32(number),
	    CAIRN_ENUM(kind, sqlite_kind), CAIRN_U32(attempt));
CAIRN_EVENT(sqlite, commit, CAIRN_LOGLEVEL(INFO), CAIRN_U32(client), CAIRN_U32(number),
	    CAIRN_U64(duration_ns));
CAIRN_EVENT(sqlite, rollback, CAIRN_LOGLEVEL(WARNING), CAIRN_U32(client), CAIRN_U32(number),
	    CAIRN_U64(duration_ns));
CAIRN_EVENT(sqlite, retry, CAIRN_LOGLEVEL(WARNING), CAIRN_U32(client), CAIRN_U32(number),
	    CAIRN_U32(attempt), CAIRN_ENUM(wanted, sqlite_lock), CAIRN_I32(holder),
	    CAIRN_STR(reason), CAIRN_U32(pause_us));

/* Statements, BEGIN and COMMIT included. */
CAIRN_EVENT(sqlite, statement_begin, CAIRN_U32(client), CAIRN_STR(sql));
CAIRN_EVENT(sqlite, statement_end, CAIRN_U32(client), CAIRN_STR(sql),
	    CAIRN_ENUM(result, sqlite_result), CAIRN_U32(rows), CAIRN_U64(duration_ns));

/*
 * A statement found the database locked. The holder is the client that had noted a lock which excludes
 * the wanted one, -1: none had (it had just released it, or not noted it yet).
 */
CAIRN_EVENT(sqlite, lock_wait_begin, CAIRN_LOGLEVEL(NOTICE), CAIRN_U32(client),
	    CAIRN_ENUM(wanted, sqlite_lock), CAIRN_I32(holder), CAIRN_I32(holder_pid),
	    CAIRN_ENUM(holder_has, sqlite_lock));
CAIRN_EVENT(sqlite, lock_wait_again, CAIRN_U32(client), CAIRN_U32(attempt), CAIRN_I32(holder),
	    CAIRN_U64(waited_ns));
CAIRN_EVENT(sqlite, lock_wait_end, CAIRN_LOGLEVEL(NOTICE), CAIRN_U32(client),
	    CAIRN_ENUM(wanted, sqlite_lock), CAIRN_BOOL(granted), CAIRN_U32(attempts),
	    CAIRN_U64(waited_ns));

#endif

#endif
