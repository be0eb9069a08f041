@ SPDX-License-Identifier: MIT
@ The two instructions of a tracepoint in ARM code since ARMv6K, at distances up to the ends of their
@ reach: what GNU as makes of them is arm_sites.txt (written by tests/encode.sh --write).
@
@ encoder arm: arm SIZE=4
@ as arm: arm-linux-gnueabihf-as -march=armv7-a
@ refused: 0x2000008 -0x1fffffc
@ refused at 2: -2
@ refused at 1: 0
	.macro site distance
	nop
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
