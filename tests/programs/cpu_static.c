/* SPDX-License-Identifier: BSD-2-Clause */
/* A client without a dynamic linker: its processor, whether it is a hypervisor's, its name and its argument. */
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	printf("%x %u %s %s\n", eax, ecx >> 31, argv[0], argc > 1 ? argv[1] : "");
	return 3;
}
