/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenario files: what is understood, what is refused and at which line, and that nothing crashes the reader. */
#include <stdlib.h>

#include "feed/scenario.h"
#include "machine/probe.h"

#define HEAD "scenario s \"x\"\n"

static const struct wrong {
	int line;
	const char *text, *says;
} wrongs[] = {
	{ LINE, "", "f: empty; it begins with: scenario" },
	{ LINE, "# nothing\n\n", "f: empty" },
	{ LINE, "machine hsx\n", "f:1: a file begins with: scenario NAME" },
	{ LINE, "scenario\n", "f:1: a scenario needs a name" },
	{ LINE, "scenario a/b \"x\"\n", "f:1: a/b: a name has letters" },
	{ LINE, "scenario a\n", "f:1: after the name: a sentence in quotes" },
	{ LINE, "scenario a \"x\n", "f:1: after the name" },
	{ LINE, "scenario a \"\"\n", "f:1: after the name" },
	{ LINE, "scenario a \"x\" y\n", "f:1: after the name" },
	{ LINE, "scenario a1234567890123456789012345678901234567890 \"x\"", "f:1: the name of a scenario is longer" },
	{ LINE, HEAD, "f: no phase" },
	{ LINE, HEAD HEAD, "f:2: a second scenario" },
	{ LINE, HEAD "phase\n", "f:2: a phase needs a name" },
	{ LINE, HEAD "\nphase p\n", "f:3: nothing happens in phase p" },
	{ LINE, HEAD "phase p\nphase q\nrun idle\n", "f:2: nothing happens in phase p" },
	{ LINE, HEAD "run idle\n", "f:2: run stands in a phase" },
	{ LINE, HEAD "rest 1us\n", "f:2: rest stands in a phase" },
	{ LINE, HEAD "phase p\nrun\n", "f:3: run needs a value" },
	{ LINE, HEAD "phase p\nrest\n", "f:3: rest needs a time" },
	{ LINE, HEAD "phase p\nrest 5\n", "f:3: 5 is no time; write 500ns" },
	{ LINE, HEAD "phase p\nrest 0us\n", "f:3: 0us is no time" },
	{ LINE, HEAD "phase p\nrest 5us 6us\n", "f:3: 6us: nothing is expected here" },
	{ LINE, HEAD "phase p\nrest 5us\nrest 5us\n", "f:4: a phase either runs kernels or rests once" },
	{ LINE, HEAD "phase p\nrest 5us\nrun idle\n", "f:4: nothing runs while the machine rests" },
	{ LINE, HEAD "phase p\nrun idle\nrest 5us\n", "f:4: a phase either runs" },
	{ LINE, HEAD "phase p until 5us\n", "f:2: until: a phase has a name, for TIME and times N" },
	{ LINE, HEAD "phase p for\n", "f:2: for needs a time" },
	{ LINE, HEAD "phase p for 1us for 2us\n", "f:2: for: a phase has" },
	{ LINE, HEAD "phase p times 0\n", "f:2: times: 0 is not a number from 1" },
	{ LINE, HEAD "phase p times x\n", "f:2: times: x is not" },
	{ LINE, HEAD "phase p times\n", "f:2: times:  is not" },
	{ LINE, HEAD "machine\n", "f:2: machine needs a value" },
	{ LINE, HEAD "machine hsx\n\nmachine hsx\n", "f:4: a second machine; the first is in line 2" },
	{ LINE, HEAD "phase p\nrun idle\nevents cbo.X\n", "f:4: events stands before the first phase" },
	{ LINE, HEAD "phase p\nrun idle\nmachine hsx\n", "f:4: machine stands before the first phase" },
	{ LINE, HEAD "phse p\n", "f:2: no statement \"phse\"; did you mean phase?" },
	{ LINE, HEAD "xyzzy p\n", "f:2: no statement \"xyzzy\"" },
	{ LINE, HEAD "phase p\r\n", "f:2: a character 0x0d; this is no text" },
};

static void check_wrong(const struct wrong *w)
{
	struct scenario *s = NULL;
	char why[400] = "";

	CHECK_EQ(w->line, scenario_parse("f", w->text, strlen(w->text), &s, why, sizeof why), BXS_EINVAL);
	CHECK_EQ(w->line, s == NULL, 1);
	CHECK_EQ(w->line, strncmp(why, w->says, strlen(w->says)) == 0, 1);
	if (strncmp(why, w->says, strlen(w->says)) != 0)
		printf("says: %s\n", why);
}

static const char good[] =
	"# comment\nscenario good-1 \"Says # and more\"   # behind\n\tmachine\thsx,cores=2 # two\n"
	"events a,b\nevents c\nmetrics m\ndma read=1G\nfault x=1\n"
	"phase one for 20us times 3\n run stream:size=64K,threads=2\n  run random:size=64K,count=10,core=2\n"
	"phase two\nrest 7us";

static void check_good(void)
{
	struct scenario *s = NULL;
	char why[400] = "";

	CHECK_EQ(__LINE__, scenario_parse("f", good, sizeof good - 1, &s, why, sizeof why), 0);
	CHECK_STR(__LINE__, s->name, "good-1");
	CHECK_STR(__LINE__, s->about, "Says # and more");
	CHECK_STR(__LINE__, s->machine.text, "hsx,cores=2");
	CHECK_EQ(__LINE__, s->lists[SCENARIO_EVENTS], 2);
	CHECK_STR(__LINE__, s->list[SCENARIO_EVENTS][1].text, "c");
	CHECK_EQ(__LINE__, s->phases, 2);
	CHECK_EQ(__LINE__, s->phase[0].limit, 20000000);
	CHECK_EQ(__LINE__, s->phase[0].times, 3);
	CHECK_EQ(__LINE__, s->phase[0].runs, 2);
	CHECK_STR(__LINE__, s->run[1].text, "random:size=64K,count=10,core=2");
	CHECK_EQ(__LINE__, s->phase[1].rest, 7000000);
	scenario_free(s);
}

/* Any part of a good file, and a good file with any character changed, is read or refused. */
static void check_broken(void)
{
	static const char others[] = "\0\n\"# =:x9\x80";
	char text[sizeof good], why[400];

	for (size_t len = 0; len < sizeof good - 1; len++)
		for (size_t k = 0; k < sizeof others; k++) {
			struct scenario *s = NULL;
			int err;

			memcpy(text, good, sizeof good);
			text[len] = others[k];
			why[0] = '\0';
			err = scenario_parse("f", text, k ? sizeof good - 1 : len, &s, why, sizeof why);
			CHECK_EQ(__LINE__, err == 0 ? s != NULL : err == BXS_EINVAL && why[0], 1);
			scenario_free(s);
		}
}

/* Machine time that a scenario takes, on a machine of two sockets of two cores. */
static uint64_t play(const char *text, int want, const char *says)
{
	struct machine *m = make_machine("hsx,cores=2");
	struct scenario *s = NULL;
	struct feed *feed = NULL;
	char why[400] = "";
	uint64_t ns = 0;
	int err = scenario_parse("f", text, strlen(text), &s, why, sizeof why);

	CHECK_EQ(__LINE__, err, 0);
	if (err == 0)
		err = scenario_open(m, s, &feed, why, sizeof why);
	CHECK_EQ(__LINE__, err, want);
	CHECK_EQ(__LINE__, strncmp(why, says, strlen(says)) == 0, 1);
	if (err == 0) {
		CHECK_EQ(__LINE__, feed_run(feed, UINT64_MAX), FEED_ENDED);
		ns = machine_horizon(m) / 1000;
	}
	feed_close(feed);
	scenario_free(s);
	machine_free(m);
	return ns;
}

static void check_play(void)
{
	uint64_t ns;

	CHECK_EQ(__LINE__, play(HEAD "phase p\nrest 30us\nphase q times 3\nrest 10us\n", 0, ""), 60000);
	/* What would take for ever is ended, three times. */
	ns = play(HEAD "phase p for 20us times 3\nrun stream:size=64K,passes=1000000\nrun pingpong:core=2,count=100000000\n",
		  0, "");
	CHECK_EQ(__LINE__, ns >= 60000 && ns < 66000, 1);
	/* A phase without limit ends with the last of its runs. */
	ns = play(HEAD "phase p\nrun idle:time=1000\nrun idle:time=50000,core=1\n", 0, "");
	CHECK_EQ(__LINE__, ns >= 50000 && ns < 200000, 1);
	play(HEAD "phase p\nrun stream:core=1,threads=2\nrun idle:core=2\n", BXS_EINVAL,
	     "f:4: core 2 already has the run of line 3");
	play(HEAD "phase p\nrun idle\nphase q\nrun stream:core=7\n", BXS_EINVAL, "f:5: core=7,threads=1,step=1: the machine has");
	play(HEAD "phase p\nrun strem\n", BXS_EINVAL, "f:3: no kernel \"strem\"; did you mean stream?");
	play(HEAD "phase p\nrun idle:node=9\n", BXS_EINVAL, "f:3: ");
}

int main(void)
{
	for (const struct wrong *w = wrongs; w < wrongs + LEN(wrongs); w++)
		check_wrong(w);
	check_good();
	check_broken();
	check_play();
	return check_done();
}
