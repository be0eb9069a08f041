/* SPDX-License-Identifier: MIT */
/*
 * `cairn list` (tools/list*.c), as a user calls it: the command of this build is run on files that
 * are made here byte by byte: programs of both word sizes and byte orders, and traces by
 * core/ctf.c. Then on the same files cut off at every byte and with bits flipped, many files a run:
 * it must end by itself with status 0 or 1 and say nothing but messages of its own. The seed of
 * what is random is printed; CAIRN_SEED sets it.
 */
#define _GNU_SOURCE 1
#include <check.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cairn/event.h>

#include "ctf.h"
#include "effort.h"

#define BATCH 150 /* files a run */
#define ARGUMENTS (BATCH + 16)

static char folder[400];     /* for everything; removed at the end */
static uint64_t seed, state; /* of random_number */

/* ---- running the command ---- */

static char out[1 << 20], err[1 << 20]; /* of the last run */

static void slurp(const char *name, char *text, size_t size)
{
	const int fd = open(name, O_RDONLY);
	size_t used = 0;
	ssize_t got;

	ck_assert_msg(fd >= 0, "no %s: %s", name, strerror(errno));
	while ((got = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = 0;
	close(fd);
}

static void in_child(char **argv)
{
	const char *asan = getenv("ASAN_OPTIONS");
	char options[512];

	/* A report must not look like a failure that we told of. */
	snprintf(options, sizeof(options), "%s:abort_on_error=1", asan ? asan : "");
	setenv("ASAN_OPTIONS", options, 1);
	setenv("TZ", "UTC", 1);
	dup2(open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
	dup2(open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
	execv(argv[0], argv);
	_exit(99);
}

/* Run `cairn list` on the files, with the emulator if there is one. Its exit status. */
static int list(const char *const *files, size_t count)
{
	static char command[4096], emulator[1024];
	const char *build = getenv("CAIRN_BUILD_DIR"), *words = getenv("CAIRN_EMULATOR");
	char *argv[ARGUMENTS], *word, *save;
	size_t n = 0, i;
	int status;
	pid_t pid;

	ck_assert_msg(build != NULL, "CAIRN_BUILD_DIR must name the build folder");
	snprintf(command, sizeof(command), "%s/tools/cairn", build);
	snprintf(emulator, sizeof(emulator), "%s", words ? words : "");
	for (word = strtok_r(emulator, " ", &save); word && n < 8;
	     word = strtok_r(NULL, " ", &save))
		argv[n++] = word;
	argv[n++] = command;
	argv[n++] = (char *)"list";
	for (i = 0; i < count; i++)
		argv[n++] = (char *)files[i];
	argv[n] = NULL;
	pid = fork();
	if (pid == 0)
		in_child(argv);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	slurp("stdout", out, sizeof(out));
	slurp("stderr", err, sizeof(err));
	ck_assert_msg(WIFEXITED(status), "seed %llu: `cairn list %s` ended by signal %d: %.2000s",
		      (unsigned long long)seed, files[0], WTERMSIG(status), err);
	ck_assert_msg(WEXITSTATUS(status) != 99, "%s cannot be run", argv[0]);
	return WEXITSTATUS(status);
}

static int list_one(const char *file)
{
	return list(&file, 1);
}

/*
 * Every line of stderr is a message of ours, stdout has no control character. Returns the messages.
 */
static unsigned check_output(void)
{
	unsigned messages = 0;
	const char *line, *c;

	for (line = err; *line; line = strchr(line, '\n') + 1) {
		ck_assert_msg(!strncmp(line, "cairn: ", 7) && strchr(line, '\n'),
			      "seed %llu: stderr has a line that is no message: %.2000s",
			      (unsigned long long)seed, line);
		messages++;
	}
	for (c = out; *c; c++)
		ck_assert_msg(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f),
			      "seed %llu: stdout has the control character %d",
			      (unsigned long long)seed, *c);
	return messages;
}

static void expect_failure(const char *file, const char *words)
{
	ck_assert_msg(list_one(file) == 1, "`cairn list %s` must fail", file);
	ck_assert_uint_eq(check_output(), 1);
	ck_assert_msg(strstr(err, words) != NULL, "expected '%s' in: %s", words, err);
}

static void expect_output(const char *file, const char *text)
{
	const int status = list_one(file);

	ck_assert_msg(status == 0, "`cairn list %s`: status %d, %s", file, status, err);
	ck_assert_str_eq(out, text);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	ck_assert_msg(fd >= 0, "%s: %s", name, strerror(errno));
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

static uint64_t random_number(void)
{
	/* Marsaglia, Xorshift RNGs, 2003 */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* ---- a program, byte by byte ---- */

struct program {
	unsigned char bytes[4096];
	size_t size;
	bool wide, big;
	uint64_t base; /* run-time address of byte 0 */
	size_t names, sites, descs, end, strings, sections;
};

static void put(struct program *p, uint64_t value, unsigned bytes)
{
	unsigned i;

	for (i = 0; i < bytes; i++)
		p->bytes[p->size++] = (unsigned char)(value >> 8 * (p->big ? bytes - 1 - i : i));
}

static void put_word(struct program *p, uint64_t value)
{
	put(p, value, p->wide ? 8 : 4);
}

static void put_text(struct program *p, const char *text, size_t size)
{
	memcpy(p->bytes + p->size, text, size);
	p->size += size;
}

static void align(struct program *p)
{
	p->size = (p->size + 7) & ~(size_t)7;
}

/* A self-relative word. */
static void put_relative(struct program *p, uint64_t address)
{
	put(p, address ? address - (p->base + p->size) : 0, 4);
}

/* A site of the event whose name is `name` bytes into the names. */
static void put_site(struct program *p, uint64_t code, size_t name)
{
	put_relative(p, code);
	put_relative(p, code ? code + 0x40 : 0);
	put_relative(p, p->base + 0x800);
	put_relative(p, p->base + p->names + name);
}

#define PUT_EVENT(p, level, text, ...)                                                             \
	put_event(p, level, text, sizeof(text), (const uint32_t[]){ __VA_ARGS__ },                 \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* counts: one for each field, then 0. */
static void put_event(struct program *p, unsigned level, const char *text, size_t size,
		      const uint32_t *count, size_t counts)
{
	size_t i;

	align(p);
	put(p, 16 + 4 * counts + size, 4);
	put(p, CAIRN_DESC_EVENT, 2);
	put(p, counts - 1, 2);
	put(p, level, 2);
	put(p, CAIRN_ABI, 2);
	put(p, 16 + 4 * counts, 4);
	for (i = 0; i < counts; i++)
		put(p, count[i], 4);
	put_text(p, text, size);
}

static void put_enum(struct program *p, const char *text, size_t size, const int64_t *range,
		     size_t labels)
{
	size_t i;

	align(p);
	put(p, 16 + 16 * labels + 8 + size, 4);
	put(p, CAIRN_DESC_ENUM, 2);
	put(p, labels, 2);
	put(p, 0, 2);
	put(p, CAIRN_ABI, 2);
	put(p, 16 + 16 * labels + 8, 4);
	for (i = 0; i < 2 * labels; i++)
		put(p, (uint64_t)range[i], 8);
	put(p, 0, 8);
	put_text(p, text, size);
}

static void put_section(struct program *p, unsigned name, unsigned type, uint64_t flags, size_t at,
			size_t size)
{
	put(p, name, 4);
	put(p, type, 4);
	put_word(p, flags);
	put_word(p, flags & SHF_ALLOC ? p->base + at : 0);
	put_word(p, at);
	put_word(p, size);
	put(p, 0, 4);
	put(p, 0, 4);
	put_word(p, 8);
	put_word(p, 0);
}

static const char strings[] = "\0.rodata\0cairn_sites\0cairn_events\0.shstrtab";

static void put_sections(struct program *p)
{
	align(p);
	p->strings = p->size;
	put_text(p, strings, sizeof(strings));
	align(p);
	p->sections = p->size;
	put_section(p, 0, SHT_NULL, 0, 0, 0);
	put_section(p, 1, SHT_PROGBITS, SHF_ALLOC, p->names, p->sites - p->names);
	put_section(p, 9, SHT_PROGBITS, SHF_ALLOC, p->sites, p->descs - p->sites);
	put_section(p, 21, SHT_PROGBITS, SHF_ALLOC, p->descs, p->end - p->descs);
	put_section(p, 34, SHT_STRTAB, 0, p->strings, sizeof(strings));
}

static void put_head(struct program *p)
{
	const unsigned char ident[EI_NIDENT] = { ELFMAG0,
						 ELFMAG1,
						 ELFMAG2,
						 ELFMAG3,
						 p->wide ? ELFCLASS64 : ELFCLASS32,
						 p->big ? ELFDATA2MSB : ELFDATA2LSB,
						 EV_CURRENT };
	const size_t end = p->size;

	p->size = 0;
	put_text(p, (const char *)ident, sizeof(ident));
	put(p, ET_DYN, 2);
	put(p, p->wide ? EM_X86_64 : EM_MIPS, 2);
	put(p, EV_CURRENT, 4);
	put_word(p, 0);
	put_word(p, 0);
	put_word(p, p->sections);
	put(p, 0, 4);
	put(p, p->wide ? 64 : 52, 2);
	put(p, 0, 2);
	put(p, 0, 2);
	put(p, p->wide ? 64 : 40, 2);
	put(p, 5, 2);
	put(p, 4, 2);
	p->size = end;
}

static void begin_program(struct program *p, bool wide, bool big)
{
	memset(p, 0, sizeof(*p));
	p->wide = wide;
	p->big = big;
	/* 32-bit words that are negative, and more than 32 bits */
	p->base = wide ? 0x555500001000 : 0xf0001000;
	p->size = p->names = 64;
}

static void end_program(struct program *p)
{
	p->end = p->size;
	put_sections(p);
	put_head(p);
}

static const char names[] = "shop:checkout\0net:rx\0shop:close\0net:asked";
#define CHECKOUT 0
#define RX 14
#define CLOSE 21
#define ASKED 32

static void put_checkout(struct program *p)
{
	PUT_EVENT(p, 7,
		  "shop\0checkout\0u32\0order\0str\0customer\0enum shop_state\0state\0u8[]\0blob",
		  0, 0, 0, 0, 0);
}

static void put_descs(struct program *p)
{
	const int64_t state_range[] = { 0, 0, 1, 1, 10, 99 }, sign_range[] = { -5, -5, 1, 300 };
	static const char state_text[] = "shop_state\0u8\0OPEN\0PAID\0LATE";
	static const char sign_text[] = "sign\0i16\0NEG\0POS";

	put_checkout(p);
	PUT_EVENT(p, 0, "shop\0close", 0);
	put_enum(p, state_text, sizeof(state_text), state_range, 3);
	put_checkout(p); /* as a second file that hits it has it */
	PUT_EVENT(p, 4, "net\0rx\0u16[n]\0words\0text\0label\0enum sign[n]\0s\0str[]\0argv\0ptr\0p",
		  4, 12, 2, 0, 0, 0);
	put_enum(p, sign_text, sizeof(sign_text), sign_range, 2);
}

static void make_program(struct program *p, bool wide, bool big)
{
	begin_program(p, wide, big);
	put_text(p, names, sizeof(names));
	align(p);
	p->sites = p->size;
	put_site(p, p->base + 0x510, CHECKOUT);
	put_site(p, 0, ASKED);
	put_site(p, p->base + 0x500, CHECKOUT);
	put_site(p, p->base + 0x520, RX);
	put_site(p, 0, CHECKOUT);
	p->descs = p->size;
	put_descs(p);
	end_program(p);
}

/* ---- what is listed ---- */

static const char listing[] =
	"program: 4 events, 5 sites (3 patched, 2 branch)\n"
	"\n"
	"net:asked  1 site\n"
	"    (fields unknown: the file asks whether it is enabled, and never hits it)\n"
	"\n"
	"net:rx  ERR  1 site\n"
	"    u16[4]        words\n"
	"    text[12]      label\n"
	"    enum sign[2]  s\n"
	"    str[]         argv\n"
	"    ptr           p\n"
	"\n"
	"shop:checkout  INFO  3 sites\n"
	"    u32              order\n"
	"    str              customer\n"
	"    enum shop_state  state\n"
	"    u8[]             blob\n"
	"\n"
	"shop:close  DEBUG  0 sites\n"
	"    (no fields)\n"
	"\n"
	"enum shop_state: u8\n"
	"    OPEN = 0\n"
	"    PAID = 1\n"
	"    LATE = 10 ... 99\n"
	"\n"
	"enum sign: i16\n"
	"    NEG = -5\n"
	"    POS = 1 ... 300\n";

START_TEST(test_formats)
{
	struct program p;

	make_program(&p, _i & 1, _i & 2);
	write_file("program", p.bytes, p.size);
	expect_output("program", listing);
	ck_assert_str_eq(err, "");
}
END_TEST

START_TEST(test_sites)
{
	const char *const arguments[] = { "-v", "program" };
	struct program p;
	char line[64];
	unsigned i;

	make_program(&p, _i & 1, _i & 2);
	write_file("program", p.bytes, p.size);
	ck_assert_int_eq(list(arguments, 2), 0);
	for (i = 0; i < 3; i++) {
		const unsigned long long at = p.base + 0x500 + 0x10 * i;

		snprintf(line, sizeof(line), "    site 0x%llx patched, hit at 0x%llx\n", at,
			 at + 0x40);
		ck_assert_msg(strstr(out, line) != NULL, "expected '%s' in: %s", line, out);
	}
	ck_assert_msg(strstr(out, "    1 branch site (") != NULL, "no branch site in: %s", out);
}
END_TEST

/* One event with two field lists; two events with one address. */
START_TEST(test_contradictions)
{
	struct program p;

	make_program(&p, true, false);
	p.size = p.sites;
	put_site(&p, p.base + 0x500, CHECKOUT);
	put_site(&p, p.base + 0x500, CLOSE);
	p.descs = p.size;
	PUT_EVENT(&p, 0, "shop\0close\0u8\0why", 0, 0);
	PUT_EVENT(&p, 0, "shop\0close", 0);
	PUT_EVENT(&p, 0, "shop\0close\0u8\0why", 0, 0);
	end_program(&p);
	write_file("program", p.bytes, p.size);
	ck_assert_int_eq(list_one("program"), 0);
	ck_assert_uint_eq(check_output(), 1);
	ck_assert_msg(strstr(err, "have one site") && strstr(err, "--icf"), "no word of it: %s",
		      err);
	ck_assert_msg(strstr(out, "declared a second time, differently (DEBUG)"),
		      "no word of it: %s", out);
	ck_assert_msg(strstr(strstr(out, "declared a second") + 1, "declared a second") == NULL,
		      "two field lists are told as three: %s", out);
}
END_TEST

/* A header's field, changed. */
static void patch(struct program *p, size_t at, uint64_t value, unsigned bytes)
{
	const size_t end = p->size;

	p->size = at;
	put(p, value, bytes);
	p->size = end;
}

static void expect_refusal(const struct program *p, const char *words)
{
	write_file("program", p->bytes, p->size);
	expect_failure("program", words);
}

START_TEST(test_refusals)
{
	struct program good, p;
	unsigned i;

	make_program(&good, true, false);
	p = good;
	patch(&p, 16, ET_REL, 2);
	expect_refusal(&p, "an object file");
	patch(&p, 16, ET_CORE, 2);
	expect_refusal(&p, "neither a program nor a shared library");
	p = good;
	patch(&p, 40, 0, 8);
	expect_refusal(&p, "no section headers");
	patch(&p, 40, p.size, 8);
	expect_refusal(&p, "damaged");
	p = good;
	for (i = 1; i < 4; i++)
		patch(&p, p.sections + 64 * i + 4, SHT_NOBITS, 4);
	expect_refusal(&p, "debug information only");
	p = good;
	memcpy(p.bytes + p.strings + 9, "xxxxx", 5);
	memcpy(p.bytes + p.strings + 21, "xxxxx", 5);
	expect_refusal(&p, "no Cairn events in it");
	p = good;
	patch(&p, p.descs + 10, CAIRN_ABI + 1, 2);
	expect_refusal(&p, "another version of Cairn");
	p = good;
	memset(p.bytes + p.names, 'x', p.sites - p.names);
	expect_refusal(&p, "no name");
	p = good;
	patch(&p, p.descs, 0xfffffff0, 4);
	expect_refusal(&p, "impossible size");
}
END_TEST

START_TEST(test_other_files)
{
	write_file("program", "", 0);
	expect_failure("program", "not an ELF file");
	write_file("program", "#!/bin/sh\n", 10);
	expect_failure("program", "not an ELF file");
	write_file("program", "!<arch>\n", 8);
	expect_failure("program", "an archive");
	expect_failure("not-there", "No such file");
	expect_failure("/dev/null", "neither a file nor a directory");
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	expect_failure("fifo", "neither a file nor a directory");
	mkdir("empty", 0777);
	expect_failure("empty", "no trace in it");
}
END_TEST

/* ---- damaged programs ---- */

/* Of the places to cut at, an emulator takes some, others in each run. */
#define STEP (emulated() ? 7 : 1)

static char file_name[BATCH][32];
static const char *file[BATCH];
static size_t files;

/* Run what has gathered; `fail`: every file must be refused. */
static void run_batch(bool fail)
{
	const size_t count = files;
	unsigned messages;
	int status;

	if (count == 0)
		return;
	files = 0;
	status = list(file, count);
	ck_assert_msg(status <= 1, "seed %llu: status %d: %.2000s", (unsigned long long)seed,
		      status, err);
	messages = check_output();
	if (!fail)
		return;
	ck_assert_int_eq(status, 1);
	ck_assert_str_eq(out, "");
	ck_assert_uint_eq(messages, count);
}

static void add_to_batch(const void *bytes, size_t size, bool fail)
{
	snprintf(file_name[files], sizeof(file_name[0]), "f%zu", files);
	file[files] = file_name[files];
	write_file(file_name[files], bytes, size);
	if (++files == BATCH)
		run_batch(fail);
}

START_TEST(test_cut_off)
{
	struct program p;
	size_t size;

	make_program(&p, _i & 1, _i & 2);
	for (size = seed % STEP; size < p.size; size += STEP)
		add_to_batch(p.bytes, size, true);
	run_batch(true);
}
END_TEST

START_TEST(test_bit_flips)
{
	struct program good, p;
	unsigned i, flips;
	size_t bit;

	make_program(&good, _i & 1, _i & 2);
	for (i = 0; i < effort(600); i++) {
		p = good;
		for (flips = 1 + random_number() % 3; flips > 0; flips--) {
			bit = random_number() % (8 * p.size);
			p.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		add_to_batch(p.bytes, p.size, false);
	}
	run_batch(false);
}
END_TEST

/* Whole words of headers, tables and descriptions: the values that break arithmetic. */
START_TEST(test_extreme_words)
{
	static const uint64_t values[] = { 0,          1,          0x7fffffff,         0x80000000,
					   0xffffffff, 0xfffffff8, 0x7fffffffffffffff, UINT64_MAX };
	struct program good, p;
	size_t at, i;

	make_program(&good, _i & 1, _i & 2);
	for (at = 0; at + 8 <= good.size; at += 4) {
		i = random_number() % (sizeof(values) / sizeof(values[0]));
		p = good;
		patch(&p, at, values[i], random_number() & 1 ? 4 : 8);
		add_to_batch(p.bytes, p.size, false);
	}
	run_batch(false);
}
END_TEST

/* ---- traces ---- */

CAIRN_ENUM_TYPE(shop_state, u8, CAIRN_VALUE(OPEN, 0), CAIRN_RANGE(LATE, 10, 99));
CAIRN_EVENT(shop, checkout, CAIRN_U32(order), CAIRN_STR(customer), CAIRN_ENUM(state, shop_state),
	    CAIRN_SEQ(u8, blob, blob_len), CAIRN_LOGLEVEL(INFO));
CAIRN_EVENT(shop, close);
CAIRN_EVENT(net, rx, CAIRN_ARRAY(u16, words, 4), CAIRN_TEXT(label, 12), CAIRN_CHAR(c),
	    CAIRN_BOOL(_b), CAIRN_SEQ(str, argv, argc), CAIRN_DOUBLE(d));

#define SECOND UINT64_C(1000000000)

static void write_metadata(int dir, bool big)
{
	static char text[65536];
	const struct cairn_ctf_event event[] = { { cairn_desc_shop__checkout(), 1 },
						 { cairn_desc_shop__close(), 2 },
						 { cairn_desc_net__rx(), 3 } };
	const struct cairn_desc *const type[] = { cairn_enum_desc_shop_state() };
	const struct cairn_ctf_info info = { .uuid = { 1, 2, 3 },
					     .header = 4,
					     .word_bits = 32,
					     .big_endian = big,
					     .clock = { .name = "tsc",
							.frequency = 2 * SECOND,
							.offset = 2 * 1700000000u * SECOND },
					     .clock_choice = "tsc: b\"e\033cause",
					     .host = "h\"ost\\",
					     .program = "a\033pp",
					     .pid = 123,
					     .version = "0.1.0",
					     .event = event,
					     .events = 3,
					     .type = type,
					     .types = 1 };
	const long size = cairn_ctf_metadata(text, sizeof(text), &info);

	ck_assert_int_gt(size, 0);
	ck_assert_int_lt(size, (long)sizeof(text));
	ck_assert_int_eq(cairn_ctf_metadata_write(dir, text, (size_t)size), 0);
}

/* Three packets, the last one open or closed, and 7 events lost. */
static void write_stream(int dir, bool closed)
{
	const unsigned char records[64] = { 0 };
	struct cairn_packet head = { .magic = CAIRN_CTF_MAGIC,
				     .uuid = { 1, 2, 3 },
				     .vtid = 77,
				     .thread = "worker",
				     .packet_size = 8 * 4096 };
	struct cairn_ctf_file stream;
	unsigned i;

	cairn_ctf_file_init(&stream, dir, "stream-0", &head);
	for (i = 0; i < 3; i++) {
		head.packet_seq_num = i;
		head.timestamp_begin = i * SECOND + 2;
		head.timestamp_end = i * SECOND + SECOND;
		head.events_discarded = i ? 7 : 0;
		head.content_size = 8 * (CAIRN_PACKET_HEADER + sizeof(records));
		ck_assert_int_eq(cairn_ctf_file_packet(&stream, &head, records, sizeof(records),
						       i < 2 || closed),
				 0);
	}
	if (closed)
		ck_assert_int_eq(cairn_ctf_file_close(&stream, 7, 3 * SECOND), 0);
	else
		close(stream.file); /* as after a SIGKILL */
}

static int make_trace(const char *path, bool big, bool closed)
{
	int dir;

	ck_assert_msg(mkdir(path, 0777) == 0 || errno == EEXIST, "%s: %s", path, strerror(errno));
	dir = open(path, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	write_metadata(dir, big);
	write_stream(dir, closed);
	return dir;
}

static const char trace_head[] =
	": trace of a?pp, process 123 on h\"ost\\ (32 bit, le), Cairn 0.1.0\n"
	"clock tsc: 2000000000 Hz, 0 is 2023-11-14 22:13:20.000000000 +0000\n"
	"clock choice tsc: b\"e?cause\n"
	"\n"
	"net:rx  DEBUG\n"
	"    u16[4]    words\n"
	"    text[12]  label\n"
	"    char      c\n"
	"    bool      _b\n"
	"    str[]     argv\n"
	"    double    d\n"
	"\n"
	"shop:checkout  INFO\n"
	"    u32      order\n"
	"    str      customer\n"
	"    enum u8  state: OPEN = 0, LATE = 10 ... 99\n"
	"    u8[]     blob\n"
	"\n"
	"shop:close  DEBUG\n"
	"    (no fields)\n"
	"\n"
	"stream-0: thread 77 worker, 3 packets, 504 bytes, 7 events lost\n"
	"    2023-11-14 22:13:20.000000001 +0000, for 1.500000 s\n"
	"1 stream, 3 packets, 504 bytes, 7 events lost\n";

/* What is listed, for a machine of either byte order. */
static void trace_text(const char *path, char *text)
{
	strcpy(text, path);
	strcat(text, trace_head);
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		memcpy(strstr(text, ", le)") + 2, "be", 2);
}

START_TEST(test_trace)
{
	char text[4096];

	close(make_trace("trace", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, _i));
	trace_text("trace", text);
	expect_output("trace", text);
	expect_output("trace/", text);
	ck_assert_str_eq(err, "");
}
END_TEST

/*
 * Two traces below a folder, one of them deep, and a link to the folder that must not be followed.
 */
START_TEST(test_folder_of_traces)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	char text[8192];

	mkdir("all", 0777);
	mkdir("all/b", 0777);
	close(make_trace("all/app-10", big, true));
	close(make_trace("all/b/app-9", big, true));
	ck_assert_int_eq(symlink("..", "all/b/again"), 0);
	trace_text("all/app-10", text);
	strcat(text, "\n");
	trace_text("all/b/app-9", text + strlen(text));
	expect_output("all", text);
}
END_TEST

static void turn(unsigned char *bytes, unsigned size)
{
	unsigned char swap;
	unsigned i;

	for (i = 0; i < size / 2; i++) {
		swap = bytes[i];
		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = swap;
	}
}

/* The numbers of a packet's header in the other byte order. */
static void turn_packet(struct cairn_packet *head)
{
#define TURN(member)                                                                               \
	turn((unsigned char *)head + offsetof(struct cairn_packet, member), sizeof(head->member))
	TURN(magic);
	TURN(stream_id);
	TURN(stream_instance_id);
	TURN(content_size);
	TURN(packet_size);
	TURN(timestamp_begin);
	TURN(timestamp_end);
	TURN(packet_seq_num);
	TURN(events_discarded);
	TURN(cpu_id);
	TURN(vtid);
}

START_TEST(test_trace_of_other_order)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const int dir = make_trace("turned", !big, true), fd = openat(dir, "stream-0", O_RDWR);
	struct cairn_packet head;
	unsigned packets = 0;
	char text[4096];
	off_t at = 0, next;

	while (pread(fd, &head, sizeof(head), at) == (ssize_t)sizeof(head)) {
		next = at + (off_t)head.packet_size / 8;
		turn_packet(&head);
		ck_assert_int_eq(pwrite(fd, &head, sizeof(head), at), (ssize_t)sizeof(head));
		at = next;
		packets++;
	}
	ck_assert_uint_ge(packets, 3);
	close(fd);
	close(dir);
	trace_text("turned", text);
	memcpy(strstr(text, big ? ", be)" : ", le)") + 2, big ? "le" : "be", 2);
	expect_output("turned", text);
}
END_TEST

START_TEST(test_other_traces)
{
	static const char lttng[] = "/* CTF 1.8 */\nenv {\n\ttracer_name = \"lttng-ust\";\n};\n";
	static const char binary[] = "\xc1\x1f\x1d\x75 etc.";

	mkdir("other", 0777);
	write_file("other/metadata", lttng, sizeof(lttng) - 1);
	expect_failure("other", "not a trace of Cairn");
	write_file("other/metadata", binary, sizeof(binary) - 1);
	expect_failure("other", "not as Cairn writes it");
	write_file("other/metadata", "/* CTF 1.8 */\n\0\n", 16);
	expect_failure("other", "not as Cairn writes it");
	unlink("other/metadata");
	mkdir("other/metadata", 0777);
	expect_failure("other", "cannot be read");
}
END_TEST

/* ---- damaged traces ---- */

static unsigned char stream_bytes[4096];
static char metadata_bytes[65536];
static size_t stream_size, metadata_size;

static size_t read_whole(const char *name, void *bytes, size_t room)
{
	const int fd = open(name, O_RDONLY);
	const ssize_t size = read(fd, bytes, room);

	ck_assert_int_gt(size, 0);
	close(fd);
	return (size_t)size;
}

static void read_good_trace(void)
{
	close(make_trace("good", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, true));
	stream_size = read_whole("good/stream-0", stream_bytes, sizeof(stream_bytes));
	metadata_size = read_whole("good/metadata", metadata_bytes, sizeof(metadata_bytes));
}

static void add_trace(const void *metadata, size_t metadata_bytes_used, const void *stream,
		      size_t stream_bytes_used, bool fail)
{
	char name[64];

	snprintf(file_name[files], sizeof(file_name[0]), "t%zu", files);
	file[files] = file_name[files];
	mkdir(file_name[files], 0777);
	snprintf(name, sizeof(name), "t%zu/metadata", files);
	write_file(name, metadata, metadata_bytes_used);
	snprintf(name, sizeof(name), "t%zu/stream-0", files);
	write_file(name, stream, stream_bytes_used);
	if (++files == BATCH)
		run_batch(fail);
}

/* A cut between two events cannot be seen. */
static bool between_blocks(size_t size)
{
	while (size > 0 && metadata_bytes[size - 1] == '\n')
		size--;
	return size > 3 && !memcmp(metadata_bytes + size - 3, "\n};", 3);
}

START_TEST(test_trace_cut_off)
{
	size_t size;

	read_good_trace();
	for (size = 1 + seed % STEP; size < stream_size; size += STEP)
		add_trace(metadata_bytes, metadata_size, stream_bytes, size, false);
	run_batch(false);
	ck_assert_msg(strstr(err, "/stream-0 is damaged at byte ") != NULL,
		      "the cut is not told: %.500s", err);
	for (size = seed % STEP; size < metadata_size; size += STEP)
		if (!between_blocks(size))
			add_trace(metadata_bytes, size, stream_bytes, stream_size, true);
	run_batch(true);
}
END_TEST

START_TEST(test_trace_bit_flips)
{
	static unsigned char stream[sizeof(stream_bytes)], text[sizeof(metadata_bytes)];
	unsigned i, flips;
	size_t bit;

	read_good_trace();
	for (i = 0; i < effort(1000); i++) {
		memcpy(stream, stream_bytes, stream_size);
		memcpy(text, metadata_bytes, metadata_size);
		for (flips = 1 + random_number() % 4; flips > 0; flips--) {
			bit = random_number() % (8 * stream_size);
			stream[bit / 8] ^= (unsigned char)(1 << bit % 8);
			bit = random_number() % (8 * metadata_size);
			text[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		add_trace(text, metadata_size, stream, stream_size, false);
	}
	run_batch(false);
}
END_TEST

/* ---- main ---- */

/* A folder of its own for every test; main removes all of them, also after a failure. */
static void go_to_folder(void)
{
	char own[420];

	snprintf(own, sizeof(own), "%s/%ld", folder, (long)getpid());
	ck_assert_msg(mkdir(own, 0777) == 0 && chdir(own) == 0, "%s: %s", own, strerror(errno));
	state = seed;
	files = 0;
}

/* Without following links. */
static void remove_all(int parent, const char *name)
{
	const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(fd, entry->d_name, 0))
			remove_all(fd, entry->d_name);
	if (dir)
		closedir(dir);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void choose_seed(void)
{
	const char *text = getenv("CAIRN_SEED");

	seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL) << 16 ^ (uint64_t)getpid();
	seed += seed == 0;
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
}

int main(void)
{
	Suite *suite = suite_create("list");
	TCase *programs = tcase_create("programs"), *traces = tcase_create("traces");
	SRunner *runner = srunner_create(suite);
	const char *top = getenv("TMPDIR");
	int failed;

	choose_seed();
	snprintf(folder, sizeof(folder), "%.380s/cairn-list-XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	tcase_add_checked_fixture(programs, go_to_folder, NULL);
	tcase_set_timeout(programs, 240);
	tcase_add_loop_test(programs, test_formats, 0, 4);
	tcase_add_loop_test(programs, test_sites, 0, 4);
	tcase_add_test(programs, test_contradictions);
	tcase_add_test(programs, test_refusals);
	tcase_add_test(programs, test_other_files);
	tcase_add_loop_test(programs, test_cut_off, 0, 4);
	tcase_add_loop_test(programs, test_bit_flips, 0, 4);
	tcase_add_loop_test(programs, test_extreme_words, 0, 4);
	suite_add_tcase(suite, programs);
	tcase_add_checked_fixture(traces, go_to_folder, NULL);
	tcase_set_timeout(traces, 240);
	tcase_add_loop_test(traces, test_trace, 0, 2);
	tcase_add_test(traces, test_folder_of_traces);
	tcase_add_test(traces, test_trace_of_other_order);
	tcase_add_test(traces, test_other_traces);
	tcase_add_test(traces, test_trace_cut_off);
	tcase_add_test(traces, test_trace_bit_flips);
	suite_add_tcase(suite, traces);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	remove_all(AT_FDCWD, folder);
	return failed != 0;
}
