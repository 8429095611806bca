/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore shell: a console on a fresh machine, line in, line out. */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

enum { EXIT_BAD_LINE = 2 };

struct verb {
	const char *name, *arguments;
	int least, most;	/* words after the name */
	enum shell_result (*run)(struct shell *s, char **word, int words);
};

static enum shell_result run_quit(struct shell *s, char **word, int words)
{
	(void)s;
	(void)word;
	(void)words;
	return SHELL_QUIT;
}

static enum shell_result run_help(struct shell *s, char **word, int words);

static const struct verb verbs[] = {
	{ "rdmsr", "CPU ADDR", 2, 2, shell_rdmsr },
	{ "wrmsr", "CPU ADDR VALUE", 3, 3, shell_wrmsr },
	{ "rdpci", "SOCKET D:F OFF [WIDTH]", 3, 4, shell_rdpci },
	{ "wrpci", "SOCKET D:F OFF VALUE [WIDTH]", 4, 5, shell_wrpci },
	{ "rdcsr", "SOCKET OFF", 2, 2, shell_rdreg },
	{ "wrcsr", "SOCKET OFF VALUE", 3, 3, shell_wrreg },
	{ "rdpmc", "THREAD N", 2, 2, shell_rdreg },
	{ "wrpmc", "THREAD N VALUE", 3, 3, shell_wrreg },
	{ "rdpmd", "THREAD N", 2, 2, shell_rdreg },
	{ "wrpmd", "THREAD N VALUE", 3, 3, shell_wrreg },
	{ "read", "BOX REGISTER", 2, 2, shell_read },
	{ "write", "BOX REGISTER VALUE", 3, 3, shell_write },
	{ "pulse", "BOX EVENT[.SUBEVENT] N [tag=value...]", 3, SHELL_WORDS, shell_pulse },
	{ "level", "BOX EVENT[.SUBEVENT] N [tag=value...]", 3, SHELL_WORDS, shell_level },
	{ "retire", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "fetch", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "dataref", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "branch", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "chk", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "rfi", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "interrupt", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "thread", "THREAD [attribute=value...]", 1, SHELL_WORDS, shell_tell },
	{ "cycles", "THREAD n=CYCLES event=EVENT,...", 1, SHELL_WORDS, shell_tell },
	{ "advance", "CLOCK N", 2, 2, shell_advance },
	{ "pending", "", 0, 0, shell_pending },
	{ "measure", "EVENT,...", 1, SHELL_WORDS, shell_measure },
	{ "compute", "METRIC,...", 1, SHELL_WORDS, shell_compute },
	{ "readings", "", 0, 0, shell_readings },
	{ "play", "FILE", 1, 1, shell_play },
	{ "record", "[FILE]", 0, 1, shell_record },
	{ "help", "", 0, 0, run_help },
	{ "quit", "", 0, 0, run_quit },
};

static enum shell_result run_help(struct shell *s, char **word, int words)
{
	(void)s;
	(void)word;
	(void)words;
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		printf("%s%s%s\n", verbs[i].name, verbs[i].arguments[0] ? " " : "",
		       verbs[i].arguments);
	return SHELL_DONE;
}

static int split(char *line, char **word)
{
	static const char blanks[] = " \t\r\n\f\v";
	int n = 0;

	for (char *w = strtok(line, blanks); w && *w != '#' && n < SHELL_WORDS; w = strtok(NULL, blanks))
		word[n++] = w;
	return n;
}

static enum shell_result interpret(struct shell *s, char *line)
{
	char *word[SHELL_WORDS];
	int words;
	const struct verb *v = verbs;

	line[strcspn(line, "#")] = '\0';
	words = split(line, word);
	if (words == 0)
		return SHELL_DONE;
	while (v < verbs + sizeof verbs / sizeof *verbs && strcmp(v->name, word[0]) != 0)
		v++;
	if (v == verbs + sizeof verbs / sizeof *verbs)
		return shell_bad(s, "no command %s; `help` lists them", word[0]);
	if (words - 1 < v->least || words - 1 > v->most)
		return shell_bad(s, "expected: %s%s%s", v->name, *v->arguments ? " " : "", v->arguments);
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
		else if (n + 1 < SHELL_LINE)
			line[n++] = (char)c;
		else if (!*wrong)
			*wrong = "the line is longer than 4095 characters";
	}
	line[n] = '\0';
	return true;
}

static int run(struct shell *s, FILE *in)
{
	char line[SHELL_LINE];
	const char *wrong;
	enum shell_result r = SHELL_DONE;

	while (r != SHELL_QUIT) {
		if (s->terminal) {
			fputs("> ", stdout);
			fflush(stdout);
		}
		if (!next_line(in, line, &wrong))
			break;
		s->line++;
		r = wrong ? shell_bad(s, "%s", wrong) : interpret(s, line);
		if (r == SHELL_BAD)
			complain(s);
		/* A program at the other end of a pipe waits for the answer. */
		fflush(stdout);
	}
	return s->bad ? EXIT_BAD_LINE : CLI_OK;
}

int cmd_shell(const struct cli_command *cmd, int argc, char **argv)
{
	struct shell s = { .terminal = isatty(STDIN_FILENO) };
	static const struct option options[] = {
		{ "machine", required_argument, NULL, 'M' }, { "on", required_argument, NULL, 'o' },
		{ "via", required_argument, NULL, 'v' }, { NULL, 0, NULL, 0 },
	};
	const char *spec = cli_default_family();
	struct bxs_local local = { 0 };
	bool on_local = false;
	char why[512];
	int code, opt, err;

	optind = 1;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":M:", options, NULL)) != -1) {
		if (opt == '?' || opt == ':')
			return opt == ':' ? cli_misused(cmd, "%s needs a value", argv[optind - 1])
					  : cli_unexpected(cmd, argv[optind - 1]);
		if (opt == 'M')
			spec = optarg;
		else if (opt == 'v')
			local.via = optarg;
		else if (cli_take_on(cmd, optarg))
			return CLI_USAGE;
		else
			on_local = true;
	}
	if (optind < argc)
		return cli_unexpected(cmd, argv[optind]);
	s.spec = spec;
	err = on_local ? bxs_machine_local(&local, &s.m, why, sizeof why) : bxs_machine_new(spec, BXS_BARE, &s.m, why, sizeof why);
	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "%s", why[0] ? why : bxs_strerror(err));
	cli_tell_put_back(cmd, s.m);
	code = run(&s, stdin);
	if (ferror(stdin))
		code = cli_fail(cmd, CLI_DATA, "standard input cannot be read: %s", strerror(errno));
	bxs_session_free(s.session);
	if (bxs_record_end(s.m) < 0)
		code = cli_fail(cmd, CLI_DATA, "%s", bxs_why(s.m));
	bxs_machine_free(s.m);
	err = cli_flush(cmd);
	return err == CLI_OK ? code : err;
}
