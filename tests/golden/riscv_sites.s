# SPDX-License-Identifier: MIT
# The two instructions of a tracepoint on RISC-V, at distances up to the ends of their reach: what GNU as
# makes of them is riscv_sites.txt (written by tests/encode.sh --write).
#
# encoder riscv: riscv SIZE=4
# as riscv: riscv64-linux-gnu-as
# refused: 0x100000 -0x100002 1
# refused at 2: 2
	.macro site distance
	nop
	jal x0, . + \distance
	.endm
	.text
	.option norvc
	.option norelax
	site 0
	site 2
	site 4
	site -2
	site -4
	site 0x7fe
	site 0x800
	site -0x800
	site 0x1000
	site -0x1000
	site 0x54322
	site -0x54322
	site 0x80000
	site 0xffffc
	site 0xffffe
	site -0xffffe
	site -0x100000
