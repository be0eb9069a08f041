/* SPDX-License-Identifier: MIT */
/*
 * A ring without a session, for tests: memory laid out by core/ring.c, a writer, a listener of one
 * event, a clock that the test sets, and no consumer but the drain that the test steps. The generated
 * code of events runs on it as it is; only the sites and the registry are left out.
 */
#ifndef CAIRN_TEST_RIG_H
#define CAIRN_TEST_RIG_H

#include <cairn/cairn.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "drain.h"
#include "os.h"
#include "recorded.h"
#include "ring.h"
#include "slot.h"

struct rig {
	struct cairn_shared *shared;
	size_t size;
	struct cairn_writer writer;
	struct cairn_entry entry;
	struct cairn_list list;
	struct cairn_drain *drain;
	uint64_t now;                   /* what the clock says */
	void (*at_clock)(struct rig *); /* called inside each event, before its time is read */
};

static __attribute__((unused)) uint64_t rig_clock(void *data)
{
	struct rig *rig = data;

	if (rig->at_clock)
		rig->at_clock(rig);
	return rig->now;
}

/* `header` as of the session, 4 or 6. */
static __attribute__((unused)) void rig_begin(struct rig *rig, enum cairn_mode mode,
					      uint32_t packet_size, uint32_t packets,
					      uint32_t header)
{
	uint32_t streams;
	const uint8_t id[16] = { 0x42 };
	char path[CAIRN_OS_RING_PATH];
	int fd = -1;
	void *memory;

	memset(rig, 0, sizeof(*rig));
	ck_assert_int_eq(cairn_slots_begin(), 0);
	rig->size = cairn_shared_size(packet_size, packets, &streams);
	ck_assert_uint_gt(rig->size, 0);
	ck_assert_int_eq(cairn_os_shared("/none", id, rig->size, &memory, &fd, path), 0);
	ck_assert_str_eq(path, ""); /* no name: it is gone with the test */
	if (fd >= 0)
		cairn_os_close(fd);
	rig->shared = memory;
	cairn_shared_init(rig->shared, rig->size, packet_size, packets, streams);
	memset(rig->shared->uuid, 0x42, sizeof(rig->shared->uuid));
	rig->shared->header = header;
	rig->shared->mode = mode;
	cairn_shared_publish(rig->shared);
	rig->now = 1000;
	rig->writer.channel = (struct cairn_channel){ .clock = rig_clock,
						      .clock_data = rig,
						      .header = header };
	rig->writer.shared = rig->shared;
	rig->writer.bell = &rig->shared->bell;
	rig->writer.mode = mode;
	rig->writer.block_ns = 200000000;
	cairn_writers[0] = &rig->writer;
}

/* Let `event` be recorded with this id; `fast`: by the short way where there is one. */
static __attribute__((unused)) void rig_listen(struct rig *rig, struct cairn_event *event,
					       const struct cairn_desc *desc, uint32_t id,
					       bool fast)
{
	const uint32_t header = rig->writer.channel.header;

	ck_assert_int_eq(cairn_manifest_add(rig->shared, desc, id), 0);
	rig->entry = (struct cairn_entry){ .clock = rig_clock,
					   .data = rig,
					   .channel = &rig->writer.channel,
					   .id = id,
					   .word = cairn_compact_id(id),
					   .header = header == 4 && id > 30 ? 0 : header };
	rig->list = (struct cairn_list){ .word = rig->entry.word,
					 .count = 1,
					 .clock = rig_clock,
					 .data = rig,
					 .entry = &rig->entry };
	event->list = &rig->list;
	event->by_clock = fast && rig->entry.header == 4 ? &rig->list : NULL;
}

/* The stream of the calling thread at this level; NULL: it has none yet. */
static __attribute__((unused)) struct cairn_stream *rig_stream(uint32_t level)
{
	struct cairn_cursor *cursor;

	if (cairn_tls->owner != &cairn_tls)
		return NULL;
	cursor = cairn_tls->cursor[level];
	return cursor == &cairn_no_cursor ?
		       NULL :
		       (struct cairn_stream *)((char *)cursor -
					       offsetof(struct cairn_stream, cursor));
}

/* A drain into `output`, or (NULL) to nowhere. */
static __attribute__((unused)) void rig_drain(struct rig *rig, const char *output)
{
	const struct cairn_drain_config config = { .shared = rig->shared,
						   .size = rig->size,
						   .output = output,
						   .program = "rig",
						   .pid = 1,
						   .clock = CAIRN_CLOCK_USER,
						   .clock_hz = 1000000000,
						   .snapshot = rig->shared->mode == CAIRN_FLIGHT,
						   .start = { .monotonic = cairn_os_monotonic() } };

	ck_assert_int_eq(cairn_drain_open(&rig->drain, &config), 0);
}

static __attribute__((unused)) struct cairn_stats rig_stats(const struct rig *rig)
{
	struct cairn_stats stats;

	cairn_drain_stats(rig->drain, &stats);
	return stats;
}

/* Everything that was written is taken out. */
static __attribute__((unused)) void rig_step(struct rig *rig)
{
	ck_assert_int_eq(cairn_drain_step(rig->drain, CAIRN_DRAIN_NOW), 0);
}

/* Close the drain; its final figures. */
static __attribute__((unused)) struct cairn_stats rig_close(struct rig *rig)
{
	struct cairn_stats stats;

	ck_assert_int_eq(cairn_drain_close(rig->drain), 0);
	stats = rig_stats(rig);
	cairn_drain_free(rig->drain);
	rig->drain = NULL;
	return stats;
}

static __attribute__((unused)) void rig_end(struct rig *rig)
{
	cairn_drain_free(rig->drain);
	cairn_writers[0] = NULL;
	cairn_slots_forget(0);
	cairn_os_unmap(rig->shared, rig->size);
}

#endif
