/* SPDX-License-Identifier: MIT */
/*
 * Thread slots. A thread claims one at its first event, perhaps in a signal handler that interrupts
 * this very claim, so the claim publishes itself in one local compare-and-exchange of `cairn_tls` and
 * the loser hands its slot back. A slot belongs to the thread whose `cairn_tls` its owner word points
 * to: after a fork the arena is wiped, no owner word fits, and the child claims anew.
 */
#include "slot.h"

#include <errno.h>
#include <stddef.h>

#include "atomic_arch.h"
#include "os.h"
#include "ring.h"
#include "session.h"

static struct cairn_slot cairn_no_slot;
/* Not NULL: a sanitizer of undefined behaviour does not like sums with that. */
static unsigned char cairn_no_room[1];
struct cairn_cursor cairn_no_cursor = { .cur = cairn_no_room, .end = cairn_no_room };
struct cairn_arena *cairn_arena;
uintptr_t cairn_dropped;
const struct cairn_list cairn_list_none;
uint32_t cairn_fences;
static bool cairn_arena_wipes;
static bool cairn_over; /* the arena was wiped because the sessions ended, not by a fork */

CAIRN_THREAD_LOCAL struct cairn_slot *cairn_tls CAIRN_TLS_ATTRIBUTE = &cairn_no_slot;

int cairn_slots_begin(void)
{
	struct cairn_arena *arena;

	if (cairn_over) {
		__atomic_store_n(&cairn_arena->alive, 1, __ATOMIC_RELEASE);
		__atomic_store_n(&cairn_over, false, __ATOMIC_RELAXED);
	}
	if (cairn_arena)
		return 0;
	arena = cairn_os_pages(sizeof(*arena), true, &cairn_arena_wipes);
	if (!arena)
		return -ENOMEM;
	arena->alive = 1;
	__atomic_store_n(&cairn_arena, arena, __ATOMIC_RELEASE);
	return 0;
}

/*
 * A library that carries this copy may be loaded again: leave no pages. A thread of a program that ends
 * finds its slot gone; after the sessions there is nobody that an event could reach.
 */
void cairn_slots_end(bool sessions)
{
	if (!cairn_arena)
		return;
	__atomic_store_n(&cairn_over, sessions, __ATOMIC_RELAXED);
	cairn_arch_mb();
	cairn_os_discard(cairn_arena, sizeof(*cairn_arena));
}

void cairn_slots_child(void)
{
	struct cairn_slot *slot = cairn_tls;
	uint32_t i;

	/* Memory that did not wipe itself; at most the slots that were ever used. */
	if (cairn_arena && !cairn_arena_wipes)
		__builtin_memset(cairn_arena, 0,
				 offsetof(struct cairn_arena, thread) +
					 cairn_arena->used * sizeof(cairn_arena->thread[0]));
	/* A fork in a handler, or in a probe, returns into the event that it cut in two: that one must
	 * find cursors, and no room. */
	if (slot == &cairn_no_slot || slot->owner == &cairn_tls)
		return;
	for (i = 0; i < CAIRN_SESSIONS * CAIRN_LEVELS; i++)
		slot->cursor[i] = &cairn_no_cursor;
}

bool cairn_slot_busy(void)
{
	const struct cairn_slot *slot = cairn_tls;

	return slot->owner == &cairn_tls && (CAIRN__LOAD(slot->rcu) & CAIRN__NEST);
}

static void cairn_slot_streams(struct cairn_slot *slot)
{
	uint32_t i;

	for (i = 0; i < CAIRN_SESSIONS * CAIRN_LEVELS; i++)
		cairn_stream_release(CAIRN__LOAD(slot->cursor[i]));
}

/*
 * Some slots may be of threads whose end nobody told (no key for this copy, an event in the very last
 * destructor). Looking costs a system call a slot, so at most once a second.
 */
static void cairn_slots_sweep(struct cairn_arena *arena)
{
	static uintptr_t last;
	const uintptr_t now = (uintptr_t)(cairn_os_monotonic() / 1000000000u) + 1;
	uintptr_t was = __atomic_load_n(&last, __ATOMIC_RELAXED), i, owner;

	if (was == now || !cairn_arch_cmpxchg(&last, &was, now))
		return;
	for (i = 0; i < CAIRN_SLOTS; i++) {
		struct cairn_slot *slot = &arena->thread[i].slot;

		owner = (uintptr_t)__atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
		/* The tid is written after the claim: 0 is a claim in progress. */
		if (!owner || !arena->thread[i].tid ||
		    cairn_os_thread_alive(arena->thread[i].tid) ||
		    !cairn_arch_cmpxchg((uintptr_t *)&slot->owner, &owner, 1))
			continue;
		cairn_slot_streams(slot);
		arena->thread[i].tid = 0;
		CAIRN__STORE(slot->rcu, (slot->rcu | CAIRN__NEST) + 1);
		__atomic_store_n(&slot->owner, NULL, __ATOMIC_RELEASE);
	}
}

static struct cairn_thread *cairn_slot_find(struct cairn_arena *arena)
{
	uintptr_t i, used, free;

	for (i = 0; i < CAIRN_SLOTS; i++) {
		struct cairn_slot *slot = &arena->thread[i].slot;

		free = 0;
		/* Acquire: what the thread before did with the slot is over. */
		if (__atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE) ||
		    !cairn_arch_cmpxchg((uintptr_t *)&slot->owner, &free, (uintptr_t)&cairn_tls))
			continue;
		arena->thread[i].seen = 0;
		arena->thread[i].rounds = 0;
		used = __atomic_load_n(&arena->used, __ATOMIC_RELAXED);
		while (used < i + 1 && !cairn_arch_cmpxchg(&arena->used, &used, i + 1))
			;
		return &arena->thread[i];
	}
	return NULL;
}

static struct cairn_thread *cairn_slot_take(struct cairn_arena *arena)
{
	const uintptr_t used = __atomic_load_n(&arena->used, __ATOMIC_RELAXED);

	/* Before the arena grows much, and when it is full. */
	if (used >= 64 && !(used & (used - 1)))
		cairn_slots_sweep(arena);
	return cairn_slot_find(arena);
}

/*
 * A child of fork or raw clone finds the arena wiped. The first thread here gives the child rings of
 * its own; who comes meanwhile loses its event rather than wait (it may be a handler of that thread).
 */
static bool cairn_slots_revive(struct cairn_arena *arena)
{
	uintptr_t dead = 0;

	if (__atomic_load_n(&cairn_over, __ATOMIC_RELAXED))
		return false;
	if (!cairn_arch_cmpxchg(&arena->alive, &dead, 2))
		return dead == 1;
	cairn_session_child();
	__atomic_store_n(&arena->alive, 1, __ATOMIC_RELEASE);
	return true;
}

struct cairn_slot *cairn_slot_claim(struct cairn_module *module)
{
	const int error = errno;
	struct cairn_arena *arena = __atomic_load_n(&cairn_arena, __ATOMIC_ACQUIRE);
	struct cairn_thread *thread;
	uintptr_t was;
	uint32_t i;

	(void)module;
	if (!arena)
		return NULL;
	if (__atomic_load_n(&arena->alive, __ATOMIC_ACQUIRE) != 1 && !cairn_slots_revive(arena))
		return NULL;
	was = (uintptr_t)cairn_tls;
	/* A handler that traced since the caller looked has got this thread a slot. */
	if (((const struct cairn_slot *)was)->owner == &cairn_tls) {
		errno = error;
		return cairn_tls;
	}
	thread = cairn_slot_take(arena);
	if (!thread)
		return NULL;
	for (i = 0; i < CAIRN_SESSIONS * CAIRN_LEVELS; i++)
		CAIRN__STORE(thread->slot.cursor[i], &cairn_no_cursor);
	thread->tid = cairn_os_tid();
	cairn_os_thread_name(thread->name);
	if (!thread->slot.rcu)
		CAIRN__STORE(thread->slot.rcu, CAIRN__ROUND);
	if (!cairn_arch_cmpxchg_local((uintptr_t *)&cairn_tls, &was, (uintptr_t)thread)) {
		/* A handler was here in between and has a slot: use that one. */
		__atomic_store_n(&thread->slot.owner, NULL, __ATOMIC_RELEASE);
	} else {
		cairn_os_thread_watch(thread);
	}
	errno = error;
	return cairn_tls;
}

void cairn_slot_release(struct cairn_slot *slot)
{
	if (slot->owner != &cairn_tls)
		return;
	cairn_tls = &cairn_no_slot;
	/* As in an event: whoever unmaps the rings waits for us. */
	CAIRN__STORE(slot->rcu, slot->rcu + 1); /* [A] with cairn_rcu_wait */
	CAIRN__BARRIER();
	if (cairn_fences)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	cairn_slot_streams(slot);
	__atomic_store_n(&slot->rcu, (slot->rcu | CAIRN__NEST) + 1, __ATOMIC_RELEASE);
	((struct cairn_thread *)slot)->tid = 0;
	__atomic_store_n(&slot->owner, NULL, __ATOMIC_RELEASE);
}

void cairn_slots_forget(uint32_t session)
{
	uintptr_t i, level;

	for (i = 0; cairn_arena && i < cairn_arena->used; i++) {
		struct cairn_cursor **cursor =
			&cairn_arena->thread[i].slot.cursor[session * CAIRN_LEVELS];

		for (level = 0; level < CAIRN_LEVELS; level++)
			if (CAIRN__LOAD(cursor[level]))
				__atomic_store_n(&cursor[level], &cairn_no_cursor,
						 __ATOMIC_RELAXED);
	}
}

/* Nested, the thread is in an event, so the list and the areas stay; else only what stays for good. */
void cairn_event_dropped(const struct cairn_event *nested)
{
	const struct cairn_list *list = nested ? nested->list : &cairn_list_none;
	uint32_t i;

	for (i = 0; i < list->count; i++) {
		struct cairn_writer *writer =
			list->entry[i].fn ? NULL : cairn_writers[list->entry[i].channel->session];

		if (writer && writer->shared)
			cairn_arch_add(&writer->shared->lost, 1);
	}
	if (nested)
		return;
	cairn_arch_add(&cairn_dropped, 1);
	if (cairn_writer_outside)
		cairn_arch_add(&cairn_writer_outside->shared->lost, 1);
}
