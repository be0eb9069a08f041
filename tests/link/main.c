/* SPDX-License-Identifier: MIT */
int link_run(void);

int main(void)
{
	return link_run();
}
