/* SPDX-License-Identifier: MIT */
/*
 * core/tracepoint.c: the registry and its batches, fed with modules that the test makes: tables of
 * sites, event objects and descriptions as a linker would have put them.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "make_desc.h"
#include "os.h"
#include "patch_arch.h"
#include "recorded.h"
#include "tracepoint.h"

/* The program is a module too, so that no fake one is the last to go. */
CAIRN_EVENT(own, event);
void tracepoint_sites(void);
void tracepoint_sites(void)
{
	cairn_trace(own, event);
}

#define EVENTS 4

/* A module with up to EVENTS events of one branch site each, in one block: relative words reach. */
struct fake {
	struct cairn_module module;
	struct cairn_site site[2 * EVENTS];
	struct cairn_event event[EVENTS];
	char name[EVENTS][32];
	unsigned char descs[1024] __attribute__((aligned(8)));
	size_t sites, desc_bytes;
};

static void fake_begin(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->module.abi = CAIRN_ABI;
	fake->module.size = sizeof(fake->module);
	fake->module.sites = fake->site;
	fake->module.descs = fake->descs;
}

static void fake_desc(struct fake *fake, struct cairn_desc *desc)
{
	memcpy(fake->descs + fake->desc_bytes, desc, desc->size);
	fake->desc_bytes += desc->size;
	free(desc);
}

static void fake_site(struct fake *fake, unsigned event, uintptr_t code)
{
	struct cairn_site *site = &fake->site[fake->sites++];

	site->code = code ? (int32_t)(code - (uintptr_t)&site->code) : 0;
	site->target = code ? (int32_t)(code + 100 - (uintptr_t)&site->target) : 0;
	site->event = (int32_t)((uintptr_t)&fake->event[event] - (uintptr_t)&site->event);
	site->name = (int32_t)((uintptr_t)fake->name[event] - (uintptr_t)&site->name);
}

/* Event number `event` of the module: "fake:NAME" with one field of this type, one branch site. */
static void fake_event(struct fake *fake, unsigned event, const char *name, const char *type)
{
	const struct make_field field = { type, "value", 0 };

	snprintf(fake->name[event], sizeof(fake->name[event]), "fake:%s", name);
	fake_desc(fake, make_event("fake", name, 0, &field, 1));
	fake_site(fake, event, 0);
}

static void fake_add(struct fake *fake)
{
	fake->module.sites_end = fake->site + fake->sites;
	fake->module.descs_end = fake->descs + fake->desc_bytes;
	cairn_module_add(&fake->module);
}

static int read_registry(void)
{
	int status;

	cairn_os_lock();
	status = cairn_registry_read();
	cairn_os_unlock();
	return status;
}

static struct cairn_tracepoint *find(const char *name)
{
	struct cairn_tracepoint *tp;

	for (tp = cairn_registry_first(); tp; tp = tp->all)
		if (!strcmp(tp->name, name))
			return tp;
	return NULL;
}

static unsigned events_of(const struct cairn_tracepoint *tp)
{
	const struct cairn_event_ref *ref;
	unsigned n = 0;

	for (ref = tp->events; ref; ref = ref->next)
		n++;
	return n;
}

static unsigned sites_of(const struct cairn_tracepoint *tp)
{
	const struct cairn_site_ref *ref;
	unsigned n = 0;

	for (ref = tp->sites; ref; ref = ref->next)
		n++;
	return n;
}

static struct fake one, two;

/* Two modules declare one event: one tracepoint, two objects; a module that goes takes its own along. */
START_TEST(modules)
{
	struct cairn_tracepoint *tp;

	fake_begin(&one);
	fake_event(&one, 0, "a", "u32");
	fake_event(&one, 1, "b", "str");
	fake_site(&one, 0, 0);
	fake_begin(&two);
	fake_event(&two, 0, "b", "str");
	ck_assert_ptr_null(find("fake:a"));
	fake_add(&one);
	ck_assert_ptr_null(find("fake:a")); /* noted, not read: nobody asked */
	ck_assert_int_eq(read_registry(), 0);
	tp = find("fake:a");
	ck_assert_ptr_nonnull(tp);
	ck_assert_uint_eq(events_of(tp), 1);
	ck_assert_uint_eq(sites_of(tp), 2);
	ck_assert_int_eq(tp->broken, 0);
	ck_assert_ptr_eq(one.event[0].tracepoint, tp);
	fake_add(&two);
	fake_add(&two); /* twice is once */
	ck_assert_int_eq(read_registry(), 0);
	tp = find("fake:b");
	ck_assert_uint_eq(events_of(tp), 2);
	ck_assert_uint_eq(sites_of(tp), 2);
	cairn_module_remove(&one.module);
	ck_assert_uint_eq(events_of(tp), 1);
	ck_assert_ptr_eq(tp->events->event, &two.event[0]);
	ck_assert_uint_eq(events_of(find("fake:a")), 0);
	ck_assert_ptr_nonnull(find("fake:a")->desc); /* the description outlives the module */
	/* The same module again, as after dlclose and dlopen. */
	memset(one.event, 0, sizeof(one.event));
	fake_add(&one);
	ck_assert_int_eq(read_registry(), 0);
	ck_assert_uint_eq(events_of(tp), 2);
	ck_assert_uint_eq(sites_of(find("fake:a")), 2);
	cairn_module_remove(&one.module);
	cairn_module_remove(&two.module);
	cairn_module_remove(&two.module); /* not there: nothing happens */
	ck_assert_uint_eq(events_of(tp), 0);
}
END_TEST

START_TEST(other_versions)
{
	fake_begin(&one);
	fake_event(&one, 0, "a", "u32");
	one.module.abi++;
	fake_add(&one);
	fake_begin(&two);
	fake_event(&two, 0, "b", "u32");
	two.module.size += 8;
	fake_add(&two);
	ck_assert_int_eq(read_registry(), 0);
	ck_assert_ptr_null(find("fake:a"));
	ck_assert_ptr_null(find("fake:b"));
}
END_TEST

/* One name, two field lists: refused by name, never called; other events are not held up. */
START_TEST(two_field_lists)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	char why[256];

	fake_begin(&one);
	fake_event(&one, 0, "a", "u32");
	fake_event(&one, 1, "good", "u32");
	fake_add(&one);
	fake_begin(&two);
	fake_event(&two, 0, "a", "u64");
	fake_add(&two);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:a"), -EEXIST);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "fake:a"));
	ck_assert_ptr_nonnull(strstr(why, "two different field lists"));
	ck_assert_int_eq(cairn_enable(session, "fake:*"), -EEXIST);
	ck_assert_uint_eq(one.event[0].enabled | one.event[1].enabled | two.event[0].enabled, 0);
	ck_assert_int_eq(cairn_enable(session, "fake:g*"), 1);
	ck_assert_uint_eq(one.event[1].enabled, 1);
	expect_status(cairn_session_stop(session, NULL), 0);
	ck_assert_uint_eq(one.event[1].enabled, 0);
	cairn_module_remove(&one.module);
	cairn_module_remove(&two.module);
}
END_TEST

/* One enum type, declared in two ways: events that have it are refused. */
START_TEST(two_enums)
{
	const struct make_label label[] = { { "A", 0, 0 }, { "B", 1, 1 } };
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	char why[256];

	fake_begin(&one);
	fake_desc(&one, make_enum("state", "u8", label, 2));
	fake_event(&one, 0, "a", "enum state");
	fake_event(&one, 1, "plain", "u8");
	fake_add(&one);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:a"), 1);
	ck_assert_int_eq(cairn_disable(session, "fake:a"), 1);
	expect_status(cairn_session_stop(session, NULL), 0);
	fake_begin(&two);
	fake_desc(&two, make_enum("state", "u8", label, 1));
	fake_add(&two);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:*"), -EEXIST);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "enum state"));
	ck_assert_int_eq(cairn_enable(session, "fake:p*"), 1);
	expect_status(cairn_session_stop(session, NULL), 0);
	cairn_module_remove(&one.module);
	cairn_module_remove(&two.module);
}
END_TEST

/* An event with a type that no module describes. */
START_TEST(no_enum)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;

	fake_begin(&one);
	fake_event(&one, 0, "a", "enum nowhere");
	fake_add(&one);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:*"), -EEXIST);
	ck_assert_uint_eq(one.event[0].enabled, 0);
	expect_status(cairn_session_stop(session, NULL), 0);
	cairn_module_remove(&one.module);
}
END_TEST

#if CAIRN_ARCH_SITE_SIZE

static unsigned char folded[256] __attribute__((aligned(64)));

/* Identical code folding gave two events one address: neither can be enabled, a third one can. */
START_TEST(same_address)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	char why[256];

	fake_begin(&one);
	fake_event(&one, 0, "a", "u32");
	fake_event(&one, 1, "b", "u32");
	fake_event(&one, 2, "c", "u32");
	fake_site(&one, 0, (uintptr_t)folded);
	fake_site(&one, 2, (uintptr_t)folded + 64);
	fake_site(&one, 1, (uintptr_t)folded);
	fake_add(&one);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:a"), -EBUSY);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "fake:a"));
	ck_assert_ptr_nonnull(strstr(why, "--icf"));
	ck_assert_int_eq(cairn_enable(session, "fake:b"), -EBUSY);
	ck_assert_uint_eq(one.event[0].enabled | one.event[1].enabled, 0);
	expect_status(cairn_session_stop(session, NULL), 0);
	cairn_module_remove(&one.module);
}
END_TEST

/* A batch of which the last site cannot be patched: flags and lists of all are as before. */
START_TEST(all_or_nothing)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	unsigned i;

	fake_begin(&one);
	fake_event(&one, 0, "a", "u32");
	fake_event(&one, 1, "b", "u32");
	fake_event(&one, 2, "c", "u32");
	fake_site(&one, 2, (uintptr_t)folded); /* it is data, not text */
	fake_add(&one);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:a"), 1);
	ck_assert_int_lt(cairn_enable(session, "fake:*"), 0);
	ck_assert_uint_eq(one.event[0].enabled, 1);
	for (i = 1; i < 3; i++) {
		ck_assert_uint_eq(one.event[i].enabled, 0);
		ck_assert(!one.event[i].list || one.event[i].list->count == 0);
		ck_assert_ptr_null(one.event[i].by_counter);
		ck_assert_ptr_null(one.event[i].by_clock);
	}
	ck_assert_int_eq(cairn_enable(session, "fake:b"), 1);
	ck_assert_uint_eq(one.event[1].enabled, 1);
	ck_assert_int_eq(cairn_disable(session, "fake:*"), 2);
	ck_assert_uint_eq(one.event[0].enabled | one.event[1].enabled, 0);
	expect_status(cairn_session_stop(session, NULL), 0);
	cairn_module_remove(&one.module);
}
END_TEST

#endif

/* Modules that come while a session waits for them; one that is broken does not hold up the others. */
START_TEST(late)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);

	ck_assert_int_eq(cairn_enable(session, "fake:*"), 0);
	fake_begin(&one);
	fake_event(&one, 0, "a", "u32");
	fake_event(&one, 1, "b", "u32");
	fake_add(&one);
	ck_assert_uint_eq(one.event[0].enabled, 1);
	ck_assert_uint_eq(one.event[1].enabled, 1);
	fake_begin(&two);
	fake_event(&two, 0, "c", "u32");
	fake_event(&two, 1, "d", "enum nowhere");
	fake_add(&two);
	ck_assert_uint_eq(two.event[0].enabled, 1);
	ck_assert_uint_eq(two.event[1].enabled, 0);
	cairn_module_remove(&two.module);
	ck_assert_int_eq(cairn_disable(session, "*:b"), 1);
	cairn_module_remove(&one.module);
	memset(one.event, 0, sizeof(one.event));
	fake_add(&one);
	ck_assert_uint_eq(one.event[0].enabled, 1);
	ck_assert_uint_eq(one.event[1].enabled, 0); /* the later rule holds */
	expect_status(cairn_session_stop(session, NULL), 0);
	ck_assert_uint_eq(one.event[0].enabled, 0);
	cairn_module_remove(&one.module);
}
END_TEST

/* More events than one growth step of a batch. */
START_TEST(many)
{
	enum { MODULES = 300 };
	struct fake *fake = mmap(NULL, MODULES * sizeof(*fake), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	unsigned i, k, on = 0;
	char name[16];

	for (i = 0; i < MODULES; i++) {
		fake_begin(&fake[i]);
		for (k = 0; k < EVENTS; k++) {
			snprintf(name, sizeof(name), "e%u", EVENTS * i + k);
			fake_event(&fake[i], k, name, "u32");
		}
		fake_add(&fake[i]);
	}
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "fake:e*"), EVENTS * MODULES);
	for (i = 0; i < MODULES; i++)
		for (k = 0; k < EVENTS; k++)
			on += fake[i].event[k].enabled;
	ck_assert_uint_eq(on, EVENTS * MODULES);
	ck_assert_int_eq(cairn_disable(session, "fake:e?,fake:e1*"), 10 + 10 + 100 + 200);
	expect_status(cairn_session_stop(session, NULL), 0);
	for (i = 0; i < MODULES; i++) {
		for (k = 0; k < EVENTS; k++)
			ck_assert_uint_eq(fake[i].event[k].enabled, 0);
		cairn_module_remove(&fake[i].module);
	}
}
END_TEST

/* Names that hash alike, and long ones, are told apart. */
START_TEST(names)
{
	struct cairn_tracepoint *tp[3000];
	char name[600];
	unsigned i;

	cairn_os_lock();
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "%0*u:x", i % 500 + 5, i);
		tp[i] = cairn_registry_get(name);
		ck_assert_str_eq(tp[i]->name, name);
	}
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "%0*u:x", i % 500 + 5, i);
		ck_assert_ptr_eq(cairn_registry_get(name), tp[i]);
	}
	cairn_os_unlock();
}
END_TEST

/* The last error as text: cut to what there is room for, and whole for who has it. */
START_TEST(errors)
{
	char text[256], small[5];

	ck_assert_int_eq(cairn_error(text, sizeof(text)), 0);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(cairn_fail(-EINVAL, "%s %d", "number", 42), -EINVAL);
	ck_assert_int_eq(cairn_error(text, sizeof(text)), 9);
	ck_assert_str_eq(text, "number 42");
	ck_assert_int_eq(cairn_error(small, sizeof(small)), 9);
	ck_assert_str_eq(small, "numb");
	cairn_fail(-EINVAL, "%0*d", 1000, 7);
	ck_assert_int_lt(cairn_error(text, sizeof(text)), 256);
}
END_TEST

static void *fail_a_lot(void *data)
{
	char text[256];
	int i;

	for (i = 0; i < 2000; i++) {
		cairn_fail(-EINVAL, "thread %s says so", (const char *)data);
		cairn_error(text, sizeof(text));
		ck_assert_uint_lt(strlen(text), 256);
	}
	return NULL;
}

/* Calls that fail in several threads at once. */
START_TEST(errors_of_threads)
{
	static const char *const name[] = { "one", "two two", "three three three" };
	pthread_t thread[3];
	char text[256];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, fail_a_lot, (void *)(uintptr_t)name[i]);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	cairn_error(text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, " says so"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracepoint");
	TCase *tcase = tcase_create("tracepoint");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, modules);
	tcase_add_test(tcase, other_versions);
	tcase_add_test(tcase, two_field_lists);
	tcase_add_test(tcase, two_enums);
	tcase_add_test(tcase, no_enum);
#if CAIRN_ARCH_SITE_SIZE
	tcase_add_test(tcase, same_address);
	tcase_add_test(tcase, all_or_nothing);
#endif
	tcase_add_test(tcase, late);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, names);
	tcase_add_test(tcase, errors);
	tcase_add_test(tcase, errors_of_threads);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
