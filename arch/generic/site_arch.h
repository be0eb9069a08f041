/* SPDX-License-Identifier: MIT */
/*
 * Any CPU: a site that cannot be patched. Size 0 makes include/cairn/site.h emit a relaxed load of
 * the event's `enabled` word and an unlikely branch in place of the no-op.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#define CAIRN_ARCH_SITE_SIZE 0
#define CAIRN_ARCH_SITE_TAG 0
/* Stores may become visible in another order than the program's. */
#define CAIRN_ARCH_STORES_ORDERED 0

#endif
