/* SPDX-License-Identifier: MIT */
/*
 * `cairn list ELF`: the events of a program or shared library that is not running, of any CPU, word
 * size and byte order. Section cairn_sites has the sites and the events' names
 * (include/cairn/site.h), section cairn_events the descriptions (include/cairn/fields.h); libelf
 * reads the file.
 *
 * The file may be damaged or made to harm. Of each kind of section at most SECTION_BYTES are read;
 * a name or description is used only after its end was found inside its section; addresses are only
 * compared and printed. Descriptions are copied, and turned into the byte order of this machine on
 * the way, so that core/describe.c can check and read them.
 */
#include <byteswap.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>

#include "describe.h"
#include "tool.h"

#define SECTION_BYTES (64u << 20)
#define NAME_BYTES 1024u
#define SITE_BYTES 16u
#define DESC_BYTES 24u /* no description is smaller */

enum kind { OTHER, SITES, EVENTS };

struct section {
	enum kind kind;
	uint64_t begin, size; /* addresses at run time */
	Elf_Scn *scn;
};

/* A site, or (desc not NULL) the description of an event. */
struct item {
	const char *name; /* provider:event */
	const struct cairn_desc *desc;
	uint64_t code, target; /* 0: a branch site */
};

struct image {
	const char *path;
	Elf *elf;
	bool swap, wide;
	uint64_t size;           /* of the file */
	struct section *section; /* what is in memory at run time, by address */
	size_t sections;
	uint64_t bytes[3];   /* in all sections of a kind */
	unsigned char *desc; /* copy of all descriptions */
	char *names;         /* theirs, put together */
	size_t desc_used, names_used;
	const struct cairn_desc **type; /* enum types */
	struct item *item;
	size_t types, items, sites, patched, events;
};

static int refuse(const struct image *image, const char *what)
{
	cairn_tool_say("%s: %s", image->path, what);
	return CAIRN_EXIT_FAILED;
}

static int no_memory(const struct image *image)
{
	return refuse(image, "no memory to read it: close other programs and try again");
}

static int damaged(const struct image *image, const char *what)
{
	cairn_tool_say("%s is damaged (%s): link or copy it anew", image->path, what);
	return CAIRN_EXIT_FAILED;
}

/* Only what is linked has addresses, and only what has section headers can be searched. */
static int check_file(struct image *image)
{
	const Elf_Kind kind = elf_kind(image->elf);
	GElf_Ehdr head;
	size_t count;

	if (kind == ELF_K_AR)
		return refuse(image, "an archive of object files: link it and list the program or "
				     "shared library");
	if (kind != ELF_K_ELF || !gelf_getehdr(image->elf, &head))
		return refuse(image, "not an ELF file, or cut off in its first bytes: give a "
				     "program, a shared library or a trace directory");
	if (head.e_type == ET_REL)
		return refuse(image, "an object file, whose sites have no addresses before it is "
				     "linked: list the program or shared library");
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return refuse(image,
			      "an ELF file, but neither a program nor a shared library: list "
			      "the program");
	if (head.e_ident[EI_DATA] != ELFDATA2LSB && head.e_ident[EI_DATA] != ELFDATA2MSB)
		return damaged(image, "unknown byte order");
	if (head.e_shoff == 0)
		return refuse(image, "no section headers (removed by sstrip or a packer): list the "
				     "file as it was before; `strip` alone keeps them");
	if (head.e_shoff >= image->size || elf_getshdrnum(image->elf, &count) || count == 0)
		return damaged(image, "its section headers are cut off");
	image->wide = head.e_ident[EI_CLASS] == ELFCLASS64;
	image->swap = (head.e_ident[EI_DATA] == ELFDATA2LSB) !=
		      (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int add_section(struct image *image, Elf_Scn *scn, size_t names)
{
	struct section *section = &image->section[image->sections];
	const char *name;
	GElf_Shdr head;

	if (!gelf_getshdr(scn, &head))
		return damaged(image, "a section header cannot be read");
	if (!(head.sh_flags & SHF_ALLOC) || head.sh_size == 0)
		return 0;
	name = elf_strptr(image->elf, names, head.sh_name);
	if (!name)
		return damaged(image, "a section has no name");
	section->kind = !strcmp(name, "cairn_sites")  ? SITES :
			!strcmp(name, "cairn_events") ? EVENTS :
							OTHER;
	if (head.sh_type == SHT_NOBITS && section->kind == OTHER)
		return 0;
	if (head.sh_type == SHT_NOBITS)
		return refuse(image, "debug information only, no program: list the program that it "
				     "belongs to");
	section->begin = head.sh_addr;
	section->size = head.sh_size;
	section->scn = scn;
	if (section->size > SECTION_BYTES - image->bytes[section->kind] && section->kind != OTHER)
		return damaged(image, "its event tables are larger than any program's");
	if (section->kind != OTHER)
		image->bytes[section->kind] += (section->size + 7) & ~UINT64_C(7);
	image->sections++;
	return 0;
}

static int find_sections(struct image *image)
{
	size_t names, count;
	Elf_Scn *scn = NULL;
	int result;

	if (elf_getshdrnum(image->elf, &count) || elf_getshdrstrndx(image->elf, &names))
		return damaged(image, "its section names cannot be found");
	image->section = calloc(count, sizeof(*image->section));
	if (!image->section)
		return no_memory(image);
	while (count-- && (scn = elf_nextscn(image->elf, scn))) {
		result = add_section(image, scn, names);
		if (result)
			return result;
	}
	if (!image->bytes[SITES] && !image->bytes[EVENTS])
		return refuse(image, "no Cairn events in it: instrument it with CAIRN_EVENT and "
				     "cairn_trace, or list the shared library that has them");
	qsort(image->section, image->sections, sizeof(*image->section), by_address);
	return 0;
}

/* The section's bytes in the file; NULL if they are not all there. */
static const unsigned char *section_bytes(const struct section *section)
{
	const Elf_Data *data = elf_rawdata(section->scn, NULL);

	return data && data->d_buf && data->d_size == section->size ? data->d_buf : NULL;
}

/* The string at a run-time address, if its end is near and in the same section. */
static const char *string_at(const struct image *image, uint64_t address)
{
	const struct section *section;
	size_t low = 0, high = image->sections, middle, left;
	const unsigned char *bytes;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (image->section[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	section = &image->section[low - 1];
	if (address - section->begin >= section->size)
		return NULL;
	bytes = section_bytes(section);
	if (!bytes)
		return NULL;
	bytes += address - section->begin;
	left = (size_t)(section->size - (address - section->begin));
	return memchr(bytes, 0, left < NAME_BYTES ? left : NAME_BYTES) ? (const char *)bytes : NULL;
}

/* A word of the table: an address relative to itself; 0: none. */
static uint64_t address_at(const struct image *image, const unsigned char *word, uint64_t at)
{
	uint32_t value;

	memcpy(&value, word, sizeof(value));
	if (image->swap)
		value = bswap_32(value);
	if (value == 0)
		return 0;
	at += (uint64_t)(int64_t)(int32_t)value;
	return image->wide ? at : (uint32_t)at;
}

static int read_sites(struct image *image, const struct section *section)
{
	const unsigned char *bytes = section_bytes(section);
	struct item *item;
	uint64_t at;

	if (!bytes || section->size % SITE_BYTES)
		return damaged(image, "section cairn_sites is cut off");
	for (at = 0; at < section->size; at += SITE_BYTES) {
		item = &image->item[image->items];
		item->code = address_at(image, bytes + at, section->begin + at);
		item->target = address_at(image, bytes + at + 4, section->begin + at + 4);
		item->name = string_at(image, address_at(image, bytes + at + 12,
							 section->begin + at + 12));
		if (!item->name || !*item->name)
			return damaged(image, "a site's event has no name");
		image->items++;
		image->sites++;
		image->patched += item->code != 0;
	}
	return 0;
}

/*
 * Into this machine's byte order; what does not fit in `size` is left for cairn_desc_valid to
 * refuse.
 */
static void swap_desc(unsigned char *at, size_t size)
{
	struct cairn_desc *desc = (struct cairn_desc *)at;
	uint32_t *count = (uint32_t *)(at + sizeof(*desc));
	uint64_t *range = (uint64_t *)(at + sizeof(*desc));
	size_t i, room = size - sizeof(*desc);

	desc->size = bswap_32(desc->size);
	desc->kind = bswap_16(desc->kind);
	desc->fields = bswap_16(desc->fields);
	desc->level = bswap_16(desc->level);
	desc->abi = bswap_16(desc->abi);
	desc->text = bswap_32(desc->text);
	if (desc->kind == CAIRN_DESC_EVENT)
		for (i = 0; i <= desc->fields && i < room / sizeof(*count); i++)
			count[i] = bswap_32(count[i]);
	else if (desc->kind == CAIRN_DESC_ENUM)
		for (i = 0; i < 2u * desc->fields && i < room / sizeof(*range); i++)
			range[i] = bswap_64(range[i]);
}

static void add_desc(struct image *image, const struct cairn_desc *desc)
{
	struct item *item;
	char *name;
	int bytes;

	if (desc->kind != CAIRN_DESC_EVENT) {
		image->type[image->types++] = desc;
		return;
	}
	/* The description holds both names, each with its end, so as many bytes are enough. */
	name = image->names + image->names_used;
	bytes = sprintf(name, "%s:%s", cairn_desc_provider(desc), cairn_desc_event(desc));
	image->names_used += (size_t)bytes + 1;
	item = &image->item[image->items++];
	item->name = name;
	item->desc = desc;
}

/*
 * The description at `at`, with `left` bytes behind it: checked and taken. Its size, 0 on failure.
 */
static size_t read_desc(struct image *image, unsigned char *at, size_t left)
{
	const struct cairn_desc *desc = (const struct cairn_desc *)at;
	const uint32_t size = image->swap ? bswap_32(desc->size) : desc->size;

	if (size < DESC_BYTES - 7 || size > left) {
		damaged(image, "section cairn_events has a description of impossible size");
		return 0;
	}
	if (image->swap)
		swap_desc(at, size);
	if (desc->abi != CAIRN_ABI) {
		cairn_tool_say("%s: built with another version of Cairn (ABI %u; this is %u): use "
			       "the `cairn` of that version",
			       image->path, desc->abi, CAIRN_ABI);
		return 0;
	}
	if ((desc->kind != CAIRN_DESC_EVENT && desc->kind != CAIRN_DESC_ENUM) ||
	    !cairn_desc_valid(desc)) {
		damaged(image, "section cairn_events has a description that contradicts itself");
		return 0;
	}
	add_desc(image, desc);
	return size;
}

static int read_descs(struct image *image, const struct section *section)
{
	const unsigned char *bytes = section_bytes(section);
	unsigned char *copy = image->desc + image->desc_used;
	const size_t all = (size_t)section->size;
	size_t at = 0, size;
	uint32_t word;

	if (!bytes)
		return damaged(image, "section cairn_events is cut off");
	memcpy(copy, bytes, all);
	image->desc_used += (all + 7) & ~(size_t)7;
	while (all - at >= sizeof(struct cairn_desc)) {
		memcpy(&word, copy + at, sizeof(word));
		size = sizeof(uint64_t); /* of what the linker fills gaps with */
		if (word != 0)
			size = read_desc(image, copy + at, all - at);
		if (size == 0)
			return CAIRN_EXIT_FAILED;
		at += (size + 7) & ~(size_t)7;
		if (at > all)
			break;
	}
	return 0;
}

static int compare_desc(const struct cairn_desc *a, const struct cairn_desc *b)
{
	return a->size == b->size ? memcmp(a, b, a->size) : a->size < b->size ? -1 : 1;
}

/* Descriptions before sites, equal ones side by side. */
static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (!x->desc != !y->desc)
		return x->desc ? -1 : 1;
	if (x->desc)
		return compare_desc(x->desc, y->desc);
	return x->code < y->code ? -1 : x->code > y->code;
}

static int by_type_name(const void *a, const void *b)
{
	const struct cairn_desc *x = *(const struct cairn_desc *const *)a;
	const struct cairn_desc *y = *(const struct cairn_desc *const *)b;
	const int order = strcmp(cairn_desc_enum(x), cairn_desc_enum(y));

	return order ? order : compare_desc(x, y);
}

static int read_tables(struct image *image)
{
	const size_t descs = (size_t)image->bytes[EVENTS] / DESC_BYTES + 1;
	size_t i;
	int result = 0;

	image->item = calloc((size_t)image->bytes[SITES] / SITE_BYTES + descs,
			     sizeof(*image->item));
	image->type = calloc(descs, sizeof(*image->type));
	image->desc = calloc(1, (size_t)image->bytes[EVENTS] + 1);
	image->names = calloc(1, (size_t)image->bytes[EVENTS] + 1);
	if (!image->item || !image->type || !image->desc || !image->names)
		return no_memory(image);
	for (i = 0; i < image->sections && !result; i++)
		if (image->section[i].kind == SITES)
			result = read_sites(image, &image->section[i]);
		else if (image->section[i].kind == EVENTS)
			result = read_descs(image, &image->section[i]);
	if (result)
		return result;
	qsort(image->item, image->items, sizeof(*image->item), by_name);
	qsort(image->type, image->types, sizeof(*image->type), by_type_name);
	for (i = 0; i < image->items; i++)
		image->events += i == 0 || strcmp(image->item[i].name, image->item[i - 1].name);
	return 0;
}

/* Type as it stands in the listing: "u8", "u8[]", "u16[4]", "text[12]", "enum shop_state". */
static void type_text(const struct cairn_field *field, char *text, size_t size)
{
	const int length = (int)field->type_length;

	if (field->shape == CAIRN_SHAPE_ARRAY || field->shape == CAIRN_SHAPE_TEXT)
		snprintf(text, size, "%.*s[%" PRIu32 "]", length, field->type, field->count);
	else
		snprintf(text, size, "%.*s%s", length, field->type,
			 field->shape == CAIRN_SHAPE_SEQUENCE ? "[]" : "");
}

static void print_fields(FILE *out, const struct cairn_desc *desc)
{
	const char *text = NULL;
	struct cairn_field field;
	char type[NAME_BYTES];
	int width = 0;
	uint32_t i;

	for (i = 0; i < desc->fields && cairn_desc_field(desc, i, &text, &field); i++) {
		type_text(&field, type, sizeof(type));
		if ((int)strlen(type) > width)
			width = (int)strlen(type);
	}
	if (i == 0)
		fputs("    (no fields)\n", out);
	text = NULL;
	for (i = 0; i < desc->fields && cairn_desc_field(desc, i, &text, &field); i++) {
		type_text(&field, type, sizeof(type));
		cairn_list_field(out, width, type, field.name, NULL);
	}
}

static void print_sites(FILE *out, const struct item *item, size_t count)
{
	size_t i, branches = 0;

	for (i = 0; i < count; i++)
		if (item[i].code == 0)
			branches++;
		else
			fprintf(out, "    site 0x%" PRIx64 " patched, hit at 0x%" PRIx64 "\n",
				item[i].code, item[i].target);
	if (branches)
		fprintf(out,
			"    %zu branch site%s (a test of a flag: nothing to patch, no address)\n",
			branches, branches == 1 ? "" : "s");
}

/* One event: its descriptions (each file that hits it has one), then its sites. */
static void print_event(FILE *out, const struct item *item, size_t count, bool sites)
{
	size_t descs = 0, i;

	while (descs < count && item[descs].desc)
		descs++;
	cairn_tool_put(out, item->name);
	if (descs)
		fprintf(out, "  %s", cairn_list_level(item->desc->level));
	fprintf(out, "  %zu site%s\n", count - descs, count - descs == 1 ? "" : "s");
	if (descs)
		print_fields(out, item->desc);
	else
		fputs("    (fields unknown: the file asks whether it is enabled, and never hits it)\n",
		      out);
	for (i = 1; i < descs; i++) {
		if (!compare_desc(item[i].desc, item[i - 1].desc))
			continue;
		fprintf(out, "    declared a second time, differently (%s): it cannot be enabled\n",
			cairn_list_level(item[i].desc->level));
		print_fields(out, item[i].desc);
	}
	if (sites)
		print_sites(out, item + descs, count - descs);
}

static void print_type(FILE *out, const struct cairn_desc *desc)
{
	const char *store = cairn_desc_store(desc), *text = NULL, *label;
	const bool is_signed = store[0] == 'i';
	uint64_t first, last;
	uint32_t i;

	fputs("enum ", out);
	cairn_tool_put(out, cairn_desc_enum(desc));
	fputs(": ", out);
	cairn_tool_put(out, store);
	fputc('\n', out);
	for (i = 0; i < desc->fields; i++) {
		if (!cairn_desc_label(desc, i, &text, &label, &first, &last))
			break;
		fputs("    ", out);
		cairn_tool_put(out, label);
		fprintf(out, is_signed ? " = %" PRId64 : " = %" PRIu64, first);
		if (first != last)
			fprintf(out, is_signed ? " ... %" PRId64 : " ... %" PRIu64, last);
		fputc('\n', out);
	}
}

static void print_image(FILE *out, const struct image *image, bool sites)
{
	size_t i, next;

	cairn_tool_put(out, image->path);
	fprintf(out, ": %zu event%s, %zu site%s (%zu patched, %zu branch)\n", image->events,
		image->events == 1 ? "" : "s", image->sites, image->sites == 1 ? "" : "s",
		image->patched, image->sites - image->patched);
	for (i = 0; i < image->items; i = next) {
		for (next = i + 1; next < image->items; next++)
			if (strcmp(image->item[i].name, image->item[next].name))
				break;
		fputc('\n', out);
		print_event(out, image->item + i, next - i, sites);
	}
	for (i = 0; i < image->types; i++) {
		if (i && !compare_desc(image->type[i], image->type[i - 1]))
			continue;
		fputc('\n', out);
		print_type(out, image->type[i]);
	}
}

static int by_code(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

/* A linker that folds identical code can give two events one site: neither can be enabled then. */
static void warn_of_folding(struct image *image)
{
	const struct item *item = image->item;
	size_t i;

	qsort(image->item, image->items, sizeof(*item), by_code);
	for (i = 1; i < image->items; i++) {
		if (item[i].desc || item[i - 1].desc || item[i].code == 0 ||
		    item[i].code != item[i - 1].code || !strcmp(item[i].name, item[i - 1].name))
			continue;
		cairn_tool_say("%s: %s and %s have one site, 0x%" PRIx64 ", and cannot be enabled: "
			       "link without identical code folding (--icf=none)",
			       image->path, item[i - 1].name, item[i].name, item[i].code);
		return;
	}
}

int cairn_list_elf(FILE *out, const char *path, int file, const struct cairn_list_options *options)
{
	struct image image = { .path = path };
	struct stat st;
	int result;

	if (fstat(file, &st) || elf_version(EV_CURRENT) == EV_NONE)
		return refuse(&image, "cannot be read: try again");
	image.size = (uint64_t)st.st_size;
	image.elf = elf_begin(file, ELF_C_READ, NULL);
	if (!image.elf)
		return damaged(&image, elf_errmsg(-1));
	result = check_file(&image);
	if (!result)
		result = find_sections(&image);
	if (!result)
		result = read_tables(&image);
	if (!result) {
		if (options->again)
			fputc('\n', out);
		print_image(out, &image, options->sites);
		warn_of_folding(&image);
	}
	free(image.item);
	free(image.type);
	free(image.desc);
	free(image.names);
	free(image.section);
	elf_end(image.elf);
	return result;
}
