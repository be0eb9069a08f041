/* SPDX-License-Identifier: MIT */
/* Uses the archive of life/probes.c and has no event of its own. */
void archive_use(unsigned n);

int main(void)
{
	archive_use(7);
	return 0;
}
