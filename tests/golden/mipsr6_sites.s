# SPDX-License-Identifier: MIT
# The two instructions of a tracepoint on MIPS Release 6, at distances up to the ends of their reach: what
# GNU as makes of them is mipsr6_sites.txt, big-endian, and mipsr6le_sites.txt (written by tests/encode.sh
# --write).
#
# encoder mipsr6: mips SIZE=4 BIG=1 TAG=0
# encoder mipsr6le: mips SIZE=4 BIG=0 TAG=0
# as mipsr6: mips-linux-gnu-as -mips32r6
# as mipsr6le: mipsel-linux-gnu-as -mips32r6
# refused: 0x8000004 -0x8000000 2
	.macro site distance
	nop
	bc . + \distance
	.endm
	.text
	.set noreorder
	site 0
	site 4
	site 8
	site -4
	site 0x1000
	site -0x1000
	site 0x1234568
	site -0x1234568
	site 0x7fffffc
	site 0x8000000
	site -0x7fffff8
	site -0x7fffffc
