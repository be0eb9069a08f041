/* SPDX-License-Identifier: MIT */
/*
 * Libraries with events that come and go: constructors that trace, load others and wait for threads;
 * several copies of Cairn in one process; dlclose while tracing. In a static build each library has a
 * copy of Cairn of its own, which takes its orders from the environment; in a shared one all are in the
 * session of the program. Either way every record must be somewhere.
 */
#define _GNU_SOURCE
#include "life.h"

#include <dlfcn.h>
#include <link.h>

CAIRN_EVENT(mod, hit, CAIRN_U32(n));
CAIRN_EVENT(mod, conflict, CAIRN_STR(text));
CAIRN_EVENT(own, ev, CAIRN_U32(n));

#ifdef CAIRN_SHARED
#define ONE_WORLD true
#else
#define ONE_WORLD false
#endif

/* LeakSanitizer: an unloaded copy leaves the names and descriptions of its events, some 700 bytes. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

typedef void (*hit_t)(unsigned);

static struct life life;
static char path[600];

static const char *module(const char *name)
{
	const char *build = getenv("CAIRN_BUILD_DIR");

	ck_assert_msg(build != NULL, "CAIRN_BUILD_DIR must name the build folder");
	snprintf(path, sizeof(path), "%s/tests/%s.so", build, name);
	return path;
}

static void *load(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	ck_assert_msg(handle != NULL, "dlopen: %s", dlerror());
	return handle;
}

static hit_t find(void *handle, const char *name)
{
	void *at = dlsym(handle, name);
	hit_t hit;

	ck_assert_msg(at != NULL, "dlsym: %s", dlerror());
	memcpy(&hit, &at, sizeof(hit));
	return hit;
}

static void unload(void *handle)
{
	ck_assert_msg(dlclose(handle) == 0, "dlclose: %s", dlerror());
}

/* What libraries of all kinds record goes below life.dir; a small ring, since there are many. */
static void begin(void)
{
	static char part[300];

	life = life_start(NULL, CAIRN_DISCARD, 4096, 16);
	ck_assert_int_ge(cairn_enable(life.session, "own:*,mod:*"), 1);
	snprintf(part, sizeof(part), "%s/libraries", life.dir);
	setenv("CAIRN_TRACE", "mod:*", 1);
	setenv("CAIRN_OUTPUT", part, 1);
	setenv("CAIRN_PACKET_SIZE", "4096", 1);
	unsetenv("CAIRN_MODE");
}

static struct life_trace end(void)
{
	const struct cairn_stats stats = life_stop(&life);

	ck_assert_uint_eq(stats.lost, 0);
	return life_load(life.dir);
}

static void finish(struct life_trace *trace)
{
	life_free(trace);
	life_remove(life.dir);
}

/* ---- constructors ---- */

static void nested(const char *inner, const char *event)
{
	struct life_trace trace;
	char file[600];
	void *outer;

	snprintf(file, sizeof(file), "%s", module(inner));
	setenv("LIFE_INNER", file, 1);
	begin();
	outer = load(module("module_life_outer"));
	unload(outer);
	trace = end();
	life_expect(&trace, 0, "mod:outer", 0, 4);
	if (event)
		life_expect(&trace, 0, event, 0, 2);
	life_total(&trace, event ? 6 : 4);
	finish(&trace);
}

/* A library's constructor loads another one: both are registered, once. In C and in C++. */
START_TEST(lesson_13)
{
	nested("module_life_inner", "mod:inner");
}
END_TEST

START_TEST(lesson_13_c)
{
	nested("module_life", NULL);
}
END_TEST

/* A constructor that waits for a thread which traces; the first event of a thread inside dlopen. */
static void *load_in_thread(void *data)
{
	unsetenv("LIFE_INNER");
	unload(load(module("module_life_outer")));
	return data;
}

START_TEST(lesson_21)
{
	struct life_trace trace;
	pthread_t thread;

	begin();
	ck_assert_int_eq(pthread_create(&thread, NULL, load_in_thread, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	trace = end();
	life_expect(&trace, 0, "mod:outer", 0, 4);
	life_total(&trace, 4);
	finish(&trace);
}
END_TEST

/* ---- several copies ---- */

/* The program and a library have the same event, each with Cairn in it. */
START_TEST(lesson_14)
{
	struct life_trace trace;
	void *handle;

	begin();
	cairn_trace(mod, hit, 1);
	handle = load(module("module_life"));
	find(handle, "module_hit")(2);
	cairn_trace(mod, hit, 3);
	unload(handle);
	cairn_trace(mod, hit, 4);
	trace = end();
	life_expect(&trace, (uint32_t)getpid(), "mod:hit", 1, 4);
	life_total(&trace, 4);
	finish(&trace);
}
END_TEST

/* No symbol of a library's copy is to be seen from outside: copies would be half merged. */
START_TEST(pitfall_T8)
{
	void *handle = load(module("module_life"));
	struct link_map *map = NULL;
	Dl_info info;
	void *at = dlsym(handle, "cairn_session_start");

	ck_assert_int_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	if (at && dladdr(at, &info))
		ck_assert_msg(strcmp(info.dli_fname, map->l_name) != 0,
			      "the library shows cairn_session_start");
	if (!ONE_WORLD)
		ck_assert_msg(!at, "cairn_session_start can be found through the library");
	unload(handle);
}
END_TEST

static void copy(const char *from, const char *to)
{
	const int source = open(from, O_RDONLY | O_CLOEXEC);
	const int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	size_t size;
	char *data;

	ck_assert_msg(source >= 0 && target >= 0, "cannot copy %s to %s", from, to);
	data = reader_file(source, &size);
	ck_assert_int_eq(write(target, data, size), size);
	free(data);
	close(source);
	close(target);
}

/*
 * 40 libraries, each with its own copy: what they need of static TLS must suffice. The address space of
 * a 32-bit program does not suffice for 40 consumers: there 8 of them trace.
 */
START_TEST(lesson_22)
{
	struct life_trace trace;
	void *handle[40];
	const unsigned traced = ONE_WORLD || sizeof(void *) > 4 ? 40 : 8;
	char file[600];
	unsigned i;

	begin();
	for (i = 0; i < 40; i++) {
		if (i == traced)
			unsetenv("CAIRN_TRACE");
		snprintf(file, sizeof(file), "%s/copy%u.so", life.dir, i);
		copy(module("module_life"), file);
		handle[i] = load(file);
		find(handle[i], "module_hit")(i);
		unlink(file);
	}
	for (i = 0; i < 40; i++) {
		find(handle[i], "module_hit")(40 + i);
		unload(handle[i]);
	}
	trace = end();
	life_expect(&trace, 0, "mod:hit", 0, traced);
	life_expect(&trace, 0, "mod:hit", 40, traced);
	life_total(&trace, 2 * traced);
	finish(&trace);
}
END_TEST

/* ---- dlclose ---- */

static int over;

static void *load_and_trace(void *data)
{
	unsigned *rounds = data, i;

	for (i = 0; i < *rounds; i++) {
		void *handle = load(module("module_life"));

		find(handle, "module_hit")(i);
		unload(handle);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	return NULL;
}

static long status_of(const char *key)
{
	const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char text[4096];
	const ssize_t size = read(fd, text, sizeof(text) - 1);
	const char *at;

	close(fd);
	text[size > 0 ? size : 0] = 0;
	at = strstr(text, key);
	ck_assert_msg(at != NULL, "no %s in /proc/self/status", key);
	return atol(at + strlen(key));
}

/* One thread loads, traces, unloads; another enables and disables all. */
START_TEST(lesson_15)
{
	unsigned rounds = 100, r;
	long before = 0, after = 0;
	pthread_t thread;

	begin();
	unsetenv("CAIRN_TRACE");
	for (r = 0; r < (slow_run() ? 2 : 4); r++) {
		__atomic_store_n(&over, 0, __ATOMIC_RELAXED);
		ck_assert_int_eq(pthread_create(&thread, NULL, load_and_trace, &rounds), 0);
		while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
			const int status = cairn_enable(life.session, "own:*,mod:h*");
			char why[256];

			cairn_error(why, sizeof(why));
			ck_assert_msg(status >= 1, "enable while a library is loaded: %d: %s",
				      status, why);
			cairn_trace(own, ev, r);
			ck_assert_int_ge(cairn_disable(life.session, "*"), 1);
		}
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		before = after;
		after = status_of("VmSize:");
		rounds = 400;
	}
	if (!slow_run())
		ck_assert_msg(after <= before + 2048, "VmSize %ld kB, after 400 more rounds %ld kB",
			      before, after);
	life_stop(&life);
	life_remove(life.dir);
}
END_TEST

/*
 * The library's own copy traces each time: rings, buffers and pages are given back. What stays is the
 * address space of its arena (core/slot.h: never unmapped, since a thread may hold a pointer), 1.3 MB.
 */
START_TEST(traced_library_leaves_nothing)
{
	/* QEMU takes the next free place, not the same again: 31 bits are used up after some 35 rounds. */
	const unsigned first = emulated() ? 10 : 20, more = emulated() ? 10 : 60;
	unsigned rounds = first;
	struct life_trace trace;
	long before, resident, after;

	begin();
	load_and_trace(&rounds);
	before = status_of("VmSize:");
	resident = status_of("VmRSS:");
	rounds = more;
	load_and_trace(&rounds);
	after = status_of("VmSize:");
	if (!slow_run())
		ck_assert_msg(after <= before + 60 * 1500, "VmSize %ld kB, after 60 rounds %ld kB",
			      before, after);
	after = status_of("VmRSS:");
	if (!slow_run())
		ck_assert_msg(after <= resident + 60 * 16, "VmRSS %ld kB, after 60 rounds %ld kB",
			      resident, after);
	trace = end();
	life_total(&trace, first + more);
	finish(&trace);
}
END_TEST

/* A thread that traced in the library ends after dlclose; then the process forks. */
static pthread_barrier_t step;
static hit_t thread_hit;

static void *trace_and_stay(void *data)
{
	thread_hit(1);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	return data;
}

START_TEST(pitfall_T9)
{
	struct life_trace trace;
	pthread_t thread;
	void *handle;
	pid_t child;

	begin();
	pthread_barrier_init(&step, NULL, 2);
	handle = load(module("module_life"));
	thread_hit = find(handle, "module_hit");
	ck_assert_int_eq(pthread_create(&thread, NULL, trace_and_stay, NULL), 0);
	pthread_barrier_wait(&step);
	thread_hit(0);
	unload(handle);
	pthread_barrier_wait(&step);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	child = fork();
	if (child == 0)
		_exit(0);
	life_wait(child, "fork after dlclose");
	trace = end();
	life_expect(&trace, 0, "mod:hit", 0, 2);
	life_total(&trace, 2);
	finish(&trace);
}
END_TEST

/* The description of an event outlives the library that it stood in: the metadata is written later. */
START_TEST(pitfall_T10)
{
	struct life_trace trace;
	void *handle;

	begin();
	handle = load(module("module_life_inner"));
	find(handle, "module_inner")(7);
	unload(handle);
	cairn_trace(own, ev, 1);
	trace = end();
	life_expect(&trace, 0, "mod:inner", 0, 2);
	life_expect(&trace, 0, "mod:inner", 7, 1);
	life_expect(&trace, 0, "own:ev", 1, 1);
	life_total(&trace, 4);
	finish(&trace);
}
END_TEST

/* 40 keys are taken when the library comes: setting one of its own would allocate. Slots of its threads
 * are then found by looking for the dead. */
static void *trace_once(void *data)
{
	const unsigned *n = data;

	thread_hit(*n);
	return NULL;
}

START_TEST(pitfall_T22)
{
	struct life_trace trace;
	pthread_key_t key;
	pthread_t thread;
	void *handle;
	unsigned i;

	for (i = 0; i < 40; i++)
		ck_assert_int_eq(pthread_key_create(&key, NULL), 0);
	begin();
	handle = load(module("module_life"));
	thread_hit = find(handle, "module_hit");
	for (i = 0; i < 300; i++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, trace_once, &i), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
	}
	unload(handle);
	trace = end();
	life_expect(&trace, 0, "mod:hit", 0, 300);
	life_total(&trace, 300);
	finish(&trace);
}
END_TEST

/* ---- enabling while libraries come ---- */

/* A library that comes between the look at the program's text and the lock: cairn_enable looks again. */
static int armed;
static void *late;

static __attribute__((unused)) int real_iterate(int (*each)(struct dl_phdr_info *, size_t, void *),
						void *data)
{
	void *at = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	int (*next)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

	memcpy(&next, &at, sizeof(next));
	return next(each, data);
}

/* ThreadSanitizer calls it before it can bear a call of a function. */
#if !CAIRN__TSAN
int dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *data)
{
	const int status = real_iterate(each, data);

	if (armed && --armed == 0)
		late = dlopen(module("module_life"), RTLD_NOW);
	return status;
}
#endif

START_TEST(enable_while_loading)
{
	struct life_trace trace;
	char why[256];
	int status;

	begin();
	/* Else the library's events would be on before cairn_enable goes on. */
	ck_assert_int_ge(cairn_disable(life.session, "mod:*"), 1);
	armed = 2;
	status = cairn_enable(life.session, "own:*,mod:h*");
	armed = 0;
	cairn_error(why, sizeof(why));
	ck_assert_msg(status >= 2, "enable while a library is loaded: %d: %s", status, why);
	ck_assert_msg(late != NULL, "the library was not loaded in between");
	find(late, "module_hit")(1);
	cairn_trace(own, ev, 2);
	unload(late);
	trace = end();
	life_expect(&trace, 0, "mod:hit", 1, 1);
	life_expect(&trace, 0, "own:ev", 2, 1);
	life_total(&trace, 2);
	finish(&trace);
}
END_TEST

/* A library that declares a recorded event with other fields: its events are not recorded with the
 * program's, and the program's stay what they are and can be turned off. */
START_TEST(conflicting_library)
{
	struct life second = life_start("mod:*", CAIRN_DISCARD, 4096, 16);
	struct cairn_stats stats;
	void *handle;
	char *text;
	int i;

	begin();
	unsetenv("CAIRN_TRACE");
	cairn_trace(mod, conflict, "one");
	handle = load(module("module_life"));
	find(handle, "module_conflict")(1);
	for (i = 0; i < 10; i++)
		cairn_trace(mod, conflict, "two");
	stats = life_stop(&second);
	ck_assert_uint_eq(stats.recorded, 11);
	for (i = 0; i < 89; i++)
		cairn_trace(mod, conflict, "two");
	stats = life_stop(&life);
	ck_assert_msg(stats.recorded == 100 && stats.lost == 0,
		      "recorded %" PRIu64 " lost %" PRIu64 ", expected 100 and 0", stats.recorded,
		      stats.lost);
	cairn_trace(mod, conflict, "off");
	text = reader_read(life.dir);
	ck_assert_ptr_nonnull(strstr(text, "text = \"two\""));
	ck_assert_ptr_null(strstr(text, "text = \"off\""));
	free(text);
	unload(handle);
	life_remove(life.dir);
	life_remove(second.dir);
}
END_TEST

static void add(Suite *suite)
{
	LIFE_TEST(suite, lesson_13);
	LIFE_TEST(suite, lesson_13_c);
	LIFE_TEST(suite, lesson_21);
	LIFE_TEST(suite, lesson_14);
	LIFE_TEST(suite, pitfall_T8);
	LIFE_TEST(suite, lesson_22);
	LIFE_TEST(suite, lesson_15);
	LIFE_TEST(suite, traced_library_leaves_nothing);
	LIFE_NATIVE(suite, pitfall_T9, LIFE_NO_THREAD);
	LIFE_TEST(suite, pitfall_T10);
	LIFE_TEST(suite, pitfall_T22);
	if (!CAIRN__TSAN)
		LIFE_TEST(suite, enable_while_loading);
	LIFE_TEST(suite, conflicting_library);
}

LIFE_MAIN("loading", add)
