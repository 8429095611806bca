/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore shell: a console on a fresh machine, line in, line out. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"

enum { WORDS = 32, LINE_SIZE = 4096, EXIT_BAD_LINE = 2 };

/* What a line came to. */
enum result { DONE, BAD, QUIT };

struct shell {
	bxs_machine *m;
	bxs_session *session;	/* what `measure` and `compute` have begun, or NULL */
	const char *spec;
	unsigned line;
	bool bad;		/* some line was bad */
	bool terminal;
	char why[300];		/* what is wrong with this line */
};

struct verb {
	const char *name, *arguments;
	int least, most;	/* words after the name */
	enum result (*run)(struct shell *s, char **word, int words);
};

static enum result bad(struct shell *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum result bad(struct shell *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof s->why, format, args);
	va_end(args);
	return BAD;
}

static bool number(struct shell *s, const char *what, const char *text, uint64_t most,
		   uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (n == 0 || digits[n] != '\0') {
		bad(s, "%s is '%s', expected a number such as 10 or 0xa", what, text);
		return false;
	}
	*out = strtoull(digits, NULL, hex ? 16 : 10);
	if (*out > most || n > (hex ? 16 : 20) || (*out == UINT64_MAX && !(hex && n == 16))) {
		bad(s, "%s %s is too large, at most %#" PRIx64, what, text, most);
		return false;
	}
	return true;
}

/* The outcome of a library call; value: what a read prints. */
static enum result outcome(struct shell *s, int err, const uint64_t *value)
{
	if (err == BXS_EFAULT) {
		puts("#GP");
		return DONE;
	}
	if (err < 0)
		return bad(s, "%s", bxs_why(s->m)[0] ? bxs_why(s->m) : bxs_strerror(err));
	if (value)
		printf("0x%" PRIx64 "%s%s\n", *value, bxs_note(s->m)[0] ? " " : "", bxs_note(s->m));
	return DONE;
}

static enum result run_rdmsr(struct shell *s, char **word, int words)
{
	uint64_t cpu, msr, value = 0;

	(void)words;
	if (!number(s, "CPU", word[1], UINT32_MAX, &cpu) ||
	    !number(s, "ADDR", word[2], UINT32_MAX, &msr))
		return BAD;
	return outcome(s, bxs_rdmsr(s->m, (unsigned)cpu, (uint32_t)msr, &value), &value);
}

static enum result run_wrmsr(struct shell *s, char **word, int words)
{
	uint64_t cpu, msr, value;

	(void)words;
	if (!number(s, "CPU", word[1], UINT32_MAX, &cpu) ||
	    !number(s, "ADDR", word[2], UINT32_MAX, &msr) ||
	    !number(s, "VALUE", word[3], UINT64_MAX, &value))
		return BAD;
	return outcome(s, bxs_wrmsr(s->m, (unsigned)cpu, (uint32_t)msr, value), NULL);
}

/* "18:1" or "D18:F1". */
static bool function(struct shell *s, char *text, uint64_t *dev, uint64_t *fn)
{
	char *colon = strchr(text, ':');

	if (!colon) {
		bad(s, "D:F is '%s', expected a device and a function such as 18:1", text);
		return false;
	}
	*colon++ = '\0';
	text += *text == 'D' || *text == 'd';
	colon += *colon == 'F' || *colon == 'f';
	return number(s, "device", text, 31, dev) && number(s, "function", colon, 7, fn);
}

struct pci {
	uint64_t socket, dev, fn, offset, width;
};

/* SOCKET D:F OFF, and the width at word[width] if the line has it. */
static bool pci_words(struct shell *s, char **word, int words, int width, struct pci *p)
{
	p->width = 32;
	return number(s, "SOCKET", word[1], UINT32_MAX, &p->socket) &&
	       function(s, word[2], &p->dev, &p->fn) &&
	       number(s, "OFF", word[3], UINT32_MAX, &p->offset) &&
	       (words <= width || number(s, "WIDTH", word[width], 64, &p->width));
}

static enum result run_rdpci(struct shell *s, char **word, int words)
{
	struct pci p;
	uint64_t value = 0;
	int err;

	if (!pci_words(s, word, words, 4, &p))
		return BAD;
	err = bxs_rdpci(s->m, (unsigned)p.socket, (unsigned)p.dev, (unsigned)p.fn,
			(uint32_t)p.offset, (unsigned)p.width, &value);
	return outcome(s, err, &value);
}

static enum result run_wrpci(struct shell *s, char **word, int words)
{
	struct pci p;
	uint64_t value;
	int err;

	if (!pci_words(s, word, words, 5, &p) || !number(s, "VALUE", word[4], UINT64_MAX, &value))
		return BAD;
	err = bxs_wrpci(s->m, (unsigned)p.socket, (unsigned)p.dev, (unsigned)p.fn,
			(uint32_t)p.offset, (unsigned)p.width, value);
	return outcome(s, err, NULL);
}

static enum result read_space(struct shell *s, enum bxs_space space, char **word)
{
	uint64_t where, n, value = 0;

	if (!number(s, space == BXS_CSR ? "SOCKET" : "THREAD", word[1], UINT32_MAX, &where) ||
	    !number(s, space == BXS_CSR ? "OFF" : "N", word[2], UINT32_MAX, &n))
		return BAD;
	return outcome(s, bxs_rdreg(s->m, space, (unsigned)where, (uint32_t)n, &value), &value);
}

static enum result write_space(struct shell *s, enum bxs_space space, char **word)
{
	uint64_t where, n, value;

	if (!number(s, space == BXS_CSR ? "SOCKET" : "THREAD", word[1], UINT32_MAX, &where) ||
	    !number(s, space == BXS_CSR ? "OFF" : "N", word[2], UINT32_MAX, &n) ||
	    !number(s, "VALUE", word[3], UINT64_MAX, &value))
		return BAD;
	return outcome(s, bxs_wrreg(s->m, space, (unsigned)where, (uint32_t)n, value), NULL);
}

static enum result run_rdcsr(struct shell *s, char **word, int words)
{
	(void)words;
	return read_space(s, BXS_CSR, word);
}

static enum result run_wrcsr(struct shell *s, char **word, int words)
{
	(void)words;
	return write_space(s, BXS_CSR, word);
}

static enum result run_rdpmc(struct shell *s, char **word, int words)
{
	(void)words;
	return read_space(s, BXS_PMC, word);
}

static enum result run_wrpmc(struct shell *s, char **word, int words)
{
	(void)words;
	return write_space(s, BXS_PMC, word);
}

static enum result run_rdpmd(struct shell *s, char **word, int words)
{
	(void)words;
	return read_space(s, BXS_PMD, word);
}

static enum result run_wrpmd(struct shell *s, char **word, int words)
{
	(void)words;
	return write_space(s, BXS_PMD, word);
}

static enum result run_read(struct shell *s, char **word, int words)
{
	uint64_t value = 0;

	(void)words;
	return outcome(s, bxs_read(s->m, word[1], word[2], &value), &value);
}

static enum result run_write(struct shell *s, char **word, int words)
{
	uint64_t value;

	(void)words;
	if (!number(s, "VALUE", word[3], UINT64_MAX, &value))
		return BAD;
	return outcome(s, bxs_write(s->m, word[1], word[2], value), NULL);
}

/* BOX EVENT[.SUBEVENT] N [tag=value...] */
static bool occurrence(struct shell *s, char **word, int words, uint64_t *n, struct bxs_tag *tag)
{
	*tag = (struct bxs_tag){ 0 };
	if (!number(s, "N", word[3], UINT64_MAX, n))
		return false;
	for (int i = 4; i < words; i++) {
		char *value = strchr(word[i], '=');

		if (!value) {
			bad(s, "'%s', expected tag=value", word[i]);
			return false;
		}
		*value++ = '\0';
		switch (bxs_tag_set(tag, word[i], value)) {
		case 0:
			break;
		case BXS_ENOENT:
			bad(s, "no tag %s; there are addr opc nid tid state link nc isoc c6 freq, "
			       "rds mc opc dnid rnid vnw for packets, flags", word[i]);
			return false;
		default:
			bad(s, "%s=%s is out of range%s", word[i], value,
			    strcasecmp(word[i], "state") == 0 ? ", states are I S E M F D M'" : "");
			return false;
		}
	}
	return true;
}

static enum result run_pulse(struct shell *s, char **word, int words)
{
	struct bxs_tag tag;
	uint64_t n;

	if (!occurrence(s, word, words, &n, &tag))
		return BAD;
	return outcome(s, bxs_pulse(s->m, word[1], word[2], n, &tag), NULL);
}

static enum result run_level(struct shell *s, char **word, int words)
{
	struct bxs_tag tag;
	uint64_t n;

	if (!occurrence(s, word, words, &n, &tag))
		return BAD;
	return outcome(s, bxs_level(s->m, word[1], word[2], n, &tag), NULL);
}

/* What a core does; the verb is the occurrence. */
static enum result run_tell(struct shell *s, char **word, int words)
{
	char attributes[LINE_SIZE] = "";
	size_t n = 0;

	for (int i = 1; i < words; i++)
		n += (size_t)snprintf(attributes + n, sizeof attributes - n, "%s%s ",
				      i == 1 ? "thread=" : "", word[i]);
	return outcome(s, bxs_tell(s->m, word[0], attributes), NULL);
}

static enum result run_advance(struct shell *s, char **word, int words)
{
	uint64_t n;

	(void)words;
	if (!number(s, "N", word[2], UINT64_MAX, &n))
		return BAD;
	return outcome(s, bxs_advance(s->m, word[1], n), NULL);
}

/* Prints the interrupts and takes them. */
static enum result run_pending(struct shell *s, char **word, int words)
{
	struct bxs_interrupt one;

	(void)word;
	(void)words;
	while (bxs_take_interrupt(s->m, &one))
		if (one.vector)
			printf("interrupt thread %u vector 0x%x\n", one.thread, one.vector);
		else
			printf("pmi socket %u cores 0x%" PRIx64 "%s\n", one.socket, one.cores,
		       one.wake ? " wake" : "");
	return DONE;
}

static enum result begin(struct shell *s, char **word, int words,
			 int (*add)(bxs_session *session, const char *list))
{
	char list[LINE_SIZE] = "";
	size_t n = 0;
	bxs_session *session;
	enum result r;
	int err;

	for (int i = 1; i < words; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i > 1 ? " " : "", word[i]);
	bxs_session_free(s->session);
	s->session = NULL;
	err = bxs_session_new(s->m, &session);
	if (err < 0)
		return outcome(s, err, NULL);
	err = add(session, list);
	if (err == 0)
		err = bxs_session_start(session);
	r = outcome(s, err, NULL);
	if (err == 0)
		s->session = session;
	else
		bxs_session_free(session);
	return r;
}

/* Events programmed into counters as `boxscore stat` does; ends what was measured before. */
static enum result run_measure(struct shell *s, char **word, int words)
{
	return begin(s, word, words, bxs_session_add);
}

static enum result run_compute(struct shell *s, char **word, int words)
{
	return begin(s, word, words, bxs_session_add_metrics);
}

static int print_reading(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	if (r->validity >= BXS_NOT_MODELLED)
		printf("%s %s%s%s\n", r->name, bxs_validity_name(r->validity), *r->why ? ": " : "",
		       r->why);
	else if (r->validity == BXS_SCALED)
		printf("%s %.10g +- %.3g scaled\n", r->name, r->value, r->error);
	else
		printf("%s %.15g %s\n", r->name, r->value, bxs_validity_name(r->validity));
	return 0;
}

/* Of the time since `measure`. */
static enum result run_readings(struct shell *s, char **word, int words)
{
	int err;

	(void)word;
	(void)words;
	if (!s->session)
		return bad(s, "nothing is being measured; begin with `measure` or `compute`");
	err = bxs_session_read(s->session);
	if (err == 0)
		err = bxs_session_each(s->session, BXS_BY_SUM, print_reading, NULL);
	return outcome(s, err, NULL);
}

static enum result run_play(struct shell *s, char **word, int words)
{
	bxs_events *events;
	int err = bxs_events_open(s->m, word[1], &events);
	enum result r;

	(void)words;
	if (err < 0)
		return outcome(s, err, NULL);
	do
		err = bxs_events_run(events);
	while (err > 0);
	r = outcome(s, err, NULL);
	bxs_events_close(events);
	return r;
}

/* Without a file: no longer. */
static enum result run_record(struct shell *s, char **word, int words)
{
	if (words == 1)
		return outcome(s, bxs_record_end(s->m), NULL);
	return outcome(s, bxs_record(s->m, word[1], s->spec), NULL);
}

static enum result run_quit(struct shell *s, char **word, int words)
{
	(void)s;
	(void)word;
	(void)words;
	return QUIT;
}

static enum result run_help(struct shell *s, char **word, int words);

static const struct verb verbs[] = {
	{ "rdmsr", "CPU ADDR", 2, 2, run_rdmsr },
	{ "wrmsr", "CPU ADDR VALUE", 3, 3, run_wrmsr },
	{ "rdpci", "SOCKET D:F OFF [WIDTH]", 3, 4, run_rdpci },
	{ "wrpci", "SOCKET D:F OFF VALUE [WIDTH]", 4, 5, run_wrpci },
	{ "rdcsr", "SOCKET OFF", 2, 2, run_rdcsr },
	{ "wrcsr", "SOCKET OFF VALUE", 3, 3, run_wrcsr },
	{ "rdpmc", "THREAD N", 2, 2, run_rdpmc },
	{ "wrpmc", "THREAD N VALUE", 3, 3, run_wrpmc },
	{ "rdpmd", "THREAD N", 2, 2, run_rdpmd },
	{ "wrpmd", "THREAD N VALUE", 3, 3, run_wrpmd },
	{ "read", "BOX REGISTER", 2, 2, run_read },
	{ "write", "BOX REGISTER VALUE", 3, 3, run_write },
	{ "pulse", "BOX EVENT[.SUBEVENT] N [tag=value...]", 3, WORDS, run_pulse },
	{ "level", "BOX EVENT[.SUBEVENT] N [tag=value...]", 3, WORDS, run_level },
	{ "retire", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "fetch", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "dataref", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "branch", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "chk", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "rfi", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "interrupt", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "thread", "THREAD [attribute=value...]", 1, WORDS, run_tell },
	{ "cycles", "THREAD n=CYCLES event=EVENT,...", 1, WORDS, run_tell },
	{ "advance", "CLOCK N", 2, 2, run_advance },
	{ "pending", "", 0, 0, run_pending },
	{ "measure", "EVENT,...", 1, WORDS, run_measure },
	{ "compute", "METRIC,...", 1, WORDS, run_compute },
	{ "readings", "", 0, 0, run_readings },
	{ "play", "FILE", 1, 1, run_play },
	{ "record", "[FILE]", 0, 1, run_record },
	{ "help", "", 0, 0, run_help },
	{ "quit", "", 0, 0, run_quit },
};

static enum result run_help(struct shell *s, char **word, int words)
{
	(void)s;
	(void)word;
	(void)words;
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		printf("%s%s%s\n", verbs[i].name, verbs[i].arguments[0] ? " " : "",
		       verbs[i].arguments);
	return DONE;
}

static int split(char *line, char **word)
{
	static const char blanks[] = " \t\r\n\f\v";
	int n = 0;

	for (char *w = strtok(line, blanks); w && *w != '#' && n < WORDS; w = strtok(NULL, blanks))
		word[n++] = w;
	return n;
}

static enum result interpret(struct shell *s, char *line)
{
	char *word[WORDS];
	int words;
	const struct verb *v = verbs;

	line[strcspn(line, "#")] = '\0';
	words = split(line, word);
	if (words == 0)
		return DONE;
	while (v < verbs + sizeof verbs / sizeof *verbs && strcmp(v->name, word[0]) != 0)
		v++;
	if (v == verbs + sizeof verbs / sizeof *verbs)
		return bad(s, "no command %s; `help` lists them", word[0]);
	if (words - 1 < v->least || words - 1 > v->most)
		return bad(s, "expected: %s%s%s", v->name, *v->arguments ? " " : "", v->arguments);
	return v->run(s, word, words);
}

static void complain(struct shell *s)
{
	s->bad = true;
	fflush(stdout);
	if (s->terminal)
		fprintf(stderr, "error: %s\n", s->why);
	else
		fprintf(stderr, "error: line %u: %s\n", s->line, s->why);
}

/*
 * The next line.  One that does not fit, or holds a byte 0, is bad as a whole: the rest of it is no line
 * of its own.  Returns false at the end of the input.
 */
static bool next_line(FILE *in, char *line, const char **wrong)
{
	size_t n = 0;
	int c = getc(in);

	*wrong = NULL;
	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = getc(in)) {
		if (c == '\0')
			*wrong = "the line holds a byte 0";
		else if (n + 1 < LINE_SIZE)
			line[n++] = (char)c;
		else if (!*wrong)
			*wrong = "the line is longer than 4095 characters";
	}
	line[n] = '\0';
	return true;
}

static int run(struct shell *s, FILE *in)
{
	char line[LINE_SIZE];
	const char *wrong;
	enum result r = DONE;

	while (r != QUIT) {
		if (s->terminal) {
			fputs("> ", stdout);
			fflush(stdout);
		}
		if (!next_line(in, line, &wrong))
			break;
		s->line++;
		r = wrong ? bad(s, "%s", wrong) : interpret(s, line);
		if (r == BAD)
			complain(s);
		/* A program at the other end of a pipe waits for the answer. */
		fflush(stdout);
	}
	return s->bad ? EXIT_BAD_LINE : CLI_OK;
}

int cmd_shell(const struct cli_command *cmd, int argc, char **argv)
{
	struct shell s = { .terminal = isatty(STDIN_FILENO) };
	const char *spec = "hsx";
	char why[256];
	int code, opt, err;

	optind = 1;
	opterr = 0;
	while ((opt = getopt(argc, argv, ":M:")) != -1) {
		if (opt != 'M')
			return cli_fail(cmd, CLI_USAGE, opt == ':' ? "-%c needs a value" : "-%c is no option of this "
					"command", optopt);
		spec = optarg;
	}
	if (optind < argc)
		return cli_fail(cmd, CLI_USAGE, "'%s' is one argument too many", argv[optind]);
	s.spec = spec;
	err = bxs_machine_new(spec, BXS_BARE, &s.m, why, sizeof why);
	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "%s", why[0] ? why : bxs_strerror(err));
	code = run(&s, stdin);
	bxs_session_free(s.session);
	if (bxs_record_end(s.m) < 0)
		code = cli_fail(cmd, CLI_DATA, "%s", bxs_why(s.m));
	bxs_machine_free(s.m);
	err = cli_flush(cmd);
	return err == CLI_OK ? code : err;
}
