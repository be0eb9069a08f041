/* SPDX-License-Identifier: MIT */
/*
 * Wait until no thread is inside an event that it entered before. The readers' half is in
 * include/cairn/record.h (cairn_begin_fast, cairn_enter).
 */
#ifndef CAIRN_RCU_H
#define CAIRN_RCU_H

/*
 * 0: every event that had begun is over. -ETIMEDOUT: one still ran after a second (a stopped thread, a
 * handler that left by longjmp): what it may see must not be freed. -ENOSYS: the system refuses the
 * barrier that it granted at the start. Not under the lock, not from inside an event.
 */
int cairn_rcu_wait(void);

#endif
