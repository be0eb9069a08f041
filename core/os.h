/* SPDX-License-Identifier: MIT */
/*
 * Everything that needs an operating system. core/os_posix.c implements it for Linux; nothing else in
 * core calls the system. A port to firmware implements this header (tests/os_none.c is the smallest
 * one) and, if it has no thread-local storage, `cairn_tls`.
 *
 * Functions marked [s] are async-signal-safe, do not allocate, and are the only ones that the path of
 * an event may reach. Errors are negative errnos.
 */
#ifndef CAIRN_OS_H
#define CAIRN_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of the control path: zeroed, NULL if there is none. */
void *cairn_os_alloc(size_t size);
void cairn_os_free(void *memory);

/* One lock for all control state. It nests in nothing and nothing nests in it but the loader's reads;
 * it is never held while waiting for readers or across a call into the loader. */
void cairn_os_lock(void);
void cairn_os_unlock(void);

/* Private zeroed pages. wipe: a child of fork finds them zeroed again; *wipes says if that holds. [s] */
void *cairn_os_pages(size_t size, bool wipe, bool *wipes);
/*
 * Shared zeroed memory for rings, sparse. If it can be, it is a new file in memory, so that it outlives the
 * process (`cairn recover`): 0600, its name 32 hexadecimal digits of `id`, in `folder`, or, if that is NULL,
 * in the user's own folder. `path` is its path, "" if there is no such file; *fd is its descriptor, to be
 * closed by the caller, or the negative errno of why there is none (the memory is there all the same).
 * -ENOSPC, -EFBIG (RLIMIT_FSIZE), -ENOMEM. [s]
 */
#define CAIRN_OS_RING_PATH 160
int cairn_os_shared(const char *folder, const uint8_t id[16], size_t size, void **memory, int *fd,
		    char path[CAIRN_OS_RING_PATH]);
void cairn_os_shared_remove(const char *path); /* the name only; "": nothing [s] */
/* Back [at, at + size) by real pages now: 0, or -ENOSPC: no later store can fault. [s] */
int cairn_os_populate(void *at, size_t size);
void cairn_os_unmap(void *at, size_t size); /* [s] */
/* Private pages: zero again, and no memory. */
void cairn_os_discard(void *at, size_t size);
/* Put zeroed private pages over [at, at + size). [s] */
int cairn_os_detach(void *at, size_t size);

uint64_t cairn_os_monotonic(void);        /* ns [s] */
uint64_t cairn_os_realtime(void);         /* ns since the epoch [s] */
uint64_t cairn_os_coarse(void);           /* what cairn_os_monotonic was at the last tick [s] */
bool cairn_os_coarse_cheap(void);         /* cairn_os_coarse makes no system call */
bool cairn_os_vdso(const char *function); /* the kernel offers it as code that runs in user mode */
bool cairn_os_counter_traps(void); /* reading the CPU's counter raises a signal in this process */
bool cairn_os_counter_kept(void);  /* the system keeps its own time by it */
uint32_t cairn_os_cpus(void);      /* that the machine can have; 0 if unknown */
uint32_t cairn_os_cpu(void);       /* of the calling thread, 0 if unknown [s] */
uint32_t cairn_os_pid(void);       /* [s] */
uint32_t cairn_os_tid(void);       /* [s] */
void cairn_os_thread_name(char name[16]); /* of the calling thread, zero-padded [s] */
bool cairn_os_thread_alive(uint32_t tid); /* of this process [s] */
/* Call cairn_slot_release(thread) when the calling thread ends, after the last destructor that may
 * trace. [s] */
struct cairn_thread;
void cairn_os_thread_watch(struct cairn_thread *thread);
/* From the constructor: no system call. Ends with cairn_os_threads_end, when the copy is unloaded. */
void cairn_os_threads_begin(void);
void cairn_os_threads_end(void);
/* From now on a child of fork calls cairn_slots_child and cairn_session_forked, and the lock is held
 * across the fork. 0, -ENOMEM. */
int cairn_os_forks_begin(void);

/* Sleep until *word is not `value`, woken, or `ns` passed (0: for ever). May return early. [s] */
void cairn_os_wait(uint32_t *word, uint32_t value, uint64_t ns);
void cairn_os_wake(uint32_t *word); /* all sleepers, other processes' too [s] */

/*
 * Readers: cairn_os_readers_begin() is called before the first event can be enabled and returns true
 * if cairn_os_barrier() makes every running thread of the process pass a full barrier. False: readers
 * must use their own.
 */
bool cairn_os_readers_begin(void);
int cairn_os_barrier(void); /* 0, -ENOSYS */
/* For readers in another process: the program announces itself, the reader makes the barrier. */
void cairn_os_barrier_announce(void); /* [s] */
void cairn_os_barrier_global(void);
/* The same, and every thread fetches instructions anew. 0 or -ENOSYS. */
int cairn_os_barrier_code(void);

/* Executable segments of the loaded modules, with the protection that their headers give them. */
struct cairn_text {
	uintptr_t begin, end; /* whole pages */
	int protection;
};
/* Fill at most `room`; returns how many there are. Called without the lock: the loader has its own. */
size_t cairn_os_text(struct cairn_text *text, size_t room);
int cairn_os_text_open(const struct cairn_text *text);  /* writable too: 0 or -errno */
int cairn_os_text_close(const struct cairn_text *text); /* as it was */

/*
 * The recorder outside (cairn record): its control area, and handing the shared area to it over its
 * socket (fd < 0: none). Both fail with the errno of the system if the recorder is gone, or with the
 * one that it answers.
 */
int cairn_os_control_map(const char *path, size_t size, void **memory);            /* [s] */
int cairn_os_announce(const char *socket, int fd, const void *words, size_t size); /* [s] */

/* A thread with all signals blocked. */
int cairn_os_thread_start(void *(*body)(void *), void *data, void **thread);
void cairn_os_thread_join(void *thread);

/* Files. Paths are the caller's; `dir` is from cairn_os_dir_open. */
int cairn_os_dir_new(const char *path);    /* -EEXIST: it is there */
int cairn_os_dir_create(const char *path); /* with parents, 0777 & ~umask; it may be there */
int cairn_os_dir_empty(const char *path);  /* 0, -ENOTEMPTY; allocates */
int cairn_os_dir_open(const char *path);
/* `path` from the root, so that it stays the same folder after a chdir. 0, -ENAMETOOLONG, -errno. */
int cairn_os_path(char *full, size_t size, const char *path);
int cairn_os_file_create(int dir, const char *name);                           /* O_EXCL */
int cairn_os_file_write(int file, const void *data, size_t size, uint64_t at); /* all of it */
/* -EAGAIN: it would become shorter under a reader. */
int cairn_os_file_resize(int file, uint64_t size);
/*
 * A program may close all descriptors (daemons do), and then the number is soon another file's: what
 * a handle was at the start is looked up before each use.
 */
struct cairn_identity {
	uint64_t device, inode;
};
int cairn_os_identify(int handle, struct cairn_identity *identity);
bool cairn_os_is(int handle, const struct cairn_identity *identity);
int cairn_os_file_open(int dir, const char *name); /* an existing one */
uint64_t cairn_os_file_limit(void);                /* RLIMIT_FSIZE, bytes */
int cairn_os_file_rename(int dir, const char *from, const char *to);
int cairn_os_file_remove(int dir, const char *name);
uint64_t cairn_os_file_size(int file); /* 0: it cannot be told */
/* `size` bytes from `at` on: how many there are, or -errno. */
long cairn_os_file_read(int file, void *data, size_t size, uint64_t at);
void cairn_os_close(int handle); /* [s] */

/*
 * A process, as another one on the same machine can tell it: its user, its number in its own name space, and
 * that space; and when it began, in clock ticks after the boot of the system that is told. 0: not known.
 */
struct cairn_owner {
	uint32_t pid, user;
	uint64_t space, began;
	char boot[40];
};
void cairn_os_owner(struct cairn_owner *owner); /* of the calling process [s] */
/* 1: it runs; 0: it is gone; -EXDEV: its number is one of another name space, and nobody here can tell. */
int cairn_os_owner_alive(const struct cairn_owner *owner);

/* Environment and identity; text functions fill "" if unknown. */
const char *cairn_os_getenv(const char *name);  /* NULL too in a set-uid program */
void cairn_os_random(void *bytes, size_t size); /* [s] */
void cairn_os_host_name(char *text, size_t size);
void cairn_os_boot_id(char text[37]);
void cairn_os_program_name(char *text, size_t size);
void cairn_os_say(const char *line); /* one line on stderr */

#endif
