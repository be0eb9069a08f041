/* SPDX-License-Identifier: MIT */
int link_run(void);
int link_run_cc(void) __attribute__((weak)); /* a program in C has none */

int main(void)
{
	return link_run() || (link_run_cc && link_run_cc());
}
