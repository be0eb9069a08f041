/* SPDX-License-Identifier: MIT */
/*
 * core/os.h for Linux: the only file of core that calls the system. What is marked [s] there uses
 * system calls and nothing of the C library that locks or allocates.
 */
#define _GNU_SOURCE
/* Else 32-bit CPUs fail at what stat or readdir cannot say in 32 bits. */
#define _FILE_OFFSET_BITS 64
#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "clock_arch.h"
#include "session.h"
#include "slot.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* ---- memory ---- */

void *cairn_os_alloc(size_t size)
{
	return calloc(1, size);
}

void cairn_os_free(void *memory)
{
	free(memory);
}

static uintptr_t cairn_os_page(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

void *cairn_os_pages(size_t size, bool wipe, bool *wipes)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	/* An emulator answers 0 to any advice and does nothing: believe only who refuses nonsense. */
	if (wipe)
		*wipes = madvise(memory, size, MADV_WIPEONFORK) == 0 &&
			 madvise(memory, size, -1) != 0;
	return memory;
}

/* No printf here: these run in signal handlers. */
static char *cairn_append_text(char *at, const char *text)
{
	const size_t size = strlen(text);

	memcpy(at, text, size + 1);
	return at + size;
}

static char *cairn_append_number(char *at, unsigned number)
{
	char digits[12];
	unsigned i = sizeof(digits);

	digits[--i] = 0;
	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return cairn_append_text(at, digits + i);
}

/* A folder that is ours, for files in memory: else others could make us write elsewhere, or to a disk, where
 * a page that there is no room for is a signal. */
static int cairn_ring_folder(const char *path)
{
	const int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct statfs system;
	struct stat stat;

	if (dir < 0)
		return -1;
	if (!fstat(dir, &stat) && stat.st_uid == geteuid() && !(stat.st_mode & 077) &&
	    !fstatfs(dir, &system) && (unsigned long)system.f_type == 0x01021994ul /* tmpfs */)
		return dir;
	close(dir);
	return -1;
}

/* A new file for rings; < 0: there can be none with a name. */
static int cairn_ring_file(const char *folder, const uint8_t id[16], char path[CAIRN_OS_RING_PATH])
{
	static const char digit[] = "0123456789abcdef";
	char *name;
	int dir, file, i;

	if (folder && strlen(folder) > CAIRN_OS_RING_PATH - 40)
		return -1;
	if (folder) {
		name = cairn_append_text(path, folder);
	} else {
		name = cairn_append_number(cairn_append_text(path, "/dev/shm/cairn-"), geteuid());
		mkdir(path, 0700);
	}
	dir = cairn_ring_folder(path);
	*name++ = '/';
	for (i = 0; i < 32; i++)
		name[i] = digit[id[i / 2] >> (i % 2 ? 0 : 4) & 15];
	name[32] = 0;
	file = dir < 0 ?
		       -1 :
		       openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (dir >= 0)
		close(dir);
	return file;
}

void cairn_os_shared_remove(const char *path)
{
	if (*path)
		unlink(path);
}

int cairn_os_shared(const char *folder, const uint8_t id[16], size_t size, void **memory, int *fd,
		    char path[CAIRN_OS_RING_PATH])
{
	struct rlimit limit;
	int file, error;

	path[0] = 0;
	/* Growing a file beyond the limit would be a signal, fatal unless handled. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size)
		return -EFBIG;
	file = cairn_ring_file(folder, id, path);
	if (file < 0) {
		path[0] = 0;
		file = memfd_create("cairn", MFD_CLOEXEC);
	}
	if (file < 0)
		goto anonymous;
	if (ftruncate(file, (off_t)size))
		goto fail;
	*memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
	if (*memory == MAP_FAILED)
		goto fail;
	*fd = file;
	return 0;
fail:
	error = -errno;
	cairn_os_shared_remove(path);
	path[0] = 0;
	close(file);
	return error;
anonymous:
	/* No descriptor to be had (RLIMIT_NOFILE, seccomp): good for a consumer in the process. */
	*fd = -errno;
	*memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return *memory == MAP_FAILED ? -errno : 0;
}

int cairn_os_populate(void *at, size_t size)
{
	const uintptr_t page = cairn_os_page();
	const uintptr_t begin = (uintptr_t)at & ~(page - 1);
	const uintptr_t end = ((uintptr_t)at + size + page - 1) & ~(page - 1);
	uintptr_t p;

	if (madvise((void *)begin, end - begin, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -ENOSPC;
	/* Before Linux 5.14: touch. Memory that runs out here is a signal, as for any store. */
	for (p = begin; p < end; p += page)
		__atomic_fetch_or((uintptr_t *)p, 0, __ATOMIC_RELAXED);
	return 0;
}

void cairn_os_unmap(void *at, size_t size)
{
	munmap(at, size);
}

void cairn_os_discard(void *at, size_t size)
{
	madvise(at, size, MADV_DONTNEED);
}

int cairn_os_detach(void *at, size_t size)
{
	void *there = mmap(at, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	return there == MAP_FAILED ? -errno : 0;
}

/* ---- time and identity ---- */

static uint64_t cairn_os_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t cairn_os_monotonic(void)
{
	return cairn_os_clock(CLOCK_MONOTONIC);
}

uint64_t cairn_os_realtime(void)
{
	return cairn_os_clock(CLOCK_REALTIME);
}

uint64_t cairn_os_coarse(void)
{
	return cairn_os_clock(CLOCK_MONOTONIC_COARSE);
}

uint32_t cairn_os_cpus(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return cpus < 0 ? 0 : (uint32_t)cpus;
}

uint32_t cairn_os_cpu(void)
{
	const int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (uint32_t)cpu;
}

uint32_t cairn_os_pid(void)
{
	return (uint32_t)getpid();
}

uint32_t cairn_os_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

void cairn_os_thread_name(char name[16])
{
	memset(name, 0, 16);
	prctl(PR_GET_NAME, name);
}

bool cairn_os_thread_alive(uint32_t tid)
{
	return syscall(SYS_tgkill, getpid(), (pid_t)tid, 0) == 0 || errno != ESRCH;
}

/* The image is as the linker made it, but for its place: nobody has relocated its dynamic section. */
bool cairn_os_vdso(const char *function)
{
	const uintptr_t image = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
	const ElfW(Phdr) *segment = NULL;
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Sym) *symbol = NULL;
	const ElfW(Word) *hash = NULL; /* buckets, symbols, ... */
	const char *names = NULL;
	uintptr_t base = image;
	ElfW(Word) i;

	if (!image)
		return false;
	segment = (const ElfW(Phdr) *)(image + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD)
			base = image + segment[i].p_offset - segment[i].p_vaddr;
		else if (segment[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(image + segment[i].p_offset);
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_HASH)
			hash = (const ElfW(Word) *)(base + dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_SYMTAB)
			symbol = (const ElfW(Sym) *)(base + dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			names = (const char *)(base + dynamic->d_un.d_ptr);
	}
	for (i = 0; hash && symbol && names && i < hash[1]; i++)
		if (symbol[i].st_shndx != SHN_UNDEF && !strcmp(names + symbol[i].st_name, function))
			return true;
	return false;
}

/* The kernel serves it by code in the vDSO, which needs no counter; its name depends on the CPU. */
bool cairn_os_coarse_cheap(void)
{
	struct timespec step;

	return !clock_getres(CLOCK_MONOTONIC_COARSE, &step) &&
	       (cairn_os_vdso("__vdso_clock_gettime") || cairn_os_vdso("__kernel_clock_gettime"));
}

/* A kernel that found the counter unsteady, or that changes its rate, has taken another one. */
bool cairn_os_counter_kept(void)
{
#ifdef CAIRN_ARCH_CLOCK_SOURCE
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	static const char wanted[] = CAIRN_ARCH_CLOCK_SOURCE "\n";
	char name[32];
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t got = file < 0 ? -1 : read(file, name, sizeof(name));

	if (file >= 0)
		close(file);
	return got == (ssize_t)sizeof(wanted) - 1 && !memcmp(name, wanted, (size_t)got);
#else
	return false;
#endif
}

bool cairn_os_counter_traps(void)
{
	int mode = PR_TSC_ENABLE;

#ifdef CAIRN_ARCH_CLOCK_VDSO
	if (!cairn_os_vdso(CAIRN_ARCH_CLOCK_VDSO))
		return true;
#endif

	/* Known to x86 only; elsewhere the call fails and says nothing. */
	return prctl(PR_GET_TSC, &mode) == 0 && mode != PR_TSC_ENABLE;
}

/* ---- sleeping ---- */

void cairn_os_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
	const struct timespec limit = { .tv_sec = (time_t)(ns / 1000000000u),
					.tv_nsec = (long)(ns % 1000000000u) };

	/* Old MIPS kernels answer ENOSYS to an interrupted wait; every caller looks again anyway. */
	syscall(SYS_futex, word, FUTEX_WAIT, value, ns ? &limit : NULL, NULL, 0);
}

void cairn_os_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- barriers ---- */

static int cairn_os_membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

bool cairn_os_readers_begin(void)
{
	return cairn_os_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

int cairn_os_barrier(void)
{
	if (cairn_fences) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		return 0;
	}
	return cairn_os_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0 ? 0 : -ENOSYS;
}

void cairn_os_barrier_announce(void)
{
	cairn_os_membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

void cairn_os_barrier_global(void)
{
	if (cairn_os_membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

int cairn_os_barrier_code(void)
{
	if (cairn_os_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0)
		return 0;
	if (errno != EPERM ||
	    cairn_os_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE))
		return -ENOSYS;
	return cairn_os_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0 ? 0 : -ENOSYS;
}

/* ---- the recorder outside ---- */

int cairn_os_control_map(const char *path, size_t size, void **memory)
{
	const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat stat;
	int status = 0;

	if (file < 0)
		return -errno;
	if (fstat(file, &stat) || !S_ISREG(stat.st_mode) || (size_t)stat.st_size < size)
		status = -EINVAL;
	*memory = status ? NULL : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (*memory == MAP_FAILED)
		status = -errno;
	close(file);
	return status;
}

int cairn_os_announce(const char *path, int fd, const void *words, size_t size)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct iovec data = { .iov_base = (void *)(uintptr_t)words, .iov_len = size };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
	const struct timeval patience = { .tv_sec = 2 };
	const int end = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	unsigned char answer;
	int status;

	if (end < 0)
		return -errno;
	/* A recorder that is stopped must not stop the program. */
	setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(end, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (fd >= 0) {
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.space);
	}
	/* 0 says that the recorder has mapped the area: from then on nothing can be lost. */
	errno = ECONNRESET;
	if (connect(end, (const struct sockaddr *)&address, sizeof(address)) ||
	    sendmsg(end, &message, MSG_NOSIGNAL) < 0 || recv(end, &answer, 1, 0) != 1)
		status = -errno;
	else
		status = -(int)answer;
	close(end);
	return status;
}

/* ---- program text ---- */

struct cairn_text_list {
	struct cairn_text *text;
	size_t room, count;
};

static int cairn_os_text_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct cairn_text_list *list = data;
	const uintptr_t page = cairn_os_page();
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *head = &info->dlpi_phdr[i];
		const uintptr_t begin = (uintptr_t)(info->dlpi_addr + head->p_vaddr);

		if (head->p_type != PT_LOAD || !(head->p_flags & PF_X))
			continue;
		if (list->count < list->room)
			list->text[list->count] = (struct cairn_text){
				.begin = begin & ~(page - 1),
				.end = (begin + head->p_memsz + page - 1) & ~(page - 1),
				.protection = PROT_EXEC | (head->p_flags & PF_R ? PROT_READ : 0) |
					      (head->p_flags & PF_W ? PROT_WRITE : 0),
			};
		list->count++;
	}
	return 0;
}

size_t cairn_os_text(struct cairn_text *text, size_t room)
{
	struct cairn_text_list list = { .text = text, .room = room };

	dl_iterate_phdr(cairn_os_text_module, &list);
	return list.count;
}

int cairn_os_text_open(const struct cairn_text *text)
{
	/* Never without PROT_EXEC: threads are running there, this one too. */
	return mprotect((void *)text->begin, text->end - text->begin,
			PROT_READ | PROT_WRITE | PROT_EXEC) ?
		       -errno :
		       0;
}

int cairn_os_text_close(const struct cairn_text *text)
{
	return mprotect((void *)text->begin, text->end - text->begin, text->protection) ? -errno :
											  0;
}

/* ---- locks and threads ---- */

static pthread_mutex_t cairn_os_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t cairn_os_key;
static bool cairn_os_key_made;
static bool cairn_os_forks_watched;

void cairn_os_lock(void)
{
	pthread_mutex_lock(&cairn_os_mutex);
}

void cairn_os_unlock(void)
{
	pthread_mutex_unlock(&cairn_os_mutex);
}

static void cairn_os_fork_parent(void)
{
	pthread_mutex_unlock(&cairn_os_mutex);
}

static void cairn_os_fork_child(void)
{
	/* The mutex is this thread's: it took it in the prepare handler. */
	pthread_mutex_unlock(&cairn_os_mutex);
	cairn_slots_child();
	cairn_session_forked();
}

/*
 * Other destructors may still trace, and they are called in rounds: come back until a round went by in
 * which this thread had no event. (Counting rounds would not do: a thread that traces for the first time
 * in a destructor starts to count late and would be gone before the last.)
 */
static void cairn_os_thread_ends(void *value)
{
	struct cairn_thread *thread = value;
	const uintptr_t seen = thread->seen;

	thread->seen = thread->slot.rcu;
	if (seen != thread->seen && ++thread->rounds < PTHREAD_DESTRUCTOR_ITERATIONS &&
	    pthread_setspecific(cairn_os_key, value) == 0)
		return;
	cairn_slot_release(&thread->slot);
}

void cairn_os_threads_begin(void)
{
	if (!cairn_os_key_made)
		cairn_os_key_made = pthread_key_create(&cairn_os_key, cairn_os_thread_ends) == 0;
}

int cairn_os_forks_begin(void)
{
	if (cairn_os_forks_watched)
		return 0;
	if (pthread_atfork(cairn_os_lock, cairn_os_fork_parent, cairn_os_fork_child))
		return -ENOMEM;
	cairn_os_forks_watched = true;
	return 0;
}

void cairn_os_threads_end(void)
{
	if (cairn_os_key_made)
		pthread_key_delete(cairn_os_key);
	cairn_os_key_made = false;
}

void cairn_os_thread_watch(struct cairn_thread *thread)
{
	/* Keys from 32 on make glibc allocate in this thread, perhaps inside malloc: then the thread's
	 * slot is found by the scan for dead threads. */
	if (cairn_os_key_made && cairn_os_key < 32)
		pthread_setspecific(cairn_os_key, thread);
}

int cairn_os_thread_start(void *(*body)(void *), void *data, void **thread)
{
	sigset_t all, before;
	pthread_t id;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&id, NULL, body, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return -error;
	pthread_setname_np(id, "cairn");
	*thread = (void *)(uintptr_t)id;
	return 0;
}

void cairn_os_thread_join(void *thread)
{
	pthread_join((pthread_t)(uintptr_t)thread, NULL);
}

/* ---- files ---- */

int cairn_os_dir_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int status = 0;

	if (!dir)
		return -errno;
	while (!status && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			status = -ENOTEMPTY;
	closedir(dir);
	return status;
}

int cairn_os_dir_create(const char *path)
{
	char part[PATH_MAX];
	size_t i, size = strlen(path);

	if (size == 0)
		return -ENOENT;
	if (size >= sizeof(part))
		return -ENAMETOOLONG;
	for (i = 1; i <= size; i++) {
		if (path[i] != '/' && path[i] != 0)
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0777) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

int cairn_os_dir_new(const char *path)
{
	return mkdir(path, 0777) ? -errno : 0;
}

int cairn_os_path(char *full, size_t size, const char *path)
{
	size_t used = 0;

	if (path[0] != '/') {
		if (!getcwd(full, size))
			return errno == ERANGE ? -ENAMETOOLONG : -errno;
		used = strlen(full);
	}
	return snprintf(full + used, size - used, "%s%s", used ? "/" : "", path) <
			       (int)(size - used) ?
		       0 :
		       -ENAMETOOLONG;
}

int cairn_os_dir_open(const char *path)
{
	const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : dir;
}

int cairn_os_file_create(int dir, const char *name)
{
	const int file = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				0666);

	return file < 0 ? -errno : file;
}

int cairn_os_file_open(int dir, const char *name)
{
	const int file = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	return file < 0 ? -errno : file;
}

int cairn_os_identify(int handle, struct cairn_identity *identity)
{
	struct stat stat;

	if (fstat(handle, &stat))
		return -errno;
	identity->device = stat.st_dev;
	identity->inode = stat.st_ino;
	return 0;
}

bool cairn_os_is(int handle, const struct cairn_identity *identity)
{
	struct cairn_identity now = { 0 };

	return cairn_os_identify(handle, &now) == 0 && now.device == identity->device &&
	       now.inode == identity->inode;
}

int cairn_os_file_write(int file, const void *data, size_t size, uint64_t at)
{
	const char *from = data;

	while (size > 0) {
		const ssize_t done = pwrite(file, from, size, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		if (done == 0)
			return -ENOSPC;
		from += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

/*
 * A reader that has mapped the file must not see it end earlier: no shorter while somebody has it open.
 * The lease says so, and holds off who opens it meanwhile (the signal of that is one that is ignored).
 * A file system without leases shrinks it all the same.
 */
int cairn_os_file_resize(int file, uint64_t size)
{
	struct stat stat;
	int status;

	if (fstat(file, &stat))
		return -errno;
	if (size >= (uint64_t)stat.st_size)
		return ftruncate(file, (off_t)size) ? -errno : 0;
	fcntl(file, F_SETSIG, SIGURG);
	if (fcntl(file, F_SETLEASE, F_WRLCK) && errno == EAGAIN)
		return -EAGAIN;
	status = ftruncate(file, (off_t)size) ? -errno : 0;
	fcntl(file, F_SETLEASE, F_UNLCK);
	return status;
}

uint64_t cairn_os_file_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) ? UINT64_MAX : limit.rlim_cur;
}

int cairn_os_file_rename(int dir, const char *from, const char *to)
{
	return renameat(dir, from, dir, to) ? -errno : 0;
}

int cairn_os_file_remove(int dir, const char *name)
{
	return unlinkat(dir, name, 0) ? -errno : 0;
}

uint64_t cairn_os_file_size(int file)
{
	struct stat stat;

	return fstat(file, &stat) ? 0 : (uint64_t)stat.st_size;
}

long cairn_os_file_read(int file, void *data, size_t size, uint64_t at)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got = pread(file, (char *)data + done, size - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (long)done;
}

void cairn_os_close(int handle)
{
	close(handle);
}

/* ---- environment ---- */

const char *cairn_os_getenv(const char *name)
{
	return secure_getenv(name);
}

void cairn_os_random(void *bytes, size_t size)
{
	uint64_t seed = cairn_os_monotonic() ^ cairn_os_realtime() << 20 ^ (uint64_t)getpid() << 40;
	size_t i;

	if (getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size)
		return;
	for (i = 0; i < size; i++) {
		/* Enough for a name; nothing here is a secret. xorshift64, Marsaglia 2003. */
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		((unsigned char *)bytes)[i] = (unsigned char)seed;
	}
}

void cairn_os_host_name(char *text, size_t size)
{
	struct utsname name;

	snprintf(text, size, "%s", uname(&name) ? "" : name.nodename);
}

static void cairn_proc_line(const char *path, char *text, size_t size)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, text, size - 1);

	if (file >= 0)
		close(file);
	text[got > 0 ? got : 0] = 0;
	text[strcspn(text, "\n")] = 0;
}

/* ---- who a process is ---- */

/* When it began, from a /proc/PID/stat, where the name may have any character; *state is its letter. */
static uint64_t cairn_proc_began(const char *stat, char *state)
{
	const char *at = strrchr(stat, ')');
	uint64_t ticks = 0;
	unsigned field;

	*state = at && at[1] == ' ' ? at[2] : 0;
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
		ticks = 10 * ticks + (uint64_t)(*at - '0');
	return ticks;
}

static uint64_t cairn_proc_space(void)
{
	struct stat space;

	return stat("/proc/self/ns/pid", &space) ? 0 : (uint64_t)space.st_ino;
}

void cairn_os_owner(struct cairn_owner *owner)
{
	char text[512], state;

	memset(owner, 0, sizeof(*owner));
	owner->pid = (uint32_t)getpid();
	owner->user = (uint32_t)geteuid();
	owner->space = cairn_proc_space();
	cairn_os_boot_id(owner->boot);
	cairn_proc_line("/proc/self/stat", text, sizeof(text));
	owner->began = cairn_proc_began(text, &state);
}

int cairn_os_owner_alive(const struct cairn_owner *owner)
{
	char path[40], text[512], boot[40], state;
	uint64_t began;

	cairn_os_boot_id(boot);
	if (*boot && *owner->boot && strncmp(boot, owner->boot, sizeof(boot)))
		return 0;
	if (owner->space && owner->space != cairn_proc_space())
		return -EXDEV;
	if (owner->pid == 0 || (kill((pid_t)owner->pid, 0) && errno == ESRCH))
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/stat", owner->pid);
	cairn_proc_line(path, text, sizeof(text));
	began = cairn_proc_began(text, &state);
	if (state == 'Z' || state == 'X')
		return 0;
	/* An emulator makes up when its process began, a little later than it did: within a second. */
	return !began || !owner->began ||
	       (began > owner->began ? began - owner->began : owner->began - began) <=
		       (uint64_t)sysconf(_SC_CLK_TCK);
}

void cairn_os_boot_id(char text[37])
{
	cairn_proc_line("/proc/sys/kernel/random/boot_id", text, 37);
}

void cairn_os_program_name(char *text, size_t size)
{
	cairn_proc_line("/proc/self/comm", text, size);
	if (!*text)
		snprintf(text, size, "%s", program_invocation_short_name);
}

void cairn_os_say(const char *line)
{
	char text[512];
	const int size = snprintf(text, sizeof(text), "cairn: %s\n", line);

	if (size > 0 &&
	    write(2, text, (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1) < 0)
		return;
}
