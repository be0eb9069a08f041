/* SPDX-License-Identifier: MIT */
/*
 * Declare and hit events. This is the header that an instrumented file includes.
 *
 *     CAIRN_EVENT(shop, checkout, CAIRN_U32(order), CAIRN_STR(customer));
 *
 *     cairn_trace(shop, checkout, id, name);   // arguments are not evaluated while disabled
 *     if (cairn_enabled(shop, checkout)) ...   // to prepare what only a listener needs
 *
 * CAIRN_EVENT(provider, event, fields...) stands at file scope, in any header or file, in C99 or C++11
 * and later; it needs no second file and the `;` is required. Fields are in fields.h, at most 32, none
 * is fine. Provider and event are identifiers and no macros (not `errno`); the event's name is
 * "provider:event". One event declared with two different field lists in one program is refused by name
 * when it is enabled. In C, a function in a header that hits an event is `static inline`.
 *
 * cairn_trace may be called from any thread and from signal handlers at any time, also before main and
 * while the process exits. It takes no lock, allocates nothing and makes no system call, except at a
 * thread's first event, when a packet is full and the consumer sleeps, and where a session in block
 * mode waits; these are async-signal-safe too. It preserves errno.
 */
#ifndef CAIRN_EVENT_H
#define CAIRN_EVENT_H

/* Programs that write `begin` and `end` for braces: not in the headers below. */
#pragma push_macro("end")
#undef end
#include <cairn/compiler.h>
#include <cairn/fields.h>
#include <cairn/map.h>
#include <cairn/record.h>
#include <cairn/site.h>
#pragma pop_macro("end")

#define cairn_trace(...) CAIRN__TRACE(__VA_ARGS__, 0)
#define CAIRN__TRACE(p, n, ...)                                                                    \
	do {                                                                                       \
		if (CAIRN__UNLIKELY(cairn_site_##p##__##n()))                                      \
			cairn_hit_##p##__##n(__VA_ARGS__);                                         \
	} while (0)

/* True while somebody listens. */
#define cairn_enabled(...) CAIRN__ENABLED(__VA_ARGS__)
#define CAIRN__ENABLED(p, n) (cairn_site_##p##__##n())

/*
 * Call `fn(data, fields...)` at every hit of the event, from the hitting thread or signal handler.
 * 0, -EEXIST (attached already with this data), -EINVAL (fn is NULL), -EDEADLK (called from a probe),
 * -ENOMEM, or what enabling says (cairn_enable). cairn_detach: 0, -ENOENT; when it returns, no thread
 * is in `fn` with this data any more, or it returns -ETIMEDOUT: one still is after a second, do not
 * free the data. Not async-signal-safe.
 */
#define cairn_attach(...) CAIRN__ATTACH(__VA_ARGS__)
#define cairn_detach(...) CAIRN__DETACH(__VA_ARGS__)
#define CAIRN__ATTACH(p, n, fn, data) cairn_attach_##p##__##n(fn, data)
#define CAIRN__DETACH(p, n, fn, data) cairn_detach_##p##__##n(fn, data)

CAIRN__BEGIN_C
CAIRN__API int cairn_probe_attach(const char *event, const struct cairn_desc *desc,
				  void (*fn)(void), void *data);
CAIRN__API int cairn_probe_detach(const char *event, void (*fn)(void), void *data);
CAIRN__END_C

/* What the generated code reads, in functions: no macro of the program reaches the names in these. */
typedef void (*cairn_probe_t)(void);

CAIRN__INLINE const struct cairn_entry *cairn_list_entries(const struct cairn_list *list)
{
	return list->entry;
}

CAIRN__INLINE uint32_t cairn_list_count(const struct cairn_list *list)
{
	return list->count;
}

/* NULL: the entry is a session's recorder. */
CAIRN__INLINE cairn_probe_t cairn_entry_probe(const struct cairn_entry *entry)
{
	return entry->fn;
}

CAIRN__INLINE void *cairn_entry_data(const struct cairn_entry *entry)
{
	return entry->data;
}

CAIRN__INLINE unsigned char *cairn_spot_at(struct cairn_spot spot)
{
	return spot.at;
}

CAIRN__INLINE void cairn_spot_commit(struct cairn_spot spot, unsigned char *last)
{
	cairn_commit(spot.cursor, last);
}

/* One object per module, also when the declaration stands in a namespace without a name. */
#ifdef __cplusplus
#define CAIRN__EXTERN extern "C"
#else
#define CAIRN__EXTERN extern
#endif

#define CAIRN_EVENT(...) CAIRN__EVENT(__VA_ARGS__, (k_end))
#define CAIRN__EVENT_TEXT(p, n, ...) #p "\0" #n "\0" CAIRN__MAP(CAIRN__D_, , __VA_ARGS__)
#define CAIRN__EVENT(p, n, ...)                                                                    \
	CAIRN__EXTERN struct cairn_event cairn_event_##p##__##n __asm__(CAIRN__EVENT_SYMBOL(p, n)) \
		CAIRN__HIDDEN;                                                                     \
	typedef void (*cairn_fn_##p##__##n)(                                                       \
		void *cairn_data CAIRN__MAP(CAIRN__P_, , __VA_ARGS__));                            \
	CAIRN__SITE(p, n)                                                                          \
	static inline __attribute__((__unused__))                                                  \
	const struct cairn_desc *cairn_desc_##p##__##n(void)                                       \
	{                                                                                          \
		struct cairn_layout {                                                              \
			struct cairn_desc cairn_head;                                              \
			uint32_t cairn_count[1 CAIRN__MAP(CAIRN__N_, , __VA_ARGS__)];              \
			char cairn_text[sizeof(CAIRN__EVENT_TEXT(p, n, __VA_ARGS__))];             \
		};                                                                                 \
		static const struct cairn_layout cairn_layout CAIRN__DESC_SECTION = {              \
			{ sizeof(struct cairn_layout), CAIRN_DESC_EVENT,                           \
			  0 CAIRN__MAP(CAIRN__N_, , __VA_ARGS__),                                  \
			  (0 CAIRN__MAP(CAIRN__V_, , __VA_ARGS__)) & 255, CAIRN_ABI,               \
			  offsetof(struct cairn_layout, cairn_text) },                             \
			{ CAIRN__MAP(CAIRN__CNT_, , __VA_ARGS__) },                                \
			CAIRN__EVENT_TEXT(p, n, __VA_ARGS__)                                       \
		};                                                                                 \
		CAIRN__MAP(CAIRN__E_, , __VA_ARGS__)                                               \
		return &cairn_layout.cairn_head;                                                   \
	}                                                                                          \
	CAIRN__OUTLINE CAIRN__COLD int cairn_attach_##p##__##n(cairn_fn_##p##__##n cairn_fn,       \
							       void *cairn_data)                   \
	{                                                                                          \
		return cairn_probe_attach(#p ":" #n, cairn_desc_##p##__##n(),                      \
					  CAIRN__RECAST(cairn_probe_t, cairn_fn), cairn_data);     \
	}                                                                                          \
	CAIRN__OUTLINE CAIRN__COLD int cairn_detach_##p##__##n(cairn_fn_##p##__##n cairn_fn,       \
							       void *cairn_data)                   \
	{                                                                                          \
		return cairn_probe_detach(#p ":" #n, CAIRN__RECAST(cairn_probe_t, cairn_fn),       \
					  cairn_data);                                             \
	}                                                                                          \
	/* The long way: every listener in turn. */                                                \
	CAIRN__OUTLINE void cairn_all_##p##__##n(                                                  \
		CAIRN__MAP(CAIRN__Q_, , __VA_ARGS__) int cairn_end)                                \
	{                                                                                          \
		CAIRN__MAP(CAIRN__L_, , __VA_ARGS__)                                               \
		const size_t cairn_size = 0 CAIRN__MAP(CAIRN__S_, , __VA_ARGS__);                  \
		struct cairn_reader cairn_r;                                                       \
		const struct cairn_list *cairn_list;                                               \
		const struct cairn_entry *cairn_e;                                                 \
		uint32_t cairn_left;                                                               \
                                                                                                   \
		(void)cairn_end;                                                                   \
		__asm__ volatile(CAIRN__COMMON(p, n) : : :);                                       \
		CAIRN__KEEP(cairn_desc_##p##__##n());                                              \
		cairn_list = cairn_enter(&cairn_r, &cairn_event_##p##__##n);                       \
		if (CAIRN__UNLIKELY(!cairn_list))                                                  \
			return;                                                                    \
		cairn_e = cairn_list_entries(cairn_list);                                          \
		for (cairn_left = cairn_list_count(cairn_list); cairn_left;                        \
		     cairn_left--, cairn_e++) {                                                    \
			struct cairn_spot cairn_spot;                                              \
			unsigned char *cairn_to;                                                   \
                                                                                                   \
			if (CAIRN__UNLIKELY(cairn_entry_probe(cairn_e) != NULL)) {                 \
				CAIRN__RECAST(cairn_fn_##p##__##n, cairn_entry_probe(cairn_e))     \
				(cairn_entry_data(cairn_e) CAIRN__MAP(CAIRN__A_, , __VA_ARGS__));  \
				continue;                                                          \
			}                                                                          \
			cairn_spot = cairn_reserve(&cairn_r, cairn_e, cairn_size);                 \
			cairn_to = cairn_spot_at(cairn_spot);                                      \
			if (CAIRN__UNLIKELY(!cairn_to))                                            \
				continue;                                                          \
			CAIRN__MAP(CAIRN__W_, cairn_to, __VA_ARGS__)                               \
			cairn_spot_commit(cairn_spot, cairn_to);                                   \
		}                                                                                  \
		cairn_leave(&cairn_r);                                                             \
	}                                                                                          \
	/* The short ways: one session records. The second one is entered from the first. */       \
	CAIRN__OUTLINE void cairn_clk_##p##__##n(                                                  \
		CAIRN__MAP(CAIRN__Q_, , __VA_ARGS__) int cairn_end)                                \
	{                                                                                          \
		CAIRN__MAP(CAIRN__L_, , __VA_ARGS__)                                               \
		const size_t cairn_size = 0 CAIRN__MAP(CAIRN__S_, , __VA_ARGS__);                  \
		struct cairn_reader cairn_r;                                                       \
		unsigned char *cairn_to = NULL;                                                    \
                                                                                                   \
		if (CAIRN__LIKELY(cairn_begin_clock(&cairn_r, &cairn_event_##p##__##n, cairn_size, \
						    &cairn_to) == CAIRN__GO)) {                    \
			CAIRN__MAP(CAIRN__W_, cairn_to, __VA_ARGS__)                               \
			cairn_commit_fast(&cairn_r, cairn_to);                                     \
			return;                                                                    \
		}                                                                                  \
		cairn_all_##p##__##n(CAIRN__MAP(CAIRN__B_, , __VA_ARGS__) cairn_end);              \
	}                                                                                          \
	CAIRN__OUTLINE void cairn_hit_##p##__##n(                                                  \
		CAIRN__MAP(CAIRN__Q_, , __VA_ARGS__) int cairn_end)                                \
	{                                                                                          \
		CAIRN__MAP(CAIRN__L_, , __VA_ARGS__)                                               \
		const size_t cairn_size = 0 CAIRN__MAP(CAIRN__S_, , __VA_ARGS__);                  \
		struct cairn_reader cairn_r;                                                       \
		unsigned char *cairn_to = NULL;                                                    \
		const enum cairn_way cairn_way = cairn_begin_counter(&cairn_r,                     \
								     &cairn_event_##p##__##n,      \
								     cairn_size, &cairn_to);       \
                                                                                                   \
		/* Without a counter it never is; gcc -Og would warn of the NULL. */               \
		if (CAIRN_ARCH_CLOCK_BITS == 64 && CAIRN__LIKELY(cairn_way == CAIRN__GO)) {        \
			CAIRN__MAP(CAIRN__W_, cairn_to, __VA_ARGS__)                               \
			cairn_commit_fast(&cairn_r, cairn_to);                                     \
			return;                                                                    \
		}                                                                                  \
		if (cairn_way == CAIRN__CLOCK) {                                                   \
			cairn_clk_##p##__##n(CAIRN__MAP(CAIRN__B_, , __VA_ARGS__) cairn_end);      \
			return;                                                                    \
		}                                                                                  \
		cairn_all_##p##__##n(CAIRN__MAP(CAIRN__B_, , __VA_ARGS__) cairn_end);              \
	}                                                                                          \
	typedef char CAIRN_EVENT_takes_one_log_level_##p##__##n                                    \
		[(0 CAIRN__MAP(CAIRN__V_, , __VA_ARGS__)) < 512 ? 1 : -1];                         \
	/* For the program's `;`. `struct cairn_event` would declare a namespace's own. */         \
	typedef char CAIRN_EVENT_takes_at_most_32_fields_##p##__##n                                \
		[0 CAIRN__MAP(CAIRN__N_, , __VA_ARGS__) <= 32 ? 1 : -1]

#endif
