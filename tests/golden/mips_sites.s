# SPDX-License-Identifier: MIT
# The two forms of a tracepoint on MIPS, each with its delay slot, at distances up to the ends of the reach
# of `b`, and of `j` (from an address whose low 28 bits are 0): what GNU as makes of them is
# mips_sites.txt, big-endian, and mipsle_sites.txt (written by tests/encode.sh --write).
#
# encoder mips: mips SIZE=8 BIG=1 TAG=0
# encoder mipsle: mips SIZE=8 BIG=0 TAG=0
# as mips: mips-linux-gnu-as -mips32r2
# as mips: mips64el-linux-gnuabi64-as -mabi=32 -mips32r2 -EB
# as mipsle: mipsel-linux-gnu-as -mips32r2
# as mipsle: mips64el-linux-gnuabi64-as
# refused: 0x10000000 -0x20000 2
	.macro site distance
	nop
	nop
	.if \distance >= -0x1fffc && \distance <= 0x20000
	b . + \distance
	.else
	j \distance
	.endif
	nop
	.endm
	.text
	.set noreorder
	site 0
	site 4
	site 8
	site -4
	site 0x1000
	site -0x1000
	site 0x12348
	site -0x12348
	site 0x1fffc
	site 0x20000
	site -0x1fff8
	site -0x1fffc
	site 0x20004
	site 0x1234568
	site 0xffffff8
	site 0xffffffc
