/* SPDX-License-Identifier: MIT */
/*
 * Who listens to an event: probes attached by the program and the recorders of sessions. A list is
 * built whole and never changed after it is published (tracepoint.c); events read it under RCU.
 */
#include <errno.h>
#include <string.h>

#include <cairn/cairn.h>

#include "describe.h"
#include "os.h"
#include "ring.h"
#include "session.h"
#include "slot.h"
#include "tracepoint.h"

static void cairn_list_recorder(struct cairn_entry *entry, const struct cairn_channel *channel,
				uint32_t id)
{
	entry->clock = channel->clock;
	entry->data = channel->clock_data;
	entry->channel = channel;
	entry->id = id;
	entry->word = cairn_compact_id(id);
	entry->index = channel->session * CAIRN_LEVELS;
	entry->header = channel->header == 4 && id > 30 ? 0 : channel->header;
}

uint32_t cairn_list_sessions(const struct cairn_list *list)
{
	uint32_t i, sessions = 0;

	for (i = 0; list && i < list->count; i++)
		if (!list->entry[i].fn)
			sessions |= 1u << list->entry[i].channel->session;
	return sessions;
}

bool cairn_list_fast(const struct cairn_list *list)
{
	return list->count == 1 && !list->entry->fn && list->entry->header == 4 && !cairn_fences;
}

int cairn_list_build(const struct cairn_tracepoint *tp, struct cairn_list **list)
{
	const uint32_t count = tp->probe_count + (uint32_t)__builtin_popcount(tp->sessions);
	struct cairn_entry *entry;
	uint32_t i, n = 0;

	*list = NULL;
	if (count == 0)
		return 0;
	*list = cairn_os_alloc(sizeof(**list) + count * sizeof(*entry));
	if (!*list)
		return -ENOMEM;
	entry = (struct cairn_entry *)(*list + 1);
	for (i = 0; i < tp->probe_count; i++)
		entry[n++] = (struct cairn_entry){ .fn = tp->probes[i].fn,
						   .data = tp->probes[i].data };
	for (i = 0; i < CAIRN_SESSIONS; i++)
		if (tp->sessions & 1u << i)
			cairn_list_recorder(&entry[n++], &cairn_writers[i]->channel, tp->id[i]);
	(*list)->entry = entry;
	(*list)->count = count;
	(*list)->index = entry[0].index;
	(*list)->word = entry[0].word;
	(*list)->clock = entry[0].clock;
	(*list)->data = entry[0].data;
	return 0;
}

static struct cairn_listener *cairn_probe_find(const struct cairn_tracepoint *tp, void (*fn)(void),
					       void *data)
{
	uint32_t i;

	for (i = 0; i < tp->probe_count; i++)
		if (tp->probes[i].fn == fn && tp->probes[i].data == data)
			return &tp->probes[i];
	return NULL;
}

static int cairn_probe_add(struct cairn_tracepoint *tp, void (*fn)(void), void *data)
{
	struct cairn_listener *probes;

	if (cairn_probe_find(tp, fn, data))
		return cairn_fail(-EEXIST, "%s: this probe is attached with this data already",
				  tp->name);
	probes = cairn_os_alloc((tp->probe_count + 1) * sizeof(*probes));
	if (!probes)
		return -ENOMEM;
	if (tp->probe_count)
		memcpy(probes, tp->probes, tp->probe_count * sizeof(*probes));
	probes[tp->probe_count++] = (struct cairn_listener){ fn, data };
	cairn_os_free(tp->probes);
	tp->probes = probes;
	return 0;
}

static int cairn_probe_drop(struct cairn_tracepoint *tp, void (*fn)(void), void *data)
{
	struct cairn_listener *probe = cairn_probe_find(tp, fn, data);

	if (!probe)
		return cairn_fail(-ENOENT, "%s: this probe is not attached with this data",
				  tp->name);
	*probe = tp->probes[--tp->probe_count];
	return 0;
}

int cairn_probe_attach(const char *event, const struct cairn_desc *desc, void (*fn)(void),
		       void *data)
{
	struct cairn_batch batch;
	struct cairn_tracepoint *tp;
	int status = cairn_batch_begin(&batch);

	if (!status)
		status = cairn_batch_lock(&batch);
	if (status)
		return status;
	status = fn ? cairn_session_ready() : cairn_fail(-EINVAL, "%s: the probe is NULL", event);
	tp = status ? NULL : cairn_registry_get(event);
	if (!status)
		status = tp ? cairn_registry_describe(tp, desc) : -ENOMEM;
	if (!status)
		status = cairn_probe_add(tp, fn, data);
	if (!status) {
		status = cairn_batch_add(&batch, tp);
		if (!status)
			status = cairn_batch_commit(&batch);
		if (status)
			cairn_probe_drop(tp, fn, data);
	}
	cairn_os_unlock();
	cairn_batch_end(&batch);
	return status;
}

int cairn_probe_detach(const char *event, void (*fn)(void), void *data)
{
	struct cairn_batch batch;
	struct cairn_tracepoint *tp;
	int status = cairn_batch_begin(&batch), waited;

	if (!status)
		status = cairn_batch_lock(&batch);
	if (status)
		return status;
	tp = cairn_registry_get(event);
	status = tp ? cairn_probe_drop(tp, fn, data) : -ENOMEM;
	if (!status) {
		status = cairn_batch_add(&batch, tp);
		if (!status)
			status = cairn_batch_commit(&batch);
	}
	cairn_os_unlock();
	waited = cairn_batch_end(&batch);
	return status ? status : waited ? -ETIMEDOUT : 0;
}
