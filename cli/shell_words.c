/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a console's line as numbers, device functions and occurrences; what a line came to. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shell.h"

enum shell_result shell_bad(struct shell *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof s->why, format, args);
	va_end(args);
	return SHELL_BAD;
}

bool shell_number(struct shell *s, const char *what, const char *text, uint64_t most,
		   uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (n == 0 || digits[n] != '\0') {
		shell_bad(s, "%s is '%s', expected a number such as 10 or 0xa", what, text);
		return false;
	}
	*out = strtoull(digits, NULL, hex ? 16 : 10);
	if (*out > most || n > (hex ? 16 : 20) || (*out == UINT64_MAX && !(hex && n == 16))) {
		shell_bad(s, "%s %s is too large, at most %#" PRIx64, what, text, most);
		return false;
	}
	return true;
}

enum shell_result shell_outcome(struct shell *s, int err, const uint64_t *value)
{
	if (err == BXS_EFAULT) {
		puts("#GP");
		return SHELL_DONE;
	}
	if (err < 0)
		return shell_bad(s, "%s", bxs_why(s->m)[0] ? bxs_why(s->m) : bxs_strerror(err));
	if (value)
		printf("0x%" PRIx64 "%s%s\n", *value, bxs_note(s->m)[0] ? " " : "", bxs_note(s->m));
	return SHELL_DONE;
}

bool shell_function(struct shell *s, char *text, uint64_t *dev, uint64_t *fn)
{
	char *colon = strchr(text, ':');

	if (!colon) {
		shell_bad(s, "D:F is '%s', expected a device and a function such as 18:1", text);
		return false;
	}
	*colon++ = '\0';
	text += *text == 'D' || *text == 'd';
	colon += *colon == 'F' || *colon == 'f';
	return shell_number(s, "device", text, 31, dev) && shell_number(s, "function", colon, 7, fn);
}

bool shell_occurrence(struct shell *s, char **word, int words, uint64_t *n, struct bxs_tag *tag)
{
	*tag = (struct bxs_tag){ 0 };
	if (!shell_number(s, "N", word[3], UINT64_MAX, n))
		return false;
	for (int i = 4; i < words; i++) {
		char *value = strchr(word[i], '=');

		if (!value) {
			shell_bad(s, "'%s', expected tag=value", word[i]);
			return false;
		}
		*value++ = '\0';
		switch (bxs_tag_set(tag, word[i], value)) {
		case 0:
			break;
		case BXS_ENOENT:
			shell_bad(s, "no tag %s; there are addr opc nid tid state link nc isoc c6 freq, "
			       "rds mc opc dnid rnid vnw for packets, flags", word[i]);
			return false;
		default:
			shell_bad(s, "%s=%s is out of range%s", word[i], value,
			    strcasecmp(word[i], "state") == 0 ? ", states are I S E M F D M'" :
			    strcasecmp(word[i], "opc") == 0 && !isdigit((unsigned char)*value) ?
			    ", it takes a number or a packet's name (dump packets)" :
			    !isdigit((unsigned char)*value) ? ", it takes a number" : "");
			return false;
		}
	}
	return true;
}
