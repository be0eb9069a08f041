@ SPDX-License-Identifier: MIT
@ The two instructions of a tracepoint in ARM code before ARMv6K, at distances up to the ends of their
@ reach: what GNU as makes of them is armv5_sites.txt (written by tests/encode.sh --write).
@
@ encoder armv5: arm SIZE=4 MODE=2
@ as armv5: arm-linux-gnueabi-as -march=armv5te
@ refused: 0x2000008 -0x1fffffc
@ refused at 2: -2
	.macro site distance
	mov r0, r0
	b . + \distance
	.endm
	.text
	site 0
	site 4
	site -4
	site 8
	site 0x1000
	site -0x1000
	site 0x123458
	site -0x123458
	site 0x1fffffc
	site 0x1000000
	site 0x2000000
	site 0x2000004
	site -0x1fffff4
	site -0x1fffff8
