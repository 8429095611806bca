/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes nearly all that 32 bits reach, at fixed addresses. */
#include <stdio.h>

static volatile char big[1800U << 20];

int main(int argc, char **argv)
{
	big[(size_t)argc << 30] = 1;
	puts(argv[0] ? "big" : "");
	return 0;
}
