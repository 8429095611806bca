/* SPDX-License-Identifier: BSD-2-Clause */
/* A library that looks at its processor when it is loaded. */
#include <stdint.h>

uint32_t library_signature;

__attribute__((constructor)) static void look(void)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	library_signature = eax;
}
