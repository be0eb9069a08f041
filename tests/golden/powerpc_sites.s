# SPDX-License-Identifier: MIT
# The two instructions of a tracepoint on PowerPC, at distances up to the ends of their reach: what GNU as
# makes of them is powerpc_sites.txt, big-endian, and powerpcle_sites.txt (written by tests/encode.sh
# --write).
#
# encoder powerpc: powerpc SIZE=4 BIG=1
# encoder powerpcle: powerpc SIZE=4 BIG=0
# as powerpc: powerpc-linux-gnu-as
# as powerpc: powerpc64-linux-gnu-as
# as powerpcle: powerpc64le-linux-gnu-as
# refused: 0x2000000 -0x2000004 2
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
	site 0x123456c
	site -0x123456c
	site 0xfffffc
	site 0x1000000
	site 0x1fffff8
	site 0x1fffffc
	site -0x1fffffc
	site -0x2000000
