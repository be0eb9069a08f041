/* SPDX-License-Identifier: MIT */
/*
 * Grace periods. Readers have no barrier: entering an event stores slot->rcu and then loads the
 * listeners, and the CPU may do the load first. The barrier that the writer makes every thread pass
 * stands in for theirs [A]. Two are needed: after the first, each event that starts sees the new
 * listeners, and each older one shows in its slot's word; once all words are at depth 0 or have moved
 * on, the second makes what those events read happen before what the caller does next. (The classic
 * argument: McKenney, Desnoyers et al., "User-Level Implementations of Read-Copy Update", 2012.)
 *
 * A word that is busy and unchanged is waited for; one that is busy with another number belongs to an
 * event that began after the first barrier. Waits are bounded: a reader that never comes back must not
 * hang the program. No lock is held here.
 */
#include "rcu.h"

#include <errno.h>

#include "os.h"
#include "slot.h"

#define CAIRN_RCU_LIMIT 1000000000ull /* ns */
#define CAIRN_RCU_NAP 20000ull        /* ns */

/* Until the slot is at depth 0 or in a later event. False: not within the limit. */
static bool cairn_rcu_wait_slot(const struct cairn_slot *slot, uint64_t limit)
{
	const uintptr_t was = __atomic_load_n(&slot->rcu, __ATOMIC_ACQUIRE);
	uint32_t nap = 0;
	uintptr_t now = was;

	while ((now & CAIRN__NEST) && (now | CAIRN__NEST) == (was | CAIRN__NEST)) {
		if (cairn_os_monotonic() > limit)
			return false;
		cairn_os_wait(&nap, 0, CAIRN_RCU_NAP);
		now = __atomic_load_n(&slot->rcu, __ATOMIC_ACQUIRE);
	}
	return true;
}

int cairn_rcu_wait(void)
{
	struct cairn_arena *arena = cairn_arena;
	uint64_t limit;
	uintptr_t i;
	int status = 0;

	if (!arena)
		return 0;
	limit = cairn_os_monotonic() + CAIRN_RCU_LIMIT;
	if (cairn_os_barrier())
		return -ENOSYS;
	/* Slots above `used` are claimed after the barrier by threads that see the new listeners. */
	for (i = 0; i < __atomic_load_n(&arena->used, __ATOMIC_ACQUIRE); i++)
		if (!cairn_rcu_wait_slot(&arena->thread[i].slot, limit))
			status = -ETIMEDOUT;
	if (cairn_os_barrier())
		return -ENOSYS;
	return status;
}
