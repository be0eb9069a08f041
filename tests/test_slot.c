/* SPDX-License-Identifier: MIT */
/*
 * core/slot.c: threads get a slot at their first event and give it back when they end; a slot is a
 * thread's only while it says so; what finds none is counted.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os.h"
#include "rig.h"
#include "slot.h"

CAIRN_EVENT(slot, e, CAIRN_U32(n));
extern struct cairn_event event_e __asm__("cairn_event_slot__e");

static struct rig rig;

void slot_sites(void);
void slot_sites(void)
{
	cairn_trace(slot, e, 1);
}

static void put(uint32_t n)
{
	cairn_hit_slot__e(n, 0);
}

static void begin(void)
{
	rig_begin(&rig, CAIRN_DISCARD, 4096, 8, 4);
	rig_listen(&rig, &event_e, cairn_desc_slot__e(), 1, true);
	rig_drain(&rig, NULL);
}

static uint64_t recorded(void)
{
	rig_step(&rig);
	return rig_stats(&rig).recorded;
}

/* Without an arena every event is lost and counted, and errno stays. */
START_TEST(no_arena)
{
	const uintptr_t dropped = cairn_dropped;

	ck_assert_ptr_null(cairn_arena);
	ck_assert_uint_eq(cairn_slot_busy(), false);
	errno = 77;
	put(1);
	put(2);
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(cairn_dropped - dropped, 2);
}
END_TEST

START_TEST(claim)
{
	struct cairn_thread *thread;

	begin();
	ck_assert_ptr_ne(cairn_tls->owner, &cairn_tls);
	errno = 77;
	put(1);
	ck_assert_int_eq(errno, 77);
	ck_assert_ptr_eq(cairn_tls->owner, &cairn_tls);
	thread = (struct cairn_thread *)cairn_tls;
	ck_assert(thread >= cairn_arena->thread && thread < cairn_arena->thread + CAIRN_SLOTS);
	ck_assert_uint_eq(thread->tid, (uint32_t)syscall(SYS_gettid));
	ck_assert_uint_eq((uintptr_t)thread % 64, 0);
	ck_assert_uint_eq(recorded(), 1);
	ck_assert_uint_eq(cairn_slot_busy(), false);
	cairn_slot_release(cairn_tls);
	ck_assert_ptr_ne(cairn_tls->owner, &cairn_tls);
	cairn_slot_release(&thread->slot); /* not ours any more: nothing happens */
	put(2);
	ck_assert_ptr_eq(cairn_tls, &thread->slot);
	ck_assert_uint_eq(recorded(), 2);
	rig_end(&rig);
}
END_TEST

static void *put_and_tell(void *data)
{
	put(1);
	*(struct cairn_slot **)data = cairn_tls;
	return NULL;
}

/* Slots of threads at one time differ; one thread after the other gets the same. */
START_TEST(reuse)
{
	struct cairn_slot *slot[20];
	pthread_t thread;
	unsigned i;

	begin();
	put(1);
	for (i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, put_and_tell, &slot[i]);
		pthread_join(thread, NULL);
		ck_assert_ptr_ne(slot[i], cairn_tls);
		ck_assert_ptr_eq(slot[i], slot[0]);
		ck_assert_ptr_null(slot[i]->owner);
	}
	ck_assert_uint_eq(cairn_arena->used, 2);
	rig_end(&rig);
}
END_TEST

/* ThreadSanitizer takes the thread apart in the last round: nothing may be left to do then. */
#if CAIRN__TSAN
#define ROUNDS 1
#else
#define ROUNDS (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#endif

static void *release_it(void *data)
{
	cairn_slot_release(data);
	return NULL;
}

/* Another thread cannot give this one's slot back. */
START_TEST(not_theirs)
{
	struct cairn_slot *slot;
	pthread_t thread;

	begin();
	put(1);
	slot = cairn_tls;
	pthread_create(&thread, NULL, release_it, slot);
	pthread_join(thread, NULL);
	ck_assert_ptr_eq(slot->owner, &cairn_tls);
	ck_assert_ptr_ne(slot->cursor[0], &cairn_no_cursor);
	put(2);
	ck_assert_ptr_eq(cairn_tls, slot);
	ck_assert_uint_eq(rig_stream(0)->opened, 1);
	ck_assert_uint_eq(recorded(), 2);
	rig_end(&rig);
}
END_TEST

static pthread_key_t key;
static unsigned rounds;

static void trace_at_end(void *value)
{
	put(100);
	if (++rounds < ROUNDS)
		pthread_setspecific(key, value);
}

static void *end_noisily(void *data)
{
	pthread_setspecific(key, data);
	return put_and_tell(data);
}

/*
 * Events in destructors of the thread's keys, in every round but the last, which is Cairn's: recorded,
 * and no slot is lost.
 */
START_TEST(destructors)
{
	struct cairn_slot *slot;
	pthread_t thread;
	unsigned i;

	begin();
	pthread_key_create(&key, trace_at_end);
	for (i = 1; i <= 10; i++) {
		rounds = 0;
		pthread_create(&thread, NULL, end_noisily, &slot);
		pthread_join(thread, NULL);
		ck_assert_uint_eq(rounds, ROUNDS);
		ck_assert_uint_eq(recorded(), i * (1 + ROUNDS));
	}
	ck_assert_uint_le(cairn_arena->used, 2);
	rig_end(&rig);
}
END_TEST

/* A thread that ends without a word, as one whose key could not be had: found when slots run out. */
START_TEST(sweep)
{
	static const char somebody;
	const uintptr_t dropped = cairn_dropped;
	struct cairn_slot *slot = NULL;
	pthread_t thread;
	uintptr_t i;

	begin();
	put(1);
	/* All other slots belong to a thread that lives: this one. */
	for (i = 0; i < CAIRN_SLOTS; i++)
		if (!cairn_arena->thread[i].slot.owner) {
			cairn_arena->thread[i].slot.owner = &somebody;
			cairn_arena->thread[i].tid = cairn_os_tid();
		}
	cairn_arena->used = CAIRN_SLOTS;
	pthread_create(&thread, NULL, put_and_tell, &slot);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(cairn_dropped - dropped, 1);
	/* One is being claimed just now, another one's thread is dead. */
	cairn_arena->thread[7].tid = 0;
	cairn_arena->thread[9].tid = 0x3ffffffe; /* above any tid of Linux */
	for (i = 0; i < CAIRN_SESSIONS * CAIRN_LEVELS; i++)
		cairn_arena->thread[9].slot.cursor[i] = &cairn_no_cursor;
	cairn_arena->thread[9].slot.rcu = 5 * CAIRN__ROUND + 2; /* it died inside an event */
	do {                                                    /* it looks once a second */
		const struct timespec nap = { .tv_nsec = 100000000 };

		nanosleep(&nap, NULL);
		pthread_create(&thread, NULL, put_and_tell, &slot);
		pthread_join(thread, NULL);
	} while (slot != &cairn_arena->thread[9].slot && cairn_dropped - dropped < 100);
	ck_assert_ptr_eq(slot, &cairn_arena->thread[9].slot);
	ck_assert_uint_eq(cairn_arena->thread[9].slot.rcu & CAIRN__NEST, 0);
	ck_assert_ptr_eq(cairn_arena->thread[7].slot.owner, &somebody);
	rig_end(&rig);
}
END_TEST

static volatile sig_atomic_t signals;

static void put_in_handler(int number)
{
	(void)number;
	signals++;
	put(1000);
}

static bool running;

static void *signal_them(void *data)
{
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		pthread_kill(*(pthread_t *)data, SIGUSR1);
	return NULL;
}

/*
 * Signals that interrupt a thread's claim of its slot, again and again: handler and thread end up with
 * one slot, and every event is recorded or counted.
 */
START_TEST(claim_interrupted)
{
	const struct sigaction action = { .sa_handler = put_in_handler, .sa_flags = SA_RESTART };
	const uintptr_t dropped = cairn_dropped;
	pthread_t sender, self = pthread_self();
	uint64_t all = 0, lost;
	unsigned i, owned = 0;

	begin();
	sigaction(SIGUSR1, &action, NULL);
	running = true;
	pthread_create(&sender, NULL, signal_them, &self);
	for (i = 0; i < 3000 || signals < 1000; i++) {
		put(1);
		all++;
		cairn_slot_release(cairn_tls);
		if (i % 4 == 0)
			rig_step(&rig);
	}
	__atomic_store_n(&running, false, __ATOMIC_RELEASE);
	pthread_join(sender, NULL);
	cairn_slot_release(cairn_tls);
	for (i = 0; i < CAIRN_SLOTS; i++)
		owned += cairn_arena->thread[i].slot.owner != NULL;
	ck_assert_uint_eq(owned, 0);
	all += (uint64_t)signals;
	ck_assert_int_gt(signals, 0);
	rig_step(&rig);
	lost = rig_stats(&rig).lost;
	ck_assert_uint_eq(rig_stats(&rig).recorded + lost, all);
	ck_assert_uint_ge(lost, cairn_dropped - dropped);
	rig_end(&rig);
}
END_TEST

/* After a fork the child's slots are empty; the parent's stay. */
START_TEST(lesson_28)
{
	struct cairn_slot *slot;
	pid_t pid;
	int status;

	begin();
	ck_assert_int_eq(cairn_os_forks_begin(), 0);
	put(1);
	slot = cairn_tls;
	slot->rcu++; /* as if forked inside an event */
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(cairn_arena->used != 0 || slot->owner || slot->rcu || cairn_slot_busy());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	slot->rcu--;
	ck_assert_ptr_eq(cairn_tls->owner, &cairn_tls);
	put(2);
	ck_assert_uint_eq(recorded(), 2);
	rig_end(&rig);
}
END_TEST

/* What a session leaves in the slots is forgotten, of that session only. */
START_TEST(forget)
{
	struct cairn_cursor other;

	begin();
	put(1);
	ck_assert_ptr_ne(cairn_tls->cursor[0], &cairn_no_cursor);
	cairn_tls->cursor[2 * CAIRN_LEVELS] = &other;
	cairn_tls->cursor[2 * CAIRN_LEVELS - 1] = &other;
	cairn_slots_forget(2);
	ck_assert_ptr_eq(cairn_tls->cursor[2 * CAIRN_LEVELS], &cairn_no_cursor);
	ck_assert_ptr_eq(cairn_tls->cursor[2 * CAIRN_LEVELS - 1], &other);
	cairn_tls->cursor[2 * CAIRN_LEVELS - 1] = &cairn_no_cursor;
	ck_assert_ptr_ne(cairn_tls->cursor[0], &cairn_no_cursor);
	rig_end(&rig);
	ck_assert_ptr_eq(cairn_tls->cursor[0], &cairn_no_cursor);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slot");
	TCase *tcase = tcase_create("slot");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, no_arena);
	tcase_add_test(tcase, claim);
	tcase_add_test(tcase, reuse);
	tcase_add_test(tcase, not_theirs);
	tcase_add_test(tcase, destructors);
	tcase_add_test(tcase, sweep);
	tcase_add_test(tcase, claim_interrupted);
	tcase_add_test(tcase, lesson_28);
	tcase_add_test(tcase, forget);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
