/* SPDX-License-Identifier: MIT */
/*
 * Drain the rings of one process. See drain.h for who calls it, ring.c for the writer's half.
 *
 * One step: note `opened` and `cur` of every stream; make every writer pass a barrier [B], so that the
 * bytes behind these words are visible; read the manifest, so that every event in those bytes is
 * known; write the metadata if it grew; then the packets. Every record is walked before it is written,
 * which counts it and finds the time of the last one. A packet goes back to the writer when all of it is
 * in the file, or is lost and counted because the file refused it.
 *
 * Readers (babeltrace2 2.0) read the metadata, then which packets there are, and then what is in them.
 * So when the metadata grew, packets wait until who read it before has had time for the second, but not
 * until a ring is half full; then each file is sealed, and what they will read is what they know.
 */
#include "drain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "atomic_arch.h"
#include "os.h"
#include "slot.h"
#include "walk.h"

#define CAIRN_DRAIN_EVENTS 65536u
#define CAIRN_DRAIN_TYPES 4096u
#define CAIRN_DRAIN_SNAPSHOTS 1000000u           /* of a process, in one directory */
#define CAIRN_DRAIN_TRIES 8u                     /* copies of a ring */
#define CAIRN_DRAIN_HOLD 20000000u               /* ns */
#define CAIRN_DRAIN_SECONDS (uint64_t)9223372036 /* 2^63 ns */

struct cairn_drain_stream {
	const struct cairn_stream *from; /* NULL: not seen yet */
	const unsigned char *ring;       /* as mapped here */
	uintptr_t base;                  /* the same, as the writer's address */
	uint32_t packets;
	uint32_t done;  /* bytes of packet `next` that are dealt with, 0: not begun */
	uint32_t split; /* bytes of its records that are in packets of the file before this one */
	uintptr_t next; /* number of the packet being read */
	uintptr_t opened, cur; /* as noted in this step */
	uint64_t spoilt;       /* records that could not be written */
	uint64_t fresh;        /* records of packet `next` walked but not yet in the file */
	uint64_t begin;        /* of packet `next`, as it goes into the file */
	uint64_t forgotten;    /* losses before the first packet of a snapshot */
	struct cairn_walk walk;
	struct cairn_ctf_file file;
};

struct cairn_drain {
	struct cairn_drain_config config;
	uint32_t packet_size, streams, header;
	uint64_t rings_at, ring_size, streams_at, manifest_at;
	uint64_t read; /* bytes of the manifest that were read */
	uint8_t uuid[16];
	int dir;                        /* of the trace, -1: not made */
	struct cairn_identity identity; /* of dir */
	int status;                     /* first failed write */
	bool stale;                     /* the metadata lacks something */
	bool taken_up;                  /* what another consumer left: see `rest` */
	bool refused;                   /* nothing more can be written: all is lost */
	bool owed;                      /* open packets were to be written, but wait */
	uint64_t hold, hold_most;       /* packets wait until then, monotonic ns; 0: they do not */
	uint64_t latest;                /* ticks that readers can make a time of; 0: any */
	uint64_t refit; /* baseline, ns, from which on the frequency is worth writing again */
	uint64_t recorded, dropped_before;
	uint32_t seen; /* streams looked at */
	char path[512], name[64];
	struct cairn_ctf_info info;
	struct cairn_ctf_event *event;
	const struct cairn_desc **type;
	struct cairn_shape_program *program; /* by id */
	const struct cairn_shape_program **by_id;
	struct cairn_drain_stream *stream;
	unsigned char *manifest; /* copied */
	unsigned char *buffer;   /* one packet, with `copy` */
	unsigned char *copy;     /* one ring, of a snapshot */
	char *text;
};

/* ---- opening ---- */

static int cairn_drain_check(struct cairn_drain *drain)
{
	const struct cairn_shared *shared = drain->config.shared;
	const uint64_t size = drain->config.size;
	const uint64_t head = drain->config.ring ? cairn_shared_head() : size;

	if (size < sizeof(*shared) || head > size || shared->magic != CAIRN_SHARED_MAGIC ||
	    shared->version != CAIRN_SHARED_VERSION || shared->word_bytes != sizeof(void *))
		return -EINVAL;
	drain->packet_size = shared->packet_size;
	drain->streams = shared->streams;
	drain->rings_at = shared->rings_at;
	drain->ring_size = shared->ring_size;
	drain->streams_at = shared->streams_at;
	drain->manifest_at = shared->manifest_at;
	/* Readers of several snapshots would take them for parts of one trace. */
	if (drain->config.snapshot)
		cairn_ctf_uuid(drain->uuid);
	else
		memcpy(drain->uuid, shared->uuid, sizeof(drain->uuid));
	if (drain->packet_size < CAIRN_PACKET_MIN || drain->packet_size > CAIRN_PACKET_MAX ||
	    drain->streams > CAIRN_STREAMS || drain->ring_size > size ||
	    drain->ring_size < 2ull * drain->packet_size)
		return -EINVAL;
	if (drain->streams_at > head || drain->manifest_at > head || drain->rings_at > size ||
	    drain->streams_at % 64 || drain->manifest_at % 8 ||
	    CAIRN_MANIFEST_SIZE > head - drain->manifest_at ||
	    sizeof(struct cairn_stream) * CAIRN_STREAMS > head - drain->streams_at ||
	    drain->ring_size * drain->streams > size - drain->rings_at)
		return -EINVAL;
	return 0;
}

/* One reservation of address space for all that the drain will ever need. */
static int cairn_drain_memory(struct cairn_drain *drain)
{
	drain->event = cairn_os_pages(CAIRN_DRAIN_EVENTS * sizeof(*drain->event), false, NULL);
	drain->type = cairn_os_pages(CAIRN_DRAIN_TYPES * sizeof(*drain->type), false, NULL);
	drain->program = cairn_os_pages(CAIRN_DRAIN_EVENTS * sizeof(*drain->program), false, NULL);
	drain->by_id = cairn_os_pages(CAIRN_DRAIN_EVENTS * sizeof(*drain->by_id), false, NULL);
	drain->stream = cairn_os_pages(CAIRN_STREAMS * sizeof(*drain->stream), false, NULL);
	drain->manifest = cairn_os_pages(CAIRN_MANIFEST_SIZE, false, NULL);
	drain->text = drain->config.text ? drain->config.text :
					   cairn_os_pages(CAIRN_METADATA_SIZE, false, NULL);
	if (drain->config.snapshot)
		drain->copy = cairn_os_pages((size_t)drain->ring_size, false, NULL);
	else if (drain->config.copy)
		drain->buffer = cairn_os_pages(drain->packet_size, false, NULL);
	return drain->event && drain->type && drain->program && drain->by_id && drain->stream &&
			       drain->manifest && drain->text &&
			       (drain->copy || drain->buffer || !drain->config.copy) ?
		       0 :
		       -ENOMEM;
}

static void cairn_drain_release(void *at, size_t size)
{
	if (at)
		cairn_os_unmap(at, size);
}

void cairn_drain_free(struct cairn_drain *drain)
{
	uint32_t i;

	if (!drain)
		return;
	for (i = 0; i < drain->seen && drain->config.ring; i++)
		if (drain->stream[i].from)
			cairn_os_unmap((void *)(uintptr_t)drain->stream[i].ring,
				       (size_t)drain->ring_size);
	cairn_drain_release(drain->event, CAIRN_DRAIN_EVENTS * sizeof(*drain->event));
	cairn_drain_release(drain->type, CAIRN_DRAIN_TYPES * sizeof(*drain->type));
	cairn_drain_release(drain->program, CAIRN_DRAIN_EVENTS * sizeof(*drain->program));
	cairn_drain_release(drain->by_id, CAIRN_DRAIN_EVENTS * sizeof(*drain->by_id));
	cairn_drain_release(drain->stream, CAIRN_STREAMS * sizeof(*drain->stream));
	cairn_drain_release(drain->manifest, CAIRN_MANIFEST_SIZE);
	if (!drain->config.text)
		cairn_drain_release(drain->text, CAIRN_METADATA_SIZE);
	cairn_drain_release(drain->buffer, drain->packet_size);
	cairn_drain_release(drain->copy, (size_t)drain->ring_size);
	if (drain->dir >= 0 && cairn_os_is(drain->dir, &drain->identity))
		cairn_os_close(drain->dir);
	cairn_drain_release(drain, sizeof(*drain));
}

int cairn_drain_open(struct cairn_drain **result, const struct cairn_drain_config *config)
{
	struct cairn_drain *drain = cairn_os_pages(sizeof(*drain), false, NULL);
	int status;

	if (!drain)
		return -ENOMEM;
	drain->config = *config;
	if (!config->word_bytes)
		drain->config.word_bytes = sizeof(void *);
	if (config->trace)
		snprintf(drain->path, sizeof(drain->path), "%s", config->trace);
	snprintf(drain->name, sizeof(drain->name), "%s", config->program);
	drain->dir = -1;
	status = cairn_drain_check(drain);
	if (!status)
		status = cairn_drain_memory(drain);
	if (status) {
		cairn_drain_free(drain);
		return status;
	}
	drain->dropped_before = __atomic_load_n(&cairn_dropped, __ATOMIC_RELAXED);
	*result = drain;
	return 0;
}

/* ---- metadata ---- */

static void cairn_drain_refit(struct cairn_drain *drain)
{
	struct cairn_anchor now = drain->config.end;
	uint64_t most;

	if (!now.monotonic)
		cairn_clock_anchor(drain->config.clock, &now);
	cairn_clock_record(&drain->info.clock, drain->config.clock, drain->config.clock_hz,
			   &drain->config.start, &now);
	if (drain->config.clock == CAIRN_CLOCK_COUNTER && drain->config.clock_name)
		snprintf(drain->info.clock.name, sizeof(drain->info.clock.name), "%s",
			 drain->config.clock_name);
	drain->refit = 4 * (now.monotonic - drain->config.start.monotonic);
	/* Readers refuse a time from 2^63 ns after the epoch on. */
	drain->latest = UINT64_MAX;
	if (!__builtin_mul_overflow(drain->info.clock.frequency, CAIRN_DRAIN_SECONDS, &most))
		drain->latest = most - drain->info.clock.offset;
}

static int cairn_drain_metadata(struct cairn_drain *drain)
{
	long size;

	cairn_drain_refit(drain);
	size = cairn_ctf_metadata(drain->text, CAIRN_METADATA_SIZE, &drain->info);
	if (size < 0)
		return (int)size;
	if ((size_t)size >= CAIRN_METADATA_SIZE)
		return -EFBIG;
	size = cairn_ctf_metadata_write(drain->dir, drain->text, (size_t)size);
	if (!size)
		drain->stale = false;
	return (int)size;
}

/* A snapshot's directory: the first number that is free. */
static int cairn_drain_number(struct cairn_drain *drain)
{
	const uint8_t *id = drain->config.shared->uuid;
	uint32_t number = 0;
	int status;

	do {
		snprintf(drain->path, sizeof(drain->path), "%s/%s-%u-%02x%02x%02x%02x-%u",
			 drain->config.output, drain->name, drain->config.pid, id[0], id[1], id[2],
			 id[3], ++number);
		status = cairn_os_dir_new(drain->path);
	} while (status == -EEXIST && number < CAIRN_DRAIN_SNAPSHOTS);
	return status;
}

/* The trace directory: made once, whatever happens to the attempts to open it. */
static int cairn_drain_folder(struct cairn_drain *drain)
{
	const struct cairn_drain_config *config = &drain->config;
	const uint8_t *id = drain->uuid;
	int status = cairn_os_dir_create(config->output), dir;

	if (!status && drain->config.snapshot) {
		status = cairn_drain_number(drain);
	} else if (!status && !drain->path[0]) {
		/* Without a descriptor to open it by (RLIMIT_NOFILE) it would stay empty. */
		dir = cairn_os_dir_open(config->output);
		if (dir == -EMFILE || dir == -ENFILE)
			return dir;
		if (dir >= 0)
			cairn_os_close(dir);
		snprintf(drain->path, sizeof(drain->path), "%s/%s-%u-%02x%02x%02x%02x",
			 config->output, drain->name, config->pid, id[0], id[1], id[2], id[3]);
		status = cairn_os_dir_create(drain->path);
		if (status)
			drain->path[0] = 0;
	}
	if (status)
		return status;
	dir = cairn_os_dir_open(drain->path);
	if (dir < 0)
		return dir;
	status = cairn_os_identify(dir, &drain->identity);
	if (status)
		cairn_os_close(dir);
	else
		drain->dir = dir;
	return status;
}

/* The program's words, which may be anything: one line, of ASCII. */
static void cairn_drain_text(char to[CAIRN_CLOCK_CHOICE], const char from[CAIRN_CLOCK_CHOICE])
{
	char c;
	size_t i;

	for (i = 0; i + 1 < CAIRN_CLOCK_CHOICE && (c = CAIRN__LOAD(from[i])); i++)
		to[i] = c >= ' ' && c <= '~' ? c : '?';
	to[i] = 0;
}

int cairn_drain_begin(struct cairn_drain *drain)
{
	struct cairn_ctf_info *info = &drain->info;
	const struct cairn_drain_config *config = &drain->config;
	int status;

	if (drain->dir >= 0 || !config->output)
		return 0;
	status = cairn_drain_folder(drain);
	if (status)
		return status;
	memcpy(info->uuid, drain->uuid, sizeof(info->uuid));
	cairn_drain_text(info->clock_choice, config->shared->clock_choice);
	info->header = drain->header ? drain->header : 4;
	info->word_bits = 8 * drain->config.word_bytes;
	info->big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != drain->config.swap;
	cairn_os_host_name(info->host, sizeof(info->host));
	snprintf(info->program, sizeof(info->program), "%s", drain->name);
	info->pid = config->pid;
	snprintf(info->version, sizeof(info->version), "%s", CAIRN_VERSION);
	info->event = drain->event;
	info->type = drain->type;
	drain->stale = true;
	return cairn_drain_metadata(drain);
}

/* One more description: an event with its id, or (id 0) an enum type. */
static int cairn_drain_describe(struct cairn_drain *drain, const struct cairn_desc *desc,
				uint32_t id)
{
	struct cairn_ctf_info *info = &drain->info;

	if (!cairn_desc_valid(desc))
		return -EINVAL;
	if (desc->kind == CAIRN_DESC_ENUM) {
		if (info->types == CAIRN_DRAIN_TYPES)
			return -EINVAL;
		drain->type[info->types++] = desc;
		return 0;
	}
	if (id == 0 || id >= CAIRN_DRAIN_EVENTS - 1 || drain->by_id[id] ||
	    cairn_walk_compile(&drain->program[id], desc, drain->type, info->types,
			       drain->config.word_bytes))
		return -EINVAL;
	drain->by_id[id] = &drain->program[id];
	drain->event[info->events++] = (struct cairn_ctf_event){ desc, id };
	drain->stale = true;
	return 0;
}

/* Read what the program appended; each entry is copied, then checked. */
static int cairn_drain_manifest(struct cairn_drain *drain)
{
	const struct cairn_shared *shared = drain->config.shared;
	const uintptr_t used = __atomic_load_n(&shared->manifest_used, __ATOMIC_ACQUIRE);
	const unsigned char *from = (const unsigned char *)shared + drain->manifest_at;
	const uint32_t header = __atomic_load_n(&shared->header, __ATOMIC_RELAXED);

	if (used > CAIRN_MANIFEST_SIZE)
		return -EINVAL;
	if (used > drain->read && !drain->header) {
		if (header != 4 && header != 6)
			return -EINVAL;
		drain->header = drain->info.header = header;
	}
	while (drain->read + sizeof(struct cairn_manifest) <= used) {
		struct cairn_manifest entry;
		unsigned char *copy = drain->manifest + drain->read;
		const struct cairn_desc *desc = (const struct cairn_desc *)(copy + sizeof(entry));

		memcpy(&entry, from + drain->read, sizeof(entry));
		if (entry.size < sizeof(entry) + sizeof(*desc) || entry.size % 8 ||
		    entry.size > used - drain->read)
			return -EINVAL;
		memcpy(copy, from + drain->read, entry.size);
		if (desc->size > entry.size - sizeof(entry) ||
		    cairn_drain_describe(drain, desc, entry.id))
			return -EINVAL;
		drain->read += entry.size;
	}
	return 0;
}

/* ---- packets ---- */

/* A stream that is seen for the first time: check what it says of itself. */
static bool cairn_drain_meet(struct cairn_drain *drain, uint32_t i)
{
	struct cairn_drain_stream *stream = &drain->stream[i];
	const struct cairn_stream *from =
		(const struct cairn_stream *)((uintptr_t)drain->config.shared +
					      (uintptr_t)drain->streams_at) +
		i;
	struct cairn_packet like = { .magic = CAIRN_CTF_MAGIC, .stream_instance_id = i };
	uint32_t packets;
	uint64_t at;
	char name[32];

	if (__atomic_load_n(&from->state, __ATOMIC_ACQUIRE) == CAIRN_STREAM_FREE)
		return false;
	packets = __atomic_load_n(&from->packets, __ATOMIC_RELAXED);
	if (packets < 2 || (packets & (packets - 1)) ||
	    (uint64_t)packets * drain->packet_size > drain->ring_size)
		return false;
	at = drain->rings_at + drain->ring_size * i;
	stream->ring = drain->config.ring ?
			       drain->config.ring(drain->config.data, at,
						  (size_t)drain->ring_size) :
			       (const unsigned char *)drain->config.shared + (uintptr_t)at;
	if (!stream->ring) {
		drain->status = -ENOMEM;
		return false;
	}
	stream->packets = packets;
	stream->base = from->base;
	stream->walk.program = drain->by_id;
	stream->walk.programs = CAIRN_DRAIN_EVENTS;
	memcpy(like.uuid, drain->uuid, sizeof(like.uuid));
	snprintf(name, sizeof(name), "stream-%u", i);
	cairn_ctf_file_init(&stream->file, -1, name, &like);
	stream->file.swap = stream->walk.swap = drain->config.swap;
	if (drain->config.rest)
		stream->next = from->consumed;
	stream->from = from;
	return true;
}

/* Where the stream stands. If `opened` moved meanwhile, only its closed packets count. */
static void cairn_drain_note_one(struct cairn_drain_stream *stream)
{
	const uintptr_t opened = __atomic_load_n(&stream->from->opened, __ATOMIC_ACQUIRE);

	stream->cur = (uintptr_t)__atomic_load_n(&stream->from->cursor.cur, __ATOMIC_ACQUIRE);
	if (__atomic_load_n(&stream->from->opened, __ATOMIC_ACQUIRE) != opened)
		stream->cur = 0;
	stream->opened = opened;
}

static bool cairn_drain_note(struct cairn_drain *drain)
{
	const struct cairn_shared *shared = drain->config.shared;
	uintptr_t used = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
	bool any = false;
	uint32_t i;

	if (used > drain->streams)
		used = drain->streams;
	for (i = 0; i < used; i++) {
		struct cairn_drain_stream *stream = &drain->stream[i];

		if (!stream->from && !cairn_drain_meet(drain, i))
			continue;
		cairn_drain_note_one(stream);
		any = any || stream->opened != stream->next;
	}
	drain->seen = (uint32_t)used;
	return any;
}

static void cairn_drain_give_back(const struct cairn_drain *drain,
				  struct cairn_drain_stream *stream)
{
	struct cairn_stream *to = (struct cairn_stream *)(uintptr_t)stream->from;

	stream->next++;
	stream->done = 0;
	if (drain->config.snapshot)
		return;
	to->filed[stream->next & 1] = (uint64_t)stream->file.part << 32 | stream->file.at;
	__atomic_store_n(&to->consumed, stream->next, __ATOMIC_RELEASE);
}

/* Packets were given back: wake the owner if it sleeps. Full barrier [D] with cairn_stream_wait. */
static void cairn_drain_wake(const struct cairn_drain *drain, struct cairn_drain_stream *stream)
{
	struct cairn_stream *to = (struct cairn_stream *)(uintptr_t)stream->from;

	if (drain->config.snapshot)
		return;
	__atomic_add_fetch(&to->room, 1, __ATOMIC_RELEASE);
	cairn_arch_mb();
	if (__atomic_load_n(&to->waiting, __ATOMIC_RELAXED))
		cairn_os_wake(&to->room);
}

/* The head of a packet; of an open one, all but what its owner writes when it closes it. */
static void cairn_drain_head(const struct cairn_drain *drain, struct cairn_packet *head,
			     const unsigned char *packet, bool closed)
{
	const size_t size_at = offsetof(struct cairn_packet, content_size);
	const size_t rest_at = offsetof(struct cairn_packet, packet_size);
	const size_t end_at = offsetof(struct cairn_packet, timestamp_end);
	const size_t tail_at = offsetof(struct cairn_packet, packet_seq_num);

	if (closed) {
		memcpy(head, packet, sizeof(*head));
	} else {
		memset(head, 0, sizeof(*head));
		memcpy(head, packet, size_at);
		memcpy((unsigned char *)head + rest_at, packet + rest_at, end_at - rest_at);
		memcpy((unsigned char *)head + tail_at, packet + tail_at, sizeof(*head) - tail_at);
	}
	if (drain->config.swap)
		cairn_ctf_swap(head);
}

/* Bytes of the packet that are valid now: all of a closed one, up to `cur` of the open one. */
static uint32_t cairn_drain_valid(const struct cairn_drain *drain,
				  const struct cairn_drain_stream *stream,
				  const struct cairn_packet *head, bool closed)
{
	const uintptr_t begin = stream->base + (stream->next & (stream->packets - 1)) *
						       (uintptr_t)drain->packet_size;
	const uint64_t size = closed ? head->content_size / 8 : stream->cur - begin;

	/* Elsewhere: the owner opened the packet and has not put its cursor there yet. */
	return size < CAIRN_PACKET_HEADER || size > drain->packet_size ? CAIRN_PACKET_HEADER :
									 (uint32_t)size;
}

/* Walk and write packet `next`, from where the last step stopped. True: all of it is dealt with. */
static bool cairn_drain_packet(struct cairn_drain *drain, struct cairn_drain_stream *stream,
			       bool closed)
{
	const unsigned char *packet = stream->ring + (stream->next & (stream->packets - 1)) *
							     (uintptr_t)drain->packet_size;
	const unsigned char *end;
	struct cairn_packet head;
	uint64_t before;
	uint32_t size;
	int status = drain->refused ? -EIO : 0;

	cairn_drain_head(drain, &head, packet, closed);
	if (stream->done == 0) {
		stream->done = CAIRN_PACKET_HEADER;
		stream->split = 0;
		stream->fresh = 0;
		/* Time never goes back in a file, whatever the head says. */
		if (head.timestamp_begin > stream->walk.now &&
		    (!drain->latest || head.timestamp_begin <= drain->latest))
			stream->walk.now = head.timestamp_begin;
		stream->begin = stream->walk.now;
	}
	size = cairn_drain_valid(drain, stream, &head, closed);
	if (size < stream->done || head.timestamp_begin > stream->begin)
		size = stream->done;
	if (drain->buffer) {
		/* All of it: an earlier write may have failed, and the buffer is every stream's. */
		memcpy(drain->buffer, packet, size);
		packet = drain->buffer;
	}
	before = stream->walk.records;
	stream->walk.header = drain->header;
	stream->walk.latest = drain->latest;
	end = cairn_walk_records(&stream->walk, packet + stream->done, packet + size);
	stream->fresh += stream->walk.records - before;
	size = (uint32_t)(end - packet);
	if (!drain->refused && drain->dir >= 0 &&
	    (size - stream->split > stream->file.open || closed)) {
		head.magic = CAIRN_CTF_MAGIC;
		memcpy(head.uuid, drain->uuid, sizeof(head.uuid));
		head.stream_id = 0;
		head.stream_instance_id = stream->file.cover.stream_instance_id;
		head.timestamp_end = stream->walk.now;
		head.timestamp_begin = stream->begin;
		head.packet_size = 8 * (uint64_t)drain->packet_size;
		head.events_discarded += stream->spoilt - stream->forgotten;
		stream->file.dir = drain->dir;
		status = cairn_ctf_file_packet(&stream->file, &head,
					       packet + CAIRN_PACKET_HEADER + stream->split,
					       size - CAIRN_PACKET_HEADER - stream->split, closed);
	}
	if (status && !drain->status)
		drain->status = status;
	stream->done = size;
	if (status && !closed)
		return false;
	if (status)
		stream->spoilt += stream->fresh;
	else
		drain->recorded += stream->fresh;
	stream->fresh = 0;
	return closed;
}

static void cairn_drain_stream(struct cairn_drain *drain, struct cairn_drain_stream *stream,
			       bool all)
{
	uintptr_t given = 0;

	/* A ring that claims more than it can hold is broken: leave it. */
	if (!stream->from || stream->opened - stream->next > stream->packets)
		return;
	while (stream->opened - stream->next > 1 && cairn_drain_packet(drain, stream, true)) {
		cairn_drain_give_back(drain, stream);
		/* A blocked owner that ran after each single packet would cost two switches a packet. */
		if (++given % (stream->packets / 2) == 0)
			cairn_drain_wake(drain, stream);
	}
	if (given % (stream->packets / 2))
		cairn_drain_wake(drain, stream);
	if (all && stream->opened - stream->next == 1)
		cairn_drain_packet(drain, stream, false);
}

/* The program may have closed our folder behind our back: open it again, and touch no other. */
static int cairn_drain_regain(struct cairn_drain *drain)
{
	if (drain->dir < 0 || cairn_os_is(drain->dir, &drain->identity))
		return 0;
	return cairn_ctf_regain(&drain->dir, cairn_os_dir_open(drain->path), &drain->identity);
}

/* Half the ring waits, or its owner does; one of the packets is still being written. */
static bool cairn_drain_half(const struct cairn_drain_stream *stream, uintptr_t opened)
{
	const uintptr_t open = opened - stream->next;

	return open > 1 && (open >= stream->packets / 2 ||
			    __atomic_load_n(&stream->from->waiting, __ATOMIC_RELAXED));
}

/* A failure is one of the disk: the packets that follow will tell. */
static void cairn_drain_seal(struct cairn_drain_stream *stream)
{
	const uint64_t open = stream->file.open;

	if (cairn_ctf_file_seal(&stream->file) || !open)
		return;
	stream->split += (uint32_t)open - CAIRN_PACKET_HEADER;
	stream->begin = stream->file.cover.timestamp_end;
}

/* True: what came has to wait for readers of the older metadata. When it need no longer, seals. */
static bool cairn_drain_waits(struct cairn_drain *drain, enum cairn_drain_what what)
{
	uint32_t i;

	if (!drain->hold)
		return false;
	if (what != CAIRN_DRAIN_NOW && cairn_os_monotonic() < drain->hold) {
		for (i = 0; i < drain->seen; i++)
			if (drain->stream[i].from &&
			    cairn_drain_half(&drain->stream[i], drain->stream[i].opened))
				break;
		if (i == drain->seen) {
			drain->owed = drain->owed || what == CAIRN_DRAIN_OPEN;
			return true;
		}
	}
	drain->hold = 0;
	for (i = 0; i < drain->seen; i++)
		if (drain->stream[i].from)
			cairn_drain_seal(&drain->stream[i]);
	return false;
}

/* Packets wait from now on. Where the metadata keeps growing, there is an end to it. */
static void cairn_drain_wait(struct cairn_drain *drain)
{
	const uint64_t now = cairn_os_monotonic();

	if (!drain->hold)
		drain->hold_most = now + 5 * CAIRN_DRAIN_HOLD;
	drain->hold = now + CAIRN_DRAIN_HOLD;
	if (drain->hold > drain->hold_most)
		drain->hold = drain->hold_most;
}

/* Write the metadata if it grew, or if the clock is known much better. */
static int cairn_drain_declare(struct cairn_drain *drain)
{
	const bool grew = drain->stale;
	int status = 0;

	if (!drain->config.output)
		return 0;
	if (drain->dir < 0)
		status = cairn_drain_begin(drain);
	else if (grew || cairn_os_monotonic() - drain->config.start.monotonic > drain->refit)
		status = cairn_drain_metadata(drain);
	if (grew && !drain->stale)
		cairn_drain_wait(drain);
	return status;
}

/* Take the files up where another consumer gave packets back last. */
static void cairn_drain_take_up(struct cairn_drain *drain)
{
	uint32_t i;
	int status;

	for (i = 0; i < drain->seen; i++) {
		struct cairn_drain_stream *stream = &drain->stream[i];
		uint64_t filed;

		if (!stream->from)
			continue;
		filed = stream->from->filed[stream->next & 1];
		stream->file.dir = drain->dir;
		status = cairn_ctf_file_resume(&stream->file, (uint32_t)(filed >> 32),
					       filed & UINT32_MAX);
		/* Files that are not as they were left: what the ring has goes into a fresh one. */
		if (status)
			drain->status = drain->status ? drain->status : status;
	}
	drain->taken_up = true;
}

static void cairn_drain_streams(struct cairn_drain *drain, bool all)
{
	uint32_t i;

	if (drain->config.rest && !drain->taken_up && drain->dir >= 0)
		cairn_drain_take_up(drain);
	for (i = 0; i < drain->seen; i++)
		cairn_drain_stream(drain, &drain->stream[i], all);
}

/* For who has to finish the trace if this process dies: what the counter says now. */
static void cairn_drain_anchor(struct cairn_drain *drain)
{
	struct cairn_shared *shared = drain->config.shared;

	if (drain->config.global || drain->config.rest || drain->config.snapshot)
		return;
	cairn_clock_anchor(drain->config.clock, &shared->latest[(shared->anchors + 1) % 2]);
	__atomic_store_n(&shared->anchors, shared->anchors + 1, __ATOMIC_RELEASE);
}

/* Make every writer pass a full barrier. */
static void cairn_drain_barrier(const struct cairn_drain *drain)
{
	if (drain->config.global)
		cairn_os_barrier_global();
	else
		cairn_os_barrier();
}

int cairn_drain_step(struct cairn_drain *drain, enum cairn_drain_what what)
{
	bool any;
	int status;

	drain->status = 0;
	cairn_drain_anchor(drain);
	any = cairn_drain_note(drain);
	cairn_drain_barrier(drain);
	if (cairn_drain_manifest(drain))
		drain->status = -EINVAL;
	if (!any && !drain->stale && !drain->hold)
		return drain->status;
	status = cairn_drain_regain(drain);
	if (status) {
		drain->status = status;
		return status;
	}
	status = cairn_drain_declare(drain);
	if (status)
		drain->status = status;
	/* Without its metadata no event may reach a file: it would make the trace unreadable. */
	if ((drain->config.output && drain->stale) || cairn_drain_waits(drain, what))
		return drain->status;
	cairn_drain_streams(drain, what != CAIRN_DRAIN_WHOLE || drain->owed);
	drain->owed = false;
	return drain->status;
}

uint64_t cairn_drain_due(const struct cairn_drain *drain, uint64_t due)
{
	return drain->hold && drain->hold < due ? drain->hold : due;
}

/* ---- snapshots ---- */

/* What others write meanwhile: a race that is wanted, as what it spoils is thrown away. Whole words. */
static __attribute__((no_sanitize("thread"))) void
cairn_drain_copy(unsigned char *to, const unsigned char *from, size_t size)
{
	uintptr_t *word = (uintptr_t *)to;
	size_t i;

	for (i = 0; i < size / sizeof(*word); i++)
		word[i] = __atomic_load_n((const uintptr_t *)from + i, __ATOMIC_RELAXED);
}

/*
 * Copy a ring that its owner goes on overwriting. It takes the place of the oldest packet before `opened` counts
 * the new one. So a copied packet is whole if, after the copy, a further one had a place behind it that was not
 * taken. Barrier [E]: with what the owner wrote over a packet we see the `opened` that it wrote before. False:
 * no packet is whole.
 */
static bool cairn_drain_catch(struct cairn_drain *drain, struct cairn_drain_stream *stream)
{
	const unsigned char *ring = (const unsigned char *)drain->config.shared +
				    (uintptr_t)(drain->rings_at +
						drain->ring_size *
							(uint64_t)(stream - drain->stream));
	struct cairn_packet head;
	uintptr_t first, now;

	cairn_drain_note_one(stream);
	cairn_drain_barrier(drain); /* [B] */
	first = stream->opened > stream->packets ? stream->opened - stream->packets : 0;
	cairn_drain_copy(drain->copy, ring, (size_t)(stream->opened - first) * drain->packet_size);
	cairn_drain_barrier(drain);
	now = __atomic_load_n(&stream->from->opened, __ATOMIC_ACQUIRE);
	if (now - first >= stream->packets)
		first = now - stream->packets + 1;
	if (first >= stream->opened)
		return stream->opened == 0;
	stream->next = first;
	stream->ring = drain->copy;
	cairn_drain_head(drain, &head,
			 drain->copy + (first & (stream->packets - 1)) * (size_t)drain->packet_size,
			 true);
	stream->forgotten = head.events_discarded;
	return true;
}

/* An owner may be fast once, for a moment; one that is always faster than a copy has too small a ring. */
static bool cairn_drain_catch_soon(struct cairn_drain *drain, struct cairn_drain_stream *stream)
{
	unsigned i;

	for (i = 0; i < CAIRN_DRAIN_TRIES; i++)
		if (cairn_drain_catch(drain, stream))
			return true;
	stream->next = stream->opened; /* nothing of it */
	return false;
}

int cairn_drain_snapshot(struct cairn_drain *drain,
			 void (*lapped)(void *data, uint32_t stream, uint32_t tid), void *data)
{
	uint32_t i;
	int status;

	drain->status = 0;
	cairn_drain_note(drain);
	cairn_drain_barrier(drain);
	status = cairn_drain_manifest(drain);
	if (!status)
		status = cairn_drain_begin(drain);
	for (i = 0; i < drain->seen && !status; i++) {
		struct cairn_drain_stream *stream = &drain->stream[i];

		if (!stream->from)
			continue;
		if (!cairn_drain_catch_soon(drain, stream) && lapped)
			lapped(data, i, stream->from->tid);
		/* What was copied is known by now: descriptions come before records. */
		status = cairn_drain_manifest(drain);
		if (!status && drain->stale)
			status = cairn_drain_metadata(drain);
		if (!status)
			cairn_drain_stream(drain, stream, true);
	}
	return status ? status : drain->status;
}

/* ---- closing ---- */

static uint64_t cairn_drain_unowned(const struct cairn_drain *drain)
{
	const uint64_t lost = __atomic_load_n(&drain->config.shared->lost, __ATOMIC_RELAXED);

	/* Events that found no slot are counted by the process, for all its sessions. */
	if (drain->config.global)
		return lost;
	return lost + (__atomic_load_n(&cairn_dropped, __ATOMIC_RELAXED) - drain->dropped_before);
}

/* Losses that belong to no stream get one of their own: empty packets that say so. */
static int cairn_drain_lost_stream(struct cairn_drain *drain, uint64_t lost, uint64_t now)
{
	struct cairn_packet like = { .magic = CAIRN_CTF_MAGIC,
				     .stream_instance_id = CAIRN_STREAMS };
	struct cairn_ctf_file file;
	int status, closed;

	memcpy(like.uuid, drain->uuid, sizeof(like.uuid));
	memcpy(like.thread, "lost", 5);
	cairn_ctf_file_init(&file, drain->dir, "lost", &like);
	like.timestamp_begin = like.timestamp_end = now;
	like.content_size = like.packet_size = 8 * CAIRN_PACKET_HEADER;
	like.events_discarded = lost;
	status = cairn_ctf_file_packet(&file, &like, NULL, 0, true);
	closed = cairn_ctf_file_close(&file, lost, now);
	return status ? status : closed;
}

/* The time of a loss that nothing followed: it went on until now. 0: not known. */
static uint64_t cairn_drain_now(const struct cairn_drain *drain)
{
	struct cairn_anchor now;

	if (drain->config.clock == CAIRN_CLOCK_USER || drain->config.rest ||
	    drain->config.end.monotonic)
		return 0;
	cairn_clock_anchor(drain->config.clock, &now);
	return drain->latest && now.ticks > drain->latest ? 0 : now.ticks;
}

int cairn_drain_close(struct cairn_drain *drain)
{
	const int held = cairn_drain_regain(drain);
	int status = drain->config.snapshot ? 0 : cairn_drain_step(drain, CAIRN_DRAIN_NOW), closed;
	const uint64_t now = cairn_drain_now(drain);
	uint64_t last = now;
	uint32_t i;

	/* No folder, or no metadata that has all events, until now: what waits for it is lost. */
	drain->refused = held || (drain->config.output && drain->stale);
	if (drain->refused)
		cairn_drain_streams(drain, true);
	for (i = 0; i < drain->seen; i++) {
		struct cairn_drain_stream *stream = &drain->stream[i];

		if (!stream->from)
			continue;
		if (stream->walk.now > last)
			last = stream->walk.now;
		/* Of the open packet, what the file refused to the end. */
		stream->spoilt += stream->fresh;
		stream->fresh = 0;
		if (drain->dir < 0)
			continue;
		stream->file.dir = drain->dir;
		closed = cairn_ctf_file_close(&stream->file,
					      __atomic_load_n(&stream->from->lost,
							      __ATOMIC_RELAXED) +
						      stream->spoilt - stream->forgotten,
					      stream->walk.now > now ? stream->walk.now : now);
		if (closed && !status)
			status = closed;
	}
	if (held)
		return held;
	if (cairn_drain_unowned(drain) && drain->config.output) {
		closed = cairn_drain_begin(drain);
		if (!closed)
			closed = cairn_drain_lost_stream(drain, cairn_drain_unowned(drain), last);
		if (closed && !status)
			status = closed;
	}
	if (drain->dir >= 0) {
		closed = cairn_drain_metadata(drain);
		if (closed && !status)
			status = closed;
	}
	return status;
}

void cairn_drain_stats(const struct cairn_drain *drain, struct cairn_stats *stats)
{
	uint32_t i;

	memset(stats, 0, sizeof(*stats));
	stats->recorded = drain->recorded;
	stats->lost = cairn_drain_unowned(drain);
	stats->events = (uint32_t)drain->info.events;
	for (i = 0; i < drain->seen; i++) {
		const struct cairn_drain_stream *stream = &drain->stream[i];

		if (!stream->from)
			continue;
		stats->streams++;
		stats->lost += __atomic_load_n(&stream->from->lost, __ATOMIC_RELAXED) +
			       stream->spoilt;
		stats->bytes += stream->file.written;
		stats->back += __atomic_load_n(&stream->from->back, __ATOMIC_RELAXED);
		if (drain->config.snapshot && stream->opened > stream->packets)
			stats->overwritten += stream->opened - stream->packets;
	}
}

const char *cairn_drain_path(const struct cairn_drain *drain)
{
	return drain->dir < 0 ? "" : drain->path;
}

/* ---- sleeping ---- */

bool cairn_drain_pressed(void *data)
{
	const struct cairn_drain *drain = data;
	uint32_t i;

	if (__atomic_load_n(&drain->config.shared->used, __ATOMIC_RELAXED) > drain->seen &&
	    drain->seen < drain->streams)
		return true;
	for (i = 0; i < drain->seen; i++) {
		const struct cairn_drain_stream *stream = &drain->stream[i];

		if (stream->from && cairn_drain_half(stream, __atomic_load_n(&stream->from->opened,
									     __ATOMIC_RELAXED)))
			return true;
	}
	return false;
}

bool cairn_bell_sleep(struct cairn_bell *bell, uint64_t ns, bool (*more)(void *data), void *data)
{
	const uint32_t rings = __atomic_load_n(&bell->rings, __ATOMIC_ACQUIRE);

	__atomic_store_n(&bell->sleeping, 1, __ATOMIC_RELAXED);
	cairn_arch_mb(); /* [C] with cairn_bell_ring */
	if (more && more(data)) {
		__atomic_store_n(&bell->sleeping, 0, __ATOMIC_RELAXED);
		return false;
	}
	cairn_os_wait(&bell->rings, rings, ns);
	__atomic_store_n(&bell->sleeping, 0, __ATOMIC_RELAXED);
	return true;
}

void cairn_bell_wake(struct cairn_bell *bell)
{
	__atomic_add_fetch(&bell->rings, 1, __ATOMIC_RELEASE);
	cairn_os_wake(&bell->rings);
}
