/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program learns of itself.  usage: self [dispatch|far]: asks for user dispatch of system calls; runs an instruction that
 * nobody knows to put elsewhere.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DISPATCH = 59, TEXT = 65536 };

static char text[TEXT];

static size_t get(const char *name)
{
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(text, 1, TEXT - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	return n;
}

static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

static void *set_back(void *arg)
{
	uint64_t at = 0;

	prctl(PR_GET_TID_ADDRESS, &at, 0, 0, 0);
	syscall(SYS_set_tid_address, 0);
	syscall(SYS_set_tid_address, at);
	return arg;
}

static void tell_files(void)
{
	char own[64], *at;
	struct stat a, b;
	size_t n = get("/proc/self/cmdline");

	for (size_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	at = strrchr(text, '/');
	printf("cmdline %s\n", at ? at : text);
	get("/proc/self/comm");
	printf("comm %s", text);
	get("/proc/self/status");
	at = strstr(text, "Threads:");
	printf("%.10s, %d listed\n", at ? at : "", threads());
	snprintf(own, sizeof own, "/proc/%d/stat", (int)getpid());
	get(own);
	at = strrchr(text, ')');
	for (int i = 0; at && i < 18; i++)
		at = strchr(at + 1, ' ');
	printf("threads %.2s\n", at ? at : "");
	get("/proc/self/maps");
	printf("maps: emulator %d, self %d, stack %d\n", strstr(text, "boxscore") != NULL, strstr(text, "self") != NULL,
	       strstr(text, "[stack]") != NULL);
	printf("exe %d\n", stat("/proc/self/exe", &a) == 0 && stat((char *)getauxval(AT_EXECFN), &b) == 0 && a.st_ino == b.st_ino);
	n = get("/proc/self/auxv");
	printf("auxv %d\n", n > 16 && memmem(text, n, &(uint64_t[]){ AT_ENTRY, getauxval(AT_ENTRY) }, 16) != NULL);
}

int main(int argc, char **argv)
{
	static volatile char selector;
	pthread_t thread;
	int status;

	if (argc > 1 && !strcmp(argv[1], "dispatch"))
		return prctl(DISPATCH, 1, 0, 0, &selector) < 0 ? errno : 0;
	if (argc > 1 && !strcmp(argv[1], "far"))
		__asm__ volatile("movabs %%fs:0x1122334455667788, %%rax" : : : "rax");
	tell_files();
	if (!fork()) {
		printf("%s\n", unshare(CLONE_NEWUSER) ? strerror(errno) : "alone");
		tell_files();
		return 0;
	}
	wait(&status);
	pthread_create(&thread, NULL, set_back, NULL);
	pthread_join(thread, NULL);
	puts("joined");
	return status;
}
