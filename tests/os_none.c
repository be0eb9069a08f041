/* SPDX-License-Identifier: MIT */
/*
 * core/os.h for no operating system at all: static memory, one thread, no files, time that counts its
 * calls. It shows that the seam between core and system is where os.h says: core/ links to it and an
 * event is recorded (os_none/record.c, built by os_none.sh). What is not there fails with -ENOSYS.
 */
#include "os.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static unsigned char memory_left[24 << 20] __attribute__((aligned(65536)));
static size_t memory_used;

void *cairn_os_alloc(size_t size)
{
	const size_t at = (memory_used + 65535) & ~(size_t)65535;

	if (at > sizeof(memory_left) || size > sizeof(memory_left) - at)
		return NULL;
	memory_used = at + size;
	return memory_left + at;
}

void *cairn_os_pages(size_t size, bool wipe, bool *wipes)
{
	if (wipe)
		*wipes = false;
	return cairn_os_alloc(size);
}

int cairn_os_shared(const char *folder, const uint8_t id[16], size_t size, void **memory, int *fd,
		    char path[CAIRN_OS_RING_PATH])
{
	path[0] = 0;
	*fd = -1;
	*memory = cairn_os_alloc(size);
	return *memory ? 0 : -ENOMEM;
}

uint64_t cairn_os_monotonic(void)
{
	static uint64_t calls;

	return ++calls;
}

void cairn_os_thread_name(char name[16])
{
	memset(name, 0, 16);
	memcpy(name, "main", 4);
}

void cairn_os_say(const char *line)
{
	puts(line);
}

/* The rest does nothing, or says that it cannot. One thread needs no lock and no barrier. */
/* clang-format off */
void cairn_os_free(void *memory) { }
void cairn_os_lock(void) { }
void cairn_os_unlock(void) { }
int cairn_os_populate(void *at, size_t size) { return 0; }
void cairn_os_unmap(void *at, size_t size) { }
void cairn_os_shared_remove(const char *path) { }
void cairn_os_discard(void *at, size_t size) { }
int cairn_os_detach(void *at, size_t size) { return -ENOSYS; }
uint64_t cairn_os_realtime(void) { return 0; }
uint64_t cairn_os_coarse(void) { return 0; }
bool cairn_os_coarse_cheap(void) { return false; }
bool cairn_os_counter_traps(void) { return false; }
bool cairn_os_counter_kept(void) { return false; }
uint32_t cairn_os_cpus(void) { return 0; }
uint32_t cairn_os_cpu(void) { return 0; }
uint32_t cairn_os_pid(void) { return 1; }
uint32_t cairn_os_tid(void) { return 1; }
bool cairn_os_thread_alive(uint32_t tid) { return true; }
void cairn_os_thread_watch(struct cairn_thread *thread) { }
void cairn_os_threads_begin(void) { }
void cairn_os_threads_end(void) { }
int cairn_os_forks_begin(void) { return 0; }
void cairn_os_wait(uint32_t *word, uint32_t value, uint64_t ns) { }
void cairn_os_wake(uint32_t *word) { }
bool cairn_os_readers_begin(void) { return true; }
int cairn_os_barrier(void) { return 0; }
void cairn_os_barrier_announce(void) { }
void cairn_os_barrier_global(void) { }
int cairn_os_barrier_code(void) { return 0; }
size_t cairn_os_text(struct cairn_text *text, size_t room) { return 0; }
int cairn_os_text_open(const struct cairn_text *text) { return -ENOSYS; }
int cairn_os_text_close(const struct cairn_text *text) { return 0; }
int cairn_os_control_map(const char *path, size_t size, void **memory) { return -ENOSYS; }
int cairn_os_announce(const char *path, int fd, const void *words, size_t size) { return -ENOSYS; }
int cairn_os_thread_start(void *(*body)(void *), void *data, void **thread) { return -ENOSYS; }
void cairn_os_thread_join(void *thread) { }
int cairn_os_dir_new(const char *path) { return -ENOSYS; }
int cairn_os_dir_create(const char *path) { return -ENOSYS; }
int cairn_os_dir_empty(const char *path) { return -ENOSYS; }
int cairn_os_dir_open(const char *path) { return -ENOSYS; }
int cairn_os_path(char *full, size_t size, const char *path) { return -ENOSYS; }
int cairn_os_file_create(int dir, const char *name) { return -ENOSYS; }
int cairn_os_file_open(int dir, const char *name) { return -ENOSYS; }
int cairn_os_file_write(int file, const void *data, size_t size, uint64_t at) { return -ENOSYS; }
int cairn_os_file_resize(int file, uint64_t size) { return -ENOSYS; }
int cairn_os_identify(int handle, struct cairn_identity *identity) { return -ENOSYS; }
bool cairn_os_is(int handle, const struct cairn_identity *identity) { return false; }
uint64_t cairn_os_file_limit(void) { return 0; }
int cairn_os_file_rename(int dir, const char *from, const char *to) { return -ENOSYS; }
int cairn_os_file_remove(int dir, const char *name) { return -ENOSYS; }
uint64_t cairn_os_file_size(int file) { return 0; }
long cairn_os_file_read(int file, void *data, size_t size, uint64_t at) { return -ENOSYS; }
void cairn_os_owner(struct cairn_owner *owner) { memset(owner, 0, sizeof(*owner)); }
void cairn_os_close(int handle) { }
const char *cairn_os_getenv(const char *name) { return NULL; }
void cairn_os_random(void *bytes, size_t size) { memset(bytes, 0x42, size); }
void cairn_os_host_name(char *text, size_t size) { *text = 0; }
void cairn_os_boot_id(char text[37]) { *text = 0; }
void cairn_os_program_name(char *text, size_t size) { *text = 0; }
