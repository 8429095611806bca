/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose threads share memory in ways that can be counted by hand: tests/feed/test_share.py says what each has to
 * cost.  usage: share WHAT THREADS ROUNDS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, BUFFER = 64 << 10, PAGE_LINES = 64, PAGES = MOST + 8, HOLD = 100000, SHORT = 100, APART = 1000 };

struct line {
	_Alignas(64) atomic_long word;
};

static struct line *shared;		/* visible to forked processes, too */
static struct line apart[16];		/* of threads other than the first one, which has never seen it */
static int threads;
static long rounds;
static struct {			/* each in lines of its own */
	_Alignas(128) pthread_mutex_t mutex;
	_Alignas(128) pthread_barrier_t barrier;
	_Alignas(128) char rest;
} waits;
static int ends[2][2];
static _Alignas(64) char buffer[BUFFER];

static void rest(void)
{
	__builtin_ia32_pause();
}

/* A line with nothing near it that a streamer could have seen; each is in other sets of the caches. */
static struct line *lonely(int i)
{
	return shared + PAGE_LINES * (i + 1) + 2 * (i % (PAGE_LINES / 2));
}

/* Two instructions or three a step, all in the thread's own stack. */
static void work(long steps)
{
	for (volatile long i = 0; i < steps; i++)
		;
}

/* A token goes round: each thread waits for it, and passes it on. */
static void token(int me)
{
	for (long i = 0; i < rounds; i++) {
		while (atomic_load(&shared[0].word) % threads != me)
			rest();
		atomic_fetch_add(&shared[0].word, 1);
	}
}

/* The first thread only waits for the others, all of which find the token in no cache at first. */
static void token_apart(int me)
{
	for (long i = 0; me && i < rounds; i++) {
		while (atomic_load(&apart[8].word) % (threads - 1) != me - 1)
			rest();
		atomic_fetch_add(&apart[8].word, 1);
	}
}

/* Everybody adds to a word: the same, one of his own in one line, or one in a line of his own. */
static void one_word(int me)
{
	(void)me;
	for (long i = 0; i < rounds; i++)
		atomic_fetch_add(&shared[0].word, 1);
}

static void one_line(int me)
{
	atomic_long *word = &shared[0].word + me % 8;

	for (long i = 0; i < rounds; i++)
		atomic_fetch_add(word, 1);
}

static void own_lines(int me)
{
	for (long i = 0; i < rounds; i++)
		atomic_fetch_add(&shared[2 * me].word, 1);
}

static void transfer(int fd, bool out)
{
	for (size_t done = 0; done < BUFFER; ) {
		ssize_t n = out ? write(fd, buffer + done, BUFFER - done) : read(fd, buffer + done, BUFFER - done);

		if (n <= 0)
			exit(3);
		done += (size_t)n;
	}
}

/* Two threads write a buffer in turns; a byte through a pipe says whose turn it is. */
static void baton(int me)
{
	char c = 0;

	for (long i = 0; i < rounds; i++) {
		if (me && read(ends[0][0], &c, 1) != 1)
			exit(3);
		for (int k = 0; k < BUFFER; k += 64)
			buffer[k]++;
		if (write(ends[!me ? 0 : 1][1], &c, 1) != 1)
			exit(3);
		if (!me && read(ends[1][0], &c, 1) != 1)
			exit(3);
	}
}

/* The buffer itself goes through pipes, there and back. */
static void pipes(int me)
{
	for (long i = 0; i < rounds; i++) {
		if (!me)
			transfer(ends[0][1], true);
		transfer(ends[me ? 0 : 1][0], false);
		if (me)
			transfer(ends[1][1], true);
	}
}

/* Who holds it works so long that the one before has come again and sleeps; it had left long enough for this one to wake. */
static void with_mutex(int me)
{
	(void)me;
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&waits.mutex);
		atomic_fetch_add(&lonely(0)->word, 1);
		work(HOLD);
		pthread_mutex_unlock(&waits.mutex);
		work(HOLD / 2);
	}
}

/* Served in the order of their tickets. */
static void tickets(atomic_long *next, atomic_long *serving, atomic_long *data)
{
	for (long i = 0; i < rounds; i++) {
		long mine = atomic_fetch_add(next, 1);

		while (atomic_load(serving) != mine)
			rest();
		atomic_fetch_add(data, 1);
		atomic_store(serving, mine + 1);
	}
}

static void ticket(int me)
{
	(void)me;
	tickets(&lonely(0)->word, &lonely(1)->word, &lonely(2)->word);
}

/* The same with one pair of lines behind the other. */
static void ticket_near(int me)
{
	(void)me;
	tickets(&shared[0].word, &shared[2].word, &shared[4].word);
}

/* Each thread waits at a line of its own, which the one before it writes. */
static void ring(int me)
{
	atomic_long *mine = &shared[4 + 2 * me].word, *next = &shared[4 + 2 * ((me + 1) % threads)].word;

	for (long i = 0; i < rounds; i++) {
		while (me && atomic_load(mine) != i + 1)
			rest();
		atomic_store(next, i + 1);
		while (!me && atomic_load(mine) != i + 1)
			rest();
	}
}

/* The first thread hands numbers to the second, in slots of a line each. */
static void queue(int me)
{
	enum { SLOTS = 16 };

	for (long i = 0; i < rounds; i++) {
		atomic_long *slot = &shared[8 + 2 * (i % SLOTS)].word;

		while ((atomic_load(slot) != 0) != me)
			rest();
		atomic_store_explicit(slot, me ? 0 : i + 1, memory_order_release);
	}
}

/* The token, and whoever has it writes a word of one other line, which nobody reads. */
static void token_and_line(int me)
{
	atomic_long *word = &shared[8].word + me % 8;

	for (long i = 0; i < rounds; i++) {
		while (atomic_load(&shared[0].word) % threads != me)
			rest();
		atomic_store_explicit(word, i, memory_order_relaxed);
		atomic_fetch_add(&shared[0].word, 1);
	}
}

/* Mellor-Crummey and Scott's lock: each waits at a line of its own. */
struct node {
	_Alignas(64) _Atomic(struct node *) next;
	atomic_int waits;
};

static void mcs(int me)
{
	_Atomic(struct node *) *last = (void *)lonely(0);
	struct node *mine = (void *)lonely(2 + me);

	for (long i = 0; i < rounds; i++) {
		struct node *before, *next, *self = mine;

		atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
		atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
		before = atomic_exchange(last, mine);
		if (before) {
			atomic_store_explicit(&before->next, mine, memory_order_release);
			while (atomic_load(&mine->waits))
				rest();
		}
		atomic_fetch_add(&lonely(1)->word, 1);
		work(SHORT);
		next = atomic_load(&mine->next);
		if (!next && atomic_compare_exchange_strong(last, &self, NULL))
			continue;
		while (!(next = atomic_load(&mine->next)))
			rest();
		atomic_store_explicit(&next->waits, 0, memory_order_release);
	}
}

/* They come one after the other, when all have left.  Who comes last does not sleep, and leaves and comes back first. */
static void barriers(int me)
{
	for (long i = 0; i < rounds; i++) {
		work(APART * (threads + 10 + 2 * ((me + i) % threads)));
		pthread_barrier_wait(&waits.barrier);
	}
}

/* One writes now and then, all others read. */
static void one_writer(int me)
{
	long seen = 0;

	for (long i = 0; i < rounds; i++) {
		if (!me) {
			atomic_store(&shared[0].word, i + 1);
			while (atomic_load(&shared[2].word) < (threads - 1) * (i + 1))
				rest();
		} else {
			while (atomic_load(&shared[0].word) == seen)
				rest();
			seen++;
			atomic_fetch_add(&shared[2].word, 1);
		}
	}
}

static const struct what {
	const char *name;
	void (*run)(int me);
	bool processes;
	bool touches;			/* the code of threads ahead of them */
} whats[] = {
	{ "token", token, false, false }, { "token-warm", token, false, true },
	{ "token-apart", token_apart, false, false }, { "word", one_word, false, false }, { "line", one_line, false, false },
	{ "lines", own_lines, false, false }, { "baton", baton, false, false }, { "pipes", pipes, false, false },
	{ "mutex", with_mutex, false, false }, { "ticket", ticket, false, false },
	{ "ticket-near", ticket_near, false, false }, { "barrier", barriers, false, false },
	{ "writer", one_writer, false, false }, { "fork-token", token, true, false }, { "fork-word", one_word, true, false },
	{ "fork-lines", own_lines, true, false },
	{ "ring", ring, false, false }, { "queue", queue, false, false },
	{ "token-line", token_and_line, false, false }, { "mcs", mcs, false, false },
	{ "fork-ring", ring, true, false },
};

static const struct what *what;

static void *begin(void *arg)
{
	what->run((int)(size_t)arg);
	return NULL;
}

static void *idle(void *arg)
{
	return arg;
}

/*
 * Code with which threads begin, end and are joined lies in the memory of the socket that uses it first.  Let that not depend on which
 * of the threads that share ends first, which may depend on the number of rounds.
 */
static void touch_code(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, idle, NULL) || pthread_join(thread, NULL))
		exit(3);
}

static void run_threads(void)
{
	pthread_t thread[MOST];

	if (what->touches)
		touch_code();
	for (int i = 1; i < threads; i++)
		if (pthread_create(thread + i, NULL, begin, (void *)(size_t)i))
			exit(3);
	what->run(0);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
}

static void run_processes(void)
{
	for (int i = 1; i < threads; i++) {
		pid_t pid = fork();

		if (pid < 0)
			exit(3);
		if (!pid) {
			what->run(i);
			_exit(0);
		}
	}
	what->run(0);
	for (int i = 1; i < threads; i++) {
		int status;

		if (wait(&status) < 0 || status)
			exit(3);
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < sizeof whats / sizeof *whats; i++) {
		if (!strcmp(argv[1], whats[i].name))
			what = whats + i;
	}
	threads = argc == 4 ? atoi(argv[2]) : 0;
	rounds = argc == 4 ? atol(argv[3]) : 0;
	if (!what || threads < 1 || threads > MOST || pipe(ends[0]) < 0 || pipe(ends[1]) < 0)
		return 2;
	shared = mmap(NULL, PAGES * PAGE_LINES * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	pthread_mutex_init(&waits.mutex, NULL);
	pthread_barrier_init(&waits.barrier, NULL, (unsigned)threads);
	if (what->processes)
		run_processes();
	else
		run_threads();
	printf("%ld %d\n", atomic_load(&shared[0].word), buffer[64]);
	return 0;
}
