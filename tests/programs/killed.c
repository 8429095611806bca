/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that add to words of one shared line in turns until one of them is killed in the midst of that; the others go on.
 * usage: killed PROCESSES ROUNDS WHO.  WHO ends after half of the rounds: the number of a process, none if there is none such.  Number 1
 * ends by an illegal instruction, others kill themselves.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8 };

struct shared {
	_Alignas(64) atomic_long word[MOST];
	_Alignas(64) atomic_int gone;		/* a bit for each process that will not come again */
	_Alignas(64) atomic_long turn;
};

static struct shared *shared;
static int processes, killed;
static long rounds;

/* Whose turn is it: that of the first from `turn` on that is still there. */
static int next(void)
{
	long turn = atomic_load(&shared->turn);

	while (atomic_load(&shared->gone) >> turn % processes & 1)
		turn++;
	return (int)(turn % processes);
}

static void work(int me)
{
	for (long i = 0; i < rounds; i++) {
		while (next() != me)
			__builtin_ia32_pause();
		atomic_fetch_add(shared->word + me, 1);
		if (me == killed && i == rounds / 2) {
			atomic_fetch_or(&shared->gone, 1 << me);
			if (me == 1)
				__builtin_trap();
			kill(getpid(), SIGKILL);
		}
		atomic_store(&shared->turn, me + 1);
	}
	atomic_fetch_or(&shared->gone, 1 << me);
}

int main(int argc, char **argv)
{
	long sum = 0, want;
	int died = 0;

	processes = argc == 4 ? atoi(argv[1]) : 0;
	rounds = argc == 4 ? atol(argv[2]) : 0;
	killed = argc == 4 ? atoi(argv[3]) : 0;
	if (processes < 2 || processes > MOST || rounds < 2)
		return 2;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	for (int i = 1; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 2;
		if (!pid) {
			work(i);
			_exit(0);
		}
	}
	work(0);
	for (int i = 1, status; i < processes; i++) {
		if (wait(&status) < 0)
			return 2;
		died += WIFSIGNALED(status) && WTERMSIG(status) == (killed == 1 ? SIGILL : SIGKILL);
	}
	for (int i = 0; i < processes; i++)
		sum += atomic_load(shared->word + i);
	want = rounds * processes - (killed > 0 && killed < processes ? rounds - rounds / 2 - 1 : 0);
	return sum == want && died == (killed > 0 && killed < processes) ? 0 : 1;
}
