/* SPDX-License-Identifier: MIT */
/*
 * Fields of an event, and what CAIRN_EVENT makes of each: parameters, bytes needed, bytes written,
 * and the description that ends up in the metadata.
 *
 * Scalars (one argument each):
 *   CAIRN_U8 .. CAIRN_U64, CAIRN_I8 .. CAIRN_I64   integers
 *   CAIRN_X8 .. CAIRN_X64                          unsigned, shown in hexadecimal
 *   CAIRN_NET16, CAIRN_NET32, CAIRN_NET64          unsigned, in network byte order in the argument
 *   CAIRN_PTR, CAIRN_BOOL, CAIRN_CHAR, CAIRN_FLOAT, CAIRN_DOUBLE
 *   CAIRN_ENUM(name, type)                         a type declared with CAIRN_ENUM_TYPE
 *   CAIRN_STR(name)         const char *, NUL-terminated; NULL is recorded as "(null)"; of
 *                           CAIRN_STR_MAX bytes or more is cut and ends in "..."
 *   CAIRN_TEXT(name, n)     const char *, at most n bytes, NUL-terminated or not; shown as text
 *   CAIRN_ARRAY(elem, name, n)   const elem *, exactly n elements
 * Two arguments, const elem * and the number of elements (at most 65535: more is refused and counted):
 *   CAIRN_SEQ(elem, name, count_name)
 * elem: u8 .. u64, i8 .. i64, x8 .. x64, net16 .. net64, ptr, bool, char, float, double,
 *   ENUM(type), and for CAIRN_SEQ also str.
 * Attributes, anywhere in the list: CAIRN_LOGLEVEL(EMERG, ALERT, CRIT, ERR, WARNING, NOTICE, INFO,
 *   or DEBUG, the default).
 *
 * Names are any identifier, keywords included. A name given twice does not compile.
 * Fields are packed to bytes (align 8), in the byte order of the CPU.
 */
#ifndef CAIRN_FIELDS_H
#define CAIRN_FIELDS_H

#include <cairn/compiler.h>
#include <cairn/map.h>
#include <cairn/record.h>

#define CAIRN_U8(name) (k_sc, e_u8, cairn_f_##name, #name)
#define CAIRN_U16(name) (k_sc, e_u16, cairn_f_##name, #name)
#define CAIRN_U32(name) (k_sc, e_u32, cairn_f_##name, #name)
#define CAIRN_U64(name) (k_sc, e_u64, cairn_f_##name, #name)
#define CAIRN_I8(name) (k_sc, e_i8, cairn_f_##name, #name)
#define CAIRN_I16(name) (k_sc, e_i16, cairn_f_##name, #name)
#define CAIRN_I32(name) (k_sc, e_i32, cairn_f_##name, #name)
#define CAIRN_I64(name) (k_sc, e_i64, cairn_f_##name, #name)
#define CAIRN_X8(name) (k_sc, e_x8, cairn_f_##name, #name)
#define CAIRN_X16(name) (k_sc, e_x16, cairn_f_##name, #name)
#define CAIRN_X32(name) (k_sc, e_x32, cairn_f_##name, #name)
#define CAIRN_X64(name) (k_sc, e_x64, cairn_f_##name, #name)
#define CAIRN_NET16(name) (k_sc, e_net16, cairn_f_##name, #name)
#define CAIRN_NET32(name) (k_sc, e_net32, cairn_f_##name, #name)
#define CAIRN_NET64(name) (k_sc, e_net64, cairn_f_##name, #name)
#define CAIRN_PTR(name) (k_sc, e_ptr, cairn_f_##name, #name)
#define CAIRN_BOOL(name) (k_sc, e_bool, cairn_f_##name, #name)
#define CAIRN_CHAR(name) (k_sc, e_char, cairn_f_##name, #name)
#define CAIRN_FLOAT(name) (k_sc, e_float, cairn_f_##name, #name)
#define CAIRN_DOUBLE(name) (k_sc, e_double, cairn_f_##name, #name)
#define CAIRN_ENUM(name, type) (k_sc, e_ENUM(type), cairn_f_##name, #name)
#define CAIRN_STR(name) (k_str, cairn_f_##name, #name)
#define CAIRN_TEXT(name, n) (k_text, cairn_f_##name, #name, n)
#define CAIRN_ARRAY(elem, name, n) (k_array, e_##elem, cairn_f_##name, #name, n)
#define CAIRN_SEQ(elem, name, count) (k_seq, e_##elem, cairn_f_##name, #name, cairn_f_##count)
#define CAIRN_LOGLEVEL(name) (k_level, CAIRN__LEVEL_##name)

#define CAIRN__LEVEL_EMERG 0
#define CAIRN__LEVEL_ALERT 1
#define CAIRN__LEVEL_CRIT 2
#define CAIRN__LEVEL_ERR 3
#define CAIRN__LEVEL_WARNING 4
#define CAIRN__LEVEL_NOTICE 5
#define CAIRN__LEVEL_INFO 6
#define CAIRN__LEVEL_DEBUG 14

#define CAIRN_STR_MAX 16384u
#define CAIRN__SEQ_MAX 65535u
/* A field that cannot be recorded measures this: above any packet, and 32 of it do not overflow. */
#define CAIRN__TOO_BIG (1u << 26)

/*
 * Element types: in C (T), in the description (K), and whether flat or a string (C). The tokens have a
 * prefix, pasted on before a program's own macro of the name u8 or bool could be expanded.
 */
#define CAIRN__T_e_u8 uint8_t
#define CAIRN__T_e_u16 uint16_t
#define CAIRN__T_e_u32 uint32_t
#define CAIRN__T_e_u64 uint64_t
#define CAIRN__T_e_i8 int8_t
#define CAIRN__T_e_i16 int16_t
#define CAIRN__T_e_i32 int32_t
#define CAIRN__T_e_i64 int64_t
#define CAIRN__T_e_x8 uint8_t
#define CAIRN__T_e_x16 uint16_t
#define CAIRN__T_e_x32 uint32_t
#define CAIRN__T_e_x64 uint64_t
#define CAIRN__T_e_net16 uint16_t
#define CAIRN__T_e_net32 uint32_t
#define CAIRN__T_e_net64 uint64_t
#define CAIRN__T_e_ptr cairn_ptr_t
#define CAIRN__T_e_bool bool
#define CAIRN__T_e_char char
#define CAIRN__T_e_float float
#define CAIRN__T_e_double double
#define CAIRN__T_e_str cairn_str_t
#define CAIRN__T_e_ENUM(type) cairn_enum_##type

#define CAIRN__K_e_u8 "u8"
#define CAIRN__K_e_u16 "u16"
#define CAIRN__K_e_u32 "u32"
#define CAIRN__K_e_u64 "u64"
#define CAIRN__K_e_i8 "i8"
#define CAIRN__K_e_i16 "i16"
#define CAIRN__K_e_i32 "i32"
#define CAIRN__K_e_i64 "i64"
#define CAIRN__K_e_x8 "x8"
#define CAIRN__K_e_x16 "x16"
#define CAIRN__K_e_x32 "x32"
#define CAIRN__K_e_x64 "x64"
#define CAIRN__K_e_net16 "net16"
#define CAIRN__K_e_net32 "net32"
#define CAIRN__K_e_net64 "net64"
#define CAIRN__K_e_ptr "ptr"
#define CAIRN__K_e_bool "bool"
#define CAIRN__K_e_char "char"
#define CAIRN__K_e_float "float"
#define CAIRN__K_e_double "double"
#define CAIRN__K_e_str "str"
#define CAIRN__K_e_ENUM(type) "enum " #type

#define CAIRN__C_e_u8 k_flat
#define CAIRN__C_e_u16 k_flat
#define CAIRN__C_e_u32 k_flat
#define CAIRN__C_e_u64 k_flat
#define CAIRN__C_e_i8 k_flat
#define CAIRN__C_e_i16 k_flat
#define CAIRN__C_e_i32 k_flat
#define CAIRN__C_e_i64 k_flat
#define CAIRN__C_e_x8 k_flat
#define CAIRN__C_e_x16 k_flat
#define CAIRN__C_e_x32 k_flat
#define CAIRN__C_e_x64 k_flat
#define CAIRN__C_e_net16 k_flat
#define CAIRN__C_e_net32 k_flat
#define CAIRN__C_e_net64 k_flat
#define CAIRN__C_e_ptr k_flat
#define CAIRN__C_e_bool k_flat
#define CAIRN__C_e_char k_flat
#define CAIRN__C_e_float k_flat
#define CAIRN__C_e_double k_flat
#define CAIRN__C_e_str k_strings
#define CAIRN__C_e_ENUM(type) k_flat
#define CAIRN__SEQ_BYTES_k_flat cairn_seq_bytes_flat
#define CAIRN__SEQ_BYTES_k_strings cairn_seq_bytes_str
#define CAIRN__PUT_SEQ_k_flat cairn_put_seq_flat
#define CAIRN__PUT_SEQ_k_strings cairn_put_seq_str

/* A field of an enum type keeps the type's description in the program. */
#define CAIRN__R_e_u8
#define CAIRN__R_e_u16
#define CAIRN__R_e_u32
#define CAIRN__R_e_u64
#define CAIRN__R_e_i8
#define CAIRN__R_e_i16
#define CAIRN__R_e_i32
#define CAIRN__R_e_i64
#define CAIRN__R_e_x8
#define CAIRN__R_e_x16
#define CAIRN__R_e_x32
#define CAIRN__R_e_x64
#define CAIRN__R_e_net16
#define CAIRN__R_e_net32
#define CAIRN__R_e_net64
#define CAIRN__R_e_ptr
#define CAIRN__R_e_bool
#define CAIRN__R_e_char
#define CAIRN__R_e_float
#define CAIRN__R_e_double
#define CAIRN__R_e_str
#define CAIRN__R_e_ENUM(type) CAIRN__KEEP(cairn_enum_desc_##type());

typedef const void *cairn_ptr_t;
typedef const char *cairn_str_t;

/* The object stays in the program though no code reads it. */
#define CAIRN__KEEP(desc) __asm__ volatile("" : : "m"(*(desc)))

/*
 * A description: this head, then what the kind has, read by core/describe.c and `cairn list`. It
 * stands in section cairn_events, starts at a multiple of 8, and holds no pointer.
 *   event: uint32_t count[fields + 1] (of text and arrays), then text:
 *          provider, name, and for each field its type and its name, each NUL-terminated;
 *          type: u8 .. double, "enum TYPE", "str", "text"; + "[n]" an array, + "[]" a sequence
 *   enum:  uint64_t range[2 * fields] (first and last value of each label), then text:
 *          type name, storage type, then the labels
 */
struct cairn_desc {
	uint32_t size;   /* of the whole, bytes */
	uint16_t kind;   /* CAIRN_DESC_EVENT, CAIRN_DESC_ENUM */
	uint16_t fields; /* or labels */
	uint16_t level;  /* log level + 1; 0: none given */
	uint16_t abi;    /* CAIRN_ABI */
	uint32_t text;   /* offset of the text, bytes */
};
#define CAIRN_DESC_EVENT 1
#define CAIRN_DESC_ENUM 2
/* Kept by --gc-sections, since no relocation leads here (gcc 11, clang 13; else see site.h). */
#if defined(__has_attribute) && !defined(CAIRN_SITE_FLAGS)
#if __has_attribute(__retain__)
#define CAIRN__RETAIN __retain__,
#endif
#endif
#ifndef CAIRN__RETAIN
#define CAIRN__RETAIN
#endif
#define CAIRN__DESC_SECTION                                                                        \
	__attribute__((CAIRN__RETAIN __section__("cairn_events"), __aligned__(8)))

/* Operations over the list; see map.h. P: parameters, a comma before each. */
#define CAIRN__P_k_sc(ctx, T, v, ...) , CAIRN__CAT(CAIRN__T_, T) v
#define CAIRN__P_k_str(ctx, v, ...) , const char *v
#define CAIRN__P_k_text(ctx, v, ...) , const char *v
#define CAIRN__P_k_array(ctx, T, v, ...) , const CAIRN__CAT(CAIRN__T_, T) * v
#define CAIRN__P_k_seq(ctx, T, v, s, n, ...) , const CAIRN__CAT(CAIRN__T_, T) * v, size_t n
#define CAIRN__P_k_level(ctx, ...)
#define CAIRN__P_k_end(ctx, ...)

/* Q: parameters with the comma behind. */
#define CAIRN__Q_k_sc(ctx, T, v, ...) CAIRN__CAT(CAIRN__T_, T) v,
#define CAIRN__Q_k_str(ctx, v, ...) const char *v,
#define CAIRN__Q_k_text(ctx, v, ...) const char *v,
#define CAIRN__Q_k_array(ctx, T, v, ...) const CAIRN__CAT(CAIRN__T_, T) * v,
#define CAIRN__Q_k_seq(ctx, T, v, s, n, ...) const CAIRN__CAT(CAIRN__T_, T) * v, size_t n,
#define CAIRN__Q_k_level(ctx, ...)
#define CAIRN__Q_k_end(ctx, ...)

/* B: arguments with the comma behind. */
#define CAIRN__B_k_sc(ctx, T, v, ...) v,
#define CAIRN__B_k_str(ctx, v, ...) v,
#define CAIRN__B_k_text(ctx, v, ...) v,
#define CAIRN__B_k_array(ctx, T, v, ...) v,
#define CAIRN__B_k_seq(ctx, T, v, s, n, ...) v, n,
#define CAIRN__B_k_level(ctx, ...)
#define CAIRN__B_k_end(ctx, ...)

/* A: the same as arguments. */
#define CAIRN__A_k_sc(ctx, T, v, ...) , v
#define CAIRN__A_k_str(ctx, v, ...) , v
#define CAIRN__A_k_text(ctx, v, ...) , v
#define CAIRN__A_k_array(ctx, T, v, ...) , v
#define CAIRN__A_k_seq(ctx, T, v, s, n, ...) , v, n
#define CAIRN__A_k_level(ctx, ...)
#define CAIRN__A_k_end(ctx, ...)

/* L: what is measured once, before the reservation. */
#define CAIRN__L_k_sc(ctx, T, v, ...)
#define CAIRN__L_k_str(ctx, v, ...) const size_t CAIRN__CAT(bytes_, v) = cairn_str_bytes(v);
#define CAIRN__L_k_text(ctx, v, ...)
#define CAIRN__L_k_array(ctx, T, v, ...)
#define CAIRN__L_k_seq(ctx, T, v, s, n, ...)                                                       \
	const size_t CAIRN__CAT(bytes_, v) =                                                       \
		CAIRN__CAT(CAIRN__SEQ_BYTES_,                                                      \
			   CAIRN__CAT(CAIRN__C_, T))(v, n, sizeof(CAIRN__CAT(CAIRN__T_, T)));
#define CAIRN__L_k_level(ctx, ...)
#define CAIRN__L_k_end(ctx, ...)

/* S: bytes of payload. */
#define CAIRN__S_k_sc(ctx, T, v, ...) +sizeof(CAIRN__CAT(CAIRN__T_, T))
#define CAIRN__S_k_str(ctx, v, ...) +CAIRN__CAT(bytes_, v)
#define CAIRN__S_k_text(ctx, v, s, n, ...) +CAIRN__CAST(size_t, n)
#define CAIRN__S_k_array(ctx, T, v, s, n, ...)                                                     \
	+CAIRN__CAST(size_t, n) * sizeof(CAIRN__CAT(CAIRN__T_, T))
#define CAIRN__S_k_seq(ctx, T, v, ...) +sizeof(uint16_t) + CAIRN__CAT(bytes_, v)
#define CAIRN__S_k_level(ctx, ...)
#define CAIRN__S_k_end(ctx, ...)

/* W: write at `ctx` and move it on. */
#define CAIRN__W_k_sc(ctx, T, v, ...) ctx = cairn_put(ctx, &v, sizeof(v));
#define CAIRN__W_k_str(ctx, v, ...) ctx = cairn_put_str(ctx, v, CAIRN__CAT(bytes_, v));
#define CAIRN__W_k_text(ctx, v, s, n, ...) ctx = cairn_put_text(ctx, v, n);
#define CAIRN__W_k_array(ctx, T, v, s, n, ...)                                                     \
	ctx = cairn_put_array(ctx, v, CAIRN__CAST(size_t, n) * sizeof(CAIRN__CAT(CAIRN__T_, T)));
#define CAIRN__W_k_seq(ctx, T, v, s, n, ...)                                                       \
	ctx = CAIRN__CAT(CAIRN__PUT_SEQ_, CAIRN__CAT(CAIRN__C_, T))(ctx, v, n,                     \
								    CAIRN__CAT(bytes_, v));
#define CAIRN__W_k_level(ctx, ...)
#define CAIRN__W_k_end(ctx, ...)

/* D: type and name in the description's text. N: number of fields. CNT: counts.
 * V: log level + 1, and 256 for each one given. */
#define CAIRN__D_k_sc(ctx, T, v, s, ...) CAIRN__CAT(CAIRN__K_, T) "\0" s "\0"
#define CAIRN__D_k_str(ctx, v, s, ...) "str\0" s "\0"
#define CAIRN__D_k_text(ctx, v, s, ...) "text\0" s "\0"
#define CAIRN__D_k_array(ctx, T, v, s, ...) CAIRN__CAT(CAIRN__K_, T) "[n]\0" s "\0"
#define CAIRN__D_k_seq(ctx, T, v, s, ...) CAIRN__CAT(CAIRN__K_, T) "[]\0" s "\0"
#define CAIRN__D_k_level(ctx, ...)
#define CAIRN__D_k_end(ctx, ...)

#define CAIRN__N_k_sc(ctx, ...) +1
#define CAIRN__N_k_str(ctx, ...) +1
#define CAIRN__N_k_text(ctx, ...) +1
#define CAIRN__N_k_array(ctx, ...) +1
#define CAIRN__N_k_seq(ctx, ...) +1
#define CAIRN__N_k_level(ctx, ...)
#define CAIRN__N_k_end(ctx, ...)

#define CAIRN__CNT_k_sc(ctx, ...) 0,
#define CAIRN__CNT_k_str(ctx, ...) 0,
#define CAIRN__CNT_k_text(ctx, v, s, n, ...) CAIRN__CAST(uint32_t, n),
#define CAIRN__CNT_k_array(ctx, T, v, s, n, ...)                                                   \
	CAIRN__CAST(uint32_t, n) CAIRN__CAT(CAIRN__ARRAY_of_, CAIRN__CAT(CAIRN__C_, T)),
#define CAIRN__ARRAY_of_k_flat /* and of nothing else: there is no array of strings */
#define CAIRN__CNT_k_seq(ctx, ...) 0,
#define CAIRN__CNT_k_level(ctx, ...)
#define CAIRN__CNT_k_end(ctx, ...) 0

#define CAIRN__V_k_sc(ctx, ...)
#define CAIRN__V_k_str(ctx, ...)
#define CAIRN__V_k_text(ctx, ...)
#define CAIRN__V_k_array(ctx, ...)
#define CAIRN__V_k_seq(ctx, ...)
#define CAIRN__V_k_level(ctx, value, ...) +256 + value + 1
#define CAIRN__V_k_end(ctx, ...)

/* E: keep the descriptions of enum types. */
#define CAIRN__E_k_sc(ctx, T, ...) CAIRN__CAT(CAIRN__R_, T)
#define CAIRN__E_k_str(ctx, ...)
#define CAIRN__E_k_text(ctx, ...)
#define CAIRN__E_k_array(ctx, T, ...) CAIRN__CAT(CAIRN__R_, T)
#define CAIRN__E_k_seq(ctx, T, ...) CAIRN__CAT(CAIRN__R_, T)
#define CAIRN__E_k_level(ctx, ...)
#define CAIRN__E_k_end(ctx, ...)

/*
 * CAIRN_ENUM_TYPE(shop_state, u8, CAIRN_VALUE(OPEN, 0), CAIRN_RANGE(LATE, 10, 99));
 * The storage type is u8 .. u64 or i8 .. i64; labels are identifiers, values any constant expression.
 * At most 40 labels. The argument's C type is that of the storage.
 */
#define CAIRN_VALUE(label, value) (k_one, #label, value)
#define CAIRN_RANGE(label, first, last) (k_range, #label, first, last)
#define CAIRN__ER_k_one(ctx, s, v, ...) CAIRN__CAST(uint64_t, v), CAIRN__CAST(uint64_t, v),
#define CAIRN__ER_k_range(ctx, s, a, b, ...) CAIRN__CAST(uint64_t, a), CAIRN__CAST(uint64_t, b),
#define CAIRN__ET_k_one(ctx, s, ...) s "\0"
#define CAIRN__ET_k_range(ctx, s, ...) s "\0"
#define CAIRN_ENUM_TYPE(type, store, ...)                                                          \
	typedef CAIRN__T_e_##store cairn_enum_##type;                                              \
	CAIRN__ENUM_TYPE(cairn_enum_desc_##type, #type "\0" CAIRN__STORE_e_##store "\0",           \
			 __VA_ARGS__)
#define CAIRN__STORE_e_u8 "u8"
#define CAIRN__STORE_e_u16 "u16"
#define CAIRN__STORE_e_u32 "u32"
#define CAIRN__STORE_e_u64 "u64"
#define CAIRN__STORE_e_i8 "i8"
#define CAIRN__STORE_e_i16 "i16"
#define CAIRN__STORE_e_i32 "i32"
#define CAIRN__STORE_e_i64 "i64"
#define CAIRN__ENUM_TYPE(desc, names, ...)                                                         \
	static inline __attribute__((__unused__)) const struct cairn_desc *desc(void)              \
	{                                                                                          \
		struct cairn_layout {                                                              \
			struct cairn_desc cairn_head;                                              \
			uint64_t cairn_range[2 * CAIRN__NARG(__VA_ARGS__) + 1];                    \
			char cairn_text[sizeof(names CAIRN__MAP(CAIRN__ET_, , __VA_ARGS__))];      \
		};                                                                                 \
		static const struct cairn_layout cairn_layout CAIRN__DESC_SECTION = {              \
			{ sizeof(struct cairn_layout), CAIRN_DESC_ENUM, CAIRN__NARG(__VA_ARGS__),  \
			  0, CAIRN_ABI, offsetof(struct cairn_layout, cairn_text) },               \
			{ CAIRN__MAP(CAIRN__ER_, , __VA_ARGS__) 0 },                               \
			names CAIRN__MAP(CAIRN__ET_, , __VA_ARGS__)                                \
		};                                                                                 \
		return &cairn_layout.cairn_head;                                                   \
	}                                                                                          \
	typedef const void *CAIRN__CAT(desc, _declared)

CAIRN__BEGIN_C

/*
 * Strings, measured once and then copied bounded. One that another thread changes in between stays one
 * well-formed string of the measured length: what is missing is filled with '#'.
 */
CAIRN__API size_t cairn_str_bytes(const char *s);
CAIRN__API unsigned char *cairn_put_str(unsigned char *to, const char *s, size_t bytes);
CAIRN__API unsigned char *cairn_put_text(unsigned char *to, const char *s, size_t bytes);
CAIRN__API size_t cairn_seq_bytes_str(const char *const *strings, size_t count, size_t size);
CAIRN__API unsigned char *cairn_put_seq_str(unsigned char *to, const char *const *strings,
					    size_t count, size_t bytes);

CAIRN__INLINE size_t cairn_seq_bytes_flat(const void *elems, size_t count, size_t size)
{
	if (CAIRN__UNLIKELY(count > CAIRN__SEQ_MAX))
		return CAIRN__TOO_BIG;
	return elems ? count * size : 0;
}

CAIRN__INLINE unsigned char *cairn_put_seq_flat(unsigned char *to, const void *elems, size_t count,
						size_t bytes)
{
	const uint16_t n = CAIRN__CAST(uint16_t, elems ? count : 0);

	to = cairn_put(to, &n, sizeof(n));
	return bytes ? cairn_put(to, elems, bytes) : to;
}

/* A NULL array is recorded as zeros. */
CAIRN__INLINE unsigned char *cairn_put_array(unsigned char *to, const void *elems, size_t bytes)
{
	if (CAIRN__LIKELY(elems != NULL))
		return cairn_put(to, elems, bytes);
	__builtin_memset(to, 0, bytes);
	return to + bytes;
}

CAIRN__END_C

#endif
