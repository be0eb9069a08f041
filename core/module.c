/* SPDX-License-Identifier: MIT */
/*
 * The glue of a module (a program or shared library): hands the bounds of its tables to core when it
 * is loaded and takes them back when it is unloaded. A hit refers to `cairn_module`, so the linker
 * takes this member of the archive whenever there is an event. In a shared build each instrumented
 * module has its own copy of this file (libcairn_module.a); it never is part of libcairn.so.
 *
 * Events in constructors of priority 102 and later are recorded if tracing is asked for by the
 * environment; earlier ones pass by, disabled.
 */
#include "tracepoint.h"

extern const struct cairn_site __start_cairn_sites[] __attribute__((weak)) CAIRN__HIDDEN;
extern const struct cairn_site __stop_cairn_sites[] __attribute__((weak)) CAIRN__HIDDEN;
extern const unsigned char __start_cairn_events[] __attribute__((weak)) CAIRN__HIDDEN;
extern const unsigned char __stop_cairn_events[] __attribute__((weak)) CAIRN__HIDDEN;

CAIRN__HIDDEN struct cairn_module cairn_module = { .abi = CAIRN_ABI, .size = sizeof(cairn_module) };

static __attribute__((constructor(101))) void cairn_module_begin(void)
{
	cairn_module.sites = __start_cairn_sites;
	cairn_module.sites_end = __stop_cairn_sites;
	cairn_module.descs = __start_cairn_events;
	cairn_module.descs_end = __stop_cairn_events;
	cairn_module_add(&cairn_module);
}

static __attribute__((destructor(101))) void cairn_module_end(void)
{
	cairn_module_remove(&cairn_module);
}
