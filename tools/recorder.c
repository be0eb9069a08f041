/* SPDX-License-Identifier: MIT */
/*
 * The recorder behind `cairn record`: a session folder with the control area and a socket; for every
 * process that announces itself its area, a pidfd that tells its death, and a drain. A normal exit, an
 * abort and a kill are the same case: the process is gone, the rest of its rings is drained.
 *
 * One thread works; a second one turns the futex that writers ring into an eventfd, so that one poll
 * waits for everything. Whether a writer needs to ring is in the bell's `sleeping`, which the working
 * thread sets before it looks a last time at the rings.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "drain.h"
#include "os.h"
#include "rings.h"

#define CAIRN_FLUSH_NS 1000000000ull

struct cairn_process {
	struct cairn_process *next;
	struct cairn_drain *drain;
	struct cairn_shared *shared;
	uint32_t pid;
	int pidfd;
	int area;           /* descriptor of what `shared` maps the head of */
	const char *folder; /* where its file should be */
	bool dead;
};

struct cairn_recorder {
	char *output;
	char folder[64], control_path[80], socket_path[80];
	char variable[128];
	const char *environment[2];
	struct cairn_control *control;
	int epoll, listener, event;
	int spare; /* given up to take, and to refuse, who comes when descriptors have run out */
	pthread_t ringer;
	bool ringer_runs;
	uint32_t quit;
	struct cairn_anchor start[2]; /* by enum cairn_clock_kind: counter, monotonic */
	uint64_t due;
	struct cairn_process *process;
	struct cairn_recorder_stats closed; /* of processes that are gone */
	char **trace; /* directories that were made, for the last word on the clock */
	size_t traces;
	char *text; /* where all drains make up their metadata */
	int error;
};

/* ---- set-up ---- */

static void *cairn_recorder_ring(void *data)
{
	struct cairn_recorder *recorder = data;
	struct cairn_bell *bell = &recorder->control->bell;
	const uint64_t one = 1;
	uint32_t told = 0, rings;

	/* What rings between two turns is told in the next one: compare with what was told last. */
	while (!__atomic_load_n(&recorder->quit, __ATOMIC_ACQUIRE)) {
		cairn_os_wait(&bell->rings, told, CAIRN_FLUSH_NS);
		rings = __atomic_load_n(&bell->rings, __ATOMIC_ACQUIRE);
		if (rings != told)
			(void)!write(recorder->event, &one, sizeof(one)); /* full: it is readable */
		told = rings;
	}
	return NULL;
}

/* A folder of our own with room for the control area. */
static int cairn_recorder_folder_in(struct cairn_recorder *recorder, const char *where)
{
	int file, status;

	if (!where || strlen(where) > 40)
		return -ENAMETOOLONG;
	snprintf(recorder->folder, sizeof(recorder->folder), "%s/cairn-XXXXXX", where);
	if (!mkdtemp(recorder->folder)) {
		status = -errno;
		recorder->folder[0] = 0;
		return status;
	}
	snprintf(recorder->control_path, sizeof(recorder->control_path), "%s/control",
		 recorder->folder);
	file = open(recorder->control_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	status = file < 0 ? -errno : -posix_fallocate(file, 0, CAIRN_CONTROL_SIZE);
	if (file >= 0)
		close(file);
	if (!status)
		return 0;
	unlink(recorder->control_path);
	rmdir(recorder->folder);
	recorder->folder[0] = 0;
	return status;
}

/* Memory files first: the area is written at every ring of the bell. */
static int cairn_recorder_folder(struct cairn_recorder *recorder)
{
	int status = cairn_recorder_folder_in(recorder, "/dev/shm");

	if (status)
		status = cairn_recorder_folder_in(recorder, getenv("XDG_RUNTIME_DIR"));
	if (status)
		status = cairn_recorder_folder_in(recorder, "/tmp");
	if (status)
		return status;
	snprintf(recorder->socket_path, sizeof(recorder->socket_path), "%s/socket",
		 recorder->folder);
	snprintf(recorder->variable, sizeof(recorder->variable), "CAIRN_SESSION=%s",
		 recorder->control_path);
	recorder->environment[0] = recorder->variable;
	return 0;
}

static int cairn_recorder_control(struct cairn_recorder *recorder,
				  const struct cairn_recorder_config *config)
{
	struct cairn_control *control;
	void *memory;
	size_t i, at = 0;
	int status = cairn_os_control_map(recorder->control_path, CAIRN_CONTROL_SIZE, &memory);
	if (status)
		return status;
	recorder->control = control = memory;
	cairn_os_owner(&control->recorder);
	/* Else what we leave if we die is recovered only into a folder that is named then. */
	if (cairn_os_path(control->output, sizeof(control->output), config->output))
		control->output[0] = 0;
	control->version = CAIRN_SHARED_VERSION;
	control->mode = config->mode;
	control->packet_size = (uint32_t)config->packet_size;
	control->packets = config->packets;
	control->clock = cairn_clock_shared(control->clock_choice);
	control->block_ns = 1000000000;
	strcpy(control->socket, recorder->socket_path);
	for (i = 0; i < config->patterns; i++) {
		const size_t size = strlen(config->pattern[i]);

		if (at + size + 2 > sizeof(control->patterns))
			return -E2BIG;
		if (i)
			control->patterns[at++] = ',';
		memcpy(control->patterns + at, config->pattern[i], size + 1);
		at += size;
	}
	__atomic_store_n(&control->magic, CAIRN_CONTROL_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

static int cairn_recorder_watch(struct cairn_recorder *recorder, int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	return epoll_ctl(recorder->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int cairn_recorder_listen(struct cairn_recorder *recorder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	sigset_t all, before;
	int status;

	recorder->epoll = epoll_create1(EPOLL_CLOEXEC);
	recorder->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	recorder->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	recorder->spare = dup(recorder->event);
	if (recorder->epoll < 0 || recorder->event < 0 || recorder->listener < 0 ||
	    recorder->spare < 0)
		return -errno;
	strcpy(address.sun_path, recorder->socket_path);
	if (bind(recorder->listener, (const struct sockaddr *)&address, sizeof(address)) ||
	    listen(recorder->listener, 128))
		return -errno;
	status = cairn_recorder_watch(recorder, recorder->listener, &recorder->listener);
	if (!status)
		status = cairn_recorder_watch(recorder, recorder->event, &recorder->event);
	if (status)
		return status;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = -pthread_create(&recorder->ringer, NULL, cairn_recorder_ring, recorder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	recorder->ringer_runs = status == 0;
	return status;
}

int cairn_recorder_open(struct cairn_recorder **result, const struct cairn_recorder_config *config)
{
	struct cairn_recorder *recorder = calloc(1, sizeof(*recorder));
	int status;

	*result = NULL;
	if (!recorder)
		return -ENOMEM;
	cairn_rings_guard();
	recorder->epoll = recorder->event = recorder->listener = recorder->spare = -1;
	recorder->output = strdup(config->output);
	recorder->text = cairn_os_pages(CAIRN_METADATA_SIZE, false, NULL);
	status = recorder->output && recorder->text ? cairn_recorder_folder(recorder) : -ENOMEM;
	if (!status)
		status = cairn_recorder_control(recorder, config);
	if (!status)
		status = cairn_recorder_listen(recorder);
	if (status) {
		cairn_recorder_close(recorder);
		return status;
	}
	cairn_clock_anchor(CAIRN_CLOCK_MONOTONIC, &recorder->start[CAIRN_CLOCK_MONOTONIC]);
	if (recorder->control->clock == CAIRN_CLOCK_COUNTER)
		cairn_clock_anchor(CAIRN_CLOCK_COUNTER, &recorder->start[CAIRN_CLOCK_COUNTER]);
	recorder->due = cairn_os_monotonic() + CAIRN_FLUSH_NS;
	*result = recorder;
	return 0;
}

const char *const *cairn_recorder_environment(const struct cairn_recorder *recorder)
{
	return recorder->environment;
}

int cairn_recorder_fd(const struct cairn_recorder *recorder)
{
	return recorder->epoll;
}

/* ---- announcements ---- */

/* The descriptor that came with the message, or -errno for which it is none. */
static int cairn_recorder_receive(int connection, struct cairn_announce *words)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec data = { .iov_base = words, .iov_len = sizeof(*words) };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	const struct timeval patience = { .tv_sec = 1 };
	const struct cmsghdr *head;
	ssize_t got;
	int fd = -EPROTO;

	setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
	head = got < 0 ? NULL : CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	if (fd >= 0 && (got != sizeof(*words) || words->magic != CAIRN_CONTROL_MAGIC ||
			words->version != CAIRN_SHARED_VERSION)) {
		close(fd);
		return -EPROTO;
	}
	if (fd < 0 && got == sizeof(*words) && words->error)
		return -(int)words->error;
	if (fd < 0 && got >= 0 && message.msg_flags & MSG_CTRUNC)
		return -EMFILE;
	return fd;
}

/* Map the head of the area, if it is as large as it says. */
static int cairn_recorder_map(struct cairn_process *process, size_t size)
{
	struct stat stat;
	void *memory;

	if (fstat(process->area, &stat) || !S_ISREG(stat.st_mode) ||
	    (uint64_t)stat.st_size < size || size < cairn_shared_head())
		return -EINVAL;
	memory = mmap(NULL, cairn_shared_head(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		      process->area, 0);
	if (memory == MAP_FAILED)
		return -errno;
	process->shared = memory;
	return 0;
}

/* A ring, for the drain: the packets are read only. */
static void *cairn_recorder_map_ring(void *data, uint64_t at, size_t size)
{
	const struct cairn_process *process = data;
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, process->area,
			    (off_t)at);

	return memory == MAP_FAILED ? NULL : memory;
}

/* For the folder of one more trace and the files of three threads, besides what is open for it already. */
static bool cairn_recorder_has_room(const struct cairn_recorder *recorder)
{
	int fd[4], n = 0;
	bool room;

	while (n < 4 && (fd[n] = dup(recorder->event)) >= 0)
		n++;
	room = n == 4;
	while (n > 0)
		close(fd[--n]);
	return room;
}

/* Its area has no use any more: away with the name, which is in a folder of ours. */
static void cairn_recorder_unname(const struct cairn_process *process)
{
	char link[40], path[CAIRN_OS_RING_PATH];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", process->area);
	size = readlink(link, path, sizeof(path) - 1);
	path[size > 0 ? size : 0] = 0;
	if (!strncmp(path, process->folder, strlen(process->folder)))
		cairn_os_shared_remove(path);
}

static void cairn_recorder_free(struct cairn_process *process)
{
	cairn_drain_free(process->drain);
	if (process->shared) {
		cairn_recorder_unname(process);
		munmap(process->shared, cairn_shared_head());
	}
	if (process->pidfd >= 0)
		close(process->pidfd);
	close(process->area);
	free(process);
}

/* Takes `fd` over, also when it fails. */
static int cairn_recorder_adopt(struct cairn_recorder *recorder, int fd, uint32_t pid,
				const struct cairn_announce *words)
{
	struct cairn_process *process = calloc(1, sizeof(*process));
	char name[64];
	struct cairn_drain_config config = { .size = (size_t)words->size,
					     .ring = cairn_recorder_map_ring,
					     .data = process,
					     .text = recorder->text,
					     .output = recorder->output,
					     .program = name,
					     .pid = pid,
					     .copy = true,
					     .global = true };
	int status;

	if (!process) {
		close(fd);
		return -ENOMEM;
	}
	process->area = fd;
	process->folder = recorder->folder;
	process->pid = pid;
	process->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	status = cairn_recorder_has_room(recorder) ? cairn_recorder_map(process, config.size) :
						     -EMFILE;
	config.clock = words->clock == CAIRN_CLOCK_COUNTER ? CAIRN_CLOCK_COUNTER :
							     CAIRN_CLOCK_MONOTONIC;
	if (config.clock != recorder->control->clock)
		config.clock = CAIRN_CLOCK_MONOTONIC;
	config.start = recorder->start[config.clock];
	config.shared = process->shared;
	if (!status) {
		cairn_rings_program(name, sizeof(name), process->shared->program,
				    sizeof(process->shared->program));
		status = cairn_drain_open(&process->drain, &config);
	}
	/* Gone already, or a kernel without pidfd: looked at in every step. */
	if (!status && process->pidfd >= 0)
		status = cairn_recorder_watch(recorder, process->pidfd, process);
	if (!status) {
		process->next = recorder->process;
		recorder->process = process;
		return 0;
	}
	cairn_recorder_free(process);
	return status;
}

/* One announcement: take the process, or refuse it for the reason `status`. */
static void cairn_recorder_meet(struct cairn_recorder *recorder, int connection, int status)
{
	struct cairn_announce words;
	struct ucred who;
	socklen_t size = sizeof(who);
	unsigned char answer;
	int fd;

	if (!status) {
		status = fd = cairn_recorder_receive(connection, &words);
		if (fd >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size)) {
			status = -errno;
			close(fd);
		} else if (fd >= 0) {
			status = cairn_recorder_adopt(recorder, fd, (uint32_t)who.pid, &words);
		}
	}
	recorder->closed.announced++;
	if (status) {
		recorder->closed.refused++;
		if (!recorder->closed.refusal)
			recorder->closed.refusal = status;
	}
	answer = (unsigned char)-status;
	/* It may be gone already: what it did is in its area all the same. */
	send(connection, &answer, 1, MSG_NOSIGNAL);
	close(connection);
}

/* False: there is nothing left for now. */
static bool cairn_recorder_accept(struct cairn_recorder *recorder)
{
	int connection = accept4(recorder->listener, NULL, NULL, SOCK_CLOEXEC), status = 0;

	if (connection < 0 && (errno == EMFILE || errno == ENFILE)) {
		status = -errno;
		close(recorder->spare);
		connection = accept4(recorder->listener, NULL, NULL, SOCK_CLOEXEC);
	}
	if (connection >= 0)
		cairn_recorder_meet(recorder, connection, status);
	if (status)
		recorder->spare = dup(recorder->event);
	return connection >= 0;
}

/* ---- work ---- */

static void cairn_recorder_remember(struct cairn_recorder *recorder, const char *path)
{
	char **trace;

	if (!*path)
		return;
	trace = realloc(recorder->trace, (recorder->traces + 1) * sizeof(*trace));
	if (!trace)
		return;
	recorder->trace = trace;
	trace[recorder->traces] = strdup(path);
	if (trace[recorder->traces])
		recorder->traces++;
}

static void cairn_recorder_add(struct cairn_recorder_stats *sum,
			       const struct cairn_process *process)
{
	struct cairn_stats stats;

	cairn_drain_stats(process->drain, &stats);
	sum->recorded += stats.recorded;
	sum->lost += stats.lost;
	sum->bytes += stats.bytes;
	sum->traced += *cairn_drain_path(process->drain) != 0;
}

/* The process is gone or is let go: close its trace. */
static void cairn_recorder_bury(struct cairn_recorder *recorder, struct cairn_process *process)
{
	const int status = cairn_drain_close(process->drain);

	if (status && !recorder->error)
		recorder->error = status;
	cairn_recorder_add(&recorder->closed, process);
	cairn_recorder_remember(recorder, cairn_drain_path(process->drain));
	cairn_recorder_free(process);
}

static bool cairn_recorder_gone(const struct cairn_process *process)
{
	return process->dead ||
	       (process->pidfd < 0 && kill((pid_t)process->pid, 0) && errno == ESRCH);
}

/* The end of a process is told once. */
static void cairn_recorder_dead(struct cairn_recorder *recorder, struct cairn_process *process)
{
	process->dead = true;
	epoll_ctl(recorder->epoll, EPOLL_CTL_DEL, process->pidfd, NULL);
}

static void cairn_recorder_bury_gone(struct cairn_recorder *recorder)
{
	struct cairn_process **link = &recorder->process, *process;

	while ((process = *link)) {
		if (cairn_recorder_gone(process)) {
			*link = process->next;
			cairn_recorder_bury(recorder, process);
		} else {
			link = &process->next;
		}
	}
}

/*
 * All that happened until now: who is adopted here may be dead already, which the next turn tells. The
 * dead make room, at once, for those who come: memory and descriptors are for the living.
 */
static void cairn_recorder_events(struct cairn_recorder *recorder)
{
	struct epoll_event event[32];
	uint64_t rings;
	bool more = true;
	int i, n;

	do {
		n = epoll_wait(recorder->epoll, event, 32, 0);
		for (i = 0; i < n; i++) {
			if (event[i].data.ptr == &recorder->listener)
				more = cairn_recorder_accept(recorder);
			else if (event[i].data.ptr == &recorder->event)
				(void)!read(recorder->event, &rings, sizeof(rings));
			else
				cairn_recorder_dead(recorder, event[i].data.ptr);
		}
		cairn_recorder_bury_gone(recorder);
	} while (more && n > 0);
}

static void cairn_recorder_drain(struct cairn_recorder *recorder, enum cairn_drain_what what)
{
	struct cairn_process *process;
	int status;

	for (process = recorder->process; process; process = process->next) {
		status = cairn_drain_step(process->drain, what);
		if (status && !recorder->error)
			recorder->error = status;
	}
}

int cairn_recorder_step(struct cairn_recorder *recorder)
{
	struct cairn_bell *bell = &recorder->control->bell;
	struct cairn_process *process;
	uint64_t now = cairn_os_monotonic(), due;
	const bool all = now >= recorder->due;

	__atomic_store_n(&bell->sleeping, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&bell->beat, 1, __ATOMIC_RELAXED);
	cairn_recorder_events(recorder);
	cairn_recorder_drain(recorder, all ? CAIRN_DRAIN_OPEN : CAIRN_DRAIN_WHOLE);
	if (all)
		recorder->due = cairn_os_monotonic() + CAIRN_FLUSH_NS;
	/* [C] with cairn_bell_ring: say that we sleep, full barrier, look again. */
	__atomic_store_n(&bell->sleeping, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	due = recorder->due;
	for (process = recorder->process; process; process = process->next) {
		if (cairn_drain_pressed(process->drain))
			return 1;
		due = cairn_drain_due(process->drain, due);
	}
	now = cairn_os_monotonic();
	return due > now ? (int)((due - now) / 1000000) + 1 : 1;
}

/* ---- the end ---- */

/* Replace the number behind `key` in the metadata's clock block. */
static char *cairn_recorder_set(char *text, const char *key, uint64_t value)
{
	char *clock = strstr(text, "\nclock {"), *at = clock ? strstr(clock, key) : NULL,
	     *fresh = NULL;
	const char *rest = at ? strchr(at, ';') : NULL;

	if (rest && asprintf(&fresh, "%.*s%s%llu%s", (int)(at - text), text, key,
			     (unsigned long long)value, rest) < 0)
		fresh = NULL;
	free(text);
	return fresh;
}

/*
 * All traces of the session say the same of the same clock, fitted over the whole session: events of
 * different processes come out in the order of the counter that they share.
 */
static void cairn_recorder_clock(struct cairn_recorder *recorder, const char *path,
				 const struct cairn_clock_record *record)
{
	const int dir = cairn_os_dir_open(path);
	const int file = dir < 0 ? -1 : openat(dir, "metadata", O_RDONLY | O_CLOEXEC);
	struct stat stat;
	char name[48], *text = NULL;
	int status = -EIO;

	if (file >= 0 && !fstat(file, &stat))
		text = calloc(1, (size_t)stat.st_size + 1);
	if (text && read(file, text, (size_t)stat.st_size) != stat.st_size) {
		free(text);
		text = NULL;
	}
	if (file >= 0)
		close(file);
	snprintf(name, sizeof(name), "\nclock {\n\tname = \"%s\";", record->name);
	if (text && !strstr(text, name)) {
		status = 0; /* this process had another clock */
	} else if (text) {
		text = cairn_recorder_set(text, "\tfreq = ", record->frequency);
		text = text ? cairn_recorder_set(text, "\toffset = ", record->offset) : NULL;
		if (text)
			status = cairn_ctf_metadata_write(dir, text, strlen(text));
	}
	free(text);
	if (dir >= 0)
		close(dir);
	if (status && !recorder->error)
		recorder->error = status;
}

void cairn_recorder_finish(struct cairn_recorder *recorder)
{
	const enum cairn_clock_kind kind = (enum cairn_clock_kind)recorder->control->clock;
	struct cairn_clock_record record;
	struct cairn_process *process;
	struct cairn_anchor now;
	size_t i;

	__atomic_store_n(&recorder->control->bell.gone, 1, __ATOMIC_RELEASE);
	cairn_recorder_events(recorder);
	while ((process = recorder->process)) {
		recorder->process = process->next;
		recorder->closed.living += !cairn_recorder_gone(process);
		cairn_recorder_bury(recorder, process);
	}
	cairn_clock_anchor(kind, &now);
	cairn_clock_record(&record, kind, 0, &recorder->start[kind], &now);
	for (i = 0; i < recorder->traces; i++)
		cairn_recorder_clock(recorder, recorder->trace[i], &record);
}

void cairn_recorder_stats(const struct cairn_recorder *recorder, struct cairn_recorder_stats *stats)
{
	const struct cairn_process *process;

	*stats = recorder->closed;
	stats->error = recorder->error;
	for (process = recorder->process; process; process = process->next) {
		cairn_recorder_add(stats, process);
		stats->living++;
	}
}

/* The control area, the socket, and the rings of those who still run. */
static void cairn_recorder_remove(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

void cairn_recorder_close(struct cairn_recorder *recorder)
{
	if (!recorder)
		return;
	if (recorder->ringer_runs) {
		__atomic_store_n(&recorder->quit, 1, __ATOMIC_RELEASE);
		cairn_bell_wake(&recorder->control->bell);
		pthread_join(recorder->ringer, NULL);
	}
	if (recorder->control)
		munmap(recorder->control, CAIRN_CONTROL_SIZE);
	if (recorder->epoll >= 0)
		close(recorder->epoll);
	if (recorder->event >= 0)
		close(recorder->event);
	if (recorder->listener >= 0)
		close(recorder->listener);
	if (recorder->spare >= 0)
		close(recorder->spare);
	if (recorder->text)
		cairn_os_unmap(recorder->text, CAIRN_METADATA_SIZE);
	if (recorder->folder[0])
		cairn_recorder_remove(recorder->folder);
	while (recorder->traces)
		free(recorder->trace[--recorder->traces]);
	free(recorder->trace);
	free(recorder->output);
	free(recorder);
}
