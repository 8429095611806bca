/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's verbs for registers: by address in each space, and by name. */
#include <string.h>

#include "shell.h"

enum shell_result shell_rdmsr(struct shell *s, char **word, int words)
{
	uint64_t cpu, msr, value = 0;

	(void)words;
	if (!shell_number(s, "CPU", word[1], UINT32_MAX, &cpu) ||
	    !shell_number(s, "ADDR", word[2], UINT32_MAX, &msr))
		return SHELL_BAD;
	return shell_outcome(s, bxs_rdmsr(s->m, (unsigned)cpu, (uint32_t)msr, &value), &value);
}

enum shell_result shell_wrmsr(struct shell *s, char **word, int words)
{
	uint64_t cpu, msr, value;

	(void)words;
	if (!shell_number(s, "CPU", word[1], UINT32_MAX, &cpu) ||
	    !shell_number(s, "ADDR", word[2], UINT32_MAX, &msr) ||
	    !shell_number(s, "VALUE", word[3], UINT64_MAX, &value))
		return SHELL_BAD;
	return shell_outcome(s, bxs_wrmsr(s->m, (unsigned)cpu, (uint32_t)msr, value), NULL);
}

struct pci {
	uint64_t socket, dev, fn, offset, width;
};

/* SOCKET D:F OFF, and the width at word[width] if the line has it. */
static bool pci_words(struct shell *s, char **word, int words, int width, struct pci *p)
{
	p->width = 32;
	return shell_number(s, "SOCKET", word[1], UINT32_MAX, &p->socket) &&
	       shell_function(s, word[2], &p->dev, &p->fn) &&
	       shell_number(s, "OFF", word[3], UINT32_MAX, &p->offset) &&
	       (words <= width || shell_number(s, "WIDTH", word[width], 64, &p->width));
}

enum shell_result shell_rdpci(struct shell *s, char **word, int words)
{
	struct pci p;
	uint64_t value = 0;
	int err;

	if (!pci_words(s, word, words, 4, &p))
		return SHELL_BAD;
	err = bxs_rdpci(s->m, (unsigned)p.socket, (unsigned)p.dev, (unsigned)p.fn,
			(uint32_t)p.offset, (unsigned)p.width, &value);
	return shell_outcome(s, err, &value);
}

enum shell_result shell_wrpci(struct shell *s, char **word, int words)
{
	struct pci p;
	uint64_t value;
	int err;

	if (!pci_words(s, word, words, 5, &p) || !shell_number(s, "VALUE", word[4], UINT64_MAX, &value))
		return SHELL_BAD;
	err = bxs_wrpci(s->m, (unsigned)p.socket, (unsigned)p.dev, (unsigned)p.fn,
			(uint32_t)p.offset, (unsigned)p.width, value);
	return shell_outcome(s, err, NULL);
}

static enum bxs_space space_of(const char *verb)
{
	return strcmp(verb + 2, "csr") == 0 ? BXS_CSR : strcmp(verb + 2, "pmc") == 0 ? BXS_PMC : BXS_PMD;
}

/* SOCKET OFF, or THREAD N. */
static bool place(struct shell *s, char **word, uint64_t *where, uint64_t *n)
{
	bool csr = space_of(word[0]) == BXS_CSR;

	return shell_number(s, csr ? "SOCKET" : "THREAD", word[1], UINT32_MAX, where) &&
	       shell_number(s, csr ? "OFF" : "N", word[2], UINT32_MAX, n);
}

/* rdcsr, rdpmc, rdpmd */
enum shell_result shell_rdreg(struct shell *s, char **word, int words)
{
	uint64_t where, n, value = 0;

	(void)words;
	if (!place(s, word, &where, &n))
		return SHELL_BAD;
	return shell_outcome(s, bxs_rdreg(s->m, space_of(word[0]), (unsigned)where, (uint32_t)n, &value),
			     &value);
}

/* wrcsr, wrpmc, wrpmd */
enum shell_result shell_wrreg(struct shell *s, char **word, int words)
{
	uint64_t where, n, value;

	(void)words;
	if (!place(s, word, &where, &n) || !shell_number(s, "VALUE", word[3], UINT64_MAX, &value))
		return SHELL_BAD;
	return shell_outcome(s, bxs_wrreg(s->m, space_of(word[0]), (unsigned)where, (uint32_t)n, value),
			     NULL);
}

enum shell_result shell_read(struct shell *s, char **word, int words)
{
	uint64_t value = 0;

	(void)words;
	return shell_outcome(s, bxs_read(s->m, word[1], word[2], &value), &value);
}

enum shell_result shell_write(struct shell *s, char **word, int words)
{
	uint64_t value;

	(void)words;
	if (!shell_number(s, "VALUE", word[3], UINT64_MAX, &value))
		return SHELL_BAD;
	return shell_outcome(s, bxs_write(s->m, word[1], word[2], value), NULL);
}
