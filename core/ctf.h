/* SPDX-License-Identifier: MIT */
/*
 * CTF 1.8: the metadata text and the stream files of one trace directory. Byte layout and what readers
 * accept: CTF 1.8.3 specification; checked against babeltrace2.
 *
 * A stream file is readable at any moment, also after the writer was killed at any instruction: its
 * last packet always spans the sparse rest of the file. That is the open packet, or an empty *cover*.
 * New records go into its padding, a new cover behind them if the packet is complete, and one write of
 * the packet's header publishes both. One thread at a time uses a trace. Nothing here allocates.
 */
#ifndef CAIRN_CTF_H
#define CAIRN_CTF_H

#include "describe.h"
#include "os.h"

/*
 * Every packet, in the ring and in the file, starts with this, in the byte order of the CPU. The sizes
 * stand before the times on purpose: readers map the file and read the header front to back, so one
 * that reads while a header is replaced sees old sizes with new times (harmless: less content, and an
 * end that is later than it), not new content with an end before it.
 */
struct cairn_packet {
	uint32_t magic; /* CAIRN_CTF_MAGIC */
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t content_size; /* bits */
	uint64_t packet_size;  /* bits */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id; /* at the packet's opening */
	uint32_t vtid;
	char thread[16]; /* name, zero-padded */
} __attribute__((packed));
#define CAIRN_PACKET_HEADER 104u
#define CAIRN_CTF_MAGIC 0xc1fc1fc1u

/* Bytes of a text that says which clock was taken and why, with its NUL. */
#define CAIRN_CLOCK_CHOICE 128

struct cairn_clock_record {
	char name[16];      /* "monotonic", "tsc", "user" */
	char uuid[37];      /* boot id; "" for a user's clock */
	uint64_t frequency; /* Hz */
	uint64_t offset;    /* ticks from the epoch to the counter's zero */
	char description[64];
};

struct cairn_ctf_event {
	const struct cairn_desc *desc;
	uint32_t id;
};

/* All that the metadata says. Texts end with a NUL and may have any content; "" is left out. */
struct cairn_ctf_info {
	uint8_t uuid[16];
	uint32_t header;    /* bytes of the short event header, 4 or 6 */
	uint32_t word_bits; /* of the traced program: of pointers */
	bool big_endian;
	struct cairn_clock_record clock;
	char clock_choice[CAIRN_CLOCK_CHOICE]; /* which clock, and why */
	char host[64], program[64];
	uint32_t pid;
	char version[16]; /* of Cairn */
	const struct cairn_ctf_event *event;
	size_t events;
	const struct cairn_desc *const *type; /* enum types, in any order */
	size_t types;
};

/*
 * The metadata into `text`, NUL-terminated, at most `size` bytes. Returns the bytes that the whole
 * needs without the NUL (as snprintf), or -EINVAL: a description is malformed or its enum type is not
 * there, the clock has no frequency, or its name is no identifier. Pure.
 */
long cairn_ctf_metadata(char *text, size_t size, const struct cairn_ctf_info *info);
/* Write it to `dir` by rename, so that readers see the old or the new one. 0 or -errno. */
int cairn_ctf_metadata_write(int dir, const char *text, size_t size);

/*
 * Put `again`, from opening the same name once more, in the place of a handle that the program closed.
 * 0; `again` if that is an error; -ESTALE: another one has the name now, and `again` is closed.
 */
int cairn_ctf_regain(int *handle, int again, const struct cairn_identity *identity);

/* The other byte order. */
void cairn_ctf_swap(struct cairn_packet *packet);

/* One stream file. */
struct cairn_ctf_file {
	int dir, file;                  /* file -1: none open */
	struct cairn_identity identity; /* of file */
	char name[48];                  /* of the stream; a second file gets ".1", ... */
	uint32_t part;   /* each is a stream of its own: stream_instance_id plus part * 2^32 */
	bool swap;       /* headers are in the byte order that this CPU has not, as the records */
	bool hidden;     /* the file has no packet yet, and a name that readers pass over */
	uint64_t at;     /* where the last packet starts, the one that spans the rest */
	uint64_t open;   /* bytes of it that are written; 0: it is a cover */
	uint64_t number; /* packet_seq_num of the head of the last call: tells packets apart */
	uint64_t room;   /* size of the file, sparse */
	uint64_t file_size; /* of the first part: 64 MiB unless set before the first packet */
	uint64_t lost;      /* what the parts before say */
	struct cairn_packet cover; /* the header at `at`: identity, time and loss so far */
	uint64_t written;          /* bytes of packets in all parts */
};

/* A fresh random UUID, version 4. [s] */
void cairn_ctf_uuid(uint8_t uuid[16]);

/* `like` has the stream's identity (uuid, ids, vtid, thread). The file is made at the first packet. */
void cairn_ctf_file_init(struct cairn_ctf_file *file, int dir, const char *name,
			 const struct cairn_packet *like);
/*
 * After cairn_ctf_file_init, go on with files that a consumer left which is gone: what stands from byte `at`
 * of part `part` on is taken away, and what follows goes into a part of its own. 0, -EINVAL: the files do
 * not have that many valid packets; or -errno.
 */
int cairn_ctf_file_resume(struct cairn_ctf_file *file, uint32_t part, uint64_t at);
/*
 * Write the packet that `head` opens, or more of it: `records` points to its payload, of which `bytes`
 * are valid now, from the first on; those written before are not written again. `head` has the time of
 * the last of them as timestamp_end, packet_size is the most that the packet can become, and
 * packet_seq_num tells it from the packet before. `closed`: nothing will be added; the packet shrinks
 * to what it holds. One that is still open when another begins is closed as it is. Readers see either
 * the state before or after. What they see of packet_seq_num and events_discarded suits them: numbers
 * without a gap, a first packet that says 0 lost, a loss that never goes down.
 * 0, or -errno (ENOSPC, EFBIG, EIO, ...): readers see the state before and the call may be repeated;
 * -EINVAL: `head` contradicts itself or what is written (time goes back, bytes are gone).
 */
int cairn_ctf_file_packet(struct cairn_ctf_file *file, const struct cairn_packet *head,
			  const void *records, size_t bytes, bool closed);
/*
 * Nothing will be added to the packet that is last now, whether it is open or a cover: a reader that
 * knows of it, and read the metadata before it grew, meets no event there that it has no class for.
 * What is new of an open packet goes into a packet that begins at file->cover.timestamp_end. 0 or -errno.
 */
int cairn_ctf_file_seal(struct cairn_ctf_file *file);
/*
 * Close: the file shrinks to its packets, unless somebody reads it (cairn_os_file_resize says EAGAIN).
 * If `lost` is more than the last packet says, an empty packet says it; a stream that has none yet gets
 * a file for that. Always closes; 0, or the first errno: the file is valid, and keeps its sparse end or
 * lacks the loss.
 */
int cairn_ctf_file_close(struct cairn_ctf_file *file, uint64_t lost, uint64_t now);

#endif
