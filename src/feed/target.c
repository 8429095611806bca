/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding out what a program is before an emulator is started on it. */
#include "feed/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"

struct machine_name {
	unsigned number;
	const char *name;
};

static const struct machine_name machine_names[] = {
	{ EM_386, "32-bit x86" }, { EM_AARCH64, "64-bit Arm" }, { EM_ARM, "32-bit Arm" },
	{ EM_RISCV, "RISC-V" }, { EM_PPC64, "64-bit POWER" }, { EM_S390, "s390" },
	{ EM_IA_64, "Itanium" }, { EM_MIPS, "MIPS" },
};

static const char *machine_name(unsigned number)
{
	for (size_t i = 0; i < LEN(machine_names); i++) {
		if (machine_names[i].number == number)
			return machine_names[i].name;
	}
	return "another architecture";
}

/* Are its program headers in the file, and the name of its dynamic linker?  The kernel starts no program without. */
static bool is_whole(const char *path, const Elf64_Ehdr *elf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool whole = fd >= 0 && fstat(fd, &st) == 0;

	for (unsigned i = 0; whole && i < elf->e_phnum; i++) {
		Elf64_Phdr part;
		ssize_t n = pread(fd, &part, sizeof part, (off_t)(elf->e_phoff + i * sizeof part));

		whole = n == (ssize_t)sizeof part &&
			(part.p_type != PT_INTERP || (part.p_offset <= (uint64_t)st.st_size &&
						      part.p_filesz <= (uint64_t)st.st_size - part.p_offset));
	}
	if (fd >= 0)
		close(fd);
	return whole;
}

static int check_elf(struct target *t, unsigned also, const unsigned char *head, ssize_t n, char *why, size_t size)
{
	const char *path = t->path;
	Elf64_Ehdr elf;
	unsigned machine = head[EI_DATA] == ELFDATA2MSB ? head[18] << 8 | head[19]
							: head[19] << 8 | head[18];

	if (n < 20 || (machine != EM_X86_64 && machine != also) || head[EI_CLASS] != ELFCLASS64) {
		snprintf(why, size, "%s is a program for %s, not for x86-64", path,
			 n < 20 ? "no known machine" :
			 machine == EM_X86_64 ? "x32" : machine_name(machine));
		return BXS_ENOTSUP;
	}
	memcpy(&elf, head, sizeof elf);
	if (n < (ssize_t)sizeof elf || (elf.e_type != ET_EXEC && elf.e_type != ET_DYN)) {
		snprintf(why, size, "%s is an ELF file, but not a program", path);
		return BXS_ENOTSUP;
	}
	if (!is_whole(path, &elf)) {
		snprintf(why, size, "%s is cut off: its headers tell of more than the file has", path);
		return BXS_EIO;
	}
	t->machine = machine;
	return 0;
}

/* Read the head of the file; its length or a negative error. */
static ssize_t read_head(const char *path, unsigned char *head, size_t room, char *why, size_t size)
{
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st) < 0) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return errno == ENOENT || errno == ENOTDIR ? BXS_ENOENT : BXS_EIO;
	}
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0) {
		snprintf(why, size, "%s: %s", path,
			 S_ISDIR(st.st_mode) ? "is a directory" : "is not executable");
		return BXS_EIO;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return BXS_EIO;
	}
	n = read(fd, head, room);
	close(fd);
	if (n < 0) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return BXS_EIO;
	}
	return n;
}

static void prepend(struct target *t, const char *text)
{
	memmove(t->extra + 1, t->extra, t->extras * sizeof t->extra[0]);
	snprintf(t->extra[0], sizeof t->extra[0], "%s", text);
	t->extras++;
}

/* "#! interpreter [one argument]": the rest of the line is one argument, as in Linux. */
static int follow_script(struct target *t, char *line, char *why, size_t size)
{
	char script[TARGET_PATH], *arg;
	size_t len;

	line += strspn(line, " \t");
	line[strcspn(line, "\n")] = 0;
	for (len = strlen(line); len && strchr(" \t\r", line[len - 1]); len--)
		line[len - 1] = 0;
	arg = line + strcspn(line, " \t");
	if (*arg)
		*arg++ = 0;
	arg += strspn(arg, " \t");
	if (!*line || t->extras + 2 > LEN(t->extra)) {
		snprintf(why, size, "%s: its interpreter cannot be found", t->path);
		return BXS_ENOTSUP;
	}
	memcpy(script, t->path, sizeof script);
	prepend(t, script);
	if (*arg)
		prepend(t, arg);
	snprintf(t->path, sizeof t->path, "%s", line);
	return 0;
}

/* What is wrong with an interpreter is said of the script that names it. */
static void blame_script(const struct target *t, char *why, size_t size)
{
	const char *script = t->extra[t->extras - 1];
	char reason[TARGET_PATH];

	snprintf(reason, sizeof reason, "%s", why);
	snprintf(why, size, "%s: its interpreter %s", script, reason);
}

static int inspect(const char *path, unsigned also, struct target *out, char *why, size_t size)
{
	union {
		unsigned char bytes[257];
		char text[257];
	} head;

	out->extras = 0;
	if ((size_t)snprintf(out->path, sizeof out->path, "%s", path) >= sizeof out->path) {
		snprintf(why, size, "the program's name is too long");
		return BXS_EINVAL;
	}
	for (unsigned depth = 0; depth <= TARGET_SCRIPTS; depth++) {
		ssize_t n = read_head(out->path, head.bytes, sizeof head.bytes - 1, why, size);
		int err;

		if (n < 0 && depth)
			blame_script(out, why, size);
		if (n < 0)
			return (int)n;
		head.bytes[n] = 0;
		if (n >= 4 && !memcmp(head.bytes, ELFMAG, SELFMAG))
			return check_elf(out, also, head.bytes, n, why, size);
		if (n < 2 || memcmp(head.bytes, "#!", 2) != 0) {
			snprintf(why, size, "%s is neither a program nor a script", out->path);
			return BXS_ENOTSUP;
		}
		err = follow_script(out, head.text + 2, why, size);
		if (err < 0)
			return err;
	}
	snprintf(why, size, "%s: too many interpreters of interpreters", path);
	return BXS_ENOTSUP;
}

int target_inspect(const char *path, struct target *out, char *why, size_t size)
{
	return inspect(path, EM_X86_64, out, why, size);
}

int target_find_for(const char *name, unsigned also, struct target *out, char *why, size_t size)
{
	const char *dirs = getenv("PATH");
	char path[TARGET_PATH];

	if (strchr(name, '/'))
		return inspect(name, also, out, why, size);
	for (dirs = dirs ? dirs : "/usr/bin:/bin"; *name; dirs++) {
		size_t len = strcspn(dirs, ":");
		struct stat st;

		snprintf(path, sizeof path, "%.*s%s%s", (int)len, dirs, len ? "/" : "./", name);
		if (!access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode))
			return inspect(path, also, out, why, size);
		dirs += len;
		if (!*dirs)
			break;
	}
	snprintf(why, size, "%s: no such program in PATH%s", name,
		 !access(name, F_OK) ? "; there is one here: ./ before its name" : "");
	return BXS_ENOENT;
}

int target_find(const char *name, struct target *out, char *why, size_t size)
{
	return target_find_for(name, EM_X86_64, out, why, size);
}

/* QEMU splits a plugin's arguments at commas, so there the features of a processor are separated by colons. */
static void copy_processor(char *to, const char *from, char divide)
{
	for (; *from; from++)
		*to++ = *from == ',' || *from == ':' ? divide : *from;
	*to = '\0';
}

char **target_command(const struct target *t, char *const argv[], const struct target_emulator *e)
{
	const char *fixed[] = { "-cpu", NULL, "-seed", "1", "-plugin" };
	size_t text = strlen(e->plugin) + strlen(e->segment) + strlen(e->processor) +
		      sizeof ",segment=,processor=,handed=" + 12;
	size_t args = 0, options = 0, n = 0;
	char **command, *plugin, *cpu;
	int written;

	while (argv[args])
		args++;
	while (e->option && e->option[options])
		options++;
	command = malloc((LEN(fixed) + options + args + t->extras + 8) * sizeof *command + text + strlen(e->processor) + 1);
	if (!command)
		return NULL;
	plugin = (char *)(command + LEN(fixed) + options + args + t->extras + 8);
	cpu = plugin + text;
	copy_processor(cpu, e->processor, ',');
	fixed[1] = cpu;
	written = snprintf(plugin, text, "%s,segment=%s,processor=", e->plugin, e->segment);
	copy_processor(plugin + written, e->processor, ':');
	written += (int)strlen(e->processor);
	if (e->handed)
		snprintf(plugin + written, text - (size_t)written, ",handed=%d", e->handed);
	command[n++] = (char *)(uintptr_t)e->qemu;
	for (size_t i = 0; i < options; i++)
		command[n++] = (char *)(uintptr_t)e->option[i];
	for (size_t i = 0; i < LEN(fixed); i++)
		command[n++] = (char *)(uintptr_t)fixed[i];
	command[n++] = plugin;
	/* A script's interpreter is called by its own name, as the kernel does. */
	if (!t->extras && args) {
		command[n++] = (char *)(uintptr_t)"-0";
		command[n++] = argv[0];
	}
	command[n++] = (char *)(uintptr_t)t->path;
	for (unsigned i = 0; i < t->extras; i++)
		command[n++] = (char *)(uintptr_t)t->extra[i];
	for (size_t i = 1; i < args; i++)
		command[n++] = argv[i];
	command[n] = NULL;
	return command;
}
