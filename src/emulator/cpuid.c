/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor that the program sees: the machine's, as far as this computer can run its instructions.
 * (SDM volume 2, CPUID.)  Instructions that the machine's part has not are not announced.
 *
 * It is QEMU's model of that processor, whatever the part of the machine: under either emulator a
 * program has to choose the same code.  What tools see of a machine's own parts is src/virtual/cpuid.c.
 */
#include <cpuid.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/client.h"

struct leaf {
	uint32_t eax, ebx, ecx, edx;
};

struct model {
	const char *name;		/* how QEMU's models begin */
	uint32_t signature;
	uint32_t ecx1, ebx7, ecx81;	/* features: leaf 1, leaf 7, leaf 0x80000001 */
	uint32_t strings;		/* leaf 7: fast repeated string instructions */
	uint32_t l3_sets, l3_ways;
};

/* SSE3, PCLMULQDQ, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT are bits 0, 1, 9, 13, 19, 20, 23 */
#define NEHALEM 0x00982201u
/* AES, XSAVE, OSXSAVE, AVX */
#define SANDY_BRIDGE (NEHALEM | 2u | 1u << 25 | 1u << 26 | 1u << 27 | 1u << 28)
/* FMA, MOVBE, F16C, RDRAND */
#define HASWELL (SANDY_BRIDGE | 1u << 12 | 1u << 22 | 1u << 29 | 1u << 30)

/* Leaf 7: what instructions of this computer there are for (BMI1, AVX2, BMI2); FSGSBASE, which C code runs. */
#define HASWELL7 (1u << 3 | 1u << 5 | 1u << 8 | FSGSBASE)
#define FSGSBASE 1u

static const struct model models[] = {
	{ .name = "Haswell", .signature = 0x306c1, .ecx1 = HASWELL, .ebx7 = HASWELL7, .ecx81 = 0x21, .strings = 1u << 9,
	  .l3_sets = 36864, .l3_ways = 20 },
	{ .name = "SandyBridge", .signature = 0x206d7, .ecx1 = SANDY_BRIDGE, .ecx81 = 1, .l3_sets = 16384, .l3_ways = 20 },
	{ .name = "Nehalem", .signature = 0x206e6, .ecx1 = NEHALEM, .ecx81 = 1, .l3_sets = 16384, .l3_ways = 24 },
};

static const struct model *model = models;
static bool fast_strings = true;

void native_cpuid_init(const char *name)
{
	for (size_t i = 0; i < LEN(models); i++) {
		if (!strncmp(name, models[i].name, strlen(models[i].name)))
			model = models + i;
	}
	fast_strings = !strstr(name, "-erms");
}

static struct leaf host(uint32_t leaf, uint32_t subleaf)
{
	struct leaf l = { 0 };

	if (!__get_cpuid_count(leaf, subleaf, &l.eax, &l.ebx, &l.ecx, &l.edx))
		return (struct leaf){ 0 };
	return l;
}

bool native_has_bases(void)
{
	return model->ebx7 & FSGSBASE;
}

static bool has_avx(void)
{
	return model->ecx1 & host(1, 0).ecx & 1u << 28;
}

static struct leaf features(void)
{
	struct leaf h = host(1, 0);

	return (struct leaf){ model->signature, 0x00010800, h.ecx & model->ecx1, h.edx & 0x178bfbff };
}

static uint32_t extended(void)
{
	return (host(7, 0).ebx & (model->ebx7 | (fast_strings ? model->strings : 0))) | (model->ebx7 & FSGSBASE);
}

static struct leaf cache(uint32_t n)
{
	static const struct leaf caches[] = {
		{ 0x04000121, 7u << 22 | 63, 63, 0 },
		{ 0x04000122, 7u << 22 | 63, 63, 0 },
		{ 0x04000143, 7u << 22 | 63, 511, 0 },
	};

	if (n < LEN(caches))
		return caches[n];
	if (n > LEN(caches))
		return (struct leaf){ 0 };
	return (struct leaf){ 0x04004163, (model->l3_ways - 1) << 22 | 63, model->l3_sets - 1, 6 };
}

static struct leaf states(uint32_t n)
{
	if (!has_avx() || n > 2)
		return (struct leaf){ 0 };
	if (n == 0)
		return (struct leaf){ 7, 832, 832, 0 };
	return n == 1 ? (struct leaf){ 1, 0, 0, 0 } : (struct leaf){ 256, 576, 0, 0 };
}

static struct leaf ask(uint32_t leaf, uint32_t subleaf)
{
	switch (leaf) {
	case 0:
		return (struct leaf){ 13, 0x756e6547, 0x6c65746e, 0x49656e69 };	/* GenuineIntel */
	case 1:
		return features();
	case 2:
		return (struct leaf){ 0x76036301, 0x00f0b5ff, 0, 0x00c10000 };
	case 4:
		return cache(subleaf);
	case 7:
		return (struct leaf){ 0, subleaf ? 0 : extended(), 0, 0 };
	case 13:
		return states(subleaf);
	case 0x80000000:
		return (struct leaf){ 0x80000008, 0, 0, 0 };
	case 0x80000001:
		return (struct leaf){ 0, 0, host(leaf, 0).ecx & model->ecx81, host(leaf, 0).edx & 0x2c100800 };
	case 0x80000006:
		return (struct leaf){ 0, 0, 0x01006040, 0 };
	case 0x80000008:
		return (struct leaf){ 0x3030, 0, 0, 0 };
	default:
		return (struct leaf){ 0 };
	}
}

void native_cpuid(struct native_env *env)
{
	if (native_client_cpuid(env))
		return;
	struct leaf l = ask((uint32_t)env->general[NATIVE_RAX], (uint32_t)env->general[NATIVE_RCX]);

	env->general[NATIVE_RAX] = l.eax;
	env->general[NATIVE_RBX] = l.ebx;
	env->general[NATIVE_RCX] = l.ecx;
	env->general[NATIVE_RDX] = l.edx;
}

uint32_t native_hwcap(void)
{
	return features().edx;
}
