/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that programs seldom have: segments with a base, far control, interrupts, those of the kernel, calls into the
 * kernel's page of old.  A line for each: what came of it, or which signal.
 */
#include <asm/prctl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static uint64_t words[4] = { 11, 22, 33, 44 }, other[4] = { 55, 66, 77, 88 };

static void on_signal(int sig)
{
	siglongjmp(back, sig);
}

static uint64_t seven(void)
{
	return 7;
}

static uint64_t (*const by_pointer[2])(void) = { seven, seven };

static void use(void *base)
{
	syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}

static uint64_t read_gs(void)
{
	uint64_t got, index = 2;

	use(words);
	__asm__ volatile("mov %%gs:8, %0; add %%gs:(,%1,8), %0; addq $1, %%gs:(%1,%1)" : "=&r"(got) : "r"(index) : "memory");
	return got;
}

static uint64_t write_gs(void)
{
	use(words);
	__asm__ volatile("movq $99, %%gs:24; movdqu %%gs:(%0), %%xmm0; movdqu %%xmm0, %%gs:16" : : "r"(0L) : "memory", "xmm0");
	return words[3] + words[2];
}

static uint64_t base_gs(void)
{
	uint64_t got, base;

	__asm__ volatile("wrgsbase %2; rdgsbase %1; mov %%gs:16, %0" : "=&r"(got), "=&r"(base) : "r"(other));
	return got + (base == (uintptr_t)other);
}

static uint64_t base_fs(void)
{
	uint64_t got, base = 0;

	__asm__ volatile("rdfsbase %0" : "=r"(got));
	syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
	return got == base && base != 0;
}

static uint64_t get_gs(void)
{
	uint64_t base = 0;

	use(other);
	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	return base == (uintptr_t)other;
}

static uint64_t null_gs(void)
{
	uint64_t got;

	use(words);
	__asm__ volatile("mov %k1, %%gs; mov %%gs:(%2), %0" : "=r"(got) : "r"(0), "r"(words + 1));
	return got;
}

static uint64_t data_gs(void)
{
	uint64_t selector = 0x1111111111111111, pushed;

	__asm__ volatile("mov %k2, %%gs; mov %%gs, %w0; push %%gs; pop %1" : "+r"(selector), "=r"(pushed) : "r"(0x2b));
	__asm__ volatile("push %0; pop %%gs" : : "r"(3L));
	return selector + pushed;
}

static uint64_t wrong_gs(void)
{
	__asm__ volatile("mov %k0, %%gs" : : "r"(0x1234));
	return 0;
}

static uint64_t high_gs(void)
{
	return (uint64_t)syscall(SYS_arch_prctl, ARCH_SET_GS, 0x8000000000000000);
}

static uint64_t call_gs(void)
{
	uint64_t got;

	use((void *)(uintptr_t)by_pointer);
	__asm__ volatile("sub $128, %%rsp; and $-16, %%rsp; call *%%gs:8; mov %%rbx, %%rsp"
			 : "=a"(got) : "b"(__builtin_frame_address(0)) : "memory", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
	return got;
}

static uint64_t far_return(void)
{
	uint64_t got;

	__asm__ volatile("xor %k0, %k0; push %0; mov %%cs, %k0; push %0; lea 1f(%%rip), %0; push %0; lretq $8; ud2; 1: mov $5, %k0"
			 : "=&r"(got) : : "memory");
	return got;
}

static uint64_t interrupt_return(void)
{
	uint64_t got;

	__asm__ volatile("mov %%rsp, %%rcx; mov %%ss, %k0; push %0; push %%rcx; pushfq; mov %%cs, %k0; push %0; lea 1f(%%rip), %0;"
			 "push %0; iretq; ud2; 1: mov $6, %k0" : "=&r"(got) : : "memory", "rcx");
	return got;
}

static uint64_t far_call(void)
{
	struct {
		uint32_t offset;
		uint16_t selector;
	} target;
	uint64_t got = 0;

	__asm__ volatile("mov $1f, %k0; mov %k0, (%1); mov %%cs, 4(%1); lcall *(%1); jmp 2f; 1: mov $9, %k0; lretl; 2:"
			 : "+&r"(got) : "r"(&target) : "memory");
	return got;
}

static uint64_t old_call(void)
{
	long got = 20;

	__asm__ volatile("int $0x80" : "+a"(got) : : "memory");
	return got == getpid();
}

static uint64_t old_unknown(void)
{
	long got = 9999;

	__asm__ volatile("int $0x80" : "+a"(got) : : "memory");
	return (uint64_t)got;
}

static uint64_t other_interrupt(void)
{
	__asm__ volatile("int $0x55");
	return 0;
}

static uint64_t old_page(void)
{
	uint64_t address = 0xffffffffff600400;
	long got, now = time(NULL);

	__asm__ volatile("sub $128, %%rsp; call *%1; add $128, %%rsp" : "=a"(got) : "r"(address), "D"(0L) : "memory", "rcx", "r11");
	return got - now < 5;
}

static uint64_t old_page_between(void)
{
	((void (*)(void))0xffffffffff600404)();
	return 0;
}

static uint64_t tables(void)
{
	unsigned char table[16] = { 0 };
	uint64_t word = 0;

	__asm__ volatile("sgdt %0; smsw %1" : "=m"(table), "=r"(word));
	return (word & 1) + !!(table[9] & 0x80);
}

#define RUNS(name, code)				\
	static uint64_t name(void)			\
	{						\
		__asm__ volatile(code : : : "memory", "rax", "rcx", "rdx");	\
		return 0;				\
	}

RUNS(disable, "cli")
RUNS(halt, "hlt")
RUNS(port, "inb $0x80, %%al")
RUNS(counter, "xor %%ecx, %%ecx; rdpmc")
RUNS(leave_kernel, "sysretq")
RUNS(model_specific, "xor %%ecx, %%ecx; rdmsr")
RUNS(step, "pushfq; orl $0x100, (%%rsp); popfq; nop; nop")
RUNS(break_by_two, ".byte 0xcd, 3")

static const struct {
	const char *name;
	uint64_t (*fn)(void);
} rows[] = {
	{ "read gs", read_gs }, { "write gs", write_gs }, { "base of gs", base_gs }, { "base of fs", base_fs }, { "get gs", get_gs },
	{ "null gs", null_gs }, { "data gs", data_gs }, { "wrong gs", wrong_gs }, { "high gs", high_gs }, { "call gs", call_gs },
	{ "far return", far_return }, { "interrupt return", interrupt_return }, { "far call", far_call },
	{ "old call", old_call }, { "old unknown", old_unknown }, { "other interrupt", other_interrupt },
	{ "old page", old_page }, { "old page between", old_page_between }, { "tables", tables },
	{ "cli", disable }, { "hlt", halt }, { "in", port }, { "rdpmc", counter }, { "sysret", leave_kernel }, { "rdmsr", model_specific },
	{ "step", step }, { "break", break_by_two },
};

int main(void)
{
	static const int sigs[] = { SIGILL, SIGSEGV, SIGBUS, SIGTRAP };

	for (unsigned i = 0; i < sizeof sigs / sizeof *sigs; i++)
		signal(sigs[i], on_signal);
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		int sig = sigsetjmp(back, 1);
		long got = sig ? 0 : (long)rows[i].fn();

		printf(sig ? "%s: signal %ld\n" : "%s: %ld\n", rows[i].name, sig ? (long)sig : got);
	}
	return 0;
}
