/* SPDX-License-Identifier: MIT */
/*
 * Every field type and attribute, and every place of a function where an event can stand, in what C
 * and C++ have in common. tests/api.sh compiles this file in both languages and in all dialects, with
 * every warning an error. It is not linked; what the events record is other tests' affair.
 */
#include <cairn/cairn.h>
#include <errno.h>
#include <stdio.h>

CAIRN_ENUM_TYPE(api_state, u8, CAIRN_VALUE(OPEN, 0), CAIRN_VALUE(SHUT, 1),
		CAIRN_RANGE(LATE, 10, 99));
CAIRN_ENUM_TYPE(api_signed, i32, CAIRN_RANGE(COLD, -40, -1), CAIRN_VALUE(ZERO, 0));
CAIRN_ENUM_TYPE(api_wide, u64, CAIRN_RANGE(ALL, 0, UINT64_MAX));
CAIRN_ENUM_TYPE(api_lowest, i64, CAIRN_RANGE(ALL, INT64_MIN, INT64_MAX));

/* No fields; attributes only. */
CAIRN_EVENT(api, empty);
CAIRN_EVENT(api, level_only, CAIRN_LOGLEVEL(EMERG));
CAIRN_EVENT(api, level_first, CAIRN_LOGLEVEL(ALERT), CAIRN_U8(v));
CAIRN_EVENT(api, level_middle, CAIRN_U8(v), CAIRN_LOGLEVEL(CRIT), CAIRN_U8(w));
CAIRN_EVENT(api, level_last, CAIRN_U8(v), CAIRN_LOGLEVEL(ERR));
CAIRN_EVENT(api, level_warning, CAIRN_LOGLEVEL(WARNING));
CAIRN_EVENT(api, level_notice, CAIRN_LOGLEVEL(NOTICE));
CAIRN_EVENT(api, level_info, CAIRN_LOGLEVEL(INFO));
CAIRN_EVENT(api, level_debug, CAIRN_LOGLEVEL(DEBUG));

CAIRN_EVENT(api, integers, CAIRN_U8(u8), CAIRN_U16(u16), CAIRN_U32(u32), CAIRN_U64(u64),
	    CAIRN_I8(i8), CAIRN_I16(i16), CAIRN_I32(i32), CAIRN_I64(i64), CAIRN_X8(x8),
	    CAIRN_X16(x16), CAIRN_X32(x32), CAIRN_X64(x64), CAIRN_NET16(net16), CAIRN_NET32(net32),
	    CAIRN_NET64(net64));
CAIRN_EVENT(api, others, CAIRN_PTR(ptr), CAIRN_BOOL(flag), CAIRN_CHAR(character), CAIRN_FLOAT(f),
	    CAIRN_DOUBLE(d), CAIRN_ENUM(state, api_state), CAIRN_ENUM(degrees, api_signed),
	    CAIRN_ENUM(any, api_wide), CAIRN_ENUM(lowest, api_lowest));
CAIRN_EVENT(api, strings, CAIRN_STR(str), CAIRN_TEXT(text, 8),
	    CAIRN_TEXT(text_too, sizeof(int) * 2));
CAIRN_EVENT(api, arrays, CAIRN_ARRAY(u8, a1, 1), CAIRN_ARRAY(u16, a2, 2), CAIRN_ARRAY(u32, a3, 3),
	    CAIRN_ARRAY(u64, a4, 4), CAIRN_ARRAY(i8, a5, 5), CAIRN_ARRAY(i16, a6, 6),
	    CAIRN_ARRAY(i32, a7, 7), CAIRN_ARRAY(i64, a8, 8), CAIRN_ARRAY(x8, a9, 9),
	    CAIRN_ARRAY(x16, a10, 10), CAIRN_ARRAY(x32, a11, 11), CAIRN_ARRAY(x64, a12, 12));
CAIRN_EVENT(api, arrays_too, CAIRN_ARRAY(net16, b1, 1), CAIRN_ARRAY(net32, b2, 2),
	    CAIRN_ARRAY(net64, b3, 3), CAIRN_ARRAY(ptr, b4, 4), CAIRN_ARRAY(bool, b5, 5),
	    CAIRN_ARRAY(char, b6, 6), CAIRN_ARRAY(float, b7, 7), CAIRN_ARRAY(double, b8, 8),
	    CAIRN_ARRAY(ENUM(api_state), b9, 9));
CAIRN_EVENT(api, sequences, CAIRN_SEQ(u8, s1, n1), CAIRN_SEQ(u16, s2, n2), CAIRN_SEQ(u32, s3, n3),
	    CAIRN_SEQ(u64, s4, n4), CAIRN_SEQ(i8, s5, n5), CAIRN_SEQ(i16, s6, n6),
	    CAIRN_SEQ(i32, s7, n7), CAIRN_SEQ(i64, s8, n8), CAIRN_SEQ(x8, s9, n9),
	    CAIRN_SEQ(x16, s10, n10), CAIRN_SEQ(x32, s11, n11), CAIRN_SEQ(x64, s12, n12));
CAIRN_EVENT(api, sequences_too, CAIRN_SEQ(net16, t1, n1), CAIRN_SEQ(net32, t2, n2),
	    CAIRN_SEQ(net64, t3, n3), CAIRN_SEQ(ptr, t4, n4), CAIRN_SEQ(bool, t5, n5),
	    CAIRN_SEQ(char, t6, n6), CAIRN_SEQ(float, t7, n7), CAIRN_SEQ(double, t8, n8),
	    CAIRN_SEQ(ENUM(api_state), t9, n9), CAIRN_SEQ(str, t10, n10));
CAIRN_EVENT(api, most, CAIRN_U8(f1), CAIRN_U8(f2), CAIRN_U8(f3), CAIRN_U8(f4), CAIRN_U8(f5),
	    CAIRN_U8(f6), CAIRN_U8(f7), CAIRN_U8(f8), CAIRN_U8(f9), CAIRN_U8(f10), CAIRN_U8(f11),
	    CAIRN_U8(f12), CAIRN_U8(f13), CAIRN_U8(f14), CAIRN_U8(f15), CAIRN_U8(f16),
	    CAIRN_U8(f17), CAIRN_U8(f18), CAIRN_U8(f19), CAIRN_U8(f20), CAIRN_U8(f21),
	    CAIRN_U8(f22), CAIRN_U8(f23), CAIRN_U8(f24), CAIRN_U8(f25), CAIRN_U8(f26),
	    CAIRN_U8(f27), CAIRN_U8(f28), CAIRN_U8(f29), CAIRN_U8(f30), CAIRN_U8(f31),
	    CAIRN_U8(f32), CAIRN_LOGLEVEL(INFO));

/* Names: keywords, macros of the C library, names that the generated code has locals for. */
CAIRN_EVENT(api, names, CAIRN_U8(int), CAIRN_U8(struct), CAIRN_U8(errno), CAIRN_U8(_x),
	    CAIRN_U8(bool), CAIRN_U8(class), CAIRN_U8(template), CAIRN_U8(asm), CAIRN_U8(stdin),
	    CAIRN_U8(NULL), CAIRN_U8(event), CAIRN_U8(stream), CAIRN_U8(align), CAIRN_U8(x_),
	    CAIRN_U8(_));
CAIRN_EVENT(api, locals, CAIRN_STR(data), CAIRN_U32(data_bytes), CAIRN_U32(bytes_data),
	    CAIRN_U8(end), CAIRN_U8(size), CAIRN_U8(r), CAIRN_U8(to), CAIRN_U8(list),
	    CAIRN_U8(layout), CAIRN_U8(fn), CAIRN_U8(e), CAIRN_U8(hit));
/* clang-format off */
CAIRN_EVENT(int, struct, CAIRN_U8(v));
CAIRN_EVENT(_x, y_, CAIRN_U8(v));
CAIRN_EVENT(x, x, CAIRN_U8(x));
/* clang-format on */

CAIRN__BEGIN_C
int api_types(const char *s, const void *p, size_t n);
int api_places(int n, const char *s);
int api_probes(void *data);
int api_control(void);
CAIRN__END_C

static const uint8_t some_u8[16] = { 0 };
static const uint16_t some_u16[16] = { 0 };
static const uint32_t some_u32[16] = { 0 };
static const uint64_t some_u64[16] = { 0 };
static const int8_t some_i8[16] = { 0 };
static const int16_t some_i16[16] = { 0 };
static const int32_t some_i32[16] = { 0 };
static const int64_t some_i64[16] = { 0 };
static const void *const some_ptr[4] = { NULL };
static const bool some_bool[5] = { false };
static const float some_float[7] = { 0 };
static const double some_double[8] = { 0 };

int api_types(const char *s, const void *p, size_t n)
{
	const char *const names[2] = { s, NULL };

	cairn_trace(api, empty);
	cairn_trace(api, level_only);
	cairn_trace(api, level_first, 1);
	cairn_trace(api, level_middle, 1, 2);
	cairn_trace(api, level_last, 1);
	cairn_trace(api, level_warning);
	cairn_trace(api, level_notice);
	cairn_trace(api, level_info);
	cairn_trace(api, level_debug);
	cairn_trace(api, integers, 255, 65535, 4294967295u, UINT64_MAX, -128, -32768, -2147483647,
		    INT64_MIN, 1, 2, 3, 4, 5, 6, 7);
	cairn_trace(api, others, p, true, 'x', 1.5f, 2.5, 1, -3, n, INT64_MAX);
	cairn_trace(api, others, NULL, n > 2, s[0], 1.5f, 2.5, 42, 0, 7u, 7);
	cairn_trace(api, strings, s, s, "a literal");
	cairn_trace(api, strings, NULL, NULL, NULL);
	cairn_trace(api, arrays, some_u8, some_u16, some_u32, some_u64, some_i8, some_i16, some_i32,
		    some_i64, some_u8, some_u16, some_u32, some_u64);
	cairn_trace(api, arrays_too, some_u16, some_u32, some_u64, some_ptr, some_bool, s,
		    some_float, some_double, some_u8);
	cairn_trace(api, sequences, some_u8, n, some_u16, 2, some_u32, 3, some_u64, 4, some_i8, 5,
		    some_i16, 6, some_i32, 7, some_i64, 8, some_u8, 9, some_u16, 10, some_u32, 11,
		    some_u64, 12);
	cairn_trace(api, sequences_too, some_u16, 1, some_u32, 2, some_u64, 3, some_ptr, 4,
		    some_bool, 5, s, n, some_float, 7, some_double, 8, some_u8, 9, names, 2);
	cairn_trace(api, sequences_too, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL,
		    0, NULL, 0, NULL, 0, NULL, 0);
	cairn_trace(api, most, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
		    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32);
	cairn_trace(api, names, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	cairn_trace(api, locals, s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	cairn_trace(int, struct, 1);
	cairn_trace(_x, y_, 1);
	cairn_trace(x, x, 1);
	return errno;
}

CAIRN_EVENT(api, n, CAIRN_I32(n));
CAIRN_EVENT(api, bytes, CAIRN_SEQ(u8, bytes, count));

static inline int api_inline(int n)
{
	cairn_trace(api, n, n);
	return n;
}

static int api_switch(int n)
{
	switch (n) {
	case 0:
		cairn_trace(api, n, n);
		break;
	case 1: {
		cairn_trace(api, empty);
		return 1;
	}
	case 2:
		if (cairn_enabled(api, empty))
			return 3;
		break;
	default:
		cairn_trace(api, n, n);
	}
	return 0;
}

/* The only statement of branches and loops, without braces, and behind labels. */
static int api_statements(int n)
{
	int i;

	if (n == 1)
		cairn_trace(api, n, n);
	else
		cairn_trace(api, empty);
	if (n == 2)
		cairn_trace(api, empty);
	else if (n == 3)
		cairn_trace(api, n, n);
	for (i = 0; i < n; i++)
		cairn_trace(api, n, i);
	while (n-- > 10)
		cairn_trace(api, empty);
	do
		cairn_trace(api, empty);
	while (n-- > 5);
	if (n == 4)
		goto out;
	cairn_trace(api, empty);
out:
	cairn_trace(api, n, n);
	return n;
}

static bool api_expressions(int n)
{
	bool on = cairn_enabled(api, n);

	if (n > 1 && cairn_enabled(api, empty))
		on = !cairn_enabled(api, n);
	while (cairn_enabled(api, empty) && n-- > 0)
		on = !on;
	return n ? cairn_enabled(api, n) : on;
}

static void api_cleanup(int *n)
{
	cairn_trace(api, n, *n);
}

static int api_cleanups(int n)
{
	__attribute__((cleanup(api_cleanup))) int outer = n;

	cairn_trace(api, n, outer);
	if (n > 3) {
		__attribute__((cleanup(api_cleanup))) int inner = n + 1;

		cairn_trace(api, n, inner);
		if (n > 4)
			return inner;
		cairn_trace(api, n, inner);
	}
	cairn_trace(api, n, outer);
	return outer;
}

#ifndef __cplusplus
static int api_vla(int n)
{
	unsigned char bytes[n];

	bytes[0] = 1;
	cairn_trace(api, bytes, bytes, sizeof(bytes));
	if (n > 4) {
		unsigned char more[2 * n];

		more[0] = 2;
		cairn_trace(api, bytes, more, sizeof(more));
		if (n > 5)
			return more[0];
		cairn_trace(api, bytes, more, 1);
	}
	cairn_trace(api, bytes, (const uint8_t[]){ 1, 2, 3 }, 3);
	return bytes[0];
}
#endif

/* Arguments with commas, effects, and macros in them; one that names a field's parameter. */
static int api_arguments(int n)
{
	int cairn_f_n = n;
	int cairn_data = n;
#define API_PAIR some_u8, 4

	cairn_trace(api, n, cairn_f_n + cairn_data);
	cairn_trace(api, n, (n++, n));
	cairn_trace(api, n, n ? 1 : 2);
	cairn_trace(api, n, api_inline(n));
	cairn_trace(api, bytes, API_PAIR);
	cairn_trace(api, bytes, n ? some_u8 : NULL, n ? 3 : 0);
	return n;
}

int api_places(int n, const char *s)
{
	cairn_trace(api, n, n); /* twice in one function, and on one line: */
	cairn_trace(api, n, n);
	/* clang-format off */
	cairn_trace(api, n, 1); cairn_trace(api, n, 2);
	/* clang-format on */
#ifndef __cplusplus
	n += api_vla(n);
#endif
	return puts(s) + api_inline(n) + api_switch(n) + api_statements(n) + api_expressions(n) +
	       api_cleanups(n) + api_arguments(n);
}

/* Probes have the field list's types. */
static void probe_empty(void *data)
{
	(void)data;
}

static void probe_strings(void *data, const char *str, const char *text, const char *text_too)
{
	(void)data;
	(void)text;
	(void)text_too;
	puts(str);
}

static void probe_bytes(void *data, const uint8_t *bytes, size_t count)
{
	(void)data;
	(void)bytes;
	(void)count;
}

static void probe_others(void *data, const void *ptr, bool flag, char c, float f, double d,
			 uint8_t state, int32_t degrees, uint64_t any, int64_t lowest)
{
	(void)data, (void)ptr, (void)flag, (void)c, (void)f, (void)d, (void)state, (void)degrees;
	(void)any, (void)lowest;
}

int api_probes(void *data)
{
	int err = cairn_attach(api, empty, probe_empty, data);

	if (!err)
		err = cairn_attach(api, strings, probe_strings, NULL);
	if (!err)
		err = cairn_attach(api, bytes, &probe_bytes, data);
	if (!err)
		err = cairn_attach(api, others, probe_others, data);
	return err ? err : cairn_detach(api, empty, probe_empty, data);
}

int api_control(void)
{
	struct cairn_session *session;
	struct cairn_config config = {
		sizeof(config), "dir", CAIRN_BLOCK, 0, 0, 0, 0, NULL, NULL, 0
	};
	struct cairn_stats stats;
	char text[100];
	int err = cairn_session_start(&session, &config);

	if (err < 0)
		return cairn_error(text, sizeof(text));
	err = cairn_enable(session, "api:*");
	if (err >= 0)
		err = cairn_disable(session, "api:empty");
	if (!err)
		err = cairn_session_flush(session);
	if (!err)
		err = cairn_session_stats(session, &stats);
	cairn_clock_info(text, sizeof(text));
	return cairn_session_stop(session, &stats) + err;
}
