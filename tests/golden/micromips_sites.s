# SPDX-License-Identifier: MIT
# The two forms of a tracepoint on microMIPS, each with its delay slot, at distances up to the ends of the
# reach of `b`, and of `j` (from an address whose low 27 bits are 0): what GNU as makes of them is
# micromips_sites.txt, big-endian, and micromipsle_sites.txt (written by tests/encode.sh --write).
#
# encoder micromips: mips SIZE=8 BIG=1 TAG=1
# encoder micromipsle: mips SIZE=8 BIG=0 TAG=1
# as micromips: mips-linux-gnu-as -mips32r2
# as micromipsle: mipsel-linux-gnu-as -mips32r2
# refused: 0x8000000 -0xfffe 5
	.macro site distance
	nop32
	nop32
	.if \distance >= -0xfffc && \distance <= 0x10002
	b32 . + \distance
	.else
	j32 \distance
	.endif
	nop32
	.endm
	.text
	.set noreorder
	.set micromips
	site 0
	site 2
	site 4
	site -2
	site 0x1000
	site -0x1000
	site 0xfffe
	site 0x10000
	site -0xfffa
	site -0xfffc
	site 0x10004
	site 0x123456a
	site 0x7fffffe
