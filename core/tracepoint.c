/* SPDX-License-Identifier: MIT */
/*
 * The registry of events, and the order in which a change of listeners becomes visible.
 *
 * Registering a module is linking it into a list: its tables are read when tracing is first asked for.
 * Events are found only through the sites that point to them. To turn an event on: publish the list,
 * let every CPU see it (a barrier), set `enabled` for branch sites, patch the patched ones. To turn it
 * off: the same backwards, then wait for readers and free the old list. A batch does each step once for
 * all its events. A failed batch leaves everything as it was.
 */
#include "tracepoint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

#include "describe.h"
#include "os.h"
#include "rcu.h"
#include "session.h"
#include "slot.h"

#define CAIRN_BUCKETS 4096u

struct cairn_type {
	struct cairn_type *next;
	struct cairn_desc *desc;
	bool two;      /* declared in two ways */
	uint32_t told; /* bit s: it is in the manifest of session s */
};

static struct cairn_module *cairn_modules;
static struct cairn_tracepoint *cairn_bucket[CAIRN_BUCKETS];
static struct cairn_tracepoint *cairn_all;
static struct cairn_type *cairn_types;
static char cairn_last_error[256];
static uint32_t cairn_last_error_busy; /* bytes have no atomic exchange on some CPUs */
static uintptr_t cairn_module_changes; /* modules that came or went so far */

int cairn_fail(int error, const char *format, ...)
{
	char text[sizeof(cairn_last_error)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Called with and without the control lock, so this has one of its own; two failures at once
	 * leave the text of one. */
	if (!__atomic_exchange_n(&cairn_last_error_busy, 1, __ATOMIC_ACQUIRE)) {
		memcpy(cairn_last_error, text, sizeof(text));
		__atomic_store_n(&cairn_last_error_busy, 0, __ATOMIC_RELEASE);
	}
	if (cairn_os_getenv("CAIRN_DEBUG"))
		cairn_os_say(text);
	return error;
}

int cairn_error(char *text, size_t size)
{
	int length;

	if (__atomic_exchange_n(&cairn_last_error_busy, 1, __ATOMIC_ACQUIRE))
		return snprintf(text, text ? size : 0,
				"another thread's call fails at this moment");
	length = snprintf(text, text ? size : 0, "%s", cairn_last_error);
	__atomic_store_n(&cairn_last_error_busy, 0, __ATOMIC_RELEASE);
	return length;
}

/* ---- names ---- */

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t cairn_hash(const char *name)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 16777619u;
	return hash;
}

struct cairn_tracepoint *cairn_registry_first(void)
{
	return cairn_all;
}

struct cairn_tracepoint *cairn_registry_get(const char *name)
{
	struct cairn_tracepoint **chain = &cairn_bucket[cairn_hash(name) % CAIRN_BUCKETS], *tp;
	const size_t size = strlen(name) + 1;

	for (tp = *chain; tp; tp = tp->next)
		if (!strcmp(tp->name, name))
			return tp;
	tp = cairn_os_alloc(sizeof(*tp) + size);
	if (!tp)
		return NULL;
	tp->name = memcpy(tp + 1, name, size);
	tp->next = *chain;
	*chain = tp;
	tp->all = cairn_all;
	cairn_all = tp;
	return tp;
}

static void cairn_tracepoint_break(struct cairn_tracepoint *tp, int error, const char *why)
{
	tp->broken = error;
	tp->broken_why = why;
}

/* ---- descriptions ---- */

static struct cairn_desc *cairn_desc_copy(const struct cairn_desc *desc)
{
	struct cairn_desc *copy = cairn_os_alloc(desc->size);

	return copy ? memcpy(copy, desc, desc->size) : NULL;
}

static bool cairn_desc_same(const struct cairn_desc *a, const struct cairn_desc *b)
{
	return a->size == b->size && !memcmp(a, b, a->size);
}

int cairn_registry_describe(struct cairn_tracepoint *tp, const struct cairn_desc *desc)
{
	if (!tp->desc) {
		tp->desc = cairn_desc_copy(desc);
		return tp->desc ? 0 : -ENOMEM;
	}
	if (!cairn_desc_same(tp->desc, desc))
		cairn_tracepoint_break(tp, -EEXIST,
				       "it is declared with two different field lists");
	return 0;
}

static struct cairn_type *cairn_type_find(const char *name, size_t length)
{
	struct cairn_type *type;

	for (type = cairn_types; type; type = type->next) {
		const char *other = cairn_desc_enum(type->desc);

		if (!strncmp(other, name, length) && !other[length])
			return type;
	}
	return NULL;
}

int cairn_registry_tell(const char *name, size_t length, uint32_t session,
			const struct cairn_desc **desc)
{
	struct cairn_type *type = cairn_type_find(name, length);

	if (!type || type->two)
		return -EEXIST;
	*desc = type->told & 1u << session ? NULL : type->desc;
	return 0;
}

void cairn_registry_told(const struct cairn_desc *desc, uint32_t session)
{
	struct cairn_type *type;

	for (type = cairn_types; type; type = type->next)
		if (type->desc == desc)
			type->told |= 1u << session;
}

void cairn_registry_forget(uint32_t session)
{
	struct cairn_tracepoint *tp;
	struct cairn_type *type;

	for (tp = cairn_all; tp; tp = tp->all)
		tp->id[session] = 0;
	for (type = cairn_types; type; type = type->next)
		type->told &= ~(1u << session);
}

static int cairn_type_note(const struct cairn_desc *desc)
{
	const char *name = cairn_desc_enum(desc);
	struct cairn_type *type = cairn_type_find(name, strlen(name));

	if (type) {
		type->two = type->two || !cairn_desc_same(type->desc, desc);
		return 0;
	}
	type = cairn_os_alloc(sizeof(*type));
	if (!type)
		return -ENOMEM;
	type->desc = cairn_desc_copy(desc);
	if (!type->desc) {
		cairn_os_free(type);
		return -ENOMEM;
	}
	type->next = cairn_types;
	cairn_types = type;
	return 0;
}

/* ---- modules ---- */

static uintptr_t cairn_self_relative(const int32_t *word)
{
	return *word ? (uintptr_t)word + (uintptr_t)(intptr_t)*word : 0;
}

static int cairn_module_descs(const struct cairn_module *module)
{
	const unsigned char *at = module->descs;
	const struct cairn_desc *desc;
	char name[512];
	int status = 0;

	while (!status && (desc = cairn_desc_next(&at, module->descs_end))) {
		struct cairn_tracepoint *tp;

		if (desc->kind == CAIRN_DESC_ENUM) {
			status = cairn_type_note(desc);
			continue;
		}
		snprintf(name, sizeof(name), "%s:%s", cairn_desc_provider(desc),
			 cairn_desc_event(desc));
		tp = cairn_registry_get(name);
		status = tp ? cairn_registry_describe(tp, desc) : -ENOMEM;
	}
	return status;
}

static int cairn_site_order(const void *a, const void *b)
{
	const struct cairn_site *const *x = a, *const *y = b;
	const uintptr_t p = cairn_self_relative(&(*x)->code), q = cairn_self_relative(&(*y)->code);

	return p < q ? -1 : p > q;
}

/* Two events at one address: a linker that folds identical code did that. Neither can be enabled. */
static int cairn_module_folded(const struct cairn_module *module, size_t n)
{
	const struct cairn_site **order = cairn_os_alloc((n + 1) * sizeof(*order));
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		order[i] = &module->sites[i];
	qsort(order, n, sizeof(*order), cairn_site_order);
	for (i = 1; i < n; i++) {
		const struct cairn_event *a = (void *)cairn_self_relative(&order[i - 1]->event);
		const struct cairn_event *b = (void *)cairn_self_relative(&order[i]->event);
		const char *why = "the linker gave it and another event one address: link without "
				  "--icf, or build with CAIRN_SITES=branch";

		if (!order[i]->code || a == b || cairn_site_order(&order[i - 1], &order[i]) != 0)
			continue;
		cairn_tracepoint_break(a->tracepoint, -EBUSY, why);
		cairn_tracepoint_break(b->tracepoint, -EBUSY, why);
	}
	cairn_os_free(order);
	return 0;
}

/* One site: its event, by name, gets it. `site` and `event` are the memory to link with. */
static int cairn_module_site(const struct cairn_site *entry, struct cairn_site_ref *site,
			     struct cairn_event_ref *event)
{
	struct cairn_event *object = (struct cairn_event *)cairn_self_relative(&entry->event);
	const char *name = (const char *)cairn_self_relative(&entry->name);
	struct cairn_tracepoint *tp = object->tracepoint;

	if (!tp) {
		tp = cairn_registry_get(name);
		if (!tp)
			return -ENOMEM;
		/* This module describes it otherwise than those for which it is on: it stays off here. */
		if (tp->broken && tp->list)
			return 0;
		object->tracepoint = tp;
		event->event = object;
		event->next = tp->events;
		tp->events = event;
	} else if (strcmp(tp->name, name)) {
		cairn_tracepoint_break(tp, -EEXIST,
				       "another event has the same symbol: rename one");
		return 0;
	}
	site->code = cairn_self_relative(&entry->code) & ~(uintptr_t)CAIRN_ARCH_SITE_TAG;
	site->target = cairn_self_relative(&entry->target) & ~(uintptr_t)CAIRN_ARCH_SITE_TAG;
	site->next = tp->sites;
	tp->sites = site;
	tp->fresh = true;
	return 0;
}

static int cairn_module_read(struct cairn_module *module)
{
	const size_t n = (size_t)(module->sites_end - module->sites);
	struct cairn_site_ref *site;
	struct cairn_event_ref *event;
	size_t i;
	int status;

	if (module->refs)
		return 0;
	module->refs = cairn_os_alloc((n + 1) * (sizeof(*site) + sizeof(*event)));
	if (!module->refs)
		return -ENOMEM;
	site = module->refs;
	event = (struct cairn_event_ref *)(site + n);
	status = cairn_module_descs(module);
	for (i = 0; i < n && !status; i++)
		status = cairn_module_site(&module->sites[i], &site[i], &event[i]);
	return status ? status : cairn_module_folded(module, n);
}

int cairn_registry_read(void)
{
	struct cairn_module *module;
	int status = 0;

	for (module = cairn_modules; module && !status; module = module->next)
		status = cairn_module_read(module);
	return status;
}

void cairn_module_add(struct cairn_module *module)
{
	struct cairn_module *known;

	if (module->abi != CAIRN_ABI || module->size != sizeof(*module)) {
		cairn_os_say("a module was built for another version of Cairn: it is not traced");
		return;
	}
	cairn_os_threads_begin();
	cairn_os_lock();
	for (known = cairn_modules; known && known != module; known = known->next)
		;
	if (!known) {
		module->next = cairn_modules;
		cairn_modules = module;
		__atomic_add_fetch(&cairn_module_changes, 1, __ATOMIC_RELEASE);
	}
	cairn_os_unlock();
	cairn_session_module();
}

/* True if the object lies in the module's memory of references. */
static bool cairn_module_owns(const struct cairn_module *module, const void *ref)
{
	const size_t n = (size_t)(module->sites_end - module->sites);
	const uintptr_t begin = (uintptr_t)module->refs;

	return (uintptr_t)ref >= begin &&
	       (uintptr_t)ref <
		       begin + n * (sizeof(struct cairn_site_ref) + sizeof(struct cairn_event_ref));
}

static void cairn_module_unlink(struct cairn_module *module)
{
	struct cairn_tracepoint *tp;
	struct cairn_site_ref **site;
	struct cairn_event_ref **event;

	for (tp = cairn_all; tp; tp = tp->all) {
		for (site = &tp->sites; *site;)
			if (cairn_module_owns(module, *site))
				*site = (*site)->next;
			else
				site = &(*site)->next;
		for (event = &tp->events; *event;)
			if (cairn_module_owns(module, *event))
				*event = (*event)->next;
			else
				event = &(*event)->next;
	}
}

void cairn_module_remove(struct cairn_module *module)
{
	struct cairn_module **link;

	/* The last one: the program (or the library that carries this copy) ends. Sites off first. */
	if (cairn_modules == module && !module->next)
		cairn_session_exit();
	cairn_os_lock();
	for (link = &cairn_modules; *link && *link != module; link = &(*link)->next)
		;
	if (*link) {
		*link = module->next;
		__atomic_add_fetch(&cairn_module_changes, 1, __ATOMIC_RELEASE);
		if (module->refs)
			cairn_module_unlink(module);
		cairn_os_free(module->refs);
		module->refs = NULL;
	}
	cairn_os_unlock();
}

/* ---- changes ---- */

int cairn_batch_begin(struct cairn_batch *batch)
{
	memset(batch, 0, sizeof(*batch));
	if (cairn_slot_busy())
		return cairn_fail(-EDEADLK, "called from inside an event");
	batch->modules = __atomic_load_n(&cairn_module_changes, __ATOMIC_ACQUIRE);
	return cairn_texts_read(&batch->texts);
}

int cairn_batch_lock(struct cairn_batch *batch)
{
	int status;

	for (;;) {
		cairn_os_lock();
		if (batch->modules == cairn_module_changes)
			return 0;
		cairn_os_unlock();
		cairn_texts_free(&batch->texts);
		batch->modules = __atomic_load_n(&cairn_module_changes, __ATOMIC_ACQUIRE);
		status = cairn_texts_read(&batch->texts);
		if (status)
			return status;
	}
}

int cairn_batch_add(struct cairn_batch *batch, struct cairn_tracepoint *tp)
{
	if (batch->count == batch->room) {
		const size_t room = batch->room ? 2 * batch->room : 64;
		struct cairn_tracepoint **tps = cairn_os_alloc(room * sizeof(*tps));
		struct cairn_list **old = cairn_os_alloc(room * sizeof(*old));

		if (!tps || !old) {
			cairn_os_free(tps);
			cairn_os_free(old);
			return -ENOMEM;
		}
		if (batch->count) {
			memcpy(tps, batch->tp, batch->count * sizeof(*tps));
			memcpy(old, batch->old, batch->count * sizeof(*old));
		}
		cairn_os_free(batch->tp);
		cairn_os_free(batch->old);
		batch->tp = tps;
		batch->old = old;
		batch->room = room;
	}
	batch->tp[batch->count] = tp;
	batch->old[batch->count++] = NULL;
	return 0;
}

/* Give the events of the tracepoint this list. */
static void cairn_tracepoint_publish(struct cairn_tracepoint *tp, struct cairn_list *list)
{
	const struct cairn_list *seen = list ? list : &cairn_list_none;
	const bool fast = cairn_list_fast(seen);
	struct cairn_event_ref *ref;

	tp->list = list;
	for (ref = tp->events; ref; ref = ref->next) {
		__atomic_store_n(&ref->event->list, seen, __ATOMIC_RELEASE);
		__atomic_store_n(&ref->event->by_counter, fast && !seen->clock ? seen : NULL,
				 __ATOMIC_RELEASE);
		__atomic_store_n(&ref->event->by_clock, fast && seen->clock ? seen : NULL,
				 __ATOMIC_RELEASE);
	}
}

static void cairn_tracepoint_flag(struct cairn_tracepoint *tp, uint32_t enabled)
{
	struct cairn_event_ref *ref;

	for (ref = tp->events; ref; ref = ref->next)
		CAIRN__STORE(ref->event->enabled, enabled);
}

/* Patch all sites of the batch's tracepoints that are on (or off) now. */
static int cairn_batch_patch(struct cairn_batch *batch, bool on)
{
	struct cairn_patch *patch;
	struct cairn_site_ref *site;
	size_t i, n = 0;
	int status;

	for (i = 0; i < batch->count; i++)
		for (site = batch->tp[i]->sites; site; site = site->next)
			n += (batch->tp[i]->list != NULL) == on && site->code;
	patch = cairn_os_alloc((n + 1) * sizeof(*patch));
	if (!patch)
		return -ENOMEM;
	for (i = 0, n = 0; i < batch->count; i++)
		for (site = batch->tp[i]->sites; site; site = site->next)
			if ((batch->tp[i]->list != NULL) == on && site->code)
				patch[n++] = (struct cairn_patch){ site->code, site->target,
								   batch->tp[i]->name };
	status = cairn_patch_batch(patch, n, on, &batch->texts, batch->why, sizeof(batch->why));
	cairn_os_free(patch);
	return status;
}

/* Build all new lists before any is published: they are put in batch->old for the moment. */
static int cairn_batch_build(struct cairn_batch *batch)
{
	size_t i;
	int status = 0;

	for (i = 0; i < batch->count && !status; i++) {
		struct cairn_tracepoint *tp = batch->tp[i];

		/* What was on before it broke (a late module) may stay on, and must be able to go off. */
		status = tp->broken && !tp->list && (tp->sessions || tp->probe_count) ?
				 tp->broken :
				 cairn_list_build(tp, &batch->old[i]);
		if (tp->broken && status == tp->broken)
			snprintf(batch->why, sizeof(batch->why), "%s: %s", tp->name,
				 tp->broken_why);
	}
	if (!status)
		return 0;
	while (i-- > 0) {
		cairn_os_free(batch->old[i]);
		batch->old[i] = NULL;
	}
	return status;
}

static void cairn_batch_swap(struct cairn_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++) {
		struct cairn_list *old = batch->tp[i]->list;

		cairn_tracepoint_publish(batch->tp[i], batch->old[i]);
		batch->old[i] = old;
	}
}

static void cairn_batch_flag(struct cairn_batch *batch, uint32_t enabled)
{
	size_t i;

	for (i = 0; i < batch->count; i++)
		if ((batch->tp[i]->list != NULL) == enabled)
			cairn_tracepoint_flag(batch->tp[i], enabled);
}

int cairn_batch_commit(struct cairn_batch *batch)
{
	int status = cairn_batch_build(batch);

	if (status)
		return cairn_fail(status, "%s", batch->why[0] ? batch->why : strerror(-status));
	/* Off first: what nobody listens to any more must not reach a list that is being replaced. */
	cairn_batch_swap(batch);
	cairn_os_barrier(); /* every CPU sees the lists before any site lets an event through */
	cairn_batch_flag(batch, 1);
	status = cairn_batch_patch(batch, true);
	if (status) {
		cairn_batch_swap(batch);
		cairn_batch_flag(batch, 0);
		return cairn_fail(status, "%s", batch->why[0] ? batch->why : strerror(-status));
	}
	/* A site that refuses to be turned off (a breakpoint in it) runs into an empty list. */
	cairn_batch_patch(batch, false);
	cairn_batch_flag(batch, 0);
	return 0;
}

int cairn_batch_end(struct cairn_batch *batch)
{
	size_t i;
	int status = batch->count ? cairn_rcu_wait() : 0;

	for (i = 0; i < batch->count && !status; i++)
		cairn_os_free(batch->old[i]);
	cairn_os_free(batch->tp);
	cairn_os_free(batch->old);
	cairn_texts_free(&batch->texts);
	return status;
}
