/* SPDX-License-Identifier: MIT */
/*
 * A thread's slot: its place in this copy of Cairn. All slots are in one arena that is mapped when
 * tracing is first asked for, in memory that a child of fork finds wiped. Any thread may scan it.
 */
#ifndef CAIRN_SLOT_H
#define CAIRN_SLOT_H

#include <cairn/record.h>

#define CAIRN_SLOTS 4096

/* The first member is what the generated code sees. */
struct cairn_thread {
	struct cairn_slot slot;
	uint32_t tid;
	char name[16];
	uint32_t rounds; /* of destructors, so far */
	uintptr_t seen;  /* slot.rcu when the thread's end was last looked at */
} __attribute__((aligned(64)));

struct cairn_arena {
	uintptr_t alive; /* the process that made it; 0: wiped by a fork */
	uintptr_t used;  /* slots below this were claimed at some time */
	struct cairn_thread thread[CAIRN_SLOTS];
};

/* NULL until tracing was first asked for. Never unmapped. */
extern struct cairn_arena *cairn_arena CAIRN__HIDDEN;
/* What every unused cursor pointer points to: it has no room. */
extern struct cairn_cursor cairn_no_cursor CAIRN__HIDDEN;
/* Events of threads that found no slot. */
extern uintptr_t cairn_dropped CAIRN__HIDDEN;

/* Map the arena and arm what watches threads and forks. 0, -ENOMEM. Under the lock. */
int cairn_slots_begin(void);
/* The program ends, or the library that has this copy: give the arena's pages back. `sessions`: there
 * were some, and events find no slot until there is one again. */
void cairn_slots_end(bool sessions);
/* True if the calling thread is inside an event (or a handler that interrupted one). */
bool cairn_slot_busy(void);
/* Give the slot back when its thread ends; its streams become free to be taken over. */
void cairn_slot_release(struct cairn_slot *slot);
/* In the child of a fork: every slot is free again. */
void cairn_slots_child(void);
/* No thread uses the session's streams any more: forget their cursors. After a grace period. */
void cairn_slots_forget(uint32_t session);

#endif
