/* SPDX-License-Identifier: BSD-2-Clause */
/* All the files of a machine. */
#include "virtual/files.h"

#include "base/complain.h"
#include "base/error.h"

int files_identity(const struct machine *m, struct identity *out, const struct complaint *c)
{
	return identity_of(m, out) ? 0 :
	       complain(c, BXS_ENOTSUP, "the registers of this family are not reached through files; those of Xeons are");
}

int files_all(struct tree *t, struct virtual *v, const struct perf *perf, const struct complaint *c)
{
	struct identity id;
	int err = files_identity(virtual_machine(v), &id, c);

	if (err < 0)
		return err;
	if (tree_init(t) < 0)
		return complain(c, BXS_ENOMEM, "out of memory");
	files_cpu(t, v, &id);
	files_pci(t, v, &id);
	files_stat(t, v);
	files_kernel(t);
	if (perf)
		files_perf(t, v, perf);
	return t->failed ? complain(c, BXS_ENOMEM, "out of memory") : 0;
}
