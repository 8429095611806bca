/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory by its address: where an emulator may lie, the program has nothing; and what calls do that name memory which is there in
 * part.  A line for each answer.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void say(const char *what, long got)
{
	printf("%s: %s\n", what, got < 0 ? strerror(errno) : "done");
}

static char *map(unsigned pages)
{
	return mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Four pages, the third of which is not there, and twelve that are free. */
static char *with_hole(void)
{
	char *p = map(16);

	munmap(p + 2 * PAGE, PAGE);
	munmap(p + 4 * PAGE, 12 * PAGE);
	return p;
}

static void elsewhere(uintptr_t at, size_t bytes)
{
	void *p = (void *)at;

	say("unmap", munmap(p, bytes));
	say("protect", mprotect(p, bytes, PROT_NONE));
	say("discard", madvise(p, bytes, MADV_DONTNEED));
	say("move", mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
	say("detach", shmdt(p));
}

static void in_part(void)
{
	char *p = with_hole(), *q;
	int segment = shmget(IPC_PRIVATE, 3 * PAGE, IPC_CREAT | 0600);

	p[0] = 1;
	say("protect in part", mprotect(p, 4 * PAGE, PROT_READ));
	say("discard in part", madvise(p, 4 * PAGE, MADV_DONTNEED));
	say("move in part", mremap(p, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
	say("unmap in part", munmap(p, 4 * PAGE));
	say("unmap nothing", munmap(p, 4 * PAGE));
	say("unmap 0 bytes", munmap(p, 0));
	say("unmap amiss", munmap(p + 1, PAGE));
	say("unmap all there is", munmap(p, (size_t)-PAGE));
	q = mmap(p, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	say("map there", q == p ? 0 : -1);
	q = mmap(p + PAGE, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	say("map over", q == p + PAGE ? 0 : -1);
	say("move over", mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + 4 * PAGE) == p + 4 * PAGE ? 0 : -1);
	q = shmat(segment, NULL, 0);
	say("attach", q == (void *)-1 ? -1 : 0);
	q[2 * PAGE] = 5;
	say("protect attached", mprotect(q, 3 * PAGE, PROT_READ));
	say("detach", shmdt(q));
	say("protect detached", mprotect(q, 3 * PAGE, PROT_READ));
	shmctl(segment, IPC_RMID, NULL);
}

int main(void)
{
	static const struct { uintptr_t at; size_t bytes; } places[] = {
		{ 0x60000000, 1 << 28 }, { 0x40000000, 1 << 28 }, { 0x61000000, PAGE }, { 0x70000000, PAGE }, { 0x7e000000, PAGE },
	};

	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		elsewhere(places[i].at, places[i].bytes);
	in_part();
	return 0;
}
