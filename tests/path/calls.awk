# SPDX-License-Identifier: MIT
# From `objdump -dr` of objects compiled with -ffunction-sections: "caller callee" for each call.
# A callee is named by the relocation behind the instruction; ".text.NAME-0x4" is a static function.
/^[0-9a-f]+ <.*>:$/ {
	name = $2
	gsub(/[<>:]/, "", name)
	sub(/\..*/, "", name)
	next
}
/\t(call|jmp|j[a-z]+) / { pending = 1; next }
pending && /R_X86_64_(PLT32|PC32|GOTPCRELX|REX_GOTPCRELX)/ {
	callee = $NF
	sub(/[-+]0x[0-9a-f]+$/, "", callee)
	sub(/^\.text\.(unlikely\.)?/, "", callee)
	sub(/\..*/, "", callee)
	if (callee != "" && callee != name)
		print name, callee
}
{ pending = 0 }
