/* SPDX-License-Identifier: MIT */
/*
 * The events of examples/sqlite-clients/events.h for LTTng-UST 2.13, with the same fields; enumerations
 * are recorded as plain integers, which is less work.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER sqlite

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_sqlite.h"

#if !defined(CAIRN_LTTNG_SQLITE_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define CAIRN_LTTNG_SQLITE_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* The fields are a list without separators. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(sqlite, launch_begin,
	LTTNG_UST_TP_ARGS(uint32_t, clients, uint32_t, transactions, uint32_t, readers_percent,
		uint64_t, seed, const char *, database),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, clients, clients)
		lttng_ust_field_integer(uint32_t, transactions, transactions)
		lttng_ust_field_integer(uint32_t, readers_percent, readers_percent)
		lttng_ust_field_integer(uint64_t, seed, seed)
		lttng_ust_field_string(database, database)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, client_spawned,
	LTTNG_UST_TP_ARGS(uint32_t, client, int32_t, pid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(int32_t, pid, pid)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, client_exited,
	LTTNG_UST_TP_ARGS(uint32_t, client, int32_t, pid, int32_t, exit_status, uint64_t, cpu_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, exit_status, exit_status)
		lttng_ust_field_integer(uint64_t, cpu_ns, cpu_ns)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, launch_end,
	LTTNG_UST_TP_ARGS(uint64_t, transactions, uint64_t, retries, uint64_t, waits,
		uint64_t, duration_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, transactions, transactions)
		lttng_ust_field_integer(uint64_t, retries, retries)
		lttng_ust_field_integer(uint64_t, waits, waits)
		lttng_ust_field_integer(uint64_t, duration_ns, duration_ns)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, process_begin,
	LTTNG_UST_TP_ARGS(uint32_t, client, int32_t, pid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(int32_t, pid, pid)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, process_end,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint64_t, transactions, uint64_t, retries,
		uint64_t, waits),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint64_t, transactions, transactions)
		lttng_ust_field_integer(uint64_t, retries, retries)
		lttng_ust_field_integer(uint64_t, waits, waits)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, transaction_begin,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint32_t, number, uint8_t, kind, uint32_t, attempt),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint32_t, number, number)
		lttng_ust_field_integer(uint8_t, kind, kind)
		lttng_ust_field_integer(uint32_t, attempt, attempt)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, commit,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint32_t, number, uint64_t, duration_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint32_t, number, number)
		lttng_ust_field_integer(uint64_t, duration_ns, duration_ns)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, rollback,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint32_t, number, uint64_t, duration_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint32_t, number, number)
		lttng_ust_field_integer(uint64_t, duration_ns, duration_ns)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, retry,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint32_t, number, uint32_t, attempt,
		uint8_t, wanted, int32_t, holder, const char *, reason, uint32_t, pause_us),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint32_t, number, number)
		lttng_ust_field_integer(uint32_t, attempt, attempt)
		lttng_ust_field_integer(uint8_t, wanted, wanted)
		lttng_ust_field_integer(int32_t, holder, holder)
		lttng_ust_field_string(reason, reason)
		lttng_ust_field_integer(uint32_t, pause_us, pause_us)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, statement_begin,
	LTTNG_UST_TP_ARGS(uint32_t, client, const char *, sql),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_string(sql, sql)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, statement_end,
	LTTNG_UST_TP_ARGS(uint32_t, client, const char *, sql, int32_t, result, uint32_t, rows,
		uint64_t, duration_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_string(sql, sql)
		lttng_ust_field_integer(int32_t, result, result)
		lttng_ust_field_integer(uint32_t, rows, rows)
		lttng_ust_field_integer(uint64_t, duration_ns, duration_ns)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, lock_wait_begin,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint8_t, wanted, int32_t, holder,
		int32_t, holder_pid, uint8_t, holder_has),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint8_t, wanted, wanted)
		lttng_ust_field_integer(int32_t, holder, holder)
		lttng_ust_field_integer(int32_t, holder_pid, holder_pid)
		lttng_ust_field_integer(uint8_t, holder_has, holder_has)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, lock_wait_again,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint32_t, attempt, int32_t, holder,
		uint64_t, waited_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint32_t, attempt, attempt)
		lttng_ust_field_integer(int32_t, holder, holder)
		lttng_ust_field_integer(uint64_t, waited_ns, waited_ns)))

LTTNG_UST_TRACEPOINT_EVENT(sqlite, lock_wait_end,
	LTTNG_UST_TP_ARGS(uint32_t, client, uint8_t, wanted, uint8_t, granted,
		uint32_t, attempts, uint64_t, waited_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, client, client)
		lttng_ust_field_integer(uint8_t, wanted, wanted)
		lttng_ust_field_integer(uint8_t, granted, granted)
		lttng_ust_field_integer(uint32_t, attempts, attempts)
		lttng_ust_field_integer(uint64_t, waited_ns, waited_ns)))

/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
