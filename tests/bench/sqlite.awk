# SPDX-License-Identifier: MIT
#
# From the samples of sqlite.sh (workload, variant, round, metric, value): the median of each metric of
# each variant; for all but the plain one also the median of its differences to the plain run of the same
# round, in percent, and the distance of their quartiles. A delta of tps below 0 is a loss.

function sort(list, n,	i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = list[i]
		for (j = i - 1; j && list[j] > x; j--)
			list[j + 1] = list[j]
		list[j + 1] = x
	}
}

function quantile(list, n, share)
{
	return list[int((n - 1) * share + 0.5) + 1]
}

function unit(metric)
{
	return metric == "tps" ? "transactions/s" : metric == "lost" || metric == "events" ? "events" : "ms"
}

function median(workload, variant, metric,	name, list, n, r)
{
	name = "sqlite_" workload "_" variant "_" metric
	for (r = 1; r <= rounds; r++)
		if ((workload, variant, r, metric) in value)
			list[++n] = value[workload, variant, r, metric]
	if (!n) {
		printf "%s\tn/a\t%s\n", name, reason["sqlite_" variant]
		return
	}
	sort(list, n)
	printf "%s\t%.1f\t%s\n", name, quantile(list, n, 0.5), unit(metric)
}

function delta(workload, variant, metric,	name, list, n, r, plain)
{
	name = "sqlite_" workload "_" variant "_" metric
	sub(/_ms$/, "", name)
	for (r = 1; r <= rounds; r++) {
		plain = value[workload, "plain", r, metric]
		if (plain && (workload, variant, r, metric) in value)
			list[++n] = 100 * (value[workload, variant, r, metric] / plain - 1)
	}
	if (!n)
		return
	sort(list, n)
	printf "%s_delta_pct\t%.2f\tpercent\n", name, quantile(list, n, 0.5)
	printf "%s_spread_pct\t%.2f\tpercent\n", name, quantile(list, n, 0.75) - quantile(list, n, 0.25)
}

# The plain program against itself: what the machine's own unrest is.
function unrest(workload, metric,	name, list, n, r, x)
{
	name = "sqlite_" workload "_plain_" metric
	sub(/_ms$/, "", name)
	for (r = 1; r <= rounds; r++)
		list[++n] = value[workload, "plain", r, metric]
	sort(list, n)
	x = quantile(list, n, 0.75) - quantile(list, n, 0.25)
	printf "%s_spread_pct\t%.2f\tpercent\n", name, 100 * x / quantile(list, n, 0.5)
}

BEGIN {
	while ((getline line < reasons) > 0) {
		split(line, field, "\t")
		reason[field[1]] = field[2]
	}
}

{
	value[$1, $2, $3, $4] = $5 + 0
	if ($3 + 0 > rounds)
		rounds = $3 + 0
}

END {
	split("contended single", workloads, " ")
	split("plain untraced cairn lttng", variants, " ")
	split("wall_ms cpu_ms tps", metrics, " ")
	for (w = 1; w in workloads; w++)
		for (v = 1; v in variants; v++) {
			for (m = 1; m in metrics; m++) {
				median(workloads[w], variants[v], metrics[m])
				if (v == 1)
					unrest(workloads[w], metrics[m])
				else
					delta(workloads[w], variants[v], metrics[m])
			}
			if (v > 2)
				median(workloads[w], variants[v], "lost")
			if (v == 3)
				median(workloads[w], variants[v], "events")
		}
}
