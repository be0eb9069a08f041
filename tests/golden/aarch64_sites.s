// SPDX-License-Identifier: MIT
// The two instructions of a tracepoint on aarch64, at distances up to the ends of their reach: what GNU as
// makes of them is aarch64_sites.txt (written by tests/encode.sh --write).
//
// encoder aarch64: aarch64 SIZE=4
// as aarch64: aarch64-linux-gnu-as
// refused: 0x8000000 -0x8000004 2
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
	site 0x1234568
	site -0x1234568
	site 0x3fffffc
	site 0x4000000
	site 0x7fffff8
	site 0x7fffffc
	site -0x7fffffc
	site -0x8000000
