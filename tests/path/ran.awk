# SPDX-License-Identifier: MIT
# The instructions that ran in a program's code from its last but one call of mark() to the last, one a line
# behind the name of their function. Reads
#   awk -f ran.awk disassembly log
# where `disassembly` is that of the program's .text by objdump -d, and `log` is what QEMU's user-mode
# emulation writes with -singlestep -d in_asm,exec,nochain: for each block, which is one instruction, or one
# and that in its delay slot, its disassembly when it is translated, and a line with its address whenever it
# runs.
function number(hex,    i, n)
{
	n = 0
	for (i = 1; i <= length(hex); i++)
		n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}
function function_at(address,    i)
{
	for (i = functions; i > 0; i--)
		if (address >= first[i])
			return name[i]
	return ""
}
# On some CPUs a name has a dot in front.
FNR == NR && /^[0-9a-f]+ <.*>:$/ {
	functions++
	first[functions] = number($1)
	name[functions] = $2
	gsub(/^<\.?|>:$/, "", name[functions])
	if (name[functions] == "mark")
		mark = first[functions]
}
FNR == NR { next }
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
			marked = 1
			last = way
			way = ""
		}
		next
	}
	if (!marked)
		next
	n = split(text[at], line, "\n")
	for (i = 1; i < n; i++)
		way = way inside[at] "\t" line[i] "\n"
}
END { printf "%s", last }
