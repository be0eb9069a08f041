/* SPDX-License-Identifier: MIT */
/*
 * Patching: the encoders of the ports against bytes from GNU as (on any CPU); core/patch.c on pages of
 * the test's own, and on this program's text: nothing is written before everything is verified, text
 * gets its protection back, a refusal leaves all as it was.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "encoder.h"
#include "os.h"
#include "patch.h"
#include "patch_arch.h"
#include "recorded.h"
#include "site_arch.h"

CAIRN_EVENT(patch, one, CAIRN_U32(n));
CAIRN_EVENT(patch, two, CAIRN_U32(n));
CAIRN_EVENT(patch, three, CAIRN_U32(n));

/* ---- the encoders of all ports ---- */

struct encoder *encoders;

static const struct encoder *encoder_of(const char *name)
{
	const struct encoder *encoder = encoders;

	while (encoder && strcmp(encoder->name, name) != 0)
		encoder = encoder->next;
	ck_assert_msg(encoder != NULL, "no golden/*_sites.s has a line \"encoder %s: ...\"", name);
	return encoder;
}

/* The bytes of one instruction from a golden file; what is behind them. */
static const char *golden_bytes(const char *text, unsigned char *bytes, unsigned size)
{
	char *end;

	for (; size > 0; size--, text = end)
		*bytes++ = (unsigned char)strtoul(text, &end, 16);
	return text;
}

/* A line of a golden file: "DISTANCE no-op jump" or "refused AT DISTANCE", the site AT bytes behind `from`. */
static void golden_line(const struct encoder *encoder, const char *line, uintptr_t from)
{
	const bool refused = !strncmp(line, "refused ", 8);
	unsigned char insn[8], nop[8], jump[8];
	char *rest = (char *)(uintptr_t)line;
	int64_t distance;
	uintptr_t to;

	if (refused)
		from += (uintptr_t)strtoul(line + 8, &rest, 0);
	distance = strtoll(rest, &rest, 0);
	if (sizeof(void *) == 4 && distance != (int32_t)distance)
		return; /* no address is that far */
	to = from + (uintptr_t)distance;
	ck_assert_msg(encoder->nop(insn, from, to) == (refused ? -ERANGE : 0), "%s: no-op at %s",
		      encoder->name, line);
	ck_assert_msg(encoder->jump(insn, from, to) == (refused ? -ERANGE : 0), "%s: jump at %s",
		      encoder->name, line);
	if (refused)
		return;
	golden_bytes(golden_bytes(rest, nop, encoder->size), jump, encoder->size);
	ck_assert_msg(!memcmp(insn, jump, encoder->size), "%s: jump at %s", encoder->name, line);
	encoder->nop(insn, from, to);
	ck_assert_msg(!memcmp(insn, nop, encoder->size), "%s: no-op at %s", encoder->name, line);
}

/*
 * GNU as makes the same bytes, and what is out of reach, or between two instructions, is refused: see
 * encode.sh. Also where addresses wrap around.
 */
START_TEST(golden)
{
	const char *source = getenv("CAIRN_SOURCE_DIR");
	const uintptr_t from = sizeof(void *) == 8 ? (uintptr_t)1 << 40 : 0x80000000;
	const struct encoder *encoder = encoders;
	unsigned encoded = 0, refused = 0;
	char path[4096], line[256];
	FILE *file;
	int i;

	for (i = 0; i < _i; i++)
		encoder = encoder->next;
	snprintf(path, sizeof(path), "%s/tests/golden/%s_sites.txt", source ? source : ".",
		 encoder->name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL,
		      "%s: %s (tests/encode.sh --write makes it; is CAIRN_SOURCE_DIR set?)", path,
		      strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			continue;
		*(line[0] == 'r' ? &refused : &encoded) += 1;
		golden_line(encoder, line, from);
		golden_line(encoder, line, 0);
	}
	fclose(file);
	ck_assert_uint_ge(encoded, 10);
	ck_assert_uint_ge(refused, 2);
}
END_TEST

/* Beyond the reach of `b`, `j` goes anywhere in the segment of 256 MiB that its delay slot is in. */
START_TEST(reach_mips)
{
	const uintptr_t from = 0x4ffe0000, end = 0x50000000, begin = 0x40000000;
	const struct encoder *encoder = encoder_of("mips");
	unsigned char insn[8];

	ck_assert_int_eq(encoder->jump(insn, from, end - 4), 0);
	ck_assert_uint_eq(insn[0], 0x10);
	ck_assert_int_eq(encoder->jump(insn, from, end), 0); /* the last that `b` reaches */
	ck_assert_uint_eq(insn[0], 0x10);
	ck_assert_int_eq(encoder->jump(insn, from, end + 4), -ERANGE);
	ck_assert_int_eq(encoder->nop(insn, from, end + 4), -ERANGE);
	ck_assert_int_eq(encoder->jump(insn, from - 4, end), -ERANGE);
	ck_assert_int_eq(encoder->jump(insn, from, from - 0x1fffc), 0);
	ck_assert_uint_eq(insn[0], 0x10);
	ck_assert_int_eq(encoder->jump(insn, from, from - 0x20000), 0);
	ck_assert_uint_eq(insn[0] & 0xfc, 0x08);
	ck_assert_int_eq(encoder->jump(insn, from, begin), 0);
	ck_assert_uint_eq(insn[0] & 0xfc, 0x08);
	ck_assert_int_eq(encoder->jump(insn, from, begin - 4), -ERANGE);
	ck_assert_int_eq(encoder->nop(insn, from, begin - 4), -ERANGE);
	/* A site whose delay slot is in the next segment jumps in that one. */
	ck_assert_int_eq(encoder->jump(insn, end - 4, end + 0x0ffffffc), 0);
	ck_assert_int_eq(encoder->jump(insn, end - 4, from - 4), -ERANGE);
	ck_assert_int_eq(encoder->jump(insn, from, from + 2), -ERANGE);
	ck_assert_int_eq(encoder->nop(insn, from + 2, from + 2), -ERANGE);
}
END_TEST

START_TEST(reach_micromips)
{
	const uintptr_t from = 0x47ff0000, end = 0x48000000, begin = 0x40000000;
	const struct encoder *micromips = encoder_of("micromips");
	unsigned char insn[8];

	ck_assert_int_eq(micromips->jump(insn, from, end + 2), 0); /* the last that `b` reaches */
	ck_assert_uint_eq(insn[0], 0x94);
	ck_assert_int_eq(micromips->jump(insn, from, end + 4), -ERANGE);
	ck_assert_int_eq(micromips->nop(insn, from, end + 4), -ERANGE);
	ck_assert_int_eq(micromips->jump(insn, from, from - 0xfffc), 0);
	ck_assert_uint_eq(insn[0], 0x94);
	ck_assert_int_eq(micromips->jump(insn, from, from - 0xfffe), 0);
	ck_assert_uint_eq(insn[0] & 0xfc, 0xd4);
	ck_assert_int_eq(micromips->jump(insn, from, begin), 0);
	ck_assert_uint_eq(insn[0] & 0xfc, 0xd4);
	ck_assert_int_eq(micromips->jump(insn, from, begin - 2), -ERANGE);
	ck_assert_int_eq(micromips->jump(insn, from + 2, from + 4), -ERANGE);
	ck_assert_int_eq(micromips->nop(insn, from, from + 5), -ERANGE);
}
END_TEST

/* A flip is one byte: the rest of the two instructions is the same. */
START_TEST(one_byte)
{
	const struct encoder *x86 = encoder_of("x86");
	unsigned char nop[5], jump[5];
	uintptr_t to;

	for (to = 100; to < 100000; to += 97) {
		ck_assert_int_eq(x86->nop(nop, 5000, to), 0);
		ck_assert_int_eq(x86->jump(jump, 5000, to), 0);
		ck_assert_mem_eq(nop + 1, jump + 1, 4);
		ck_assert_uint_ne(nop[0], jump[0]);
	}
}
END_TEST

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

#if CAIRN_ARCH_SITE_SIZE

/* ---- pages of the test's own ---- */

#define SITES 40
#define SIZE CAIRN_ARCH_SITE_SIZE

struct fake {
	unsigned char *page[2];
	struct cairn_text text[2];
	struct cairn_texts texts;
	struct cairn_patch patch[SITES];
	char why[240];
};

/* Two "segments" of one page each with 20 disabled sites. */
static void fake_begin(struct fake *fake)
{
	static const char *const name[] = { "fake:a", "fake:b", "fake:c", "fake:d" };
	size_t i;

	memset(fake, 0, sizeof(*fake));
	for (i = 0; i < 2; i++) {
		fake->page[i] = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ck_assert_ptr_ne(fake->page[i], MAP_FAILED);
		fake->text[i] = (struct cairn_text){ (uintptr_t)fake->page[i],
						     (uintptr_t)fake->page[i] + page_size(),
						     PROT_READ | PROT_EXEC };
	}
	for (i = 0; i < SITES; i++) {
		const uintptr_t code = fake->text[i / 20].begin + 64 * (i % 20) + 64 - SIZE;

		fake->patch[i] = (struct cairn_patch){ code, code + 1000, name[i % 4] };
		cairn_arch_nop((unsigned char *)code, code, code + 1000);
	}
	for (i = 0; i < 2; i++)
		mprotect(fake->page[i], page_size(), PROT_READ | PROT_EXEC);
	fake->texts = (struct cairn_texts){ fake->text, 2 };
}

static int fake_batch(struct fake *fake, size_t n, bool on)
{
	fake->why[0] = 0;
	return cairn_patch_batch(fake->patch, n, on, &fake->texts, fake->why, sizeof(fake->why));
}

/* Sites below `n` are jumps, the others no-ops. */
static void fake_expect(const struct fake *fake, size_t n)
{
	unsigned char insn[SIZE];
	size_t i;

	for (i = 0; i < SITES; i++) {
		if (i < n)
			cairn_arch_jump(insn, fake->patch[i].code, fake->patch[i].target);
		else
			cairn_arch_nop(insn, fake->patch[i].code, fake->patch[i].target);
		ck_assert_msg(!memcmp((void *)fake->patch[i].code, insn, SIZE),
			      "site %zu is not a %s", i, i < n ? "jump" : "no-op");
	}
}

/* Protection of the mapping at `at`, as /proc says: "r-xp". */
static void protection(const void *at, char text[5])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	uintptr_t begin, end;

	ck_assert_ptr_nonnull(maps);
	strcpy(text, "?");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, text) == 3 &&
		    (uintptr_t)at >= begin && (uintptr_t)at < end)
			break;
	fclose(maps);
}

static void expect_protection(const struct fake *fake)
{
	char text[5];
	int i;

	for (i = 0; i < 2; i++) {
		protection(fake->page[i], text);
		ck_assert_str_eq(text, "r-xp");
	}
}

START_TEST(on_and_off)
{
	struct fake fake;

	fake_begin(&fake);
	expect_protection(&fake);
	ck_assert_int_eq(fake_batch(&fake, 0, true), 0);
	fake_expect(&fake, 0);
	ck_assert_int_eq(fake_batch(&fake, SITES, true), 0);
	fake_expect(&fake, SITES);
	expect_protection(&fake);
	ck_assert_int_eq(fake_batch(&fake, SITES, true), 0); /* again: nothing to do */
	fake_expect(&fake, SITES);
	ck_assert_int_eq(fake_batch(&fake, SITES, false), 0);
	fake_expect(&fake, 0);
	expect_protection(&fake);
	ck_assert_int_eq(fake_batch(&fake, 25, true), 0);
	fake_expect(&fake, 25);
	ck_assert_int_eq(fake_batch(&fake, SITES, true), 0); /* some are on already */
	fake_expect(&fake, SITES);
}
END_TEST

/* Something else stands at one site: refused by name, and no site has changed. */
START_TEST(foreign)
{
	unsigned char *at;
	struct fake fake;
	char site[40];

	fake_begin(&fake);
	at = (unsigned char *)fake.patch[30].code;
	mprotect(fake.page[1], page_size(), PROT_READ | PROT_WRITE | PROT_EXEC);
	at[_i] ^= 0x11;
	mprotect(fake.page[1], page_size(), PROT_READ | PROT_EXEC);
	ck_assert_int_eq(fake_batch(&fake, SITES, true), -EBUSY);
	snprintf(site, sizeof(site), "fake:c at %p", (void *)at);
	ck_assert_msg(!strncmp(fake.why, site, strlen(site)), "\"%s\" does not begin with \"%s\"",
		      fake.why, site);
	expect_protection(&fake);
	mprotect(fake.page[1], page_size(), PROT_READ | PROT_WRITE | PROT_EXEC);
	at[_i] ^= 0x11;
	mprotect(fake.page[1], page_size(), PROT_READ | PROT_EXEC);
	fake_expect(&fake, 0);
}
END_TEST

START_TEST(out_of_reach)
{
	struct fake fake;

	fake_begin(&fake);
	fake.patch[7].target = fake.patch[7].code +
			       ((uintptr_t)1 << (sizeof(void *) == 8 ? 40 : 31));
	if (cairn_arch_jump((unsigned char[SIZE]){ 0 }, fake.patch[7].code, fake.patch[7].target) ==
	    0)
		return; /* this CPU's jump reaches everywhere */
	ck_assert_int_eq(fake_batch(&fake, SITES, true), -ERANGE);
	ck_assert_ptr_nonnull(strstr(fake.why, "fake:d at "));
	ck_assert_ptr_nonnull(strstr(fake.why, "reach"));
	fake.patch[7].target = fake.patch[7].code + 1000;
	fake_expect(&fake, 0);
	expect_protection(&fake);
}
END_TEST

START_TEST(no_text)
{
	struct fake fake;

	fake_begin(&fake);
	fake.texts.count = 1;
	ck_assert_int_eq(fake_batch(&fake, SITES, true), -ENOENT);
	ck_assert_ptr_nonnull(strstr(fake.why, "fake:a at "));
	fake.texts.count = 2;
	fake_expect(&fake, 0);
	expect_protection(&fake);
}
END_TEST

/* The second segment cannot be opened: the first one is closed again, nothing is written. */
START_TEST(refused_midway)
{
	char name[] = "/tmp/cairn-test-XXXXXX", text[5];
	unsigned char bytes[4096] = { 0 };
	struct fake fake;
	int fd, reader;

	fake_begin(&fake);
	/* A shared mapping of a file that is open for reading only can never become writable. */
	fd = mkstemp(name);
	ck_assert_int_ge(fd, 0);
	memcpy(bytes, fake.page[1], sizeof(bytes) < page_size() ? sizeof(bytes) : page_size());
	ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	reader = open(name, O_RDONLY);
	ck_assert_ptr_eq(mmap(fake.page[1], page_size(), PROT_READ | PROT_EXEC,
			      MAP_SHARED | MAP_FIXED, reader, 0),
			 fake.page[1]);
	ck_assert_int_eq(fake_batch(&fake, SITES, true), -EACCES);
	ck_assert_ptr_nonnull(strstr(fake.why, "CAIRN_SITES=branch"));
	fake_expect(&fake, 0);
	protection(fake.page[0], text);
	ck_assert_str_eq(text, "r-xp");
	protection(fake.page[1], text);
	ck_assert_str_eq(text, "r-xs");
	ck_assert_int_eq(fake_batch(&fake, 20, true), 0); /* what is in the first one only */
	fake_expect(&fake, 20);
	close(fd);
	close(reader);
	unlink(name);
}
END_TEST

#endif

/* ---- this program's text ---- */

extern const struct cairn_site __start_cairn_sites[] __attribute__((weak, visibility("hidden")));
extern const struct cairn_site __stop_cairn_sites[] __attribute__((weak, visibility("hidden")));

static uintptr_t relative(const int32_t *word)
{
	return (uintptr_t)word + (uintptr_t)(intptr_t)*word;
}

/* The first patched site of the event; NULL: it has branches. */
static unsigned char *site_of(const char *name)
{
	const struct cairn_site *site;

	for (site = __start_cairn_sites; site < __stop_cairn_sites; site++)
		if (site->code && !strcmp((const char *)relative(&site->name), name))
			return (unsigned char *)(relative(&site->code) &
						 ~(uintptr_t)CAIRN_ARCH_SITE_TAG);
	return NULL;
}

static __attribute__((noinline)) unsigned enabled(void)
{
	return cairn_enabled(patch, one) | cairn_enabled(patch, two) << 1 |
	       cairn_enabled(patch, three) << 2;
}

static void hit(void)
{
	cairn_trace(patch, one, 1);
	cairn_trace(patch, two, 2);
	cairn_trace(patch, three, 3);
}

/* All mappings of this program that are executable, with their protection. */
static char *executable_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *all = calloc(1, 65536);

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "test_patch") && strlen(all) + strlen(line) < 65536)
			strcat(all, line);
	fclose(maps);
	return all;
}

/* Protection of text before and after, byte by byte as the system shows it. */
START_TEST(lesson_39)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	char *before = executable_maps(), *after;
	struct cairn_stats stats;
	int i;

	ck_assert_ptr_nonnull(strstr(before, "r-xp"));
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(cairn_enable(session, "patch:*"), 3);
		ck_assert_uint_eq(enabled(), 7);
		after = executable_maps();
		ck_assert_str_eq(after, before);
		free(after);
		hit();
		ck_assert_int_eq(cairn_disable(session, "patch:*"), 3);
		ck_assert_uint_eq(enabled(), 0);
		hit();
		after = executable_maps();
		ck_assert_str_eq(after, before);
		free(after);
	}
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 9);
	free(before);
}
END_TEST

/* Text, as a debugger writes it. ThreadSanitizer knows nothing of text. */
static __attribute__((noinline, no_sanitize("thread"))) unsigned char text_swap(unsigned char *at,
										unsigned char byte)
{
	unsigned char *page = (unsigned char *)((uintptr_t)at & ~(page_size() - 1));
	unsigned char was;

	ck_assert_int_eq(mprotect(page, 2 * page_size(), PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	was = *at;
	*at = byte;
	mprotect(page, 2 * page_size(), PROT_READ | PROT_EXEC);
	return was;
}

/* A debugger's breakpoint at a site: -EBUSY names the event; the others stay off, and work later. */
START_TEST(breakpoint)
{
	unsigned char *at = site_of("patch:two");
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	struct cairn_stats stats;
	unsigned char was;
	char why[256];

	if (!at) {
		expect_status(cairn_session_stop(session, NULL), 0);
		return; /* branch sites: nothing to break */
	}
	was = text_swap(at, 0xcc);
	ck_assert_int_eq(cairn_enable(session, "patch:*"), -EBUSY);
	cairn_error(why, sizeof(why));
	ck_assert_msg(strstr(why, "patch:two at 0x") != NULL, "\"%s\" does not name the event",
		      why);
	ck_assert_uint_eq(text_swap(at, was), 0xcc);
	ck_assert_uint_eq(enabled(), 0);
	hit();
	ck_assert_int_eq(cairn_enable(session, "patch:*"), 3);
	ck_assert_uint_eq(enabled(), 7);
	hit();
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 3);
}
END_TEST

/* From now on making memory writable and executable is an error. False: no filter here. */
static bool forbid_writable_text(int error)
{
	const struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]),
					    (struct sock_filter *)(uintptr_t)filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A system that refuses writable text: the reason is told, nothing is on; branch sites just work. */
START_TEST(lesson_38)
{
	const int error = _i ? EPERM : EACCES;
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	const bool patched = site_of("patch:one") != NULL;
	struct cairn_stats stats;
	char why[256];

	if (!forbid_writable_text(error)) {
		expect_status(cairn_session_stop(session, NULL), 0);
		return; /* an emulator, or a kernel without it */
	}
	ck_assert_int_eq(cairn_enable(session, "patch:*"), patched ? -error : 3);
	ck_assert_uint_eq(enabled(), patched ? 0 : 7);
	hit();
	if (patched) {
		cairn_error(why, sizeof(why));
		ck_assert_msg(strstr(why, "CAIRN_SITES=branch") != NULL,
			      "\"%s\" does not name the way out", why);
	}
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, patched ? 0 : 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("patch");
	TCase *tcase = tcase_create("patch");
	const struct encoder *encoder;
	int failed, count = 0;
	SRunner *runner;

	for (encoder = encoders; encoder; encoder = encoder->next)
		count++;
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, golden, 0, count);
	tcase_add_test(tcase, reach_mips);
	tcase_add_test(tcase, reach_micromips);
	tcase_add_test(tcase, one_byte);
#if CAIRN_ARCH_SITE_SIZE
	tcase_add_test(tcase, on_and_off);
	tcase_add_loop_test(tcase, foreign, 0, SIZE);
	tcase_add_test(tcase, out_of_reach);
	tcase_add_test(tcase, no_text);
	tcase_add_test(tcase, refused_midway);
#endif
	tcase_add_test(tcase, lesson_39);
	tcase_add_test(tcase, breakpoint);
	tcase_add_loop_test(tcase, lesson_38, 0, 2);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
