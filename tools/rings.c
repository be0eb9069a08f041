/* SPDX-License-Identifier: MIT */
/*
 * Every value is at the same place in the files of all CPUs (core/ring.h); only its bytes differ, and for
 * words their number. So an area of another CPU is turned into one of this CPU, field by field; what its
 * packets hold stays as it is, as the drain knows how to read either byte order.
 */
#define _GNU_SOURCE
#include "rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os.h"

static uint16_t of_16(const struct cairn_rings *rings, uint16_t value)
{
	return rings->swap ? __builtin_bswap16(value) : value;
}

static uint32_t of_32(const struct cairn_rings *rings, uint32_t value)
{
	return rings->swap ? __builtin_bswap32(value) : value;
}

static uint64_t of_64(const struct cairn_rings *rings, uint64_t value)
{
	return rings->swap ? __builtin_bswap64(value) : value;
}

/* A word of the program's, which starts at `at`. */
static uint64_t word_at(const struct cairn_rings *rings, const void *at)
{
	uint32_t half;
	uint64_t whole;

	if (rings->word_bytes == 4) {
		memcpy(&half, at, sizeof(half));
		return of_32(rings, half);
	}
	memcpy(&whole, at, sizeof(whole));
	return of_64(rings, whole);
}

static void of_anchor(const struct cairn_rings *rings, struct cairn_anchor *anchor)
{
	anchor->ticks = of_64(rings, anchor->ticks);
	anchor->monotonic = of_64(rings, anchor->monotonic);
	anchor->realtime = of_64(rings, anchor->realtime);
}

/* The head, in this CPU's form; `native`: it was in it before. */
static int read_head(struct cairn_rings *rings, int file, struct cairn_shared *head)
{
	const long got = cairn_os_file_read(file, head, sizeof(*head), 0);

	if (got == 0 || (got == (long)sizeof(*head) && head->magic == 0))
		return -ENOMSG;
	if (got != (long)sizeof(*head))
		return -EINVAL;
	if (head->magic != CAIRN_SHARED_MAGIC &&
	    head->magic != __builtin_bswap32(CAIRN_SHARED_MAGIC))
		return -EINVAL;
	rings->swap = head->magic != CAIRN_SHARED_MAGIC;
	head->magic = CAIRN_SHARED_MAGIC;
	head->version = of_32(rings, head->version);
	if (head->version != CAIRN_SHARED_VERSION)
		return -EPROTO;
	head->word_bytes = rings->word_bytes = of_32(rings, head->word_bytes);
	if (head->word_bytes != 4 && head->word_bytes != 8)
		return -EINVAL;
	rings->native = !rings->swap && head->word_bytes == sizeof(void *);
	head->header = of_32(rings, head->header);
	head->size = of_64(rings, head->size);
	head->manifest_at = of_64(rings, head->manifest_at);
	head->streams_at = of_64(rings, head->streams_at);
	head->rings_at = of_64(rings, head->rings_at);
	head->ring_size = of_64(rings, head->ring_size);
	head->packet_size = of_32(rings, head->packet_size);
	head->packets = of_32(rings, head->packets);
	head->streams = of_32(rings, head->streams);
	head->clock = of_32(rings, head->clock);
	head->clock_hz = of_64(rings, head->clock_hz);
	head->owner.pid = of_32(rings, head->owner.pid);
	head->owner.user = of_32(rings, head->owner.user);
	head->owner.space = of_64(rings, head->owner.space);
	head->owner.began = of_64(rings, head->owner.began);
	of_anchor(rings, &head->start);
	of_anchor(rings, &head->latest[0]);
	of_anchor(rings, &head->latest[1]);
	head->anchors = of_32(rings, head->anchors);
	head->mode = of_32(rings, head->mode);
	head->manifest_used_room = word_at(rings, &head->manifest_used);
	head->used_room = word_at(rings, &head->used);
	head->lost_room = word_at(rings, &head->lost);
	return 0;
}

/* What an area of another CPU must be to be read at all; the drain checks the rest. */
static int check_head(const struct cairn_shared *head, uint64_t file_size)
{
	const uint64_t streams_size = sizeof(struct cairn_stream) * CAIRN_STREAMS;

	if (head->size > file_size)
		return -ENODATA;
	if (head->packet_size < CAIRN_PACKET_MIN || head->packet_size > CAIRN_PACKET_MAX ||
	    head->streams == 0 || head->streams > CAIRN_STREAMS ||
	    head->used_room > CAIRN_STREAMS || head->ring_size > head->size ||
	    head->ring_size < 2ull * head->packet_size || head->manifest_at > head->size ||
	    head->manifest_used_room > CAIRN_MANIFEST_SIZE ||
	    head->manifest_used_room > head->size - head->manifest_at ||
	    head->streams_at > head->size || streams_size > head->size - head->streams_at ||
	    head->rings_at > head->size ||
	    head->ring_size * head->streams > head->size - head->rings_at)
		return -EINVAL;
	return 0;
}

/* Descriptions are texts behind a few numbers. */
static int import_manifest(const struct cairn_rings *rings, int file,
			   const struct cairn_shared *head)
{
	unsigned char *to = (unsigned char *)rings->shared + rings->shared->manifest_at;
	const uint64_t used = head->manifest_used_room;
	struct cairn_manifest *entry;
	struct cairn_desc *desc;
	uint64_t at;

	if (cairn_os_file_read(file, to, (size_t)used, head->manifest_at) != (long)used)
		return -ENODATA;
	for (at = 0; at + sizeof(*entry) + sizeof(*desc) <= used; at += entry->size) {
		entry = (struct cairn_manifest *)(to + at);
		desc = (struct cairn_desc *)(entry + 1);
		entry->size = of_32(rings, entry->size);
		entry->id = of_32(rings, entry->id);
		desc->size = of_32(rings, desc->size);
		desc->kind = of_16(rings, desc->kind);
		desc->fields = of_16(rings, desc->fields);
		desc->level = of_16(rings, desc->level);
		desc->abi = of_16(rings, desc->abi);
		desc->text = of_32(rings, desc->text);
		if (entry->size < sizeof(*entry) + sizeof(*desc) || entry->size % 8)
			return -EINVAL;
	}
	rings->shared->manifest_used = (uintptr_t)used;
	return 0;
}

static int import_stream(const struct cairn_rings *rings, int file, const struct cairn_shared *head,
			 uint32_t i)
{
	struct cairn_stream *to = cairn_shared_stream(rings->shared, i);
	unsigned char *ring = (unsigned char *)rings->shared +
			      (uintptr_t)(rings->shared->rings_at + rings->shared->ring_size * i);
	struct cairn_stream from;
	uint64_t base, cur, opened, consumed;

	if (cairn_os_file_read(file, &from, sizeof(from), head->streams_at + sizeof(from) * i) !=
	    (long)sizeof(from))
		return -ENODATA;
	if (word_at(rings, &from.state) == CAIRN_STREAM_FREE)
		return 0;
	cur = word_at(rings, &from.cursor.cur);
	base = word_at(rings, &from.base);
	opened = word_at(rings, &from.opened);
	consumed = word_at(rings, &from.consumed);
	if (opened < consumed && rings->word_bytes == 4)
		opened += (uint64_t)1 << 32; /* a 32-bit count went round */
	to->opened = (uintptr_t)opened;
	to->consumed = (uintptr_t)consumed;
	to->lost = (uintptr_t)word_at(rings, &from.lost);
	to->back = (uintptr_t)word_at(rings, &from.back);
	to->tid = of_32(rings, from.tid);
	to->packets = of_32(rings, from.packets);
	to->filed[0] = of_64(rings, from.filed[0]);
	to->filed[1] = of_64(rings, from.filed[1]);
	to->base = (uintptr_t)ring;
	if (cur >= base && cur - base <= head->ring_size)
		to->cursor.cur = ring + (size_t)(cur - base);
	to->state = CAIRN_STREAM_IDLE;
	return cairn_os_file_read(file, ring, (size_t)head->ring_size,
				  head->rings_at + head->ring_size * i) == (long)head->ring_size ?
		       0 :
		       -ENODATA;
}

/* An area of this CPU's form with what is in that one: with the streams that were used, as a 32-bit CPU has
 * no room for all that a 64-bit one could have had. */
static int import(struct cairn_rings *rings, int file, const struct cairn_shared *head)
{
	const uint32_t most = head->used_room < head->streams ? (uint32_t)head->used_room :
								head->streams;
	const uint32_t streams = most ? most : 1;
	const uint64_t size = cairn_shared_head() + head->ring_size * streams;
	uint32_t i;
	int status;

	rings->size = (size_t)size;
	rings->shared = rings->size == size ? cairn_os_pages(rings->size, false, NULL) : NULL;
	if (!rings->shared)
		return -ENOMEM;
	*rings->shared = *head;
	cairn_shared_init(rings->shared, rings->size, head->packet_size, head->packets, streams);
	rings->shared->ring_size = head->ring_size;
	status = import_manifest(rings, file, head);
	for (i = 0; i < most && !status; i++)
		status = import_stream(rings, file, head, i);
	rings->shared->used = most;
	rings->shared->lost = (uintptr_t)head->lost_room;
	return status;
}

int cairn_rings_open(struct cairn_rings *rings, const char *path)
{
	struct stat stat;
	int status;

	memset(rings, 0, sizeof(*rings));
	rings->file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (rings->file < 0)
		return -errno;
	status = fstat(rings->file, &stat) ? -errno : S_ISREG(stat.st_mode) ? 0 : -EINVAL;
	if (!status)
		status = read_head(rings, rings->file, &rings->head);
	if (!status)
		status = check_head(&rings->head, (uint64_t)stat.st_size);
	if (status)
		cairn_rings_close(rings);
	return status;
}

int cairn_rings_map(struct cairn_rings *rings)
{
	if (!rings->native)
		return import(rings, rings->file, &rings->head);
	rings->size = (size_t)rings->head.size;
	rings->shared = mmap(NULL, rings->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			     rings->file, 0);
	if (rings->shared != MAP_FAILED)
		return 0;
	rings->shared = NULL;
	return -errno;
}

void cairn_rings_close(struct cairn_rings *rings)
{
	if (rings->shared)
		cairn_os_unmap(rings->shared, rings->size);
	rings->shared = NULL;
	if (rings->file >= 0)
		close(rings->file);
	rings->file = -1;
}

/* ---- what programs may do to us ---- */

/*
 * A program may make its area smaller under our hands: what is missing is a signal, and zeros from then on,
 * which the drain takes for a broken ring. [s]
 */
static void on_hole(int number, siginfo_t *info, void *context)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *at = (void *)((uintptr_t)info->si_addr & ~(page - 1));

	(void)context;
	if (info->si_code != BUS_ADRERR ||
	    mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		signal(number, SIG_DFL); /* not that: it comes again */
}

void cairn_rings_guard(void)
{
	const struct sigaction action = { .sa_sigaction = on_hole, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

void cairn_rings_program(char *name, size_t size, const char *program, size_t most)
{
	size_t i;

	for (i = 0; i + 1 < size && i < most && program[i]; i++) {
		const char c = program[i];
		const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				   (c >= '0' && c <= '9') || c == '-' || c == '_' ||
				   (c == '.' && i > 0);

		name[i] = plain ? c : '_';
	}
	name[i] = 0;
	if (i == 0)
		snprintf(name, size, "program");
}

/* ---- where they are ---- */

static bool is_inside(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (path[length] == '/' || path[length] == 0);
}

bool cairn_rings_belong(const char *output, const char *filter)
{
	char full[PATH_MAX], folder[PATH_MAX];

	return realpath(output, full) && realpath(filter, folder) &&
	       (is_inside(full, folder) || is_inside(folder, full));
}

static bool is_name(const char *name)
{
	return strlen(name) == 32 && name[strspn(name, "0123456789abcdef")] == 0;
}

static void find_in_folder(const char *path, void (*each)(void *data, const char *path),
			   void (*folder)(void *data, const char *path), void *data)
{
	const int handle = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = handle < 0 ? NULL : fdopendir(handle);
	const struct dirent *entry;
	char file[CAIRN_OS_RING_PATH];
	struct stat stat;

	if (!dir && handle >= 0)
		close(handle);
	if (dir && !fstat(handle, &stat) && stat.st_uid == geteuid()) {
		while ((entry = readdir(dir)))
			if (is_name(entry->d_name) && snprintf(file, sizeof(file), "%s/%s", path,
							       entry->d_name) < (int)sizeof(file))
				each(data, file);
		if (folder)
			folder(data, path);
	}
	if (dir)
		closedir(dir);
}

void cairn_rings_find(void (*each)(void *data, const char *path),
		      void (*folder)(void *data, const char *path), void *data)
{
	DIR *dir = opendir("/dev/shm");
	const struct dirent *entry;
	char path[CAIRN_OS_RING_PATH];

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "cairn-", 6) &&
		    snprintf(path, sizeof(path), "/dev/shm/%s", entry->d_name) < (int)sizeof(path))
			find_in_folder(path, each, folder, data);
	if (dir)
		closedir(dir);
}
