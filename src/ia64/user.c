// SPDX-License-Identifier: BSD-2-Clause
/* Copies between a program's memory and the one that answers its system calls. */
#include "user.h"

#include <errno.h>

static size_t in_page(uint64_t address, uint64_t size)
{
	uint64_t here = PAGE_SIZE - (address & (PAGE_SIZE - 1));

	return here < size ? here : size;
}

bool user_read(struct ia64 *m, void *to, uint64_t from, size_t size)
{
	uint8_t *bytes = to;

	for (size_t here; size; size -= here, from += here, bytes += here) {
		const uint8_t *page = memory_read(m, from);

		here = in_page(from, size);
		if (!page)
			return false;
		memcpy(bytes, page, here);
	}
	return true;
}

bool user_write(struct ia64 *m, uint64_t to, const void *from, size_t size)
{
	const uint8_t *bytes = from;

	for (size_t here; size; size -= here, to += here, bytes += here) {
		uint8_t *page = memory_write(m, to);

		here = in_page(to, size);
		if (!page)
			return false;
		memcpy(page, bytes, here);
	}
	return true;
}

bool user_load(struct ia64 *m, uint64_t to, const void *from, size_t size)
{
	const uint8_t *bytes = from;

	for (size_t here; size; size -= here, to += here, bytes += here) {
		struct page *page = memory_page(m, to, 0);

		here = in_page(to, size);
		if (!page)
			return false;
		memcpy(page->data + (to & (PAGE_SIZE - 1)), bytes, here);
	}
	return true;
}

int user_string(struct ia64 *m, char *to, size_t size, uint64_t from)
{
	for (size_t i = 0; i < size; i++) {
		const uint8_t *byte = memory_read(m, from + i);

		if (!byte)
			return -EFAULT;
		to[i] = (char)*byte;
		if (!to[i])
			return 0;
	}
	return -ENAMETOOLONG;
}

bool user_add(struct ia64 *m, struct user_pieces *p, uint64_t address, uint64_t size, unsigned prot)
{
	int before = p->n;

	for (uint64_t here; size && p->n < USER_PIECES; size -= here, address += here) {
		uint8_t *page = prot == IA64_WRITE ? memory_write(m, address) : memory_read(m, address);

		here = in_page(address, size);
		if (!page)
			return p->n > before;
		p->v[p->n++] = (struct iovec){ page, here };
	}
	return true;
}
