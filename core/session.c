/* SPDX-License-Identifier: MIT */
/*
 * Sessions of this process. Control functions take the control lock; the consumer thread of a session
 * takes none. See cairn.h for the interface, control.h for sessions that `cairn record` drains.
 *
 * Fork. The child's slots are wiped, so its first event comes to cairn_session_child: private memory is
 * put over the inherited rings, so that a record which the fork cut in two lands nowhere, and the child
 * gets an area of its own, which it announces to the recorder or drains by a thread that the atfork
 * handler started (a child of raw clone has none: what it leaves is drained when it exits).
 */
#include "session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

#include "clock.h"
#include "control.h"
#include "drain.h"
#include "os.h"
#include "pattern.h"
#include "rcu.h"
#include "ring.h"
#include "slot.h"
#include "tracepoint.h"

struct cairn_rule {
	bool enable;
	char *pattern;
};

struct cairn_session {
	struct cairn_writer writer;
	struct cairn_channel *channel;
	char *output; /* NULL: none */
	char program[64];
	uint32_t packet_size, packets, streams;
	uint64_t flush_ns;
	size_t size;                     /* of the shared area */
	char area[CAIRN_OS_RING_PATH];   /* its file */
	char folder[CAIRN_OS_RING_PATH]; /* of it: the recorder's; "": the user's own */
	uint32_t next_id;
	struct cairn_rule *rule;
	uint32_t rules;
	enum cairn_clock_kind clock;
	uint64_t clock_hz;
	char clock_choice[CAIRN_CLOCK_CHOICE];
	struct cairn_anchor start;
	struct cairn_control *control; /* drained by a recorder outside, else NULL */
	/* The consumer of this process. */
	struct cairn_drain *drain;
	void *thread;
	uint32_t stop, asked, answered; /* flushes; words that both sides sleep on */
	uint32_t flushing;              /* a thread asks; the others sleep on it */
	int flush_status;
	struct cairn_stats stats;
	uint32_t turn;  /* changes when a child has got its area */
	bool inherited; /* a child that has no area of its own yet */
	bool closed;
	bool lenient; /* asked for from outside: an event that cannot be enabled is told and left out */
};

static struct cairn_session *cairn_sessions[CAIRN_SESSIONS];
static bool cairn_is_ready;
static uint32_t cairn_environment_read; /* bytes have no atomic exchange on some CPUs */

/* A session that runs: not NULL, not stopped. Under the lock. */
static int cairn_session_known(const struct cairn_session *session)
{
	uint32_t i;

	for (i = 0; i < CAIRN_SESSIONS; i++)
		if (session && cairn_sessions[i] == session)
			return 0;
	return cairn_fail(-EINVAL, "no such session: it is NULL, or was stopped");
}

/* For what takes the lock only to ask this. */
static int cairn_session_check_known(const struct cairn_session *session)
{
	int status;

	if (cairn_slot_busy())
		return cairn_fail(-EDEADLK, "called from inside an event");
	cairn_os_lock();
	status = cairn_session_known(session);
	cairn_os_unlock();
	return status;
}

/* ---- set-up ---- */

int cairn_session_ready(void)
{
	int status;

	if (!cairn_is_ready) {
		status = cairn_os_forks_begin();
		if (status)
			return status;
		/* Registered before the first reader can be waited for; it survives fork. */
		cairn_fences = !cairn_os_readers_begin();
		status = cairn_slots_begin();
		if (status)
			return status;
		cairn_is_ready = true;
	}
	return cairn_registry_read();
}

/* Memory for the rings of this process, laid out; *fd for the recorder. [s] */
static int cairn_session_area(struct cairn_session *session, int *fd)
{
	/* Without a trace to recover there is nothing to leave behind: a folder that cannot be. */
	const char *folder = session->control ? session->folder : session->output ? NULL : "/none";
	struct cairn_shared *shared;
	uint8_t uuid[16];
	void *memory;
	int status;

	cairn_ctf_uuid(uuid);
	/* Less address space (RLIMIT_AS, RLIMIT_FSIZE): fewer threads can be recorded at once. */
	while ((status = cairn_os_shared(folder, uuid, session->size, &memory, fd,
					 session->area)) &&
	       session->streams > 8) {
		session->size -= (size_t)session->packet_size * session->packets *
				 (session->streams - session->streams / 2);
		session->streams /= 2;
	}
	if (status)
		return status;
	shared = memory;
	if (cairn_os_populate(shared, sizeof(*shared))) {
		cairn_os_unmap(memory, session->size);
		cairn_os_shared_remove(session->area);
		if (*fd >= 0)
			cairn_os_close(*fd);
		return -ENOSPC;
	}
	cairn_shared_init(shared, session->size, session->packet_size, session->packets,
			  session->streams);
	memcpy(shared->uuid, uuid, sizeof(shared->uuid));
	cairn_os_owner(&shared->owner);
	shared->mode = session->writer.mode;
	shared->clock = session->clock;
	shared->clock_hz = session->clock_hz;
	strncpy(shared->clock_name, cairn_clock_counter_name(), sizeof(shared->clock_name) - 1);
	shared->start = session->start;
	if (session->control)
		memcpy(shared->output, session->control->output, sizeof(shared->output) - 1);
	else if (session->output)
		strcpy(shared->output, session->output);
	shared->header = session->channel->header;
	memcpy(shared->program, session->program, sizeof(shared->program));
	memcpy(shared->clock_choice, session->clock_choice, sizeof(shared->clock_choice));
	cairn_shared_publish(shared);
	session->writer.bell = session->control ? &session->control->bell : &shared->bell;
	session->writer.shared = shared;
	return 0;
}

/* Hand the area to the recorder, or tell it why there is none: so that it can say so. [s] */
static int cairn_session_announce(struct cairn_session *session, int status, int fd)
{
	struct cairn_announce words = { .magic = CAIRN_CONTROL_MAGIC,
					.version = CAIRN_SHARED_VERSION,
					.size = session->size,
					.pid = cairn_os_pid(),
					.clock = session->clock };
	int answer;

	if (!status && fd < 0)
		status = fd;
	words.error = (uint32_t)-status;
	cairn_os_barrier_announce();
	answer = cairn_os_announce(session->control->socket, fd, &words, sizeof(words));
	return status ? status : answer;
}

static int cairn_session_drain(struct cairn_session *session)
{
	const struct cairn_drain_config config = { .shared = session->writer.shared,
						   .size = session->size,
						   .output = session->output,
						   .program = session->program,
						   .pid = cairn_os_pid(),
						   .clock = session->clock,
						   .clock_hz = session->clock_hz,
						   .start = session->start };

	return cairn_drain_open(&session->drain, &config);
}

/* ---- children ---- */

/*
 * A child got the parent's rings along: put private memory over them, so that an event which the fork
 * cut in two (fork in a signal handler) ends nowhere. Head and manifest stay readable. [s]
 */
static void cairn_session_inherit(struct cairn_session *session)
{
	struct cairn_shared *shared = session->writer.shared;

	session->inherited = true;
	session->area[0] = 0; /* the parent's */
	session->thread = NULL;
	session->drain = NULL; /* the parent's files and figures are left alone */
	session->stop = session->asked = session->answered = session->flushing = 0;
	memset(&session->stats, 0, sizeof(session->stats));
	if (!shared)
		return;
	cairn_os_detach((char *)shared + shared->streams_at,
			session->size - (size_t)shared->streams_at);
	cairn_shared_blank(shared);
}

/*
 * Let go of what is the parent's. A child of raw clone has run no atfork handler: it is told by the
 * arena, which is wiped, or where nothing is, by its pid. [s]
 */
static void cairn_session_settle(bool child)
{
	const uint32_t pid = cairn_os_pid();
	uint32_t i;

	child = child || (cairn_arena && !__atomic_load_n(&cairn_arena->alive, __ATOMIC_ACQUIRE));
	for (i = 0; i < CAIRN_SESSIONS; i++) {
		struct cairn_session *session = cairn_sessions[i];

		if (session && session->writer.shared && !session->inherited &&
		    (child || session->writer.shared->owner.pid != pid))
			cairn_session_inherit(session);
	}
}

/* What is enabled from now on goes into the manifest of this process, not into that of its parent. */
static int cairn_session_own_area(struct cairn_session *session)
{
	cairn_session_settle(false);
	if (session->inherited)
		cairn_slot_claim(NULL);
	if (!session->writer.shared)
		return cairn_fail(-ESHUTDOWN, "the process ends");
	return session->inherited ? cairn_fail(-ENOMEM, "no memory for the rings of this child") :
				    0;
}

/* ---- the consumer thread ---- */

static void cairn_session_answer(struct cairn_session *session, uint32_t asked, int status)
{
	if (asked == session->answered)
		return;
	if (session->drain)
		cairn_drain_stats(session->drain, &session->stats);
	session->flush_status = status;
	__atomic_store_n(&session->answered, asked, __ATOMIC_RELEASE);
	cairn_os_wake(&session->answered);
}

static bool cairn_session_more(void *data)
{
	struct cairn_session *session = data;

	return __atomic_load_n(&session->stop, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&session->asked, __ATOMIC_ACQUIRE) != session->answered ||
	       (session->drain && cairn_drain_pressed(session->drain));
}

/* A forked child has its area, and so its drain, only from its first event on. */
static bool cairn_session_has_area(struct cairn_session *session)
{
	return !__atomic_load_n(&session->inherited, __ATOMIC_ACQUIRE) &&
	       (session->drain || cairn_session_drain(session) == 0);
}

static void *cairn_session_consume(void *data)
{
	struct cairn_session *session = data;
	uint64_t due = cairn_os_monotonic() + session->flush_ns;

	while (!__atomic_load_n(&session->stop, __ATOMIC_ACQUIRE)) {
		const uint32_t turn = __atomic_load_n(&session->turn, __ATOMIC_ACQUIRE);
		const uint32_t asked = __atomic_load_n(&session->asked, __ATOMIC_ACQUIRE);
		uint64_t now = cairn_os_monotonic();

		if (cairn_session_has_area(session)) {
			uint64_t wanted;
			int status;

			__atomic_add_fetch(&session->writer.bell->beat, 1, __ATOMIC_RELAXED);
			status = cairn_drain_step(session->drain, asked != session->answered ?
									  CAIRN_DRAIN_NOW :
								  now >= due ? CAIRN_DRAIN_OPEN :
									       CAIRN_DRAIN_WHOLE);
			cairn_session_answer(session, asked, status);
			if (now >= due) {
				due = now + session->flush_ns;
				cairn_clock_renew();
			}
			wanted = cairn_drain_due(session->drain, due);
			now = cairn_os_monotonic();
			cairn_bell_sleep(session->writer.bell, wanted > now ? wanted - now : 1,
					 cairn_session_more, session);
		} else {
			/* Nothing recorded yet in this child, so nothing to flush. */
			cairn_session_answer(session, asked, 0);
			cairn_os_wait(&session->turn, turn, session->flush_ns);
		}
	}
	return NULL;
}

static void cairn_session_wake(struct cairn_session *session)
{
	__atomic_add_fetch(&session->turn, 1, __ATOMIC_RELEASE);
	cairn_os_wake(&session->turn);
	cairn_bell_wake(session->writer.bell);
}

/* ---- starting ---- */

static int cairn_session_range(uint64_t *value, uint64_t standard, uint64_t least, uint64_t most,
			       const char *name)
{
	if (*value == 0)
		*value = standard;
	if (*value < least || *value > most || (*value & (*value - 1)))
		return cairn_fail(-EINVAL, "%s must be a power of two from %llu to %llu, not %llu",
				  name, (unsigned long long)least, (unsigned long long)most,
				  (unsigned long long)*value);
	return 0;
}

static int cairn_session_check(const struct cairn_config *config, uint64_t *packet_size,
			       uint64_t *packets)
{
	int status;

	*packet_size = config->packet_size;
	*packets = config->packets;
	if (config->size != sizeof(*config))
		return cairn_fail(-EINVAL, "config.size must be sizeof(struct cairn_config)");
	if (config->mode != CAIRN_DISCARD && config->mode != CAIRN_BLOCK &&
	    config->mode != CAIRN_FLIGHT)
		return cairn_fail(-EINVAL,
				  "config.mode must be CAIRN_DISCARD, CAIRN_BLOCK or CAIRN_FLIGHT");
	if (config->clock && !config->clock_hz)
		return cairn_fail(-EINVAL, "a clock of one's own needs config.clock_hz");
	if (config->output && (!*config->output || strlen(config->output) > 400))
		return cairn_fail(-EINVAL, "config.output must have 1 to 400 characters");
	status = cairn_session_range(packet_size, 65536, CAIRN_PACKET_MIN, CAIRN_PACKET_MAX,
				     "packet_size");
	return status ? status :
			cairn_session_range(packets, 16, config->mode == CAIRN_FLIGHT ? 4 : 2,
					    32768, "packets");
}

static void cairn_session_free(struct cairn_session *session)
{
	uint32_t i;

	for (i = 0; i < session->rules; i++)
		cairn_os_free(session->rule[i].pattern);
	cairn_os_free(session->rule);
	cairn_os_free(session->output);
	cairn_os_free(session);
}

/* From the root: a daemon changes its folder, and its children find the output by name. */
static int cairn_session_output(struct cairn_session *session, const char *output)
{
	char path[401];
	int status = cairn_os_path(path, sizeof(path), output);

	if (status)
		return cairn_fail(status, "%s: %s", output, strerror(-status));
	session->output = cairn_os_alloc(strlen(path) + 1);
	if (!session->output)
		return -ENOMEM;
	strcpy(session->output, path);
	return 0;
}

static void cairn_session_clock(struct cairn_session *session, const struct cairn_config *config)
{
	session->clock = config->clock ? CAIRN_CLOCK_USER : cairn_clock_kind();
	if (config->clock)
		snprintf(session->clock_choice, sizeof(session->clock_choice),
			 "user: the program has a clock of its own");
	else
		cairn_clock_text(session->clock_choice, sizeof(session->clock_choice));
}

static int cairn_session_make(struct cairn_session **result, const struct cairn_config *config)
{
	struct cairn_session *session = cairn_os_alloc(sizeof(*session));
	uint64_t packet_size, packets;
	int status = session ? cairn_session_check(config, &packet_size, &packets) : -ENOMEM;

	if (!status) {
		session->packet_size = (uint32_t)packet_size;
		session->packets = (uint32_t)packets;
		session->size = cairn_shared_size(session->packet_size, session->packets,
						  &session->streams);
		if (!session->size)
			status = cairn_fail(-EINVAL,
					    "a ring of %llu packets of %llu bytes is too big",
					    (unsigned long long)packets,
					    (unsigned long long)packet_size);
	}
	if (!status && config->output)
		status = cairn_session_output(session, config->output);
	if (status) {
		if (session)
			cairn_session_free(session);
		return status;
	}
	session->channel = &session->writer.channel;
	session->channel->header = 4;
	session->next_id = 1;
	session->writer.mode = config->mode;
	session->writer.block_ns = 1000000ull * (config->block_ms ? config->block_ms : 1000);
	session->flush_ns = 1000000ull * (config->flush_ms ? config->flush_ms : 1000);
	cairn_session_clock(session, config);
	session->clock_hz = config->clock_hz;
	session->channel->clock = config->clock;
	session->channel->clock_data = config->clock_data;
	cairn_os_program_name(session->program, sizeof(session->program));
	*result = session;
	return 0;
}

/* Under the lock. */
static int cairn_session_number(struct cairn_session *session)
{
	uint32_t i;

	for (i = 0; i < CAIRN_SESSIONS && cairn_sessions[i]; i++)
		;
	if (i == CAIRN_SESSIONS)
		return cairn_fail(-ENOSPC, "%u sessions run already: stop one", CAIRN_SESSIONS);
	session->channel->session = i;
	cairn_sessions[i] = session;
	cairn_writers[i] = &session->writer;
	return 0;
}

static void cairn_session_unnumber(struct cairn_session *session)
{
	cairn_sessions[session->channel->session] = NULL;
	cairn_writers[session->channel->session] = NULL;
}

static void cairn_session_unmap(struct cairn_session *session)
{
	if (session->writer.shared)
		cairn_os_unmap(session->writer.shared, session->size);
	session->writer.shared = NULL;
	cairn_os_shared_remove(session->area);
	session->area[0] = 0;
}

/* The rings, and who drains them. */
static int cairn_session_begin(struct cairn_session *session)
{
	int fd = -1, status, announced = 0;

	cairn_clock_channel(session->clock, session->channel);
	cairn_clock_anchor(session->clock, &session->start);
	status = cairn_session_area(session, &fd);
	if (session->control)
		announced = cairn_session_announce(session, status, fd);
	if (fd >= 0)
		cairn_os_close(fd);
	if (status == -EFBIG)
		return cairn_fail(status,
				  "no memory for rings: the limit of file sizes (ulimit -f) "
				  "is below what they need");
	if (status)
		return cairn_fail(status, "no memory for rings: %s", strerror(-status));
	if (announced)
		return cairn_fail(announced, "the recorder cannot take this process: %s",
				  strerror(-announced));
	if (session->control)
		return 0;
	if (session->writer.mode == CAIRN_FLIGHT) {
		cairn_os_barrier_announce(); /* `cairn snapshot` may come */
		return 0;
	}
	status = cairn_session_drain(session);
	if (!status)
		status = cairn_drain_begin(session->drain);
	if (status)
		return cairn_fail(status, "%s: %s", session->output ? session->output : "rings",
				  strerror(-status));
	status = cairn_os_thread_start(cairn_session_consume, session, &session->thread);
	return status ? cairn_fail(status, "no consumer thread: %s", strerror(-status)) : 0;
}

static int cairn_session_launch(struct cairn_session *session)
{
	int status;

	cairn_os_lock();
	status = cairn_session_ready();
	if (!status)
		status = cairn_session_number(session);
	cairn_os_unlock();
	if (status)
		return status;
	/* Not under the lock: starting a thread takes the loader's. Nobody knows the session yet. */
	status = cairn_session_begin(session);
	if (!status)
		return 0;
	cairn_os_lock();
	cairn_session_unnumber(session);
	cairn_os_unlock();
	cairn_drain_free(session->drain);
	cairn_session_unmap(session);
	return status;
}

int cairn_session_start(struct cairn_session **result, const struct cairn_config *config)
{
	struct cairn_session *session;
	int status;

	if (cairn_slot_busy())
		return cairn_fail(-EDEADLK, "called from inside an event");
	if (!result || !config)
		return cairn_fail(-EINVAL, "the session and its config must not be NULL");
	status = cairn_session_make(&session, config);
	if (status)
		return status;
	status = cairn_session_launch(session);
	if (status)
		cairn_session_free(session);
	else
		*result = session;
	return status;
}

/* ---- what is recorded ---- */

static bool cairn_session_wants(const struct cairn_session *session, const char *name)
{
	uint32_t i;

	for (i = session->rules; i-- > 0;)
		if (cairn_pattern_match(session->rule[i].pattern, name))
			return session->rule[i].enable;
	return false;
}

static int cairn_session_rule(struct cairn_session *session, const char *pattern, bool enable)
{
	struct cairn_rule *rule = cairn_os_alloc((session->rules + 1) * sizeof(*rule));
	char *copy = cairn_os_alloc(strlen(pattern) + 1);

	if (!rule || !copy) {
		cairn_os_free(rule);
		cairn_os_free(copy);
		return -ENOMEM;
	}
	if (session->rules)
		memcpy(rule, session->rule, session->rules * sizeof(*rule));
	rule[session->rules++] = (struct cairn_rule){ enable, strcpy(copy, pattern) };
	cairn_os_free(session->rule);
	session->rule = rule;
	return 0;
}

/* The last rule stands: an earlier one with the same pattern has nothing to say any more. */
static void cairn_session_forget_rule(struct cairn_session *session)
{
	const struct cairn_rule *last = &session->rule[session->rules - 1];
	uint32_t i;

	for (i = 0; i + 1 < session->rules; i++) {
		if (strcmp(session->rule[i].pattern, last->pattern))
			continue;
		cairn_os_free(session->rule[i].pattern);
		memmove(&session->rule[i], &session->rule[i + 1],
			(session->rules - i - 1) * sizeof(*session->rule));
		session->rules--;
		return;
	}
}

static void cairn_session_unrule(struct cairn_session *session)
{
	cairn_os_free(session->rule[--session->rules].pattern);
}

/* Enum types that the event's fields have, into the manifest, each once. */
static int cairn_session_types(struct cairn_session *session, struct cairn_tracepoint *tp)
{
	const char *text = NULL;
	struct cairn_field field;
	uint32_t i;

	for (i = 0; cairn_desc_field(tp->desc, i, &text, &field); i++) {
		const struct cairn_desc *type;
		int status;

		if (strcmp(field.base, "enum"))
			continue;
		status = cairn_registry_tell(field.type + 5, field.type_length - 5,
					     session->channel->session, &type);
		if (status)
			return cairn_fail(status, "%s: %.*s is declared in two ways", tp->name,
					  (int)field.type_length, field.type);
		if (!type)
			continue;
		status = cairn_manifest_add(session->writer.shared, type, 0);
		if (status)
			return status;
		cairn_registry_told(type, session->channel->session);
	}
	return 0;
}

/* The event gets an id in the session and its description goes to the consumer. */
static int cairn_session_describe(struct cairn_session *session, struct cairn_tracepoint *tp)
{
	const uint32_t number = session->channel->session;
	int status;

	if (tp->id[number])
		return 0;
	if (session->next_id >= 65535)
		return cairn_fail(-ENOSPC, "a session records at most 65534 events");
	status = cairn_session_types(session, tp);
	if (!status)
		status = cairn_manifest_add(session->writer.shared, tp->desc, session->next_id);
	if (!status)
		tp->id[number] = (uint16_t)session->next_id++;
	else if (status == -ENOSPC)
		cairn_fail(status, "no room for more event descriptions");
	return status;
}

/* Short headers of 4 bytes have room for 30 events; decided before the first of them is known. */
static void cairn_session_header(struct cairn_session *session)
{
	struct cairn_tracepoint *tp;
	uint32_t n = 0;

	if (session->next_id > 1)
		return;
	for (tp = cairn_registry_first(); tp; tp = tp->all)
		n += tp->desc && cairn_session_wants(session, tp->name);
	session->channel->header = n > 30 ? 6 : 4;
	CAIRN__STORE(session->writer.shared->header, session->channel->header);
}

/* Nothing was published: who records is what the lists say. */
static void cairn_session_undo(const struct cairn_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++)
		batch->tp[i]->sessions = cairn_list_sessions(batch->tp[i]->list);
}

static void cairn_session_leave_out(const struct cairn_tracepoint *tp)
{
	char line[320];

	snprintf(line, sizeof(line), "not recorded: %s: %s", tp->name, tp->broken_why);
	cairn_os_say(line);
}

/* Bring what is recorded in line with the session's rules. Returns how many changed, or -errno. */
static int cairn_session_match(struct cairn_session *session, struct cairn_batch *batch)
{
	const uint32_t bit = 1u << session->channel->session, known = session->next_id;
	struct cairn_tracepoint *tp;
	int status = 0, changed = 0;

	for (tp = cairn_registry_first(); tp && !status; tp = tp->all) {
		const bool on = tp->sessions & bit;
		/* An event of an unloaded module is not turned on, but may be turned off. */
		const bool wants = tp->desc && (tp->events || on) &&
				   cairn_session_wants(session, tp->name);

		if (wants == on)
			continue;
		if (wants && tp->broken && session->lenient) {
			cairn_session_leave_out(tp);
			continue;
		}
		if (wants)
			status = tp->broken ? cairn_fail(tp->broken, "%s: %s", tp->name,
							 tp->broken_why) :
					      cairn_session_describe(session, tp);
		if (!status)
			status = cairn_batch_add(batch, tp);
		if (!status) {
			tp->sessions ^= bit;
			changed += tp->events != NULL;
		}
	}
	/* New events get into the metadata ahead of their first records: see drain.c. */
	if (session->next_id != known)
		cairn_bell_wake(session->writer.bell);
	if (!status)
		status = cairn_batch_commit(batch);
	if (status)
		cairn_session_undo(batch);
	return status ? status : changed;
}

static int cairn_session_change(struct cairn_session *session, const char *pattern, bool enable)
{
	struct cairn_batch batch;
	struct cairn_tracepoint *tp;
	int status = cairn_batch_begin(&batch), matches = 0;

	if (status)
		return status;
	if (!pattern || cairn_pattern_check(pattern)) {
		cairn_texts_free(&batch.texts);
		return cairn_fail(-EINVAL,
				  "a pattern has 1 to %d characters, no spaces, and something "
				  "around each comma",
				  CAIRN_PATTERN_MAX);
	}
	status = cairn_batch_lock(&batch);
	if (status)
		return status;
	status = cairn_session_known(session);
	if (!status)
		status = cairn_session_ready();
	if (!status)
		status = cairn_session_own_area(session);
	if (!status)
		status = cairn_session_rule(session, pattern, enable);
	if (!status) {
		cairn_session_header(session);
		status = cairn_session_match(session, &batch);
		if (status < 0)
			cairn_session_unrule(session);
		else
			cairn_session_forget_rule(session);
	}
	for (tp = cairn_registry_first(); tp && enable; tp = tp->all)
		matches += tp->desc && tp->events && cairn_pattern_match(pattern, tp->name);
	cairn_os_unlock();
	cairn_batch_end(&batch);
	return status < 0 ? status : enable ? matches : status;
}

int cairn_enable(struct cairn_session *session, const char *pattern)
{
	return cairn_session_change(session, pattern, true);
}

int cairn_disable(struct cairn_session *session, const char *pattern)
{
	return cairn_session_change(session, pattern, false);
}

/* ---- flushing and stopping ---- */

/* Drained by a consumer in this process. */
static bool cairn_session_drained(const struct cairn_session *session)
{
	return !session->control && session->writer.mode != CAIRN_FLIGHT;
}

/* The figures of a flight recorder, but for what snapshots wrote. */
static void cairn_session_count(struct cairn_session *session)
{
	const struct cairn_shared *shared = session->writer.shared;
	struct cairn_stats *stats = &session->stats;
	uintptr_t i, used;

	stats->events = session->next_id - 1;
	stats->lost = stats->back = stats->overwritten = 0;
	stats->streams = 0;
	if (!shared || session->inherited)
		return;
	used = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
	stats->lost = __atomic_load_n(&shared->lost, __ATOMIC_RELAXED);
	for (i = 0; i < used && i < shared->streams; i++) {
		const struct cairn_stream *stream = cairn_shared_stream(shared, (uint32_t)i);
		const uintptr_t opened = __atomic_load_n(&stream->opened, __ATOMIC_RELAXED);

		if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == CAIRN_STREAM_FREE)
			continue;
		stats->streams++;
		stats->lost += __atomic_load_n(&stream->lost, __ATOMIC_RELAXED);
		stats->back += __atomic_load_n(&stream->back, __ATOMIC_RELAXED);
		if (opened > stream->packets)
			stats->overwritten += opened - stream->packets;
	}
}

/* One thread at a time asks for a flush and reads the figures. */
static void cairn_session_hold(struct cairn_session *session)
{
	uint32_t free = 0;

	while (!__atomic_compare_exchange_n(&session->flushing, &free, 1, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		cairn_os_wait(&session->flushing, 1, 0);
		free = 0;
	}
}

static void cairn_session_let_go(struct cairn_session *session)
{
	__atomic_store_n(&session->flushing, 0, __ATOMIC_RELEASE);
	cairn_os_wake(&session->flushing);
}

static int cairn_session_flush_held(struct cairn_session *session)
{
	uint32_t asked, answered;

	if (session->writer.mode == CAIRN_FLIGHT)
		cairn_session_count(session);
	if (!cairn_session_drained(session) || session->closed)
		return 0;
	if (!session->thread) {
		if (!cairn_session_has_area(session))
			return 0;
		session->flush_status = cairn_drain_step(session->drain, CAIRN_DRAIN_NOW);
		cairn_drain_stats(session->drain, &session->stats);
		return session->flush_status;
	}
	asked = __atomic_add_fetch(&session->asked, 1, __ATOMIC_ACQ_REL);
	cairn_session_wake(session);
	for (;;) {
		answered = __atomic_load_n(&session->answered, __ATOMIC_ACQUIRE);
		if ((int32_t)(answered - asked) >= 0)
			break;
		cairn_os_wait(&session->answered, answered, 0);
	}
	return session->flush_status;
}

int cairn_session_flush(struct cairn_session *session)
{
	int status = cairn_session_check_known(session);

	if (status)
		return status;
	cairn_session_settle(false);
	cairn_session_hold(session);
	status = cairn_session_flush_held(session);
	cairn_session_let_go(session);
	return status;
}

int cairn_session_stats(struct cairn_session *session, struct cairn_stats *stats)
{
	const int status = cairn_session_check_known(session);

	if (status)
		return status;
	if (!stats)
		return cairn_fail(-EINVAL, "no place for the figures: stats is NULL");
	cairn_session_settle(false);
	cairn_session_hold(session);
	cairn_session_flush_held(session);
	*stats = session->stats;
	cairn_session_let_go(session);
	return 0;
}

/* ---- snapshots ---- */

struct cairn_lapped {
	uint32_t count, stream, tid; /* of the first */
};

static void cairn_session_lapped(void *data, uint32_t stream, uint32_t tid)
{
	struct cairn_lapped *lapped = data;

	if (lapped->count++)
		return;
	lapped->stream = stream;
	lapped->tid = tid;
}

static int cairn_session_snapshot_held(struct cairn_session *session, const char *output,
				       struct cairn_stats *stats)
{
	const struct cairn_drain_config config = { .shared = session->writer.shared,
						   .size = session->size,
						   .output = output,
						   .program = session->program,
						   .pid = cairn_os_pid(),
						   .snapshot = true,
						   .clock = session->clock,
						   .clock_hz = session->clock_hz,
						   .start = session->start };
	struct cairn_lapped lapped = { 0, 0, 0 };
	struct cairn_drain *drain;
	int status = cairn_drain_open(&drain, &config), closed;

	if (status)
		return cairn_fail(status, "no memory to copy rings to");
	status = cairn_drain_snapshot(drain, cairn_session_lapped, &lapped);
	closed = status ? 0 : cairn_drain_close(drain);
	if (stats)
		cairn_drain_stats(drain, stats);
	cairn_drain_free(drain);
	status = status ? status : closed;
	if (status)
		return cairn_fail(status, "%s: %s", output, strerror(-status));
	return lapped.count ?
		       cairn_fail(
			       -EAGAIN,
			       "thread %u overwrote all of its ring (stream %u) in each copy%s: give "
			       "more packets",
			       lapped.tid, lapped.stream,
			       lapped.count > 1 ? ", as did others" : "") :
		       0;
}

int cairn_session_snapshot(struct cairn_session *session, const char *output,
			   struct cairn_stats *stats)
{
	int status = cairn_session_check_known(session);

	if (status)
		return status;
	if (session->writer.mode != CAIRN_FLIGHT)
		return cairn_fail(-EINVAL, "snapshots are of sessions in mode CAIRN_FLIGHT: the "
					   "traces of others can be read at any moment");
	if (!output)
		output = session->output;
	if (!output || !*output || strlen(output) > 400)
		return cairn_fail(-EINVAL, "no output: give a folder of 1 to 400 characters here "
					   "or in config.output");
	if (stats)
		memset(stats, 0, sizeof(*stats));
	cairn_session_settle(false);
	/* A child of fork that has recorded nothing has nothing to show. */
	if (session->inherited || !session->writer.shared)
		return 0;
	cairn_session_hold(session);
	status = cairn_session_snapshot_held(session, output, stats);
	cairn_session_let_go(session);
	return status;
}

/* Nothing is recorded any more when it returns; 0, or why readers may still be in the rings. */
static int cairn_session_off(struct cairn_session *session)
{
	const uint32_t bit = 1u << session->channel->session;
	struct cairn_batch batch;
	struct cairn_tracepoint *tp;
	int status = cairn_batch_begin(&batch), readers;

	if (!status)
		status = cairn_batch_lock(&batch);
	if (status)
		return status;
	for (tp = cairn_registry_first(); tp && !status; tp = tp->all) {
		if (!(tp->sessions & bit))
			continue;
		status = cairn_batch_add(&batch, tp);
		tp->sessions &= ~bit;
	}
	if (!status)
		status = cairn_batch_commit(&batch);
	cairn_registry_forget(session->channel->session);
	cairn_os_unlock();
	readers = cairn_batch_end(&batch);
	return status ? status : readers;
}

static int cairn_session_close(struct cairn_session *session, struct cairn_stats *stats)
{
	int status = 0;

	if (session->thread) {
		__atomic_store_n(&session->stop, 1, __ATOMIC_RELEASE);
		cairn_session_wake(session);
		cairn_os_thread_join(session->thread);
		session->thread = NULL;
	}
	if (session->writer.mode == CAIRN_FLIGHT)
		cairn_session_count(session);
	if (!session->closed && cairn_session_drained(session) && cairn_session_has_area(session)) {
		session->closed = true;
		status = cairn_drain_close(session->drain);
		cairn_drain_stats(session->drain, &session->stats);
	}
	if (stats)
		*stats = session->stats;
	return status;
}

int cairn_session_stop(struct cairn_session *session, struct cairn_stats *stats)
{
	int readers, status = cairn_session_check_known(session);
	uint32_t number;

	if (status)
		return status;
	number = session->channel->session;
	cairn_session_settle(false);
	readers = cairn_session_off(session);
	status = cairn_session_close(session, stats);
	cairn_drain_free(session->drain);
	session->drain = NULL;
	cairn_slots_forget(number);
	/* Threads that end are in the streams too (cairn_slot_release). */
	if (!readers)
		readers = cairn_rcu_wait();
	cairn_os_lock();
	/* A thread that never came back from its event keeps what it may write to, and the number. */
	if (!readers) {
		cairn_session_unnumber(session);
		cairn_session_unmap(session);
		cairn_session_free(session);
	}
	cairn_os_unlock();
	return status;
}

/* ---- what the environment asks for ---- */

/* A number from the environment, 0 if there is none. */
static int cairn_session_number_of(const char *name, uint64_t *value)
{
	const char *text = cairn_os_getenv(name);
	char *end;

	*value = 0;
	if (!text)
		return 0;
	*value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || *value == 0 || *value > UINT32_MAX)
		return cairn_fail(-EINVAL, "%s=%s: give a number", name, text);
	return 0;
}

static int cairn_session_mode(const char *name, enum cairn_mode *mode)
{
	static const char *const names[] = { "discard", "block", "flight" };
	uint32_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*mode = (enum cairn_mode)i;
		if (!strcmp(name, names[i]))
			return 0;
	}
	return -EINVAL;
}

static int cairn_session_own_config(struct cairn_config *config)
{
	const char *mode = cairn_os_getenv("CAIRN_MODE");
	const char *clock = cairn_os_getenv("CAIRN_CLOCK");
	uint64_t packet_size, packets;
	int status;

	memset(config, 0, sizeof(*config));
	config->size = sizeof(*config);
	config->output = cairn_os_getenv("CAIRN_OUTPUT");
	if (!config->output)
		config->output = "cairn-trace";
	if (mode && cairn_session_mode(mode, &config->mode))
		return cairn_fail(-EINVAL, "CAIRN_MODE=%s: give discard, block or flight", mode);
	if (clock && strcmp(clock, "monotonic"))
		return cairn_fail(-EINVAL, "CAIRN_CLOCK=%s: give monotonic, or unset it", clock);
	status = cairn_session_number_of("CAIRN_PACKET_SIZE", &packet_size);
	if (!status)
		status = cairn_session_number_of("CAIRN_PACKETS", &packets);
	if (!status) {
		config->packet_size = (size_t)packet_size;
		config->packets = (unsigned)packets;
	}
	return status;
}

/* CAIRN_TRACE=patterns: this process drains itself. */
static int cairn_session_own(const char *patterns)
{
	struct cairn_session *session;
	struct cairn_config config;
	int status = cairn_session_own_config(&config);

	if (!status && cairn_pattern_check(patterns))
		status = cairn_fail(-EINVAL, "CAIRN_TRACE=%s: give patterns like shop:*,net:tcp_*",
				    patterns);
	if (!status && cairn_pattern_hopeless(patterns))
		status =
			cairn_fail(-EINVAL,
				   "CAIRN_TRACE=%s: events are named provider:event: give patterns "
				   "like shop:*",
				   patterns);
	if (!status)
		status = cairn_session_start(&session, &config);
	if (status)
		return status;
	session->lenient = true;
	status = cairn_enable(session, patterns);
	/* No error: their module may come later. */
	if (status == 0 && cairn_os_getenv("CAIRN_DEBUG"))
		cairn_os_say("CAIRN_TRACE matches no event so far");
	return status;
}

/* CAIRN_SESSION=path: a recorder outside drains this process. */
static int cairn_session_recorded(const char *path)
{
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;
	struct cairn_control *control;
	void *memory;
	int status = cairn_os_control_map(path, CAIRN_CONTROL_SIZE, &memory);

	if (!status && !strrchr(path, '/'))
		status = -EINVAL;
	if (status)
		return cairn_fail(status, "CAIRN_SESSION=%s: %s", path, strerror(-status));
	control = memory;
	if (control->magic != CAIRN_CONTROL_MAGIC || control->version != CAIRN_SHARED_VERSION)
		return cairn_fail(-EINVAL, "CAIRN_SESSION=%s: made by another version of cairn",
				  path);
	config.mode = (enum cairn_mode)control->mode;
	config.packet_size = control->packet_size;
	config.packets = control->packets;
	status = cairn_session_make(&session, &config);
	if (status)
		return status;
	session->control = control;
	snprintf(session->folder, sizeof(session->folder), "%.*s", (int)(strrchr(path, '/') - path),
		 path);
	session->lenient = true;
	session->writer.block_ns = control->block_ns;
	if (session->clock == CAIRN_CLOCK_COUNTER && control->clock != CAIRN_CLOCK_COUNTER) {
		session->clock = CAIRN_CLOCK_MONOTONIC;
		memcpy(session->clock_choice, control->clock_choice, sizeof(control->clock_choice));
	}
	status = cairn_session_launch(session);
	if (status) {
		cairn_session_free(session);
		return status;
	}
	cairn_writer_outside = &session->writer; /* for good: nobody can stop this session */
	return cairn_session_change(session, control->patterns, true);
}

/* A wrong value is one clear line, and the program runs on untraced. */
static void cairn_session_environment(void)
{
	const char *path = cairn_os_getenv("CAIRN_SESSION");
	const char *patterns = cairn_os_getenv("CAIRN_TRACE");
	char why[256], line[320];
	int status = 0;

	if (path) {
		status = cairn_session_recorded(path);
		/* A program that outlives its recorder starts others: nothing is wrong with them. */
		if (status == -ENOENT || status == -ECONNREFUSED)
			return;
	} else if (patterns) {
		status = cairn_session_own(patterns);
	}
	if (status >= 0)
		return;
	cairn_error(why, sizeof(why));
	snprintf(line, sizeof(line), "not traced: %s", why[0] ? why : strerror(-status));
	cairn_os_say(line);
}

/* ---- the turns of a process' life ---- */

void cairn_session_forked(void)
{
	uint32_t i;

	cairn_clock_forked();
	/* Unless an atfork handler that ran before ours has traced: then all is done already. */
	cairn_session_settle(false);
	for (i = 0; i < CAIRN_SESSIONS; i++) {
		struct cairn_session *session = cairn_sessions[i];

		if (session && session->writer.shared && cairn_session_drained(session) &&
		    !session->closed &&
		    cairn_os_thread_start(cairn_session_consume, session, &session->thread))
			session->thread = NULL;
	}
}

/*
 * An area of the child's own, with the events that were enabled at the fork. If there is none to be had,
 * or the recorder cannot be reached any more (the child changed its user or its root), the child's
 * events are counted as lost in the head that it still shares with its parent. [s]
 */
static void cairn_session_adopt(struct cairn_session *session)
{
	struct cairn_shared *old = session->writer.shared, *fresh;
	int fd = -1, status = cairn_session_area(session, &fd);
	uintptr_t used;

	if (status) {
		session->writer.mute = true;
		if (session->control)
			cairn_session_announce(session, status, -1);
		return;
	}
	fresh = session->writer.shared;
	used = __atomic_load_n(&old->manifest_used, __ATOMIC_ACQUIRE);
	status = cairn_os_populate((char *)fresh + fresh->manifest_at, used ? used : 1);
	if (!status) {
		memcpy((char *)fresh + fresh->manifest_at, (char *)old + old->manifest_at, used);
		__atomic_store_n(&fresh->manifest_used, used, __ATOMIC_RELEASE);
	}
	if (session->control)
		status = cairn_session_announce(session, status, fd);
	if (fd >= 0)
		cairn_os_close(fd);
	if (status) {
		session->writer.shared = old;
		session->writer.mute = true;
		cairn_os_unmap(fresh, session->size);
		cairn_os_shared_remove(session->area);
		return;
	}
	cairn_os_detach(old, (size_t)old->streams_at);
	__atomic_store_n(&session->inherited, false, __ATOMIC_RELEASE);
	__atomic_add_fetch(&session->turn, 1, __ATOMIC_RELEASE);
	cairn_os_wake(&session->turn);
}

void cairn_session_child(void)
{
	uint32_t i;

	cairn_session_settle(true);
	for (i = 0; i < CAIRN_SESSIONS; i++)
		if (cairn_sessions[i] && cairn_sessions[i]->inherited &&
		    !cairn_sessions[i]->writer.mute)
			cairn_session_adopt(cairn_sessions[i]);
}

/* Modules that were loaded since: those of their events that somebody listens to. */
static void cairn_session_late(void)
{
	struct cairn_batch batch;
	struct cairn_tracepoint *tp;
	uint32_t i;
	int status = cairn_batch_begin(&batch);

	if (!status)
		status = cairn_batch_lock(&batch);
	if (status)
		return;
	status = cairn_registry_read();
	for (tp = cairn_registry_first(); tp && !status; tp = tp->all) {
		if (!tp->fresh)
			continue;
		tp->fresh = false;
		for (i = 0; i < CAIRN_SESSIONS && tp->desc; i++) {
			struct cairn_session *session = cairn_sessions[i];

			if (!session || tp->sessions & 1u << i ||
			    !cairn_session_wants(session, tp->name))
				continue;
			if (tp->broken)
				cairn_fail(tp->broken, "%s: %s", tp->name, tp->broken_why);
			else if (!cairn_session_own_area(session) &&
				 !cairn_session_describe(session, tp))
				tp->sessions |= 1u << i;
		}
		if (!tp->broken && (tp->sessions || tp->probe_count))
			status = cairn_batch_add(&batch, tp);
	}
	if (!status)
		status = cairn_batch_commit(&batch);
	if (status)
		cairn_session_undo(&batch);
	cairn_os_unlock();
	cairn_batch_end(&batch);
}

void cairn_session_module(void)
{
	if (!__atomic_exchange_n(&cairn_environment_read, 1, __ATOMIC_ACQ_REL))
		cairn_session_environment();
	if (__atomic_load_n(&cairn_is_ready, __ATOMIC_ACQUIRE))
		cairn_session_late();
}

void cairn_session_exit(void)
{
	bool gone = true, any = false;
	uint32_t i;
	int readers;

	cairn_session_settle(false);
	for (i = 0; i < CAIRN_SESSIONS; i++) {
		struct cairn_session *session = cairn_sessions[i];

		/* A recorder outside drains what is left, however the program ends. */
		if (!session)
			continue;
		any = true;
		gone = gone && !session->control;
		if (session->control)
			continue;
		readers = cairn_session_off(session);
		cairn_session_close(session, NULL);
		cairn_drain_free(session->drain);
		session->drain = NULL;
		cairn_slots_forget(i);
		if (!readers && !cairn_rcu_wait())
			cairn_session_unmap(session);
		gone = gone && !session->writer.shared;
	}
	if (gone)
		cairn_slots_end(any);
	cairn_os_threads_end();
}
