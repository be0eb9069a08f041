/* SPDX-License-Identifier: MIT */
/*
 * The registry: every event of the loaded modules by name, its description, its sites, and who
 * listens. All of it under the control lock; the path of an event only ever sees the lists that are
 * published from here.
 */
#ifndef CAIRN_TRACEPOINT_H
#define CAIRN_TRACEPOINT_H

#include <cairn/event.h>

#include "patch.h"

/* A module's place in the registry; the object is in the module's glue (module.c). */
struct cairn_module {
	uint32_t abi, size; /* CAIRN_ABI, sizeof(struct cairn_module): what is unknown is ignored */
	const struct cairn_site *sites, *sites_end;
	const unsigned char *descs, *descs_end;
	struct cairn_module *next;
	void *refs; /* memory that its sites and events are linked with; NULL: not read yet */
};

struct cairn_site_ref {
	struct cairn_site_ref *next;
	uintptr_t code, target; /* 0: a branch site */
};

struct cairn_event_ref {
	struct cairn_event_ref *next;
	struct cairn_event *event;
};

struct cairn_listener {
	void (*fn)(void);
	void *data;
};

struct cairn_tracepoint {
	struct cairn_tracepoint *next; /* in its hash chain */
	struct cairn_tracepoint *all;  /* in the list of all */
	char *name;
	struct cairn_desc *desc; /* a copy: it outlives the module */
	struct cairn_event_ref *events;
	struct cairn_site_ref *sites;
	bool fresh; /* got sites since the last look at late modules */
	int broken; /* -errno: why it cannot be enabled */
	const char *broken_why;
	struct cairn_listener *probes;
	uint32_t probe_count;
	uint32_t sessions; /* bit s: session s records it */
	uint16_t id[CAIRN_SESSIONS];
	struct cairn_list *list; /* as published; NULL: nobody listens */
};

/* Modules come and go; from the glue's constructor and destructor. Not under the lock. */
CAIRN__API void cairn_module_add(struct cairn_module *module);
CAIRN__API void cairn_module_remove(struct cairn_module *module);

/* Under the lock: read the modules that were only noted so far. 0, -ENOMEM. */
int cairn_registry_read(void);
/* The first tracepoint; follow ->all. */
struct cairn_tracepoint *cairn_registry_first(void);
/* By name, made if it is not there; NULL: no memory. */
struct cairn_tracepoint *cairn_registry_get(const char *name);
/*
 * The description of an enum type that the session's consumer is not told of yet, else NULL. 0, or
 * -EEXIST: it is declared in two ways.
 */
int cairn_registry_tell(const char *name, size_t length, uint32_t session,
			const struct cairn_desc **desc);
/* The session's consumer has it now. */
void cairn_registry_told(const struct cairn_desc *desc, uint32_t session);
/* A session ends: its event ids and what it was told. */
void cairn_registry_forget(uint32_t session);
/* Note a description; a second one that differs marks the tracepoint. 0, -ENOMEM. */
int cairn_registry_describe(struct cairn_tracepoint *tp, const struct cairn_desc *desc);

/*
 * Changes of who listens, many tracepoints at once:
 *     begin (not under the lock), batch_lock, { change tp->probes or tp->sessions; add(tp) } ...,
 *     status = commit (on failure nothing is published), unlock, end (waits for readers, frees).
 */
struct cairn_batch {
	struct cairn_texts texts;
	struct cairn_tracepoint **tp;
	struct cairn_list **old;
	size_t count, room;
	uintptr_t modules; /* as counted when the texts were read */
	char why[240];
};
int cairn_batch_begin(struct cairn_batch *batch);
/* Take the lock, with no module loaded or unloaded since the texts were read. 0, or -ENOMEM: not taken. */
int cairn_batch_lock(struct cairn_batch *batch);
int cairn_batch_add(struct cairn_batch *batch, struct cairn_tracepoint *tp);
int cairn_batch_commit(struct cairn_batch *batch);
/* 0, or -ETIMEDOUT, -ENOSYS: a thread may still be in an old listener; the lists are kept for good. */
int cairn_batch_end(struct cairn_batch *batch);

/* A new list for the tracepoint's listeners, NULL in *list if there are none. 0, -ENOMEM. */
int cairn_list_build(const struct cairn_tracepoint *tp, struct cairn_list **list);

/* The sessions that the list records for, a bit each. */
uint32_t cairn_list_sessions(const struct cairn_list *list);
/* True if the short ways of the generated code may record the event. */
bool cairn_list_fast(const struct cairn_list *list);

/* Note why the last call failed, for cairn_error(). */
int cairn_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
