# SPDX-License-Identifier: MIT
# The two instructions of a tracepoint on x86 and x86_64, at distances up to the ends of their reach:
# what GNU as makes of them is x86_sites.txt (written by tests/encode.sh --write).
#
# encoder x86: x86 SIZE=5
# as x86: as --64
# as x86: as --32
# refused: 0x80000005 -0x7ffffffc
	.macro site distance
	test $\distance - 5, %eax
	{disp32} jmp . + \distance
	.endm
	.text
	site 5
	site 6
	site 4
	site 10
	site 0
	site 132
	site 133
	site -123
	site -124
	site 0x1005
	site -0xffb
	site 0x1234567d
	site -0x12345673
	site 0x80000003
	site 0x80000004
	site -0x7ffffffa
	site -0x7ffffffb
