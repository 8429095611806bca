// SPDX-License-Identifier: BSD-2-Clause
/* The stack that a program starts with: argc at sp + 16, argv, the environment, the auxiliary vector, and above them the strings. */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "load.h"
#include "user.h"

enum { BACKING_SIZE = 8 << 20, STRINGS_MOST = IA64_STACK / 4, AUXV = 17, LOWEST_FRAME = 0x140 };

#define STACK_TOP UINT64_C(0xa000000000000000)
#define BACKING_STORE UINT64_C(0x9fffffff7f600000)

struct stack {
	struct ia64 *m;
	uint64_t top, *word;
	size_t words;
	bool overflow;
};

static uint64_t push(struct stack *s, const void *bytes, size_t size)
{
	s->overflow = s->overflow || STACK_TOP - s->top + size > STRINGS_MOST;
	if (!s->overflow) {
		s->top -= size;
		user_load(s->m, s->top, bytes, size);
	}
	return s->top;
}

static size_t count(char *const strings[])
{
	size_t n = 0;

	while (strings && strings[n])
		n++;
	return n;
}

static void put_strings(struct stack *s, char *const strings[])
{
	for (size_t i = 0; strings && strings[i]; i++)
		s->word[s->words++] = push(s, strings[i], strlen(strings[i]) + 1);
	s->word[s->words++] = 0;
}

/* Linux 6.1, fs/binfmt_elf.c: create_elf_tables(). */
static void put_auxv(struct stack *s, const struct load_headers *h, uint64_t name)
{
	static const uint8_t seed[16] = "sixteen of them";
	const uint64_t random = push(s, seed, sizeof seed);
	const uint64_t auxv[AUXV][2] = {
		{ AT_PHDR, h->address }, { AT_PHENT, sizeof(Elf64_Phdr) }, { AT_PHNUM, h->number }, { AT_PAGESZ, PAGE_SIZE },
		{ AT_BASE, 0 }, { AT_FLAGS, 0 }, { AT_ENTRY, h->entry }, { AT_UID, getuid() }, { AT_EUID, geteuid() },
		{ AT_GID, getgid() }, { AT_EGID, getegid() }, { AT_HWCAP, 0 }, { AT_CLKTCK, 100 }, { AT_SECURE, 0 },
		{ AT_RANDOM, random }, { AT_EXECFN, name }, { AT_NULL, 0 },
	};

	memcpy(s->word + s->words, auxv, sizeof auxv);
	s->words += 2 * AUXV;
}

static void fill(struct stack *s, const struct ia64_config *config, const struct load_headers *headers)
{
	s->word[s->words++] = count(config->argv);
	put_strings(s, config->argv);
	put_strings(s, config->env);
	if (config->env)
		put_auxv(s, headers, s->word[1]);
	else
		s->words += 2;
}

/* Where nothing but the name is given sp is that of the traces which tests compare with. */
static void place(struct stack *s)
{
	uint64_t sp = (s->top - 8 * (s->words + 2) - 16) & ~15ull;

	if (sp > STACK_TOP - LOWEST_FRAME)
		sp = STACK_TOP - LOWEST_FRAME;
	user_load(s->m, sp + 16, s->word, 8 * s->words);
	s->m->gr[12].v = sp;
}

const char *load_stack(struct ia64 *m, const struct ia64_config *config, const struct load_headers *headers)
{
	size_t most = count(config->argv) + count(config->env) + 3 + 2 * AUXV;
	struct stack s = { .m = m, .top = STACK_TOP - 32, .word = calloc(most, 8) };

	if (!s.word || !memory_map(m, STACK_TOP - IA64_STACK, IA64_STACK, IA64_READ | IA64_WRITE) ||
	    !memory_map(m, BACKING_STORE, BACKING_SIZE, IA64_READ | IA64_WRITE)) {
		free(s.word);
		return "there is no memory";
	}
	fill(&s, config, headers);
	if (!s.overflow && most * 8 < STRINGS_MOST)
		place(&s);
	else
		s.overflow = true;
	free(s.word);
	m->bsp = m->bspstore = BACKING_STORE;
	if (m->exhausted)
		return "there is no memory";
	return s.overflow ? "its arguments and environment are longer than 2 MiB" : NULL;
}
