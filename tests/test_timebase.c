/* SPDX-License-Identifier: MIT */
/*
 * arch/powerpc: the time base of 32-bit CPUs, put together from halves, with a counter that the test makes
 * up; on any machine.
 */
#include <check.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t counter, stride; /* ticks that pass with each half that is read */

static uint32_t half(unsigned shift)
{
	const uint32_t read = (uint32_t)(counter >> shift);

	counter += stride;
	return read;
}

#define CAIRN_ARCH_HALVES(high, low, again) (high = half(32), low = half(0), again = half(32))
#include "../arch/powerpc/clock_arch.h"

/* Every place of the carry between the reads: what comes out was the counter's value meanwhile. */
START_TEST(carry)
{
	static const uint64_t strides[] = { 1, 7, 1000, UINT64_C(1) << 30 };
	uint64_t first, read;
	size_t i;
	int k;

	for (i = 0; i < sizeof(strides) / sizeof(strides[0]); i++)
		for (k = -6; k <= 6; k++) {
			stride = strides[i];
			counter = first = (UINT64_C(5) << 32) + (uint64_t)k * stride;
			read = cairn_arch_ticks();
			ck_assert_msg(read >= first && read < counter,
				      "%" PRIx64 " between %" PRIx64 " and %" PRIx64, read, first,
				      counter);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("timebase");
	TCase *tcase = tcase_create("timebase");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, carry);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
