/* SPDX-License-Identifier: MIT */
/*
 * Preprocessor lists: apply one operation to every element of a field list.
 *
 * A list element is a tuple (kind, ...). CAIRN__MAP(op, ctx, (a, x), (b, y, z)) expands to
 * op##a(ctx, x) op##b(ctx, y, z). Lists are never empty: CAIRN_EVENT appends the tuple (k_end), so
 * that every operation has an op##end and C99's "at least one argument for ..." is kept.
 *
 * 32 fields, 7 attributes and the end make 40. A longer list stops the compiler at the name
 * CAIRN_EVENT_takes_at_most_32_fields.
 */
#ifndef CAIRN_MAP_H
#define CAIRN_MAP_H

#define CAIRN__CAT(a, b) CAIRN__CAT_(a, b)
#define CAIRN__CAT_(a, b) a##b
#define CAIRN__STR(x) CAIRN__STR_(x)
#define CAIRN__STR_(x) #x

/* clang-format off */
/* Number of arguments, 1 to 40; 41 to 71 give "many". */
#define CAIRN__NARG(...) \
	CAIRN__NARG_(__VA_ARGS__, CAIRN__MANY32, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, \
		27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, \
		4, 3, 2, 1, 0)
#define CAIRN__MANY32 many, many, many, many, many, many, many, many, \
	many, many, many, many, many, many, many, many, many, many, many, many, \
	many, many, many, many, many, many, many, many, many, many, many, many
#define CAIRN__NARG_(...) CAIRN__NARG__(__VA_ARGS__)
#define CAIRN__NARG__(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, \
	a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, \
	a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, \
	a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, \
	a72, n, ...) n
/* clang-format on */

#define CAIRN__MAP(op, ctx, ...)                                                                   \
	CAIRN__CAT(CAIRN__MAP_, CAIRN__NARG(__VA_ARGS__))(op, ctx, __VA_ARGS__)
/*
 * op##kind(ctx, arguments...) for one tuple. What is no tuple, such as a misspelt field, stops the
 * compiler at the name op##CAIRN__not_a_field.
 */
#define CAIRN__DO(op, ctx, tuple) CAIRN__DO_((op, ctx, CAIRN__not_a_field tuple))
#define CAIRN__DO_(args) CAIRN__DO__ args
#define CAIRN__DO__(op, ctx, ...) CAIRN__DO___(op, ctx, __VA_ARGS__, )
#define CAIRN__DO___(op, ctx, kind, ...) op##kind(ctx, __VA_ARGS__)
#define CAIRN__not_a_field(...) __VA_ARGS__

#define CAIRN__MAP_many(...) CAIRN_EVENT_takes_at_most_32_fields
#define CAIRN__MAP_1(o, c, x) CAIRN__DO(o, c, x)
#define CAIRN__MAP_2(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_1(o, c, __VA_ARGS__)
#define CAIRN__MAP_3(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_2(o, c, __VA_ARGS__)
#define CAIRN__MAP_4(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_3(o, c, __VA_ARGS__)
#define CAIRN__MAP_5(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_4(o, c, __VA_ARGS__)
#define CAIRN__MAP_6(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_5(o, c, __VA_ARGS__)
#define CAIRN__MAP_7(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_6(o, c, __VA_ARGS__)
#define CAIRN__MAP_8(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_7(o, c, __VA_ARGS__)
#define CAIRN__MAP_9(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_8(o, c, __VA_ARGS__)
#define CAIRN__MAP_10(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_9(o, c, __VA_ARGS__)
#define CAIRN__MAP_11(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_10(o, c, __VA_ARGS__)
#define CAIRN__MAP_12(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_11(o, c, __VA_ARGS__)
#define CAIRN__MAP_13(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_12(o, c, __VA_ARGS__)
#define CAIRN__MAP_14(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_13(o, c, __VA_ARGS__)
#define CAIRN__MAP_15(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_14(o, c, __VA_ARGS__)
#define CAIRN__MAP_16(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_15(o, c, __VA_ARGS__)
#define CAIRN__MAP_17(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_16(o, c, __VA_ARGS__)
#define CAIRN__MAP_18(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_17(o, c, __VA_ARGS__)
#define CAIRN__MAP_19(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_18(o, c, __VA_ARGS__)
#define CAIRN__MAP_20(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_19(o, c, __VA_ARGS__)
#define CAIRN__MAP_21(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_20(o, c, __VA_ARGS__)
#define CAIRN__MAP_22(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_21(o, c, __VA_ARGS__)
#define CAIRN__MAP_23(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_22(o, c, __VA_ARGS__)
#define CAIRN__MAP_24(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_23(o, c, __VA_ARGS__)
#define CAIRN__MAP_25(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_24(o, c, __VA_ARGS__)
#define CAIRN__MAP_26(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_25(o, c, __VA_ARGS__)
#define CAIRN__MAP_27(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_26(o, c, __VA_ARGS__)
#define CAIRN__MAP_28(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_27(o, c, __VA_ARGS__)
#define CAIRN__MAP_29(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_28(o, c, __VA_ARGS__)
#define CAIRN__MAP_30(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_29(o, c, __VA_ARGS__)
#define CAIRN__MAP_31(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_30(o, c, __VA_ARGS__)
#define CAIRN__MAP_32(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_31(o, c, __VA_ARGS__)
#define CAIRN__MAP_33(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_32(o, c, __VA_ARGS__)
#define CAIRN__MAP_34(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_33(o, c, __VA_ARGS__)
#define CAIRN__MAP_35(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_34(o, c, __VA_ARGS__)
#define CAIRN__MAP_36(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_35(o, c, __VA_ARGS__)
#define CAIRN__MAP_37(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_36(o, c, __VA_ARGS__)
#define CAIRN__MAP_38(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_37(o, c, __VA_ARGS__)
#define CAIRN__MAP_39(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_38(o, c, __VA_ARGS__)
#define CAIRN__MAP_40(o, c, x, ...) CAIRN__DO(o, c, x) CAIRN__MAP_39(o, c, __VA_ARGS__)

#endif
