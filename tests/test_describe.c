/* SPDX-License-Identifier: MIT */
/*
 * Descriptions: what CAIRN_EVENT and CAIRN_ENUM_TYPE compile is read back; what is damaged in any way
 * is refused, and nothing outside it is read (run it with AddressSanitizer too).
 */
#include <check.h>
#include <cairn/event.h>
#include <stdio.h>

#include "describe.h"
#include "make_desc.h"

CAIRN_ENUM_TYPE(color, i16, CAIRN_VALUE(RED, -1), CAIRN_RANGE(GREEN, 5, 300), CAIRN_VALUE(int, 0));
CAIRN_EVENT(desc, empty);
CAIRN_EVENT(desc, all, CAIRN_LOGLEVEL(WARNING), CAIRN_U8(a), CAIRN_I64(b), CAIRN_X16(c),
	    CAIRN_NET32(d), CAIRN_PTR(e), CAIRN_BOOL(f), CAIRN_CHAR(g), CAIRN_FLOAT(h),
	    CAIRN_DOUBLE(i), CAIRN_ENUM(j, color), CAIRN_STR(k), CAIRN_TEXT(l, 12),
	    CAIRN_ARRAY(u32, m, 7), CAIRN_ARRAY(ENUM(color), n, 3), CAIRN_SEQ(i8, o, count),
	    CAIRN_SEQ(str, p, count2), CAIRN_SEQ(ENUM(color), q, count3));
CAIRN_EVENT(desc, most, CAIRN_U8(f0), CAIRN_U8(f1), CAIRN_U8(f2), CAIRN_U8(f3), CAIRN_U8(f4),
	    CAIRN_U8(f5), CAIRN_U8(f6), CAIRN_U8(f7), CAIRN_U8(f8), CAIRN_U8(f9), CAIRN_U8(f10),
	    CAIRN_U8(f11), CAIRN_U8(f12), CAIRN_U8(f13), CAIRN_U8(f14), CAIRN_U8(f15),
	    CAIRN_U8(f16), CAIRN_U8(f17), CAIRN_U8(f18), CAIRN_U8(f19), CAIRN_U8(f20),
	    CAIRN_U8(f21), CAIRN_U8(f22), CAIRN_U8(f23), CAIRN_U8(f24), CAIRN_U8(f25),
	    CAIRN_U8(f26), CAIRN_U8(f27), CAIRN_U8(f28), CAIRN_U8(f29), CAIRN_U8(f30),
	    CAIRN_U8(f31));

START_TEST(base_sizes)
{
	static const struct {
		const char *base;
		uint32_t size;
	} is[] = {
		{ "u8", 1 },    { "u16", 2 },   { "u32", 4 },    { "u64", 8 },
		{ "i8", 1 },    { "i16", 2 },   { "i32", 4 },    { "i64", 8 },
		{ "x8", 1 },    { "x16", 2 },   { "x32", 4 },    { "x64", 8 },
		{ "net16", 2 }, { "net32", 4 }, { "net64", 8 },  { "bool", 1 },
		{ "char", 1 },  { "float", 4 }, { "double", 8 }, { "ptr", sizeof(void *) },
		{ "str", 0 },   { "text", 0 },  { "enum", 0 },   { "", 0 },
		{ "u128", 0 },  { "u8 ", 0 },   { "net8", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		ck_assert_msg(cairn_base_size(is[i].base) == is[i].size, "%s: expected %u, got %u",
			      is[i].base, is[i].size, cairn_base_size(is[i].base));
}
END_TEST

START_TEST(compiled_event)
{
	static const struct {
		const char *name, *base, *element_type;
		enum cairn_shape shape;
		uint32_t count, element;
	} is[] = {
		{ "a", "u8", "u8", CAIRN_SHAPE_SCALAR, 0, 1 },
		{ "b", "i64", "i64", CAIRN_SHAPE_SCALAR, 0, 8 },
		{ "c", "x16", "x16", CAIRN_SHAPE_SCALAR, 0, 2 },
		{ "d", "net32", "net32", CAIRN_SHAPE_SCALAR, 0, 4 },
		{ "e", "ptr", "ptr", CAIRN_SHAPE_SCALAR, 0, sizeof(void *) },
		{ "f", "bool", "bool", CAIRN_SHAPE_SCALAR, 0, 1 },
		{ "g", "char", "char", CAIRN_SHAPE_SCALAR, 0, 1 },
		{ "h", "float", "float", CAIRN_SHAPE_SCALAR, 0, 4 },
		{ "i", "double", "double", CAIRN_SHAPE_SCALAR, 0, 8 },
		{ "j", "enum", "enum color", CAIRN_SHAPE_SCALAR, 0, 0 },
		{ "k", "str", "str", CAIRN_SHAPE_STRING, 0, 0 },
		{ "l", "text", "text", CAIRN_SHAPE_TEXT, 12, 1 },
		{ "m", "u32", "u32", CAIRN_SHAPE_ARRAY, 7, 4 },
		{ "n", "enum", "enum color", CAIRN_SHAPE_ARRAY, 3, 0 },
		{ "o", "i8", "i8", CAIRN_SHAPE_SEQUENCE, 0, 1 },
		{ "p", "str", "str", CAIRN_SHAPE_SEQUENCE, 0, 0 },
		{ "q", "enum", "enum color", CAIRN_SHAPE_SEQUENCE, 0, 0 },
	};
	const struct cairn_desc *desc = cairn_desc_desc__all();
	const uint32_t n = sizeof(is) / sizeof(is[0]);
	struct cairn_field field;
	const char *text = NULL;
	uint32_t i;

	ck_assert(cairn_desc_valid(desc));
	ck_assert_int_eq(desc->kind, CAIRN_DESC_EVENT);
	ck_assert_int_eq(desc->level, CAIRN__LEVEL_WARNING + 1);
	ck_assert_str_eq(cairn_desc_provider(desc), "desc");
	ck_assert_str_eq(cairn_desc_event(desc), "all");
	ck_assert_uint_eq(desc->fields, n);
	for (i = 0; cairn_desc_field(desc, i, &text, &field); i++) {
		ck_assert_str_eq(field.name, is[i].name);
		ck_assert_str_eq(field.base, is[i].base);
		ck_assert_uint_eq(field.type_length, strlen(is[i].element_type));
		ck_assert_int_eq(strncmp(field.type, is[i].element_type, field.type_length), 0);
		ck_assert_int_eq(field.shape, is[i].shape);
		ck_assert_uint_eq(field.count, is[i].count);
		ck_assert_uint_eq(field.element, is[i].element);
	}
	ck_assert_uint_eq(i, n);
}
END_TEST

START_TEST(compiled_small_and_large)
{
	const struct cairn_desc *desc = cairn_desc_desc__empty();
	struct cairn_field field;
	const char *text = NULL;
	char name[8];
	uint32_t i;

	ck_assert(cairn_desc_valid(desc));
	ck_assert_int_eq(desc->level, 0);
	ck_assert(!cairn_desc_field(desc, 0, &text, &field));
	desc = cairn_desc_desc__most();
	ck_assert(cairn_desc_valid(desc));
	for (i = 0; cairn_desc_field(desc, i, &text, &field); i++) {
		snprintf(name, sizeof(name), "f%u", i);
		ck_assert_str_eq(field.name, name);
	}
	ck_assert_uint_eq(i, 32);
}
END_TEST

START_TEST(compiled_enum)
{
	const struct cairn_desc *desc = cairn_enum_desc_color();
	const char *text = NULL, *label;
	uint64_t first, last;

	ck_assert(cairn_desc_valid(desc));
	ck_assert_int_eq(desc->kind, CAIRN_DESC_ENUM);
	ck_assert_str_eq(cairn_desc_enum(desc), "color");
	ck_assert_str_eq(cairn_desc_store(desc), "i16");
	ck_assert(cairn_desc_label(desc, 0, &text, &label, &first, &last));
	ck_assert_str_eq(label, "RED");
	ck_assert_int_eq((int64_t)first, -1);
	ck_assert_int_eq((int64_t)last, -1);
	ck_assert(cairn_desc_label(desc, 1, &text, &label, &first, &last));
	ck_assert_str_eq(label, "GREEN");
	ck_assert_uint_eq(first, 5);
	ck_assert_uint_eq(last, 300);
	ck_assert(cairn_desc_label(desc, 2, &text, &label, &first, &last));
	ck_assert_str_eq(label, "int");
	ck_assert(!cairn_desc_label(desc, 3, &text, &label, &first, &last));
}
END_TEST

START_TEST(find_type)
{
	const struct make_field field[] = { { "enum col", "a", 0 },
					    { "enum color[n]", "b", 2 },
					    { "enum colors[]", "c", 0 },
					    { "enum none", "d", 0 } };
	const struct make_label label = { "X", 0, 0 };
	struct cairn_desc *event = make_event("p", "e", 0, field, 4);
	struct cairn_desc *colors = make_enum("colors", "u8", &label, 1);
	struct cairn_desc *col = make_enum("col", "u8", &label, 1);
	const struct cairn_desc *const type[] = { cairn_enum_desc_color(), colors, col };
	const struct cairn_desc *const is[] = { col, type[0], colors, NULL };
	struct cairn_field f;
	const char *text = NULL;
	uint32_t i;

	for (i = 0; cairn_desc_field(event, i, &text, &f); i++) {
		ck_assert_ptr_eq(cairn_desc_find(type, 3, &f), is[i]);
		ck_assert_ptr_null(cairn_desc_find(type, 0, &f));
	}
	ck_assert_uint_eq(i, 4);
	free(event);
	free(colors);
	free(col);
}
END_TEST

/* The section that the linker made of this program's descriptions: each is there, and nothing else. */
extern const unsigned char __start_cairn_events[] __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_cairn_events[] __attribute__((weak, visibility("hidden")));

START_TEST(section)
{
	const struct cairn_desc *const is[] = { cairn_desc_desc__all(), cairn_desc_desc__empty(),
						cairn_desc_desc__most(), cairn_enum_desc_color() };
	const unsigned char *at = __start_cairn_events;
	const struct cairn_desc *desc;
	unsigned found = 0, i;

	while ((desc = cairn_desc_next(&at, __stop_cairn_events)))
		for (i = 0; i < 4; i++)
			found |= (unsigned)(desc == is[i]) << i;
	ck_assert_uint_eq(found, 15);
	ck_assert_msg(__stop_cairn_events - at < (long)sizeof(struct cairn_desc),
		      "%ld bytes are left", (long)(__stop_cairn_events - at));
}
END_TEST

/* A section by hand: gaps of zeros, a description of another ABI, the end in the middle of one. */
START_TEST(walk_section)
{
	const struct make_field field = { "u8", "x", 0 };
	struct cairn_desc *one = make_event("p", "one", 0, &field, 1), *other, *two;
	const size_t one_size = one->size;
	unsigned char *memory = calloc(1, 4096);
	const unsigned char *at = memory;
	const struct cairn_desc *desc;
	size_t end;

	other = make_event("p", "other", 0, &field, 1);
	other->abi++;
	two = make_event("p", "two", 0, &field, 1);
	two->size -= 3; /* the next one starts at a multiple of 8 all the same */
	memcpy(memory + 16, one, one_size);
	memcpy(memory + 16 + one_size, other, other->size);
	memcpy(memory + 16 + one_size + other->size + 64, two, two->size);
	end = 16 + one_size + other->size + 64 + two->size + 3;
	memcpy(memory + end, one, one_size);

	desc = cairn_desc_next(&at, memory + 4096);
	ck_assert_ptr_eq(desc, memory + 16);
	desc = cairn_desc_next(&at, memory + 4096);
	ck_assert_ptr_nonnull(desc);
	ck_assert_str_eq(cairn_desc_event(desc), "two");
	ck_assert_ptr_null(
		cairn_desc_next(&(const unsigned char *){ at }, memory + end + one_size - 1));
	ck_assert_ptr_eq(cairn_desc_next(&at, memory + end + one_size), memory + end);
	ck_assert_ptr_null(cairn_desc_next(&at, memory + end + one_size));
	ck_assert_ptr_null(cairn_desc_next(&at, memory + 4096));

	at = memory;
	((struct cairn_desc *)(memory + 16))->size = 15; /* smaller than a head */
	ck_assert_ptr_null(cairn_desc_next(&at, memory + 4096));
	at = memory;
	((struct cairn_desc *)(memory + 16))->size = 4096 - 15; /* beyond the end */
	ck_assert_ptr_null(cairn_desc_next(&at, memory + 4096));
	ck_assert_ptr_null(cairn_desc_next(&(const unsigned char *){ memory }, memory));
	free(memory);
	free(one);
	free(other);
	free(two);
}
END_TEST

START_TEST(types)
{
	static const char *const good[] = { "u8",       "u8[n]",  "u8[]",     "str",
					    "str[]",    "text",   "enum e",   "enum e[n]",
					    "enum e[]", "ptr[n]", "double[]", "char[n]" };
	static const char *const bad[] = { "",
					   "u9",
					   "u8[",
					   "u8[3]",
					   "[n]",
					   "[]",
					   "u8[][]",
					   "str[n]",
					   "text[n]",
					   "text[]",
					   "enum",
					   "enum ",
					   "enum 9",
					   "enum a b",
					   "enum[n]",
					   "struct",
					   "u8 ",
					   " u8",
					   "averyveryverylongtype" };
	struct make_field field = { NULL, "x", 1 };
	struct cairn_desc *desc;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]) + sizeof(bad) / sizeof(bad[0]); i++) {
		const bool is_good = i < sizeof(good) / sizeof(good[0]);

		field.type = is_good ? good[i] : bad[i - sizeof(good) / sizeof(good[0])];
		desc = make_event("p", "e", 0, &field, 1);
		ck_assert_msg(cairn_desc_valid(desc) == is_good, "type '%s': expected %s",
			      field.type, is_good ? "valid" : "invalid");
		free(desc);
	}
}
END_TEST

START_TEST(names)
{
	static const char *const bad[] = { "", "9a", "a b", "a\"b", "a;", "a\n", "-", "a:b" };
	static const char *const good[] = { "a", "_", "a9", "int", "$x", "gr\xc3\xb6sse" };
	struct make_field field = { "u8", NULL, 0 };
	struct make_label label = { NULL, 0, 0 };
	struct cairn_desc *desc;
	size_t i, n = sizeof(good) / sizeof(good[0]);

	for (i = 0; i < n + sizeof(bad) / sizeof(bad[0]); i++) {
		const char *name = i < n ? good[i] : bad[i - n];
		unsigned valid = 0;

		field.name = label.name = name;
		desc = make_event("p", "e", 0, &field, 1);
		valid += cairn_desc_valid(desc);
		free(desc);
		desc = make_event(name, "e", 0, NULL, 0);
		valid += cairn_desc_valid(desc);
		free(desc);
		desc = make_event("p", name, 0, NULL, 0);
		valid += cairn_desc_valid(desc);
		free(desc);
		desc = make_enum("t", "u8", &label, 1);
		valid += cairn_desc_valid(desc);
		free(desc);
		desc = make_enum(name, "u8", NULL, 0);
		valid += cairn_desc_valid(desc);
		free(desc);
		ck_assert_msg(valid == (i < n ? 5u : 0u), "name '%s' is valid in %u places of 5",
			      name, valid);
	}
}
END_TEST

START_TEST(heads)
{
	const struct make_field field[33] = { [0 ... 32] = { "u8", "x", 0 } };
	const struct make_label label = { "X", 0, 0 };
	struct cairn_desc *desc = make_event("p", "e", 15, field, 1), head = *desc;
	struct cairn_desc *many = make_event("p", "e", 0, field, 33);
	struct cairn_desc *type = make_enum("t", "bool", &label, 1);

	ck_assert(cairn_desc_valid(desc));
	ck_assert(!cairn_desc_valid(many));
	ck_assert(!cairn_desc_valid(type)); /* stored in a bool */
	desc->level = 16;
	ck_assert(!cairn_desc_valid(desc));
	*desc = head;
	desc->kind = 3;
	ck_assert(!cairn_desc_valid(desc));
	*desc = head;
	desc->abi = CAIRN_ABI + 1;
	ck_assert(!cairn_desc_valid(desc));
	*desc = head;
	desc->text = sizeof(*desc) + 4; /* over the counts */
	ck_assert(!cairn_desc_valid(desc));
	desc->text = UINT32_MAX;
	ck_assert(!cairn_desc_valid(desc));
	desc->text = desc->size;
	ck_assert(!cairn_desc_valid(desc));
	*desc = head;
	desc->size = 15;
	ck_assert(!cairn_desc_valid(desc));
	*desc = head;
	ck_assert(cairn_desc_valid(desc));
	free(desc);
	free(many);
	free(type);
}
END_TEST

/* Cut at every byte: valid only if all texts are whole, and nothing behind is read. */
START_TEST(cut)
{
	const struct cairn_desc *const whole[] = { cairn_desc_desc__all(),
						   cairn_enum_desc_color() };
	const struct cairn_desc *desc = whole[_i];
	const char *end = (const char *)desc + desc->size;
	uint32_t size, needed;

	while (end[-1] == 0 && end[-2] == 0)
		end--;
	needed = (uint32_t)(end - (const char *)desc);
	for (size = sizeof(*desc); size <= desc->size; size++) {
		struct cairn_desc *copy = malloc(size); /* exact, for AddressSanitizer */

		memcpy(copy, desc, size);
		copy->size = size;
		ck_assert_msg(cairn_desc_valid(copy) == (size >= needed), "size %u of %u", size,
			      needed);
		free(copy);
	}
}
END_TEST

/* Any single byte changed: refused, or walked without harm. */
START_TEST(changed)
{
	const struct cairn_desc *const whole[] = { cairn_desc_desc__all(),
						   cairn_enum_desc_color() };
	const struct cairn_desc *desc = whole[_i];
	const char *text, *label;
	struct cairn_field field;
	uint64_t first, last;
	uint32_t at, n, valid = 0;
	int flip;

	for (at = 4; at < desc->size; at++)
		for (flip = 1; flip < 256; flip++) {
			struct cairn_desc *copy = malloc(desc->size);

			memcpy(copy, desc, desc->size);
			((unsigned char *)copy)[at] ^= (unsigned char)flip;
			if (cairn_desc_valid(copy)) {
				valid++;
				text = NULL;
				n = 0;
				while (copy->kind == CAIRN_DESC_EVENT ?
					       cairn_desc_field(copy, n, &text, &field) :
					       cairn_desc_label(copy, n, &text, &label, &first,
								&last))
					n++;
				if (n != copy->fields)
					ck_abort_msg("byte %u ^ %d: %u fields of %u", at, flip, n,
						     copy->fields);
			}
			free(copy);
		}
	ck_assert_uint_gt(valid, 0); /* other letters in names, other counts */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("describe");
	TCase *tc = tcase_create("describe");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, base_sizes);
	tcase_add_test(tc, compiled_event);
	tcase_add_test(tc, compiled_small_and_large);
	tcase_add_test(tc, compiled_enum);
	tcase_add_test(tc, find_type);
	tcase_add_test(tc, section);
	tcase_add_test(tc, walk_section);
	tcase_add_test(tc, types);
	tcase_add_test(tc, names);
	tcase_add_test(tc, heads);
	tcase_add_loop_test(tc, cut, 0, 2);
	tcase_add_loop_test(tc, changed, 0, 2);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
