/* SPDX-License-Identifier: BSD-2-Clause */
/* Telling static programs, and starting them under the emulator. */
#include "virtual/static_client.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "feed/target.h"

/* Of the SDM's Haswell-EP what the emulator has. */
#define CPU_MODEL "Haswell-noTSX,model=63,stepping=2,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid"

/* 1: this program header names a dynamic linker; 0: another; -1: it cannot be read. */
static int names_linker(FILE *f, const Elf64_Ehdr *elf, unsigned i)
{
	Elf64_Phdr header;

	if (fseek(f, (long)(elf->e_phoff + (Elf64_Off)i * elf->e_phentsize), SEEK_SET) < 0 ||
	    fread(&header, sizeof header, 1, f) != 1)
		return -1;
	return header.p_type == PT_INTERP;
}

/* Is `path` a program for x86-64 without a dynamic linker? */
static bool is_static(const char *path)
{
	FILE *f = fopen(path, "re");
	Elf64_Ehdr elf;
	bool found = f && fread(&elf, sizeof elf, 1, f) == 1 && memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 &&
		     elf.e_ident[EI_CLASS] == ELFCLASS64 && elf.e_machine == EM_X86_64;

	for (unsigned i = 0; found && i < elf.e_phnum; i++)
		found = names_linker(f, &elf, i) == 0;
	if (f)
		fclose(f);
	return found;
}

char **static_client_command(char **argv, const char *qemu)
{
	static const char *const emulator[] = { "qemu-x86_64", "-cpu", CPU_MODEL, "-0" };
	struct target target;
	char why[400], **command, *path;
	size_t args = 0, n = 0;

	if (target_find(argv[0], &target, why, sizeof why) < 0 || target.extras || !is_static(target.path))
		return argv;
	while (argv[args])
		args++;
	command = malloc((args + LEN(emulator) + 2) * sizeof *command + sizeof target.path);
	if (!command)
		return NULL;
	path = (char *)(command + args + LEN(emulator) + 2);
	strcpy(path, target.path);
	for (; n < LEN(emulator); n++)
		command[n] = (char *)(uintptr_t)(n == 0 && qemu ? qemu : emulator[n]);
	command[n++] = argv[0];
	command[n++] = path;
	for (size_t i = 1; i <= args; i++)
		command[n++] = argv[i];
	return command;
}
