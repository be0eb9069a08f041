/* SPDX-License-Identifier: MIT */
/*
 * A function of a megabyte and more between a site and its cold branch, which compilers put at its end.
 * Where the CPU's jump reaches that far the event is switched; where it does not, enabling it is refused
 * with the site's name; then its other sites are off, too, and other events are none the worse for it.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include "patch_arch.h"
#include "recorded.h"
#include "site_arch.h"

CAIRN_EVENT(reach, far, CAIRN_U32(n));
CAIRN_EVENT(reach, near, CAIRN_U32(n));

#define MEBIBYTE 0x100000

/* Lines for the compiler to count, so that it knows how far its own jumps go; a byte each, or more. */
#define NOPS8 "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
#define NOPS64 NOPS8 NOPS8 NOPS8 NOPS8 NOPS8 NOPS8 NOPS8 NOPS8
#define NOPS512 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64
#define TWICE(statement) statement statement
#define TIMES16(statement) TWICE(TWICE(TWICE(TWICE(statement))))
#define TIMES2048(statement) TIMES16(TIMES16(TWICE(TWICE(TWICE(statement)))))

/* No way leads back from the cold branch: gcc has no jump for that distance on RISC-V. */
static __attribute__((noinline)) bool ask_far(void)
{
	if (cairn_enabled(reach, far))
		return true;
	TIMES2048(__asm__ volatile(NOPS512);)
	return false;
}

static void hit(void)
{
	cairn_trace(reach, far, 1);
	cairn_trace(reach, near, 2);
}

extern const struct cairn_site __start_cairn_sites[] __attribute__((weak, visibility("hidden")));
extern const struct cairn_site __stop_cairn_sites[] __attribute__((weak, visibility("hidden")));

static uintptr_t relative(const int32_t *word)
{
	return (uintptr_t)word + (uintptr_t)(intptr_t)*word;
}

/* What the port says of the site in ask_far: 0, or -ERANGE. */
static int far_status(void)
{
	const struct cairn_site *site;
	uintptr_t from = 0, to = 0;
	unsigned char insn[16];

	for (site = __start_cairn_sites; site < __stop_cairn_sites; site++)
		if (site->code && relative(&site->target) - relative(&site->code) > to - from &&
		    relative(&site->target) > relative(&site->code)) {
			from = relative(&site->code) & ~(uintptr_t)CAIRN_ARCH_SITE_TAG;
			to = relative(&site->target) & ~(uintptr_t)CAIRN_ARCH_SITE_TAG;
		}
	if (!from)
		return 0; /* sites are branches */
#ifdef __OPTIMIZE__
	ck_assert_msg(to - from >= MEBIBYTE, "from %p to %p is near", (void *)from, (void *)to);
#endif
	return cairn_arch_jump(insn, from, to);
}

START_TEST(far)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	const int far = far_status();
	struct cairn_stats stats;
	char why[256];

	ck_assert_int_eq(cairn_enable(session, "reach:far"), far ? far : 1);
	cairn_error(why, sizeof(why));
	ck_assert_msg(!far || strstr(why, "reach:far at 0x"), "\"%s\" does not name the site", why);
	ck_assert_msg(!far || strstr(why, "out of the reach"), "\"%s\"", why);
	ck_assert_int_eq(cairn_enable(session, "reach:near"), 1);
	ck_assert_int_eq(ask_far(), !far);
	hit();
	ck_assert_int_eq(cairn_disable(session, "reach:*"), far ? 1 : 2);
	ck_assert(!ask_far());
	hit();
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, far ? 1 : 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reach");
	TCase *tcase = tcase_create("reach");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, far);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
