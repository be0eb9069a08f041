# SPDX-License-Identifier: MIT
# The instructions that ran in a program's code from its last but one call of mark() to the last, one a line
# behind the name of their function. Reads
#   awk -f ran.awk functions log
# where `functions` has lines "START END NAME" (of the program's .text, from objdump -d; decimal), and `log`
# is what QEMU's user-mode emulation writes with -singlestep -d in_asm,exec,nochain: for each block, which
# is one instruction, or one and that in its delay slot, its disassembly when it is translated, and a line
# with its address whenever it runs.
function number(hex,    i, n)
{
	n = 0
	for (i = 1; i <= length(hex); i++)
		n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}
function function_at(address,    i)
{
	for (i = 1; i <= functions; i++)
		if (address >= first[i] && address < end[i])
			return name[i]
	return ""
}
FNR == NR {
	functions++
	first[functions] = $1
	end[functions] = $2
	name[functions] = $3
	if ($3 == "mark")
		mark = $1
	next
}
/^IN:/ { block = ""; next }
/^0x[0-9a-f]+: / {
	at = $1
	gsub(/^0x0*|:$/, "", at)
	if (block == "") {
		block = at
		text[at] = ""
	}
	text[block] = text[block] $0 "\n"
	next
}
/^Trace 0: / {
	split($4, part, "/")
	at = part[2]
	sub(/^0*/, "", at)
	if (!(at in inside))
		inside[at] = function_at(number(at))
	if (inside[at] == "mark") {
		if (number(at) == mark) {
			last = way
			way = ""
		}
		next
	}
	n = split(text[at], line, "\n")
	for (i = 1; i < n; i++)
		way = way inside[at] "\t" line[i] "\n"
}
END { printf "%s", last }
