/* expect: CAIRN_EVENT_takes_at_most_32_fields */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, many, CAIRN_U8(f1), CAIRN_U8(f2), CAIRN_U8(f3), CAIRN_U8(f4), CAIRN_U8(f5),
	    CAIRN_U8(f6), CAIRN_U8(f7), CAIRN_U8(f8), CAIRN_U8(f9), CAIRN_U8(f10), CAIRN_U8(f11),
	    CAIRN_U8(f12), CAIRN_U8(f13), CAIRN_U8(f14), CAIRN_U8(f15), CAIRN_U8(f16),
	    CAIRN_U8(f17), CAIRN_U8(f18), CAIRN_U8(f19), CAIRN_U8(f20), CAIRN_U8(f21),
	    CAIRN_U8(f22), CAIRN_U8(f23), CAIRN_U8(f24), CAIRN_U8(f25), CAIRN_U8(f26),
	    CAIRN_U8(f27), CAIRN_U8(f28), CAIRN_U8(f29), CAIRN_U8(f30), CAIRN_U8(f31),
	    CAIRN_U8(f32), CAIRN_U8(f33));
