/* SPDX-License-Identifier: MIT */
/*
 * Programs have macros, and names that are macros. Those that stand before the inclusion do not reach
 * Cairn's headers; those that stand behind it do not reach the code which CAIRN_EVENT generates, nor
 * the names of fields, types, labels and levels.
 */
#define u8 unsigned char
#define str @
#define end
#define begin
#define DEBUG 1
#define flat @
#define unused __attribute__((unused))
#define noinline __attribute__((noinline))
#define cold __attribute__((cold))
#define aligned(n) __attribute__((aligned(n)))
#define section(name) __attribute__((section(name)))
#define hidden @
#define min(a, b) ((a) < (b) ? (a) : (b))
#define likely(x) __builtin_expect(!!(x), 1)
#define barrier() __asm__ volatile("" : : : "memory")

#include <cairn/event.h>

/* What the generated code would name if it did not prefix its names. */
#undef end
#define end @
#define size @
#define data @
#define count @
#define entry @
#define list @
#define fn @
#define head @
#define text @
#define range @
#define slot @
#define enabled @
#define reader @
#define layout @
#define desc @
#define always_inline @
#define visibility @
#define retain @
#define used @
#define u16 unsigned short
#define u32 unsigned int
#define i64 long long
#define net32 @
#define ptr @
#define ENUM @
#define INFO @
#define OPEN @
#define shop @

CAIRN_ENUM_TYPE(api_state, u8, CAIRN_VALUE(OPEN, 0), CAIRN_RANGE(DEBUG, 1, 2));
CAIRN_ENUM_TYPE(api_signed, i64, CAIRN_VALUE(DEBUG, -1));
CAIRN_EVENT(api, empty, CAIRN_LOGLEVEL(DEBUG));
CAIRN_EVENT(api, scalars, CAIRN_LOGLEVEL(INFO), CAIRN_U8(u8), CAIRN_STR(str), CAIRN_TEXT(text, 4),
	    CAIRN_CHAR(end), CAIRN_ENUM(list, api_state), CAIRN_ENUM(size, api_signed),
	    CAIRN_PTR(data));
CAIRN_EVENT(api, vectors, CAIRN_SEQ(u8, entry, count), CAIRN_SEQ(str, fn, enabled),
	    CAIRN_ARRAY(u16, slot, 3), CAIRN_SEQ(net32, head, range), CAIRN_ARRAY(ptr, shop, 1),
	    CAIRN_SEQ(ENUM(api_state), desc, layout));

int api_macros(const uint8_t *b, const char *const *s, const uint16_t *w, const void *const *p);
int api_macros(const uint8_t *b, const char *const *s, const uint16_t *w, const void *const *p)
{
	cairn_trace(api, empty);
	cairn_trace(api, scalars, 1, s[0], s[1], 'x', 2, -1, b);
	cairn_trace(api, vectors, b, 2, s, 2, w, NULL, 0, p, b, 1);
	return cairn_enabled(api, empty);
}
