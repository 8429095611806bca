/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers in physical memory, for clients that map /dev/mem.  A page of a file would be filled once and never again;
 * so what is mapped may not be touched, and each access, which has to be a move, is done by hand on the file: it is
 * one access of that size.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual/physical.h"
#include "virtual/preload/move.h"
#include "virtual/preload/preload.h"

enum { WINDOWS = 256, PAGE = 4096, LONGEST = 15 };

/* A mapping of the client; valid while size is not 0. */
static struct window {
	_Atomic size_t size;
	uintptr_t start;
	off_t offset;
	int fd;				/* ours: the client closes its own */
} windows[WINDOWS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool any;			/* has there been one?  Most clients have none, and nothing of theirs is held up */

static void *kernels_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, address, size, (long)protection, (long)flags, (long)fd, offset);
}

static bool is_memory(int fd)
{
	struct stat memory, st;

	return fstat(fd, &st) == 0 && stat("/dev/mem", &memory) == 0 && st.st_dev == memory.st_dev &&
	       st.st_ino == memory.st_ino;
}

/* What the kernel would say of such a mapping: 0 or an error number. */
static int refusal(size_t size, int protection, int fd, off_t offset)
{
	int access = fcntl(fd, F_GETFL) & O_ACCMODE;

	if (offset % PAGE || size == 0)
		return EINVAL;
	if (access == O_WRONLY || ((protection & PROT_WRITE) && access == O_RDONLY))
		return EACCES;
	return physical_is_config((uint64_t)offset, size) || physical_is_low((uint64_t)offset, size) ? 0 : EPERM;
}

static size_t whole_pages(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static bool read_all(int fd, char *to, size_t size, off_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(fd, to + done, size - done, offset + (off_t)done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* What never changes: pages of the client's own. */
static void *map_copy(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	size_t whole = whole_pages(size);
	void *start = kernels_mmap(address, whole, PROT_READ | PROT_WRITE, (flags & MAP_FIXED) | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED)
		return start;
	if (!read_all(fd, start, whole, offset) || mprotect(start, whole, protection) < 0) {
		syscall(SYS_munmap, start, whole);
		errno = EIO;
		return MAP_FAILED;
	}
	return start;
}

/* Take a free entry for it; errno says why not. */
static void *map(void *address, size_t size, int flags, int fd, off_t offset)
{
	struct window *w = windows;
	void *start = MAP_FAILED;

	pthread_mutex_lock(&lock);
	while (w < windows + WINDOWS && w->size)
		w++;
	errno = ENOMEM;
	if (w < windows + WINDOWS && (w->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) >= 0) {
		start = kernels_mmap(address, size, PROT_NONE,
				     (flags & MAP_FIXED) | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (start == MAP_FAILED) {
			close(w->fd);
		} else {
			w->start = (uintptr_t)start;
			w->offset = offset;
			w->size = whole_pages(size);
			any = true;
		}
	}
	pthread_mutex_unlock(&lock);
	return start;
}

PRELOAD_EXPORT void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	int err;

	if (!preload_page() || (flags & MAP_ANONYMOUS) || !is_memory(fd))
		return kernels_mmap(address, size, protection, flags, fd, offset);
	err = refusal(size, protection, fd, offset);
	if (!err && physical_is_low((uint64_t)offset, size))
		return map_copy(address, size, protection, flags, fd, offset);
	if (err)
		errno = err;
	return err || !preload_trap(SIGSEGV) ? MAP_FAILED : map(address, size, flags, fd, offset);
}

/* The same under the name without a number, which the C library's header may have given to the one above. */
PRELOAD_EXPORT __typeof__(mmap64) preload_mmap __asm__("mmap") __attribute__((nothrow, leaf, alias("mmap64")));

static void forget(uintptr_t start, size_t size)
{
	pthread_mutex_lock(&lock);
	for (struct window *w = windows; w < windows + WINDOWS; w++) {
		if (!w->size || w->start < start || w->start + w->size > start + size + PAGE - 1)
			continue;
		w->size = 0;
		close(w->fd);
	}
	pthread_mutex_unlock(&lock);
}

/* A mapping is given back as a whole; of a part that is, the rest stays. */
PRELOAD_EXPORT int munmap(void *address, size_t size)
{
	if (any)
		forget((uintptr_t)address, size);
	return (int)syscall(SYS_munmap, address, size);
}

static const struct window *window_of(uintptr_t address)
{
	for (const struct window *w = windows; w < windows + WINDOWS; w++)
		if (address - w->start < w->size)
			return w;
	return NULL;
}

static greg_t *register_of(greg_t *regs, unsigned reg)
{
	static const int place[] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return &regs[place[reg]];
}

/* The instruction at rip: of the next page nothing is looked at unless it goes on there. */
static bool decode(uintptr_t rip, struct move *m)
{
	size_t here = PAGE - rip % PAGE;

	return move_decode((const uint8_t *)rip, here < LONGEST ? here : LONGEST, m) ||
	       (here < LONGEST && move_decode((const uint8_t *)rip, LONGEST, m));
}

bool preload_memory(uintptr_t address, greg_t *regs)
{
	const struct window *w = window_of(address);
	struct move m;
	uint64_t value = 0;
	greg_t *reg;
	off_t at;

	if (!w || !decode((uintptr_t)regs[REG_RIP], &m))
		return false;
	reg = register_of(regs, m.reg);
	at = w->offset + (off_t)(address - w->start);
	if (m.store) {
		value = move_store(&m, (uint64_t)*reg);
		if (pwrite(w->fd, &value, m.size, at) != m.size)
			return false;
	} else {
		if (pread(w->fd, &value, m.size, at) != m.size)
			return false;
		*reg = (greg_t)move_load(&m, (uint64_t)*reg, value);
	}
	regs[REG_RIP] += m.length;
	return true;
}
