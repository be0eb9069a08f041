/* SPDX-License-Identifier: MIT */
/*
 * Does the port that this program was built for keep its contract on this machine? Sites that change
 * while threads run them, atomics, the counter. A new port starts here (arch/README.md).
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "atomic_arch.h"
#include "clock.h"
#include "clock_arch.h"
#include "effort.h"
#include "os.h"
#include "recorded.h"

CAIRN_EVENT(arch, plain, CAIRN_U32(n));
CAIRN_EVENT(arch, split, CAIRN_U32(n));

/* ---- sites ---- */

extern const struct cairn_site __start_cairn_sites[] __attribute__((weak, visibility("hidden")));
extern const struct cairn_site __stop_cairn_sites[] __attribute__((weak, visibility("hidden")));

static bool stop;
static uintptr_t calls; /* of the probes */

static void probe(void *data, uint32_t n)
{
	(void)data;
	(void)n;
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) int ask_plain(void)
{
	return cairn_enabled(arch, plain) ? 1 : 2;
}

/*
 * Sites near the end of a cache line, on CPUs that can have one across it: some of these do, whatever the
 * compiler puts before the site.
 */
#if CAIRN_ARCH_SITE_SIZE == 5
#define NEAR_END(skip) __asm__ volatile(".p2align 6, 0x90\n\t.skip " #skip ", 0x90")
#else
#define NEAR_END(skip)
#endif
#define ASK_SPLIT(skip)                                                                            \
	static __attribute__((noinline)) int ask_split_##skip(void)                                \
	{                                                                                          \
		NEAR_END(skip);                                                                    \
		return cairn_enabled(arch, split) ? 1 : 2;                                         \
	}
ASK_SPLIT(52)
ASK_SPLIT(54)
ASK_SPLIT(56)
ASK_SPLIT(58)
ASK_SPLIT(60)
ASK_SPLIT(62)

/* The function whose site lies across two cache lines; NULL: none does. */
static int (*split_function(void))(void)
{
	static int (*const ask[])(void) = { ask_split_52, ask_split_54, ask_split_56,
					    ask_split_58, ask_split_60, ask_split_62 };
	const struct cairn_site *entry;
	size_t i;

	for (entry = __start_cairn_sites; entry < __stop_cairn_sites; entry++) {
		const uintptr_t code = (uintptr_t)&entry->code + (uintptr_t)(intptr_t)entry->code;

		if (!entry->code || code % 64 + CAIRN_ARCH_SITE_SIZE <= 64)
			continue;
		for (i = 0; i < sizeof(ask) / sizeof(ask[0]); i++)
			if (code - (uintptr_t)ask[i] < 128)
				return ask[i];
	}
	return NULL;
}

struct asker {
	int (*ask)(void);
	uint64_t on, off, other;
};

static void *asking(void *data)
{
	struct asker *asker = data;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int i;

		for (i = 0; i < 1000; i++) {
			const int got = asker->ask();

			asker->on += got == 1;
			asker->off += got == 2;
			asker->other += got != 1 && got != 2;
		}
		sched_yield();
	}
	return NULL;
}

/* Switch the event many times; each switch holds at once in the thread that made it. */
static void toggle(int (*attach)(void), int (*detach)(void), int (*ask)(void))
{
	struct asker asker[2] = { { .ask = ask }, { .ask = ask } };
	const int rounds = (int)effort(2200);
	pthread_t thread[2];
	int i;

	stop = false;
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, asking, &asker[i]), 0);
	for (i = 0; i < rounds; i++) {
		expect_status(attach(), 0);
		ck_assert_int_eq(ask(), 1);
		expect_status(detach(), 0);
		ck_assert_int_eq(ask(), 2);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		ck_assert_uint_eq(asker[i].other, 0);
		ck_assert_uint_gt(asker[i].on + asker[i].off, 0);
	}
}

static int attach_plain(void)
{
	return cairn_attach(arch, plain, probe, NULL);
}

static int detach_plain(void)
{
	return cairn_detach(arch, plain, probe, NULL);
}

static int attach_split(void)
{
	return cairn_attach(arch, split, probe, NULL);
}

static int detach_split(void)
{
	return cairn_detach(arch, split, probe, NULL);
}

START_TEST(site)
{
	toggle(attach_plain, detach_plain, ask_plain);
}
END_TEST

START_TEST(split_site)
{
	int (*ask)(void) = split_function();

#if CAIRN_ARCH_SITE_SIZE == 5
	ck_assert_msg(ask || !__start_cairn_sites->code, "no site lies across two cache lines");
#endif
	toggle(attach_split, detach_split, ask ? ask : ask_split_62);
}
END_TEST

/* A hit reaches the probe if and only if it is attached, and the arguments arrive. */
START_TEST(hits)
{
	unsigned i;

	for (i = 0; i < 100; i++) {
		cairn_trace(arch, plain, i);
		ck_assert_uint_eq(calls, i);
		expect_status(attach_plain(), 0);
		cairn_trace(arch, plain, i);
		ck_assert_uint_eq(calls, i + 1);
		expect_status(detach_plain(), 0);
	}
}
END_TEST

/* ---- atomics ---- */

START_TEST(semantics)
{
	uintptr_t word, old;
	int way;

	for (way = 0; way < 2; way++) {
		int (*const exchange)(uintptr_t *, uintptr_t *,
				      uintptr_t) = way ? cairn_arch_cmpxchg :
							 cairn_arch_cmpxchg_local;
		uintptr_t (*const add)(uintptr_t *, uintptr_t) = way ? cairn_arch_add :
								       cairn_arch_add_local;

		word = 5;
		old = 5;
		ck_assert_int_eq(exchange(&word, &old, UINTPTR_MAX), 1);
		ck_assert_uint_eq(word, UINTPTR_MAX);
		ck_assert_uint_eq(old, 5);
		ck_assert_int_eq(exchange(&word, &old, 7), 0);
		ck_assert_uint_eq(old, UINTPTR_MAX);
		ck_assert_uint_eq(word, UINTPTR_MAX);
		ck_assert_uint_eq(add(&word, 1), 0);
		ck_assert_uint_eq(add(&word, 41), 41);
		ck_assert_uint_eq(add(&word, (uintptr_t)-2), 39);
		ck_assert_uint_eq(word, 39);
	}
	cairn_arch_mb();
	cairn_arch_rmb();
	cairn_arch_wmb();
	cairn_arch_relax();
	ck_assert_uint_eq(word, 39);
}
END_TEST

static uintptr_t added, exchanged, in_handler;

static void exchange_one(int (*exchange)(uintptr_t *, uintptr_t *, uintptr_t), uintptr_t *word)
{
	uintptr_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (!exchange(word, &old, old + 1))
		;
}

static void on_tick(int number)
{
	(void)number;
	cairn_arch_add_local(&added, 1);
	exchange_one(cairn_arch_cmpxchg_local, &exchanged);
	in_handler++;
}

/* The local ones against a handler of the same thread, 10,000 times a second. */
START_TEST(local)
{
	const struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	const struct itimerval tick = { { 0, 100 }, { 0, 100 } }, off = { { 0, 0 }, { 0, 0 } };
	const uint64_t until = cairn_os_monotonic() + 400000000;
	uintptr_t n = 0, i;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &tick, NULL);
	while (cairn_os_monotonic() < until ||
	       __atomic_load_n(&in_handler, __ATOMIC_RELAXED) < 100) {
		for (i = 0; i < 1000; i++) {
			cairn_arch_add_local(&added, 1);
			exchange_one(cairn_arch_cmpxchg_local, &exchanged);
		}
		n += 1000;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	ck_assert_uint_eq(added, n + in_handler);
	ck_assert_uint_eq(exchanged, n + in_handler);
}
END_TEST

#define SMP_ROUNDS 300000

static void *smp_body(void *unused)
{
	int i;

	for (i = 0; i < SMP_ROUNDS; i++) {
		cairn_arch_add(&added, 1);
		exchange_one(cairn_arch_cmpxchg, &exchanged);
	}
	return unused;
}

START_TEST(smp)
{
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, smp_body, NULL), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(added, 4 * SMP_ROUNDS);
	ck_assert_uint_eq(exchanged, 4 * SMP_ROUNDS);
}
END_TEST

static uintptr_t flag[2], seen[2];

static void *dekker(void *data)
{
	const uintptr_t me = (uintptr_t)data;

	__atomic_store_n(&flag[me], 1, __ATOMIC_RELAXED);
	cairn_arch_mb();
	seen[me] = __atomic_load_n(&flag[!me], __ATOMIC_RELAXED);
	return NULL;
}

/* Two threads that each announce themselves, make a full barrier and look: one sees the other. */
START_TEST(full_barrier)
{
	const int rounds = (int)effort(2000);
	pthread_t thread;
	int i;

	for (i = 0; i < rounds; i++) {
		flag[0] = flag[1] = 0;
		pthread_create(&thread, NULL, dekker, (void *)1);
		dekker(NULL);
		pthread_join(thread, NULL);
		ck_assert_uint_ne(seen[0] + seen[1], 0);
	}
}
END_TEST

/* ---- clock ---- */

/* Is there a counter of 64 bits, and is reading it not a signal? (One of 32: test_wide, test_clock.) */
static bool readable(void)
{
	static int known;

	if (!known)
		known = CAIRN_ARCH_CLOCK_BITS == 64 && !cairn_os_counter_traps() ? 1 : -1;
	return known > 0;
}

static uint64_t ticks(void)
{
	return readable() ? cairn_arch_ticks() : cairn_os_monotonic();
}

START_TEST(clock_advances)
{
	const uint64_t until = cairn_os_monotonic() + 50000000;
	const uint64_t first = ticks();
	uint64_t last = first, now;

	do {
		int i;

		for (i = 0; i < 1000; i++) {
			now = ticks();
			ck_assert_msg(now >= last, "%" PRIu64 " after %" PRIu64, now, last);
			last = now;
		}
	} while (cairn_os_monotonic() < until);
	ck_assert_uint_gt(last, first);
	if (readable() && cairn_arch_ticks_hz()) {
		const double hz = (double)(last - first) / 0.05;

		ck_assert_msg(hz > 0.5 * (double)cairn_arch_ticks_hz(), "%g ticks a second", hz);
	}
}
END_TEST

struct baton {
	int in, out;
	uint64_t backwards;
};

/* Take the time that the other thread read, compare it with one's own, hand that on. */
static void *relay(void *data)
{
	struct baton *baton = data;
	uint64_t theirs, mine;

	while (read(baton->in, &theirs, sizeof(theirs)) == sizeof(theirs)) {
		mine = ticks();
		baton->backwards += mine < theirs;
		if (write(baton->out, &mine, sizeof(mine)) != sizeof(mine))
			break;
	}
	return NULL;
}

/* Through a pipe, so that a system call stands between one thread's reading and the other's. */
START_TEST(clock_across_threads)
{
	int to[2], from[2], i;
	struct baton baton;
	uint64_t mine, theirs, backwards = 0;
	pthread_t thread;

	if (readable() && !cairn_arch_ticks_invariant())
		return; /* core/clock.c does not use this counter */
	ck_assert_int_eq(pipe(to), 0);
	ck_assert_int_eq(pipe(from), 0);
	baton = (struct baton){ to[0], from[1], 0 };
	pthread_create(&thread, NULL, relay, &baton);
	for (i = 0; i < 5000; i++) {
		mine = ticks();
		ck_assert_int_eq(write(to[1], &mine, sizeof(mine)), sizeof(mine));
		ck_assert_int_eq(read(from[0], &theirs, sizeof(theirs)), sizeof(theirs));
		backwards += ticks() < theirs;
	}
	close(to[1]);
	pthread_join(thread, NULL);
	ck_assert_msg(backwards + baton.backwards == 0,
		      "of 10000 hand-overs %" PRIu64 " went back in time",
		      backwards + baton.backwards);
}
END_TEST

static uint64_t ticks_ordered(void)
{
	return readable() ? cairn_arch_ticks_ordered() : cairn_os_monotonic();
}

START_TEST(ordered_advances)
{
	const uint64_t first = ticks_ordered();
	uint64_t last = first;
	int i;

	for (i = 0; i < 100000; i++) {
		const uint64_t plain = ticks(), now = ticks_ordered();

		ck_assert_msg(now >= last && now >= plain,
			      "%" PRIu64 " after %" PRIu64 ", %" PRIu64, now, last, plain);
		last = now;
	}
	if (!readable() || cairn_clock_kind() == CAIRN_CLOCK_COUNTER)
		ck_assert_uint_gt(last, first);
}
END_TEST

/* The last time that a thread read; of a 64-bit one, what fits in a word and does not go round here. */
static uintptr_t latest;

static uintptr_t ordered_word(void)
{
	return (uintptr_t)(ticks_ordered() >> (sizeof(uintptr_t) == 4 ? 12 : 0));
}

static void *ordering(void *data)
{
	uintptr_t *backwards = data, theirs, mine;
	int i, pause;

	for (i = 0; i < 500000; i++) {
		/* So that what is loaded comes from the other CPU, and takes a while. */
		for (pause = i % 64; pause > 0; pause--)
			cairn_arch_relax();
		theirs = __atomic_load_n(&latest, __ATOMIC_ACQUIRE);
		mine = ordered_word();
		*backwards += (intptr_t)(mine - theirs) < 0;
		__atomic_store_n(&latest, mine, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Who has seen the time that another thread read does not read an earlier one: without a system call. */
START_TEST(ordered_across_threads)
{
	uintptr_t backwards[2] = { 0, 0 };
	pthread_t thread;

	if (readable() && cairn_clock_kind() != CAIRN_CLOCK_COUNTER)
		return; /* core/clock.c does not use this counter */
	latest = ordered_word();
	ck_assert_int_eq(pthread_create(&thread, NULL, ordering, &backwards[0]), 0);
	ordering(&backwards[1]);
	pthread_join(thread, NULL);
	ck_assert_msg(backwards[0] + backwards[1] == 0, "%ju times back",
		      (uintmax_t)(backwards[0] + backwards[1]));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arch");
	TCase *tcase = tcase_create("arch");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, site);
	tcase_add_test(tcase, split_site);
	tcase_add_test(tcase, hits);
	tcase_add_test(tcase, semantics);
	tcase_add_test(tcase, local);
	tcase_add_test(tcase, smp);
	tcase_add_test(tcase, full_barrier);
	tcase_add_test(tcase, clock_advances);
	tcase_add_test(tcase, clock_across_threads);
	tcase_add_test(tcase, ordered_advances);
	if (!native_only("ordered_across_threads", "QEMU reads the host's counter in no order"))
		tcase_add_test(tcase, ordered_across_threads);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
