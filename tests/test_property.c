/* SPDX-License-Identifier: MIT */
/*
 * Random events of all field types, written through the API and read with babeltrace2: every line that
 * it prints must be the one that the values make. CAIRN_SEED repeats a run, CAIRN_EVENTS makes it longer.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <time.h>

#include "recorded.h"

/*
 * ---- random values ----
 * No text is empty: babeltrace2 2.0.4 shows an empty string as what the field was before.
 */

static uint64_t random_state;

/* xorshift64, Marsaglia 2003. */
static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

#define MOST 20 /* elements of an array or a sequence */

/* What one field of an event may be given. */
static struct value {
	union {
		uint64_t bits[MOST], u64[MOST], x64[MOST], net64[MOST];
		uint8_t u8[MOST], x8[MOST], state[MOST];
		uint16_t u16[MOST], x16[MOST], net16[MOST];
		uint32_t u32[MOST], x32[MOST], net32[MOST];
		int8_t i8[MOST];
		int16_t i16[MOST];
		int32_t i32[MOST], signed_[MOST];
		int64_t i64[MOST];
		cairn_ptr_t ptr[MOST];
		float float_[MOST];
		double double_[MOST];
	} raw; /* any bits */
	bool flag[MOST];
	char text[300]; /* characters that readers show as they are, or escape in a known way */
	const char *string[MOST];
	size_t count, length;
} value[6];

static uint64_t random_bits(void)
{
	static const uint64_t edge[] = { 0,
					 1,
					 127,
					 128,
					 255,
					 256,
					 INT16_MAX,
					 UINT16_MAX,
					 INT32_MAX,
					 UINT32_MAX,
					 INT64_MAX,
					 UINT64_MAX,
					 UINT64_C(1) << 63 };
	const uint64_t bits = random_next();

	return bits % 3 ? random_next() : edge[bits / 3 % (sizeof(edge) / sizeof(edge[0]))];
}

static void random_value(struct value *v)
{
	static const char some[] = "abcXYZ0189 _-+*/=()[]{}<>.,:;!?\"\\\n\t";
	const size_t length = 1 + (random_next() % 8 ? random_next() % 24 : random_next() % 298);
	size_t i;

	for (i = 0; i < MOST; i++) {
		v->raw.bits[i] = random_bits();
		v->flag[i] = random_next() % 2;
		v->string[i] = random_next() % 6 ? v->text + random_next() % length : NULL;
	}
	for (i = 0; i < sizeof(v->text); i++)
		v->text[i] = some[random_next() % (sizeof(some) - 1)];
	v->text[length] = 0;
	v->count = random_next() % 4 ? random_next() % 6 : random_next() % (MOST + 1);
	v->length = 1 + random_next() % MOST;
}

/* ---- what readers print ---- */

static char *expected;
static size_t expected_used, expected_room;

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
	va_list args;

	if (expected_room - expected_used < 4096) {
		expected_room = 2 * expected_room + 65536;
		expected = realloc(expected, expected_room);
		ck_assert_ptr_nonnull(expected);
	}
	va_start(args, format);
	expected_used += (size_t)vsnprintf(expected + expected_used, expected_room - expected_used,
					   format, args);
	va_end(args);
	ck_assert_uint_lt(expected_used, expected_room);
}

/* At most `most` characters of a text, quoted. */
static void say_text(const char *text, size_t most)
{
	size_t i;

	say("\"");
	for (i = 0; i < most && text[i]; i++)
		if (text[i] == '\n')
			say("\\n");
		else if (text[i] == '\t')
			say("\\t");
		else if (strchr("\"\\?", text[i]))
			say("\\%c", text[i]);
		else
			say("%c", text[i]);
	say("\"");
}

static void say_string(const char *s)
{
	say_text(s ? s : "(null)", SIZE_MAX);
}

static uint64_t swapped(uint64_t bits, unsigned size)
{
	unsigned char byte[8];
	uint64_t number = 0;
	unsigned i;

	memcpy(byte, &bits, sizeof(byte));
	for (i = 0; i < size; i++)
		number = number << 8 | byte[i];
	return number;
}

/* The labels of prop_state and prop_signed, below. */
static void say_state(uint8_t n)
{
	say("( %s%s%s : container = %u )",
	    n == 0 ? "\"NONE\"" :
	    n == 7 ? "\"SEVEN\"" :
		     "",
	    n >= 128 ? "\"HIGH\"" : "",
	    n >= 200 && n <= 210        ? ", \"SOME\"" :
	    n != 0 && n != 7 && n < 128 ? "<unknown>" :
					  "",
	    n);
}

static void say_signed(int32_t n)
{
	say("( %s : container = %" PRId32 " )",
	    n < 0  ? "\"BELOW\"" :
	    n == 0 ? "\"ZERO\"" :
		     "<unknown>",
	    n);
}

/* ---- the types of fields ---- */

CAIRN_ENUM_TYPE(prop_state, u8, CAIRN_VALUE(NONE, 0), CAIRN_VALUE(SEVEN, 7),
		CAIRN_RANGE(HIGH, 128, 255), CAIRN_RANGE(SOME, 200, 210));
CAIRN_ENUM_TYPE(prop_signed, i32, CAIRN_RANGE(BELOW, INT32_MIN, -1), CAIRN_VALUE(ZERO, 0));

/* Scalars: element `k` of value `i`, by the member of the union, and how it is printed. */
#define RAW(member, i, k) RAW_(member, i, k)
#define RAW_(member, i, k) (value[i].raw.member[k])
#define C_u8 u8
#define C_u16 u16
#define C_u32 u32
#define C_u64 u64
#define C_i8 i8
#define C_i16 i16
#define C_i32 i32
#define C_i64 i64
#define C_x8 x8
#define C_x16 x16
#define C_x32 x32
#define C_x64 x64
#define C_net16 net16
#define C_net32 net32
#define C_net64 net64
#define C_ptr ptr
#define C_float float_
#define C_double double_
#define C_state state
#define C_signed signed_
#define SAY_u8(n) say("%" PRIu8, n)
#define SAY_u16(n) say("%" PRIu16, n)
#define SAY_u32(n) say("%" PRIu32, n)
#define SAY_u64(n) say("%" PRIu64, n)
#define SAY_i8(n) say("%" PRId8, n)
#define SAY_i16(n) say("%" PRId16, n)
#define SAY_i32(n) say("%" PRId32, n)
#define SAY_i64(n) say("%" PRId64, n)
#define SAY_x8(n) say("0x%" PRIX8, n)
#define SAY_x16(n) say("0x%" PRIX16, n)
#define SAY_x32(n) say("0x%" PRIX32, n)
#define SAY_x64(n) say("0x%" PRIX64, n)
#define SAY_net16(n) say("%" PRIu64, net(n, 2))
#define SAY_net32(n) say("%" PRIu64, net(n, 4))
#define SAY_net64(n) say("%" PRIu64, net(n, 8))
#define SAY_ptr(n) say("0x%" PRIXPTR, (uintptr_t)(n))
/* A NaN has a sign, which some CPUs drop when they make a double of a float. */
#define SAY_float(n) say("%s%g", isnan(n) && signbit(n) ? "-" : "", isnan(n) ? NAN : (n))
#define SAY_double(n) SAY_float(n)
#define SAY_state(n) say_state(n)
#define SAY_signed(n) say_signed(n)

/* The number that a field in network byte order has, by its bytes in memory. */
static uint64_t net(uint64_t n, unsigned size)
{
	const uint16_t two = (uint16_t)n;
	const uint32_t four = (uint32_t)n;
	uint64_t bits = n;

	if (size == 2)
		memcpy(&bits, &two, sizeof(two));
	else if (size == 4)
		memcpy(&bits, &four, sizeof(four));
	return swapped(bits, size);
}

/* clang-format off */
#define SCALARS(M) \
	M(u8) M(u16) M(u32) M(u64) M(i8) M(i16) M(i32) M(i64) M(x8) M(x16) M(x32) M(x64) \
	M(net16) M(net32) M(net64) M(ptr) M(float) M(double) M(state) M(signed)
/* clang-format on */

/* Print scalar, array, sequence of each. */
#define PRINTERS(T)                                                                                \
	static void scalar_##T(const char *name, unsigned i)                                       \
	{                                                                                          \
		say("%s = ", name);                                                                \
		SAY_##T(RAW(C_##T, i, 0));                                                         \
	}                                                                                          \
	static void elements_##T(const char *name, unsigned i, size_t count)                       \
	{                                                                                          \
		size_t k;                                                                          \
                                                                                                   \
		say("%s = [ ", name);                                                              \
		for (k = 0; k < count; k++) {                                                      \
			say("%s[%zu] = ", k ? ", " : "", k);                                       \
			SAY_##T(RAW(C_##T, i, k));                                                 \
		}                                                                                  \
		say(count ? " ]" : "]");                                                           \
	}
/* clang-format off */
SCALARS(PRINTERS)
/* clang-format on */

/* A kind of field: declaration, argument, text. */
#define F_u8(n) CAIRN_U8(n)
#define F_u16(n) CAIRN_U16(n)
#define F_u32(n) CAIRN_U32(n)
#define F_u64(n) CAIRN_U64(n)
#define F_i8(n) CAIRN_I8(n)
#define F_i16(n) CAIRN_I16(n)
#define F_i32(n) CAIRN_I32(n)
#define F_i64(n) CAIRN_I64(n)
#define F_x8(n) CAIRN_X8(n)
#define F_x16(n) CAIRN_X16(n)
#define F_x32(n) CAIRN_X32(n)
#define F_x64(n) CAIRN_X64(n)
#define F_net16(n) CAIRN_NET16(n)
#define F_net32(n) CAIRN_NET32(n)
#define F_net64(n) CAIRN_NET64(n)
#define F_ptr(n) CAIRN_PTR(n)
#define F_float(n) CAIRN_FLOAT(n)
#define F_double(n) CAIRN_DOUBLE(n)
#define F_state(n) CAIRN_ENUM(n, prop_state)
#define F_signed(n) CAIRN_ENUM(n, prop_signed)
#define F_bool(n) CAIRN_BOOL(n)
#define F_char(n) CAIRN_CHAR(n)
#define F_str(n) CAIRN_STR(n)
#define F_text(n) CAIRN_TEXT(n, 7)
#define F_chars(n) CAIRN_ARRAY(char, n, 9)
#define F_charseq(n) CAIRN_SEQ(char, n, n##_count)
#define F_flags(n) CAIRN_ARRAY(bool, n, 3)
#define F_flagseq(n) CAIRN_SEQ(bool, n, n##_count)
#define F_strseq(n) CAIRN_SEQ(str, n, n##_count)

#define G_bool(i) value[i].flag[0],
#define G_char(i) value[i].text[0],
#define G_str(i) value[i].string[0],
#define G_text(i) value[i].text,
#define G_chars(i) value[i].text,
#define G_charseq(i) value[i].text, value[i].length,
#define G_flags(i) value[i].flag,
#define G_flagseq(i) value[i].flag, value[i].count,
#define G_strseq(i) value[i].string, value[i].count,

static void say_flags(const char *name, unsigned i, size_t count)
{
	size_t k;

	say("%s = [ ", name);
	for (k = 0; k < count; k++)
		say("%s[%zu] = %d", k ? ", " : "", k, value[i].flag[k]);
	say(count ? " ]" : "]");
}

#define S_bool(name, i) say("%s = %d", name, value[i].flag[0])
#define S_char(name, i)                                                                            \
	do {                                                                                       \
		say("%s = ", name);                                                                \
		say_text(value[i].text, 1);                                                        \
	} while (0)
#define S_str(name, i)                                                                             \
	do {                                                                                       \
		say("%s = ", name);                                                                \
		say_string(value[i].string[0]);                                                    \
	} while (0)
#define S_text(name, i)                                                                            \
	do {                                                                                       \
		say("%s = ", name);                                                                \
		say_text(value[i].text, 7);                                                        \
	} while (0)
#define S_chars(name, i)                                                                           \
	do {                                                                                       \
		say("%s = ", name);                                                                \
		say_text(value[i].text, 9);                                                        \
	} while (0)
#define S_charseq(name, i)                                                                         \
	do {                                                                                       \
		say("_%s_length = %zu, %s = ", name, value[i].length, name);                       \
		say_text(value[i].text, value[i].length);                                          \
	} while (0)
#define S_flags(name, i) say_flags(name, i, 3)
#define S_flagseq(name, i)                                                                         \
	do {                                                                                       \
		say("_%s_length = %zu, ", name, value[i].count);                                   \
		say_flags(name, i, value[i].count);                                                \
	} while (0)
#define S_strseq(name, i)                                                                          \
	do {                                                                                       \
		size_t k_;                                                                         \
                                                                                                   \
		say("_%s_length = %zu, %s = [ ", name, value[i].count, name);                      \
		for (k_ = 0; k_ < value[i].count; k_++) {                                          \
			say("%s[%zu] = ", k_ ? ", " : "", k_);                                     \
			say_string(value[i].string[k_]);                                           \
		}                                                                                  \
		say(value[i].count ? " ]" : "]");                                                  \
	} while (0)

#define G_scalar(T, i) RAW(C_##T, i, 0),
#define G_u8(i) G_scalar(u8, i)
#define G_u16(i) G_scalar(u16, i)
#define G_u32(i) G_scalar(u32, i)
#define G_u64(i) G_scalar(u64, i)
#define G_i8(i) G_scalar(i8, i)
#define G_i16(i) G_scalar(i16, i)
#define G_i32(i) G_scalar(i32, i)
#define G_i64(i) G_scalar(i64, i)
#define G_x8(i) G_scalar(x8, i)
#define G_x16(i) G_scalar(x16, i)
#define G_x32(i) G_scalar(x32, i)
#define G_x64(i) G_scalar(x64, i)
#define G_net16(i) G_scalar(net16, i)
#define G_net32(i) G_scalar(net32, i)
#define G_net64(i) G_scalar(net64, i)
#define G_ptr(i) G_scalar(ptr, i)
#define G_float(i) G_scalar(float, i)
#define G_double(i) G_scalar(double, i)
#define G_state(i) G_scalar(state, i)
#define G_signed(i) G_scalar(signed, i)
#define S_u8(name, i) scalar_u8(name, i)
#define S_u16(name, i) scalar_u16(name, i)
#define S_u32(name, i) scalar_u32(name, i)
#define S_u64(name, i) scalar_u64(name, i)
#define S_i8(name, i) scalar_i8(name, i)
#define S_i16(name, i) scalar_i16(name, i)
#define S_i32(name, i) scalar_i32(name, i)
#define S_i64(name, i) scalar_i64(name, i)
#define S_x8(name, i) scalar_x8(name, i)
#define S_x16(name, i) scalar_x16(name, i)
#define S_x32(name, i) scalar_x32(name, i)
#define S_x64(name, i) scalar_x64(name, i)
#define S_net16(name, i) scalar_net16(name, i)
#define S_net32(name, i) scalar_net32(name, i)
#define S_net64(name, i) scalar_net64(name, i)
#define S_ptr(name, i) scalar_ptr(name, i)
#define S_float(name, i) scalar_float(name, i)
#define S_double(name, i) scalar_double(name, i)
#define S_state(name, i) scalar_state(name, i)
#define S_signed(name, i) scalar_signed(name, i)

/* ---- events ---- */

struct event {
	const char *name;
	void (*hit)(void);
};

static void begin(const char *name)
{
	unsigned i;

	for (i = 0; i < 6; i++)
		random_value(&value[i]);
	say("prop:%s: { ", name);
}

#define EVENT(name, fields, hit_args, texts)                                                       \
	CAIRN_EVENT fields;                                                                        \
	static void hit_##name(void)                                                               \
	{                                                                                          \
		if (!cairn_enabled(prop, name))                                                    \
			return;                                                                    \
		begin(#name);                                                                      \
		cairn_hit_prop__##name hit_args;                                                   \
		texts;                                                                             \
		say(" }\n");                                                                       \
	}                                                                                          \
	extern struct event event_##name

#define ONE(name, p) EVENT(name, (prop, name, F_##p(a)), (G_##p(0) 0), S_##p("a", 0))
#define THREE(name, p, q, r)                                                                       \
	EVENT(name, (prop, name, F_##p(a), F_##q(b), F_##r(c)), (G_##p(0) G_##q(1) G_##r(2) 0),    \
	      S_##p("a", 0);                                                                       \
	      say(", "); S_##q("b", 1); say(", "); S_##r("c", 2))
#define SIX(name, p, q, r, s, t, u)                                                                \
	EVENT(name, (prop, name, F_##p(a), F_##q(b), F_##r(c), F_##s(d), F_##t(e), F_##u(f)),      \
	      (G_##p(0) G_##q(1) G_##r(2) G_##s(3) G_##t(4) G_##u(5) 0), S_##p("a", 0);            \
	      say(", "); S_##q("b", 1); say(", "); S_##r("c", 2); say(", "); S_##s("d", 3);        \
	      say(", "); S_##t("e", 4); say(", "); S_##u("f", 5))
/* An array of 4 and a sequence of the same scalar type, around a scalar of it. */
#define ELEMENTS(T, E) ELEMENTS_(a_##T, T, E)
#define ELEMENTS_(name, T, E)                                                                      \
	EVENT(name, (prop, name, CAIRN_ARRAY(E, a, 4), F_##T(b), CAIRN_SEQ(E, c, c_count)),        \
	      (&RAW(C_##T, 0, 0), G_##T(1) & RAW(C_##T, 2, 0), value[2].count, 0),                 \
	      elements_##T("a", 0, 4);                                                             \
	      say(", "); scalar_##T("b", 1); say(", _c_length = %zu, ", value[2].count);           \
	      elements_##T("c", 2, value[2].count))

/* 20 whose names begin with a: short headers of 4 bytes have ids for all of them. */
ELEMENTS(u8, u8);
ELEMENTS(u16, u16);
ELEMENTS(u32, u32);
ELEMENTS(u64, u64);
ELEMENTS(i8, i8);
ELEMENTS(i16, i16);
ELEMENTS(i32, i32);
ELEMENTS(i64, i64);
ELEMENTS(x8, x8);
ELEMENTS(x16, x16);
ELEMENTS(x32, x32);
ELEMENTS(x64, x64);
ELEMENTS(net16, net16);
ELEMENTS(net32, net32);
ELEMENTS(net64, net64);
ELEMENTS(ptr, ptr);
ELEMENTS(float, float);
ELEMENTS(double, double);
ELEMENTS(state, ENUM(prop_state));
ELEMENTS(signed, ENUM(prop_signed));
CAIRN_EVENT(prop, a_nothing);
ONE(b_bool, bool);
ONE(b_char, char);
ONE(b_str, str);
ONE(b_text, text);
ONE(b_chars, chars);
ONE(b_charseq, charseq);
ONE(b_flags, flags);
ONE(b_flagseq, flagseq);
ONE(b_strseq, strseq);
ONE(b_u64, u64);
THREE(b_strings, str, text, str);
THREE(b_mixed, strseq, u8, charseq);
THREE(b_odd, u8, double, u16);
THREE(b_flagged, bool, flagseq, str);
SIX(b_numbers, i8, net16, float, x64, state, i64);
SIX(b_texts, str, chars, text, charseq, strseq, char);
SIX(b_all, u8, str, net64, flags, strseq, double);
SIX(b_ends, strseq, strseq, str, str, text, bool);
SIX(b_small, u8, i8, x8, bool, char, state);

static void hit_a_nothing(void)
{
	if (!cairn_enabled(prop, a_nothing))
		return;
	say("prop:a_nothing: { }\n");
	cairn_hit_prop__a_nothing(0);
}

static void (*const hits[])(void) = {
	hit_a_u8,    hit_a_u16,     hit_a_u32,     hit_a_u64,   hit_a_i8,      hit_a_i16,
	hit_a_i32,   hit_a_i64,     hit_a_x8,      hit_a_x16,   hit_a_x32,     hit_a_x64,
	hit_a_net16, hit_a_net32,   hit_a_net64,   hit_a_ptr,   hit_a_float,   hit_a_double,
	hit_a_state, hit_a_signed,  hit_a_nothing, hit_b_bool,  hit_b_char,    hit_b_str,
	hit_b_text,  hit_b_chars,   hit_b_charseq, hit_b_flags, hit_b_flagseq, hit_b_strseq,
	hit_b_u64,   hit_b_strings, hit_b_mixed,   hit_b_odd,   hit_b_flagged, hit_b_numbers,
	hit_b_texts, hit_b_all,     hit_b_ends,    hit_b_small,
};
#define HITS (sizeof(hits) / sizeof(hits[0]))

/* Each line without time, names and context: "prop:NAME: { fields }". In place. */
static void strip(char *text)
{
	char *to = text, *line = text;

	while (*line) {
		const size_t size = strcspn(line, "\n") + 1;
		char *name = memmem(line, size, "prop:", 5);
		char *context = memmem(line, size, "procname = \"", 12);
		char *colon = name ? memchr(name + 5, ':', size) : NULL;

		ck_assert_msg(name && context && colon && name < context, "not an event: %.*s",
			      (int)size, line);
		context = strstr(context, "\" }, ");
		ck_assert_ptr_nonnull(context);
		memmove(to, name, (size_t)(colon + 2 - name));
		to += colon + 2 - name;
		context += 5;
		memmove(to, context, (size_t)(line + size - context));
		to += line + size - context;
		line += size;
	}
	*to = 0;
}

/* _i: 0, ids of all events fit in 4-byte headers; 1, none does; 2, some have long headers. */
START_TEST(random_events)
{
	const unsigned long seed = recorded_option("CAIRN_SEED", (unsigned long)time(NULL));
	const unsigned long events = recorded_option("CAIRN_EVENTS", 6000);
	char *output = reader_folder("/tmp"), *trace, *text;
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	unsigned long i;

	fprintf(stderr, "CAIRN_SEED=%lu\n", seed);
	random_state = 2 * seed + 1;
	for (i = 0; i < 20; i++)
		random_next();
	config.mode = CAIRN_BLOCK;
	config.block_ms = 100000;
	config.packet_size = _i == 1 ? 65536 : 8192;
	config.packets = 8;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, _i == 1 ? "prop:*" : "prop:a_*"),
			 _i == 1 ? HITS : 21);
	for (i = 0; i < events; i++) {
		if (_i == 2 && i == events / 3)
			ck_assert_int_eq(cairn_enable(session, "prop:b_*"), HITS - 21);
		hits[random_next() % HITS]();
	}
	expect_status(cairn_session_stop(session, NULL), 0);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), 0);
	text = recorded_read_whole(trace);
	strip(text);
	reader_same(text, expected);
	free(text);
	free(trace);
	recorded_remove(output);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("property");
	TCase *tcase = tcase_create("property");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 280);
	tcase_add_loop_test(tcase, random_events, 0, 3);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
