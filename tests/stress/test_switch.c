/* SPDX-License-Identifier: MIT */
/*
 * Switching under load: threads and a signal handler hit events while other threads enable and disable
 * them by patterns in two sessions, and attach and detach probes whose data they destroy at once. A
 * third session stays on and must record every hit; at the end everything is off.
 * CAIRN_STRESS_SECONDS: how long it runs.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <pthread.h>
#include <signal.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>

#include "recorded.h"

#define HITTERS 3

CAIRN_EVENT(switch, always, CAIRN_U32(n));
CAIRN_EVENT(switch, often, CAIRN_U32(n));
CAIRN_EVENT(switch, text, CAIRN_STR(s));
CAIRN_EVENT(other, nothing);

static bool stop;
static uintptr_t hits[HITTERS + 1]; /* [HITTERS]: of the handler */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static void on_signal(int number)
{
	(void)number;
	__atomic_add_fetch(&hits[HITTERS], 1, __ATOMIC_RELAXED);
	cairn_trace(switch, always, 1);
	cairn_trace(switch, often, 1);
}

static void *hit(void *data)
{
	uintptr_t n = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		cairn_trace(switch, always, 1);
		cairn_trace(switch, often, 2);
		cairn_trace(switch, text, "text");
		cairn_trace(other, nothing);
		if (++n % 1024 == 0)
			sched_yield();
	}
	hits[(uintptr_t)data] = n;
	return NULL;
}

static void *switching(void *data)
{
	static const char *const pattern[] = { "*", "switch:*", "*:o*", "other:*,switch:t*",
					       "*:a*" };
	struct cairn_session *session = data;
	unsigned i;

	for (i = (unsigned)(uintptr_t)data / 64; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		ck_assert_int_ge(cairn_enable(session, pattern[i % 5]), 0);
		ck_assert_int_ge(cairn_disable(session, pattern[(i * 7 + 3) % 5]), 0);
	}
	return NULL;
}

#define ALIVE 0x600df00du

struct probe_data {
	uint32_t alive;
	uintptr_t calls;
};

static void probe(void *data, uint32_t n)
{
	struct probe_data *probe_data = data;

	(void)n;
	if (__atomic_load_n(&probe_data->alive, __ATOMIC_RELAXED) != ALIVE)
		abort(); /* called with data that is gone */
	__atomic_add_fetch(&probe_data->calls, 1, __ATOMIC_RELAXED);
}

static void *probing(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct probe_data *data = calloc(1, sizeof(*data));

		data->alive = ALIVE;
		expect_status(cairn_attach(switch, often, probe, data), 0);
		sched_yield();
		expect_status(cairn_detach(switch, often, probe, data), 0);
		memset(data, 0xdd, sizeof(*data));
		free(data);
	}
	return unused;
}

/* Executable mappings of this program, as the system shows them. */
static char *text_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *all = calloc(1, 65536);

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "test_switch") && strlen(all) + strlen(line) < 65536)
			strcat(all, line);
	fclose(maps);
	return all;
}

START_TEST(switching_all)
{
	const uint64_t ms = 1000 * recorded_option("CAIRN_STRESS_SECONDS", 3);
	const struct itimerval tick = { { 0, 500 }, { 0, 500 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	char *output = reader_folder("/dev/shm"), *trace, *before = text_maps(), *after;
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session[3];
	pthread_t thread[HITTERS + 3];
	struct cairn_stats stats;
	uint64_t all = 0;
	uintptr_t i;

	config.packet_size = 8192;
	config.packets = 8;
	for (i = 0; i < 2; i++)
		session[i] = recorded_start(&config);
	config.output = output;
	session[2] = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session[2], "switch:always"), 1);
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < HITTERS; i++)
		pthread_create(&thread[i], NULL, hit, (void *)i);
	for (i = 0; i < 2; i++)
		pthread_create(&thread[HITTERS + i], NULL, switching, session[i]);
	pthread_create(&thread[HITTERS + 2], NULL, probing, NULL);
	setitimer(ITIMER_REAL, &tick, NULL);
	for (i = now_ms() + ms; now_ms() < i;) {
		const struct timespec nap = { .tv_nsec = 20000000 };

		nanosleep(&nap, NULL);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < HITTERS + 3; i++)
		pthread_join(thread[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	for (i = 0; i <= HITTERS; i++)
		all += hits[i];
	for (i = 0; i < 3; i++)
		expect_status(cairn_session_stop(session[i], &stats), 0);
	fprintf(stderr, "%llu hits, %llu recorded, %llu lost, %llu in handlers\n",
		(unsigned long long)all, (unsigned long long)stats.recorded,
		(unsigned long long)stats.lost, (unsigned long long)hits[HITTERS]);
	ck_assert_uint_eq(stats.recorded + stats.lost, all);
	ck_assert(!cairn_enabled(switch, always) && !cairn_enabled(switch, often) &&
		  !cairn_enabled(switch, text) && !cairn_enabled(other, nothing));
	after = text_maps();
	ck_assert_str_eq(after, before);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), stats.lost);
	free(trace);
	free(before);
	free(after);
	recorded_remove(output);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stress_switch");
	TCase *tcase = tcase_create("switch");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 600);
	tcase_add_test(tcase, switching_all);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
