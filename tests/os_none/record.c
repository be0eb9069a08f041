/* SPDX-License-Identifier: MIT */
/*
 * Record events without an operating system (os_none.c) and decode the ring: what a port to firmware does
 * at least. One plain variable in place of thread-local storage (CAIRN_NO_TLS), one slot, one ring.
 */
#include <cairn/cairn.h>

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "os.h"
#include "ring.h"
#include "slot.h"
#include "walk.h"

CAIRN_EVENT(none, number, CAIRN_U32(n));
CAIRN_EVENT(none, text, CAIRN_STR(text), CAIRN_SEQ(u8, bytes, count));
extern struct cairn_event number_event __asm__("cairn_event_none__number");
extern struct cairn_event text_event __asm__("cairn_event_none__text");

#define PACKET 4096u
#define PACKETS 4u

static struct cairn_writer writer;
static struct cairn_shared *shared;

static int failures;

static void expect(int truth, const char *what)
{
	if (!truth)
		printf("FAIL: %s\n", what);
	failures += !truth;
}

static void set_up(void)
{
	const uint8_t id[16] = { 0 };
	char path[CAIRN_OS_RING_PATH];
	struct cairn_shared layout;
	void *memory = NULL;
	size_t size;
	int fd;

	expect(cairn_slots_begin() == 0, "memory for slots");
	cairn_shared_init(&layout, 0, PACKET, PACKETS, 1);
	size = (size_t)layout.rings_at + PACKETS * PACKET;
	expect(cairn_os_shared(NULL, id, size, &memory, &fd, path) == 0, "memory for a ring");
	shared = memory;
	cairn_shared_init(shared, size, PACKET, PACKETS, 1);
	writer.shared = shared;
	writer.bell = &shared->bell;
	writer.channel.clock = cairn_clock_monotonic;
	writer.channel.header = 4;
	cairn_writers[0] = &writer;
}

/* Let the event be recorded under this id, as core/tracepoint.c would. */
static void listen(struct cairn_event *event, const struct cairn_desc *desc, uint32_t id,
		   struct cairn_entry *entry, struct cairn_list *list)
{
	*entry = (struct cairn_entry){ .clock = cairn_clock_monotonic,
				       .channel = &writer.channel,
				       .id = id,
				       .word = cairn_compact_id(id),
				       .header = 4 };
	*list = (struct cairn_list){
		.word = entry->word, .count = 1, .clock = cairn_clock_monotonic, .entry = entry
	};
	expect(cairn_manifest_add(shared, desc, id) == 0, "room in the manifest");
	event->list = event->by_clock = list;
	event->enabled = 1;
}

int main(void)
{
	static struct cairn_entry entry[2];
	static struct cairn_list list[2];
	struct cairn_shape_program program[2];
	const struct cairn_shape_program *by_id[3] = { NULL, &program[0], &program[1] };
	struct cairn_walk walk = { .program = by_id, .programs = 3, .header = 4 };
	struct cairn_stream *stream;
	const unsigned char *from, *end;
	uint32_t i;

	set_up();
	listen(&number_event, cairn_desc_none__number(), 1, &entry[0], &list[0]);
	listen(&text_event, cairn_desc_none__text(), 2, &entry[1], &list[1]);
	for (i = 0; i < 100; i++)
		cairn_trace(none, number, i);
	cairn_trace(none, text, "no system", (const uint8_t *)"abc", 3);

	expect(shared->used == 1 && shared->lost == 0, "one stream, nothing lost");
	stream = cairn_shared_stream(shared, 0);
	expect(stream->opened == 1 && stream->lost == 0, "one packet");
	from = (const unsigned char *)stream->base + CAIRN_PACKET_HEADER;
	end = stream->cursor.cur;
	expect(!cairn_walk_compile(&program[0], cairn_desc_none__number(), NULL, 0,
				   sizeof(void *)) &&
		       !cairn_walk_compile(&program[1], cairn_desc_none__text(), NULL, 0,
					   sizeof(void *)),
	       "descriptions that can be walked");
	expect(cairn_walk_records(&walk, from, end) == end, "records up to the cursor");
	expect(walk.records == 101, "101 records");
	for (i = 0; i < 100; i++)
		expect(!memcmp(from + 8 * i + 4, &i, sizeof(i)), "the number that was traced");
	expect(!memcmp(end - 15, "no system\0\3\0abc", 15) ||
		       !memcmp(end - 15, "no system\0\0\3abc", 15),
	       "the text that was traced");
	printf("%u records, %zu bytes, last time %llu\n", (unsigned)walk.records,
	       (size_t)(end - from), (unsigned long long)walk.now);
	return failures != 0;
}
