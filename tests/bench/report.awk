# SPDX-License-Identifier: MIT
#
# Makes one line a metric from the samples (sorted by name and value; file `sorted`), by the table of
# ci/bench.sh on standard input: name, unit, rule, parts. A metric without samples is n/a, for the reason
# that `reasons` (part, reason) gives.

function load(	line, field, n)
{
	while ((getline line < sorted) > 0) {
		split(line, field, "\t")
		n = ++count[field[1]]
		value[field[1], n] = field[2]
		sum[field[1]] += field[2]
		if (n == 1)
			names[++name_count] = field[1]
	}
	while ((getline line < reasons) > 0) {
		split(line, field, "\t")
		reason[field[1]] = field[2]
	}
}

# The sample at a share of the way from the smallest to the largest.
function quantile(name, share)
{
	return value[name, int((count[name] - 1) * share + 0.5) + 1]
}

# What the table makes of a metric; "" if there are no samples.
function result(name,	rule, part)
{
	rule = rules[name]
	if (!rule)
		rule = name ~ /_us$/ ? "median" : "min"
	split(rule, part, ":")
	if (part[1] == "spread")
		return count[part[2]] ? quantile(part[2], 0.75) - quantile(part[2], 0.25) : ""
	if (part[1] == "ratio")
		return result(part[2]) && result(part[3]) ? result(part[2]) / result(part[3]) : ""
	if (part[1] == "diff")
		return count[part[2]] && count[part[3]] ? result(part[2]) - result(part[3]) : ""
	if (part[2])
		name = part[2]
	if (!count[name])
		return ""
	if (part[1] == "median")
		return quantile(name, 0.5)
	if (part[1] == "max")
		return value[name, count[name]]
	if (part[1] == "sum")
		return sum[name]
	return value[name, 1]
}

# Counts and names as they are, other numbers with four digits that say something.
function format(number)
{
	if (number !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/)
		return number
	if (number == int(number))
		return sprintf("%.0f", number)
	if (number >= 1000 || number <= -1000)
		return sprintf("%.0f", number)
	if (number >= 10 || number <= -10)
		return sprintf("%.2f", number)
	return sprintf("%.3f", number)
}

# Every class of the histogram, smallest first.
function histogram(	high, name)
{
	for (high = 16; high <= 1073741824; high *= 2) {
		name = "event_below_" high "ns"
		if (sum[name])
			printf "%s\t%.0f\tevents\n", name, sum[name]
	}
}

function why(parts,	part, n, i)
{
	n = split(parts, part, ",")
	for (i = 1; i <= n; i++)
		if (part[i] in reason)
			return reason[part[i]]
	return "not measured"
}

BEGIN {
	load()
	n = split(wanted, name, " ")
	for (i = 1; i <= n; i++)
		want[name[i]] = 1
	all = n == 0
}

NF < 4 { next }

{
	rules[$1] = $3
	order[++lines] = $1
	unit[$1] = $2
	parts[$1] = $4
}

END {
	for (i = 1; i <= lines; i++) {
		name_ = order[i]
		if (!all && !(name_ in want))
			continue
		if (name_ == "event_hist") {
			histogram()
			continue
		}
		got = result(name_)
		if (got == "")
			printf "%s\tn/a\t%s\n", name_, why(parts[name_])
		else
			printf "%s\t%s\t%s\n", name_, format(got), unit[name_]
	}
}
