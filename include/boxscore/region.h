/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks around the part of a program that is to be measured:
 *
 *	BXS_REGION_BEGIN("sort");
 *	sort(a, n);
 *	BXS_REGION_END("sort");
 *
 *	boxscore stat --region sort -- ./program
 *
 * Header only: a program needs no library of ours, nor any other part of this one.  A mark is one jump over the region's
 * name, which lies in the code; it touches no register and no memory.  Outside boxscore that is all that it does, and so it
 * is under `stat` without --region.  With it the emulator knows the jump by what lies behind it, and tells the machine.
 *
 * The name is a literal of 1 to 63 letters, digits, and _ - . characters: it becomes a part of an assembler statement.  Marks of
 * one name may be anywhere in a program, any number of times, in any of its threads and processes; what is counted is while more
 * have begun than ended.  The compiler moves no access to memory over a mark.
 *
 * For x86-64 and compilers that know the assembler statements of GCC; for others the marks are nothing.
 */
#ifndef BOXSCORE_REGION_H
#define BOXSCORE_REGION_H

#if defined __x86_64__ && defined __GNUC__
#define BXS_REGION_MARK_(which, name) \
	__asm__ volatile("jmp 9f\n\t.ascii \"bxs-region" which "\"\n\t.asciz \"" name "\"\n9:" : : : "memory")
#else
#define BXS_REGION_MARK_(which, name) ((void)sizeof(which name))
#endif

#define BXS_REGION_BEGIN(name) BXS_REGION_MARK_("+", name)
#define BXS_REGION_END(name) BXS_REGION_MARK_("-", name)

#endif
