# SPDX-License-Identifier: MIT
# The two instructions of a tracepoint on x86 and x86_64, at displacements up to the ends of their reach:
# what GNU as makes of them is x86_sites.txt (written by tests/encode.sh --write).
	.macro site disp
	test $\disp, %eax
	{disp32} jmp . + 5 + \disp
	.endm
	.text
	site 0
	site 1
	site -1
	site 5
	site -5
	site 127
	site 128
	site -128
	site -129
	site 0x1000
	site -0x1000
	site 0x12345678
	site -0x12345678
	site 0x7ffffffe
	site 0x7fffffff
	site -0x7fffffff
	site -0x80000000
