/* SPDX-License-Identifier: MIT */
/*
 * Sessions: what connects the registry, the rings, the clock and the consumer. The functions here are
 * called by the other files of core at the turns of a process' life.
 */
#ifndef CAIRN_SESSION_H
#define CAIRN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

/* Tracing is asked for, for the first time or again: arena, fork watch, barriers, registry. 0 or
 * -errno. Under the lock. */
int cairn_session_ready(void);
/* A module was added: start what the environment asks for (once), enable its matching events. */
void cairn_session_module(void);
/* The last module of this copy goes: close what this process drains itself. */
void cairn_session_exit(void);
/* In the child of fork, from the atfork handler, under no lock. */
void cairn_session_forked(void);
/* In a child (fork or raw clone), at its first event: rings of its own. [s] */
void cairn_session_child(void);

#endif
