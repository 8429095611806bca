/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event strings to what the registers get, a line each: encode_names FAMILY < strings.
 *
 *	0x335 Cn_MSR_PMON_BOX_FILTER1[28:20]=0x182
 *	register U_MSR_PMON_UCLK_FIXED_CTR
 *	error: ...
 */
#include <stdlib.h>

#include "catalog/find.h"
#include "check.h"
#include "measure/event.h"

static int print_event(void *ctx, const struct event_spec *spec, struct span name)
{
	bool *more = ctx;

	(void)name;
	printf("%s", *more ? " ; " : "");
	*more = true;
	if (spec->kind != EVENT_COUNTED) {
		printf("register %s", cat_str(cat_regs[spec->reg].name));
		return 0;
	}
	printf("%#" PRIx64, spec->control);
	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *s = spec->setting + i;

		printf(" %s[%u:%u]=%#" PRIx64, cat_str(cat_regs[s->reg].name), s->hi, s->lo, s->value);
	}
	return 0;
}

static int print_equation(void *ctx, struct span name, const char *equation)
{
	(void)ctx;
	(void)name;
	printf("equation %s", equation);
	return 0;
}

int main(int argc, char **argv)
{
	const struct cat_family *f = argc == 2 ? cat_find_family(argv[1], strlen(argv[1])) : NULL;
	struct names *names;
	char line[512];

	if (!f || names_new((unsigned)(f - cat_families), &names) < 0) {
		fprintf(stderr, "usage: encode_names FAMILY < event strings\n");
		return 64;
	}
	while (fgets(line, sizeof line, stdin)) {
		struct event_error error = { .text = "" };
		bool more = false;

		line[strcspn(line, "\n")] = '\0';
		if (event_list_all(names, line, print_event, print_equation, &more, &error) < 0)
			printf("error: %s (at %zu)", error.text, error.at);
		putchar('\n');
	}
	names_free(names);
	return 0;
}
