/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for people: one place for the library's errors. */
#include "base/error.h"

const char *bxs_strerror(int err)
{
	switch (err) {
	case 0:
		return "no error";
	case BXS_ENOMEM:
		return "out of memory";
	case BXS_ENOENT:
		return "no such thing";
	case BXS_EINVAL:
		return "cannot be understood";
	case BXS_ECONFLICT:
		return "cannot be measured together";
	case BXS_EFAULT:
		return "the modelled hardware faulted";
	case BXS_EIO:
		return "the system failed to read or write";
	case BXS_ENOTSUP:
		return "not available here";
	case BXS_EBUG:
		return "a fault of ours";
	case BXS_ETURNS:
		return "can only be measured in turns";
	}
	return "unknown error";
}
