@ SPDX-License-Identifier: MIT
@ The two instructions of a tracepoint in Thumb-2 code, at distances up to the ends of their
@ reach: what GNU as makes of them is thumb_sites.txt (written by tests/encode.sh --write).
@
@ encoder thumb: arm SIZE=4 MODE=1
@ as thumb: arm-linux-gnueabihf-as -march=armv7-a -mthumb
@ refused: 0x1000004 -0xfffffe
@ refused at 2: 2
	.syntax unified
	.macro site distance
	nop.w
	b.w . + \distance
	.endm
	.text
	site 0
	site 2
	site -2
	site 4
	site -4
	site 8
	site 0x1000
	site -0x1000
	site 0x123456
	site -0x123456
	site 0x400000
	site -0x400000
	site 0x7ffffe
	site 0x800000
	site -0x800000
	site -0x7ffffa
	site 0x1000000
	site 0x1000002
	site -0xfffffa
	site -0xfffffc
