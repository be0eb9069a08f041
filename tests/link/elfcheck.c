/* SPDX-License-Identifier: MIT */
/*
 * elfcheck FILE SITES EVENT...: is the linked file as Cairn's start-up code and `cairn list` need it?
 *
 * - cairn_sites has SITES entries or, as compilers copy sites, more; each one's site, cold branch, event
 *   and name are where they must be, and at a site stands the no-op that the port's encoder makes, or
 *   nothing (branch);
 * - no two entries have one address;
 * - cairn_events describes exactly the EVENTs, "provider:event", and every enum type that they use;
 * - the dynamic linker has nothing to do in either section.
 *
 * The file may be of either byte order.
 *
 * Prints "site BEGIN END" for each patched site, for a comparison with the disassembly (check.sh), and
 * "copies N", the entries beyond SITES. Exit status 1 and a line for each thing that is wrong.
 */
#include <cairn/event.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The port of the files, whatever this machine is: its encoders are pure C. From link.sh. */
#undef CAIRN_ARCH_SITE_SIZE
#define CAIRN_ARCH_SITE_SIZE SITE_SIZE
#define CAIRN_ARCH_SITE_BIG SITE_BIG
#include PATCH_ARCH

#define EVENTS_MAX 64

static Elf *elf;
static int swapped; /* the file has not this machine's byte order */
static int wrong;

static uint32_t u32(uint32_t value)
{
	return swapped ? __builtin_bswap32(value) : value;
}

static uint16_t u16(uint16_t value)
{
	return swapped ? __builtin_bswap16(value) : value;
}

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("elfcheck: ", stdout);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	wrong = 1;
}

/* A section by name, or (name NULL) the allocated one that holds the address. */
static Elf_Scn *section_find(const char *name, uint64_t address, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *is = gelf_getshdr(section, header) ?
					 elf_strptr(elf, strings, header->sh_name) :
					 NULL;

		if (name && is && !strcmp(is, name))
			return section;
		if (!name && header->sh_flags & SHF_ALLOC && !(header->sh_flags & SHF_TLS) &&
		    address >= header->sh_addr && address - header->sh_addr < header->sh_size)
			return section;
	}
	return NULL;
}

/* What the file has at an address; NULL if there are no `size` bytes, or the flags are not there. */
static const unsigned char *bytes_at(uint64_t address, size_t size, uint64_t flags,
				     uint64_t not_flags)
{
	GElf_Shdr header;
	Elf_Scn *section = section_find(NULL, address, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const uint64_t offset = address - header.sh_addr;

	if (!data || !data->d_buf || (header.sh_flags & flags) != flags ||
	    header.sh_flags & not_flags || offset > data->d_size || data->d_size - offset < size)
		return NULL;
	return (const unsigned char *)data->d_buf + offset;
}

static uint64_t follow(uint64_t entry, size_t word, int32_t distance)
{
	return entry + 4 * word + (uint64_t)(int64_t)(int32_t)u32((uint32_t)distance);
}

static void check_code(uint64_t at, const struct cairn_site *site)
{
	const uint64_t code = follow(at, 0, site->code);
	const uint64_t target = follow(at, 1, site->target);
	unsigned char nop[CAIRN_ARCH_SITE_SIZE + 1];
	const unsigned char *insn;

	if (!site->code && !site->target)
		return; /* a branch site */
	insn = bytes_at(code, CAIRN_ARCH_SITE_SIZE, SHF_EXECINSTR, SHF_WRITE);
	if (!insn || !bytes_at(target, 1, SHF_EXECINSTR, SHF_WRITE)) {
		complain("site %#jx or its cold branch %#jx is not in program text",
			 (uintmax_t)code, (uintmax_t)target);
		return;
	}
	if (cairn_arch_nop(nop, (uintptr_t)code, (uintptr_t)target) ||
	    memcmp(insn, nop, CAIRN_ARCH_SITE_SIZE))
		complain("site %#jx is not the no-op with the way to %#jx", (uintmax_t)code,
			 (uintmax_t)target);
	printf("site %jx %jx\n", (uintmax_t)code, (uintmax_t)code + CAIRN_ARCH_SITE_SIZE);
}

/* The event is zeros that the program may write, at a multiple of its size; the name is one of `known`. */
static void check_event(uint64_t at, const struct cairn_site *site, char **known, int n)
{
	const uint64_t event = follow(at, 2, site->event);
	const uint64_t name = follow(at, 3, site->name);
	const char *text = (const char *)bytes_at(name, 1, SHF_ALLOC, SHF_WRITE | SHF_EXECINSTR);
	GElf_Shdr header;
	int i;

	if (!section_find(NULL, event, &header) || header.sh_type != SHT_NOBITS ||
	    !(header.sh_flags & SHF_WRITE) || event % CAIRN__EVENT_BYTES)
		complain("the event %#jx of a site is not in .bss", (uintmax_t)event);
	for (i = 0; text && i < n; i++)
		if (!strcmp(text, known[i]))
			return;
	complain("the name %s of a site is none of those expected", text ? text : "(nowhere)");
}

static void check_sites(unsigned expected, char **known, int n)
{
	GElf_Shdr header;
	Elf_Scn *section = section_find("cairn_sites", 0, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const struct cairn_site *site = data ? data->d_buf : NULL;
	const size_t count = data ? data->d_size / sizeof(*site) : 0;
	size_t i, j;

	if (count < expected || (data && data->d_size % sizeof(*site)))
		complain("cairn_sites has %zu entries, expected %u", count, expected);
	else
		printf("copies %zu\n", count - expected);
	if (section && (header.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) != SHF_ALLOC)
		complain("cairn_sites has flags %#jx", (uintmax_t)header.sh_flags);
	for (i = 0; i < count; i++) {
		const uint64_t at = header.sh_addr + i * sizeof(*site);

		check_code(at, &site[i]);
		check_event(at, &site[i], known, n);
		for (j = 0; j < i && site[i].code; j++)
			if (follow(at, 0, site[i].code) ==
			    follow(header.sh_addr + j * sizeof(*site), 0, site[j].code))
				complain("two entries have one address");
	}
}

/* Is the type described? `from` is cairn_events. */
static int enum_described(const Elf_Data *from, const char *type)
{
	size_t at = 0;
	const size_t size = from->d_size;

	while (at + sizeof(struct cairn_desc) <= size) {
		const struct cairn_desc *desc = (const void *)((const char *)from->d_buf + at);

		if (u32(desc->size) < sizeof(*desc))
			return 0;
		if (u16(desc->kind) == CAIRN_DESC_ENUM &&
		    !strcmp((const char *)desc + u32(desc->text), type))
			return 1;
		at += (u32(desc->size) + 7) & ~(size_t)7;
	}
	return 0;
}

/* The enum types of one event's fields; returns "provider:event". */
static const char *check_fields(const struct cairn_desc *desc, const Elf_Data *all)
{
	static char full[512];
	const char *text = (const char *)desc + u32(desc->text);
	const char *event = text + strlen(text) + 1;
	unsigned i;

	snprintf(full, sizeof(full), "%s:%s", text, event);
	text = event;
	for (i = 0; i < u16(desc->fields); i++) {
		const char *type = text + strlen(text) + 1;
		char name[256];

		text = type + strlen(type) + 1;
		if (strncmp(type, "enum ", 5))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(type + 5, "["), type + 5);
		if (!enum_described(all, name))
			complain("%s: enum type %s is not in cairn_events", full, name);
	}
	if (text + strlen(text) + 1 > (const char *)desc + u32(desc->size))
		complain("%s: the description is longer than it says", full);
	return full;
}

static void check_descriptions(char **known, int n)
{
	GElf_Shdr header;
	Elf_Scn *section = section_find("cairn_events", 0, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	unsigned char seen[EVENTS_MAX] = { 0 };
	size_t at = 0;
	int i;

	if (section && (header.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) != SHF_ALLOC)
		complain("cairn_events has flags %#jx", (uintmax_t)header.sh_flags);
	while (data && at + sizeof(struct cairn_desc) <= data->d_size) {
		const struct cairn_desc *desc = (const void *)((const char *)data->d_buf + at);
		const char *name;

		if (u32(desc->size) < sizeof(*desc) || u32(desc->size) > data->d_size - at ||
		    u16(desc->abi) != CAIRN_ABI) {
			complain("cairn_events has no description at offset %zu", at);
			return;
		}
		at += (u32(desc->size) + 7) & ~(size_t)7;
		if (u16(desc->kind) == CAIRN_DESC_ENUM)
			continue;
		name = check_fields(desc, data);
		for (i = 0; i < n && strcmp(name, known[i]); i++)
			;
		if (i < n)
			seen[i] = 1;
		else
			complain("cairn_events has %s, which was not expected", name);
	}
	for (i = 0; i < n; i++)
		if (!seen[i])
			complain("%s is not in cairn_events", known[i]);
}

static void check_relocation(uint64_t at)
{
	static const char *const names[] = { "cairn_sites", "cairn_events" };
	GElf_Shdr header;
	size_t i;

	for (i = 0; i < 2; i++)
		if (section_find(names[i], 0, &header) && at >= header.sh_addr &&
		    at - header.sh_addr < header.sh_size)
			complain("%s has a dynamic relocation", names[i]);
}

static void check_dynamic(void)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		Elf_Data *data = gelf_getshdr(section, &header) ? elf_getdata(section, NULL) : NULL;
		const size_t n = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
		GElf_Rela rela;
		GElf_Rel rel;
		size_t i;

		for (i = 0; i < n; i++) {
			if (header.sh_type == SHT_RELA && gelf_getrela(data, (int)i, &rela))
				check_relocation(rela.r_offset);
			if (header.sh_type == SHT_REL && gelf_getrel(data, (int)i, &rel))
				check_relocation(rel.r_offset);
		}
	}
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 3 || argc - 3 > EVENTS_MAX) {
		fprintf(stderr, "usage: elfcheck FILE SITES [EVENT]...\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	fd = open(argv[1], O_RDONLY);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		fprintf(stderr, "elfcheck: %s: not an ELF file\n", argv[1]);
		return 2;
	}
	swapped = elf_getident(elf, NULL)[EI_DATA] !=
		  (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB);
	check_sites((unsigned)strtoul(argv[2], NULL, 10), argv + 3, argc - 3);
	check_descriptions(argv + 3, argc - 3);
	check_dynamic();
	elf_end(elf);
	close(fd);
	return wrong;
}
