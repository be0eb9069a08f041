# SPDX-License-Identifier: MIT
# The two instructions of a tracepoint on s390x, at distances up to the ends of their reach: what GNU as
# makes of them is s390x_sites.txt (written by tests/encode.sh --write).
#
# encoder s390x: s390x SIZE=6
# as s390x: s390x-linux-gnu-as
# refused: 0x100000000 -0x100000002 1
# refused at 1: 2
	.macro site distance
	brcl 0, . + \distance
	brcl 15, . + \distance
	.endm
	.text
	site 0
	site 2
	site -2
	site 6
	site -6
	site 0x1000
	site -0x1000
	site 0x12345678
	site -0x12345678
	site 0x7ffffffe
	site 0x80000000
	site -0x80000000
	site -0x80000002
	site 0xfffffffc
	site 0xfffffffe
	site -0xfffffffe
	site -0x100000000
