/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that are read, and lines that are not: what is said of them, and what is kept. */
#include "report/run.h"

#include <math.h>

#include "check.h"

#define EVENT(more) "{\"event\":\"imc.CAS_COUNT.RD\",\"box\":\"imc0\",\"socket\":0,\"unit\":\"events\"," more "}"
#define GOOD EVENT("\"value\":5,\"validity\":\"exact\",\"time_ns\":100")
#define HEAD "{\"boxscore\":\"0.1.0\",\"format\":1,\"family\":\"hsx\"}"

/* Lines, and what is then known: series, intervals, lines left out, and the one sentence about them. */
static const struct row {
	int line;
	const char *lines[4];
	size_t series, times, left_out;
	const char *problem;
} rows[] = {
	{ LINE, { GOOD }, 1, 1, 0, NULL },
	{ LINE, { GOOD "\n", "\n", "  \r\n" }, 1, 1, 0, NULL },
	/* The same twice in one interval is asked for twice. */
	{ LINE, { GOOD, GOOD }, 2, 1, 0, NULL },
	{ LINE, { GOOD, EVENT("\"value\":6,\"validity\":\"exact\",\"time_ns\":200") }, 1, 2, 0, NULL },
	{ LINE, { HEAD, GOOD, "{\"note\":\"warning: of something\"}" }, 1, 1, 0, NULL },
	{ LINE, { EVENT("\"validity\":\"absent\",\"time_ns\":100") }, 1, 1, 0, NULL },
	{ LINE, { GOOD, "{\"event\":\"imc" }, 1, 1, 1, "run:2:13: the line ends too early; the line is left out" },
	{ LINE, { "{\"event\":\"x\",}" }, 0, 0, 1, "run:1:14: string or '}' expected near '}'; the line is left out" },
	{ LINE, { "[1]", GOOD }, 1, 1, 1, "run:1:1: not a JSON object; the line is left out" },
	{ LINE, { "7" }, 0, 0, 1, "run:1:1: not a JSON object; the line is left out" },
	{ LINE, { "{}" }, 0, 0, 1, "run:1:3: \"event\" is missing; the line is left out" },
	{ LINE, { "{\"metric\":1}" }, 0, 0, 1, "run:1:11: \"metric\" is not a string; the line is left out" },
	{ LINE, { "{\"event\":\"x\",\"unit\":\"y\"}" }, 0, 0, 1, "run:1:25: \"box\" is missing; the line is left out" },
	{ LINE, { EVENT("\"value\":\"5\",\"validity\":\"exact\",\"time_ns\":100") }, 0, 0, 1,
	  "run:1:77: \"value\" is not a number; the line is left out" },
	{ LINE, { EVENT("\"validity\":\"exact\",\"time_ns\":100") }, 0, 0, 1, "run:1:102: \"value\" is missing; the line is left out" },
	{ LINE, { EVENT("\"value\":5,\"validity\":\"true\",\"time_ns\":100") }, 0, 0, 1,
	  "run:1:90: \"validity\" is not a known validity; the line is left out" },
	{ LINE, { EVENT("\"value\":5,\"validity\":\"exact\",\"time_ns\":-1") }, 0, 0, 1,
	  "run:1:108: \"time_ns\" is not a time in nanoseconds; the line is left out" },
	{ LINE, { EVENT("\"value\":5,\"validity\":\"exact\",\"time_ns\":1.5") }, 0, 0, 1,
	  "run:1:108: \"time_ns\" is not a time in nanoseconds; the line is left out" },
	{ LINE, { EVENT("\"value\":5,\"value\":6,\"validity\":\"exact\",\"time_ns\":1") }, 0, 0, 1,
	  "run:1:85: duplicate object key near '\"value\"'; the line is left out" },
	{ LINE, { "{\"boxscore\":\"9.0.0\",\"format\":2}", GOOD }, 1, 1, 0,
	  "run:1:30: the lines have format 2 of boxscore 9.0.0; this boxscore knows format 1 and leaves out what it does not understand" },
	{ LINE, { "{\"boxscore\":\"0.1.0\",\"format\":1,\"family\":7}", GOOD }, 1, 1, 1,
	  "run:1:41: \"family\" is not valid in a head; the line is left out" },
	{ LINE, { "{\"boxscore\":\"0.1.0\",\"format\":1,\"keys\":{\"sockets\":1000000}}", GOOD }, 1, 1, 1,
	  "run:1:50: \"sockets\" is not valid in a head; the line is left out" },
	{ LINE, { "{\"boxscore\":\"0.1.0\",\"format\":1,\"boxes\":{\"imc\":[0,-1]}}", GOOD }, 1, 1, 1,
	  "run:1:40: \"boxes\" is not valid in a head; the line is left out" },
	{ LINE, { "{\"boxscore\":\"0.1.0\",\"format\":1,\"boxes\":[]}", GOOD }, 1, 1, 1,
	  "run:1:40: \"boxes\" is not valid in a head; the line is left out" },
	{ LINE, { "{\"boxscore\":\"0.1.0\",\"format\":1,\"command\":[1]}", GOOD }, 1, 1, 1,
	  "run:1:42: \"command\" is not valid in a head; the line is left out" },
	{ LINE, { HEAD, GOOD, HEAD, EVENT("\"value\":5,\"validity\":\"exact\",\"time_ns\":900") }, 1, 1, 0,
	  "run:3:1: another run begins here; it and all that follows are left out; give each run a file of its own" },
	{ LINE, { GOOD, EVENT("\"value\":7,\"validity\":\"exact\",\"time_ns\":99"), GOOD }, 1, 1, 0,
	  "run:2:108: time goes back from 100 ns: another run begins here; it and all that follows are left out; give each run "
	  "a file of its own" },
};

static void check_rows(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct run run = { .file = "run" };

		for (size_t i = 0; i < LEN(r->lines) && r->lines[i]; i++)
			CHECK_EQ(r->line, run_line(&run, r->lines[i], strlen(r->lines[i])), 0);
		CHECK_EQ(r->line, run_end(&run), 0);
		CHECK_EQ(r->line, run.count, r->series);
		CHECK_EQ(r->line, run.times, r->times);
		CHECK_EQ(r->line, run.left_out, r->left_out);
		CHECK_EQ(r->line, run.problems.count, r->problem != NULL);
		if (r->problem && run.problems.count)
			CHECK_STR(r->line, run.problems.text[0], r->problem);
		run_free(&run);
	}
}

/* A series that comes late or ends early has no line in the other intervals. */
static void check_gaps(void)
{
	static const char *const lines[] = {
		"{\"event\":\"a\",\"box\":\"all\",\"unit\":\"events\",\"value\":1,\"validity\":\"exact\",\"time_ns\":10}",
		"{\"event\":\"a\",\"box\":\"all\",\"unit\":\"events\",\"value\":2,\"validity\":\"scaled\",\"error\":0.5,\"time_ns\":20}",
		"{\"event\":\"b\",\"box\":\"all\",\"unit\":\"events\",\"value\":3,\"validity\":\"exact\",\"time_ns\":20}",
		"{\"event\":\"b\",\"box\":\"all\",\"unit\":\"events\",\"value\":4,\"validity\":\"exact\",\"time_ns\":30}",
	};
	static const uint8_t validity[2][3] = { { 0, 1, RUN_NO_LINE }, { RUN_NO_LINE, 0, 0 } };
	struct run run = { .file = "run" };

	for (size_t i = 0; i < LEN(lines); i++)
		run_line(&run, lines[i], strlen(lines[i]));
	CHECK(run_end(&run) == 0 && run.count == 2 && run.times == 3);
	for (size_t s = 0; s < run.count; s++)
		for (size_t i = 0; i < run.times; i++)
			CHECK_EQ(__LINE__, run.series[s].validity[i], validity[s][i]);
	CHECK(run.series[0].column[RUN_VALUE][1] == 2 && isnan(run.series[0].column[RUN_VALUE][2]));
	CHECK(isnan(run.series[0].column[RUN_ERROR][0]) && run.series[0].column[RUN_ERROR][1] == 0.5);
	CHECK(isnan(run.series[1].column[RUN_VALUE][0]) && !run.series[1].column[RUN_ERROR]);
	run_free(&run);
}

int main(void)
{
	check_rows();
	check_gaps();
	return check_done();
}
