/* SPDX-License-Identifier: BSD-2-Clause */
/* Files whose number comes out of registers, which Linux reads for them: accesses of process 0, as those of its drivers. */
#include "base/error.h"
#include "virtual/files.h"

enum { PAGE = 4096, KERNEL = 0 };

void files_number(struct tree *t, uint32_t parent, const char *name, unsigned mode, const struct tree_number *number)
{
	uint32_t n = tree_node(t, parent, name, TREE_NUMBER, mode, PAGE);

	t->node[n].number = *number;
}

int files_read_msr(struct virtual *v, unsigned cpu, uint32_t msr, uint64_t *value)
{
	struct access_address at;
	int err = virtual_msr(v, cpu, msr, &at);

	return err < 0 ? err : virtual_read(v, KERNEL, &at, value);
}

int files_write_msr(struct virtual *v, unsigned cpu, uint32_t msr, uint64_t value)
{
	struct access_address at;
	int err = virtual_msr(v, cpu, msr, &at);

	return err < 0 ? err : virtual_write(v, KERNEL, &at, value);
}
