/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking over the caller's structure perf_event_attr, as perf_copy_attr() of Linux 6.1 does. */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "perf/perf_private.h"

enum {
	SIZE_FIRST = 64,		/* of the structure as it once began */
	SIZE = 128,			/* as Linux 6.1 knows it */
	MOST = 4096,
};

/* What Linux 6.1 knows; the headers that we are built with may know more. */
#define SAMPLE_TYPES (UINT64_C(1) << 25)
#define READ_FORMATS (UINT64_C(1) << 5)
#define BRANCH_TYPES (UINT64_C(1) << 19)
#define BRANCH_PRIVILEGES UINT64_C(7)

_Static_assert(sizeof(struct perf_event_attr) >= SIZE, "linux/perf_event.h is older than Linux 6.1");

uint32_t perf_attr_size(void)
{
	return SIZE;
}

/* What is beyond the known has to be 0. */
static int check_size(const uint8_t *attr, size_t size)
{
	if (size < SIZE_FIRST || size > MOST)
		return -E2BIG;
	for (size_t i = SIZE; i < size; i++)
		if (attr[i])
			return -E2BIG;
	return 0;
}

static int check_branches(const struct perf_event_attr *a)
{
	uint64_t types = a->branch_sample_type;

	if (!(a->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	if (types & ~(BRANCH_TYPES - 1))
		return -EINVAL;
	return types & ~BRANCH_PRIVILEGES ? 0 : -EINVAL;
}

static int check_bits(const struct perf_event_attr *a)
{
	/* Bits 38 to 63 of the flags, and two fields behind. */
	uint64_t flags;

	memcpy(&flags, (const char *)a + offsetof(struct perf_event_attr, read_format) + sizeof a->read_format, sizeof flags);
	if (flags >> 38 || a->__reserved_2 || a->__reserved_3)
		return -EINVAL;
	if (a->sample_type & ~(SAMPLE_TYPES - 1) || a->read_format & ~(READ_FORMATS - 1))
		return -EINVAL;
	if (check_branches(a) < 0)
		return -EINVAL;
	if (a->sample_type & PERF_SAMPLE_STACK_USER && (a->sample_stack_user >= UINT16_MAX || a->sample_stack_user % 8))
		return -EINVAL;
	if (a->sample_type & PERF_SAMPLE_CGROUP && !a->cgroup)
		return 0;
	if (a->sample_type & PERF_SAMPLE_WEIGHT && a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		return -EINVAL;
	if ((!a->inherit && a->inherit_thread) || (a->remove_on_exec && a->enable_on_exec) || (a->sigtrap && !a->remove_on_exec))
		return -EINVAL;
	return 0;
}

int perf_attr_check(const void *attr, size_t size)
{
	return check_size(attr, size);
}

int perf_attr_take(const struct perf_call *call, struct perf_event_attr *out)
{
	int err = check_size(call->attr, call->size);

	if (err < 0)
		return err;
	memset(out, 0, sizeof *out);
	memcpy(out, call->attr, call->size < SIZE ? call->size : SIZE);
	out->size = (uint32_t)call->size;
	return check_bits(out);
}
