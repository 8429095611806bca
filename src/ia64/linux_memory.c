// SPDX-License-Identifier: BSD-2-Clause
/* The address space of a program: brk and mappings, of nothing or of a file's content; pages are 16 KiB. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux.h"
#include "user.h"

static uint64_t up(uint64_t address)
{
	return (address + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

static unsigned prot_of(uint64_t prot)
{
	return (prot & PROT_READ ? IA64_READ : 0) | (prot & PROT_WRITE ? IA64_WRITE | IA64_READ : 0) |
	       (prot & PROT_EXEC ? IA64_EXEC | IA64_READ : 0);
}

/* Addresses of regions 0 to 4 have 61 bits below the region's number, of which Linux gives programs 2^50. */
static bool fits(uint64_t start, uint64_t size)
{
	return size && size <= UINT64_C(1) << 40 && (start & ((UINT64_C(1) << 61) - 1)) + size <= UINT64_C(1) << 60;
}

int64_t linux_brk(struct ia64 *m, const uint64_t *a)
{
	uint64_t to = a[0];

	if (to < m->brk_start)
		return (int64_t)m->brk;
	if (to < m->brk)
		memory_unmap(m, up(to), up(m->brk) - up(to));
	else if (up(to) > up(m->brk) && !memory_map(m, up(m->brk), up(to) - up(m->brk), IA64_READ | IA64_WRITE))
		return (int64_t)m->brk;
	m->brk = to;
	return (int64_t)to;
}

static int64_t fill(struct ia64 *m, uint64_t start, uint64_t size, int fd, uint64_t offset)
{
	for (uint64_t done = 0; done < size; done += PAGE_SIZE) {
		struct page *page = memory_page(m, start + done, 0);

		if (!page)
			return -ENOMEM;
		if (pread(fd, page->data, PAGE_SIZE, (off_t)(offset + done)) < 0)
			return -errno;
	}
	return 0;
}

static int64_t place(struct ia64 *m, uint64_t hint, uint64_t size, uint64_t flags)
{
	struct linux_state *l = &m->linux_state;

	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (hint & (PAGE_SIZE - 1) || !fits(hint, size))
			return -EINVAL;
		return (int64_t)hint;
	}
	l->mmap_next += size + PAGE_SIZE;
	return (int64_t)(l->mmap_next - size - PAGE_SIZE);
}

int64_t linux_mmap(struct ia64 *m, const uint64_t *a)
{
	uint64_t size = up(a[1]), prot = a[2], flags = a[3];
	int fd = flags & MAP_ANONYMOUS ? -1 : linux_file(m, a[4]);
	int64_t at, err;

	if (!fits(0, size) || a[5] & (PAGE_SIZE - 1))
		return a[1] && size > a[1] ? -ENOMEM : -EINVAL;
	if (!(flags & MAP_ANONYMOUS) && fd < 0)
		return -EBADF;
	/* A file that others see change needs its pages, which are not in 16 KiB here. */
	if (!(flags & MAP_ANONYMOUS) && (flags & MAP_TYPE) != MAP_PRIVATE && prot & PROT_WRITE)
		return -ENODEV;
	at = place(m, a[0], size, flags);
	if (at < 0 && at >= -4095)
		return at;
	if (!memory_unmap(m, (uint64_t)at, size) || !memory_map(m, (uint64_t)at, size, prot_of(prot)))
		return -ENOMEM;
	err = fd < 0 ? 0 : fill(m, (uint64_t)at, size, fd, a[5]);
	if (err < 0)
		memory_unmap(m, (uint64_t)at, size);
	return err < 0 ? err : at;
}

/* What a C library maps with: the offset in pages. */
int64_t linux_mmap2(struct ia64 *m, const uint64_t *a)
{
	if (a[5] >> (64 - PAGE_BITS))
		return -EOVERFLOW;
	return linux_mmap(m, (const uint64_t[]){ a[0], a[1], a[2], a[3], a[4], a[5] << PAGE_BITS });
}

int64_t linux_munmap(struct ia64 *m, const uint64_t *a)
{
	if (a[0] & (PAGE_SIZE - 1) || !fits(a[0], up(a[1])))
		return -EINVAL;
	return memory_unmap(m, a[0], up(a[1])) ? 0 : -ENOMEM;
}

int64_t linux_mprotect(struct ia64 *m, const uint64_t *a)
{
	if (a[0] & (PAGE_SIZE - 1))
		return -EINVAL;
	if (!a[1])
		return 0;
	if (!fits(a[0], up(a[1])) || !memory_protect(m, a[0], up(a[1]), prot_of(a[2])))
		return -ENOMEM;
	return 0;
}

/* Where it was if it shrinks, else anew. */
int64_t linux_mremap(struct ia64 *m, const uint64_t *a)
{
	uint64_t old = up(a[1]), size = up(a[2]);
	const struct page *first = memory_page(m, a[0], 0);
	int64_t to;

	if (a[0] & (PAGE_SIZE - 1) || !fits(a[0], size) || !old || a[3] & ~(uint64_t)MREMAP_MAYMOVE)
		return -EINVAL;
	if (!first)
		return -EFAULT;
	if (size <= old) {
		memory_unmap(m, a[0] + size, old - size);
		return (int64_t)a[0];
	}
	if (!(a[3] & MREMAP_MAYMOVE))
		return -ENOMEM;
	to = place(m, 0, size, 0);
	if (!memory_map(m, (uint64_t)to, size, first->prot))
		return -ENOMEM;
	for (uint64_t done = 0; done < old; done += PAGE_SIZE) {
		const struct page *from = memory_page(m, a[0] + done, 0);
		struct page *into = from ? memory_page(m, (uint64_t)to + done, 0) : NULL;

		if (!into)
			return m->exhausted ? -ENOMEM : -EFAULT;
		memcpy(into->data, from->data, PAGE_SIZE);
	}
	memory_unmap(m, a[0], old);
	return to;
}

/* What is not needed of a mapping of nothing is nothing when it is next looked at. */
int64_t linux_madvise(struct ia64 *m, const uint64_t *a)
{
	if (a[0] & (PAGE_SIZE - 1))
		return -EINVAL;
	if (a[2] == MADV_DONTNEED && fits(a[0], up(a[1])))
		memory_clear(m, a[0], up(a[1]));
	return 0;
}

int64_t linux_msync(struct ia64 *m, const uint64_t *a)
{
	return memory_page(m, a[0], 0) ? 0 : -ENOMEM;
}
