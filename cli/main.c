/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore: a table of commands yields dispatch, help and completion. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define MACHINE_DETAIL \
	"  -M SPEC          the machine: family[:part][,key=value...]; the first of `boxscore machines` if not given;\n" \
	"                   the manual page has the keys, such as cores=4 sockets=1 snoop=early|home|directory|cod\n" \
	"                   osb=on d2c=off ppd=slow turbo=on\n"

#define MEASURE_DETAILS \
	MACHINE_DETAIL \
	"  -e EVENTS        cbo.LLC_LOOKUP.ANY,imc.CAS_COUNT.*,cbo3.TOR_INSERTS.OPCODE:opc=DRd,thresh=2\n" \
	"  -m METRICS       imc.MEM_BW_READS,cbo.*,bw=imc.CAS_COUNT.RD*64/SECONDS\n" \
	"  -I TIME          readings at intervals of machine time: 500us, 1ms\n" \
	"  -C, --cpu LIST   only these cores, 0,2-5, and the uncore of the sockets that they are in\n" \
	"  -a, --all-cores  all cores, which is so anyhow\n" \
	"  -r N             N runs, 1000 at most: the mean of each reading, and how much the runs differ\n" \
	"  --delay TIME     count only what comes after so much machine time\n" \
	"  --timeout TIME   end it all after so much machine time\n" \
	"  -A, --per-box    a row for each box\n" \
	"  --per-socket     a row for each socket\n" \
	"  -j, -x SEP       JSON lines, or values separated by SEP\n" \
	"  -o FILE          readings to a file; - is standard output\n" \
	"  --html FILE      a page with maps, plots and a table of the readings as well\n" \
	"  --head           with -j: a line about machine and command ahead of the readings, lines of notes behind\n" \
	"  --truth          beside each reading what it really was, and the difference\n" \
	"  --multiplex      count in turns what cannot be counted at once (--turn TIME: of a turn)\n" \
	"  --mem HOW        where pages go: firsttouch, interleave or bind=NODE\n" \
	"  --dma DEVICE     a device that moves data meanwhile: read=4G,write=2G,size=4K,socket=0\n" \
	"  --fault FAULTS   what goes wrong: ecc=1e-6,qpi-crc=1e-7,thermal=1ms+200us/2ms,seed=7;\n" \
	"                   rates ecc reread qpi-crc vmse-crc smi-crc buffer-ecc,\n" \
	"                   spells thermal prochot vrhot memhot memcritical\n"

#define TOOLS_FAULT \
	"  --fault LIST     of registers: hide=D20:F0,phantom=imc3,stuck=cbo3.CTR1,gp=0x606,erratum=sbo-gp;\n" \
	"                   of hardware, as for stat: ecc=1e-6,qpi-crc=1e-7,thermal=1ms+200us/2ms,seed=7\n"

#define TOOLS_DETAILS \
	MACHINE_DETAIL \
	"  --load LOAD      what keeps it busy: stream:threads=4, FILE.bxt, locks.scenario, \"./prog args\"; else it idles\n" \
	"  --once           a load that has ended is not started again\n" \
	"  --ratio X        seconds of the machine a second of wall time, at most (1)\n" \
	"  --log FILE       every register access, a line each; replay-log feeds it back\n" \
	"  --check          explain each access that the manual forbids or warns of\n" \
	"  --check=error    the same; then the exit status is 65 unless the tool's is not 0\n" \
	TOOLS_FAULT

static const struct cli_command commands[] = {
	{ "stat", "[OPTION...] -- PROGRAM [ARGUMENT...]", "measure a program on a simulated machine",
	  MEASURE_DETAILS
	  "  --cores HOW      threads on cores: spread over the sockets, or compact\n"
	  "  --region NAME    count only between the program's marks of that name (boxscore/region.h)\n"
	  "  --host-world     its clocks, sleeps and timeouts are this computer's in place of the machine's\n"
	  "  --machine-time   they are the machine's, or it does not run: for scripts that need what repeats\n"
	  "  --seed N         random numbers of the kernel and the processor follow from N, and the date is a fixed one\n"
	  "  --quantum TIME   how far a thread may run ahead of others in machine time, 50ns to 14us (what they share decides)\n"
	  "  --limit N        end a program for IA-64 after N instructions, or a time such as 10ms\n"
	  "  --co-run COMMAND one more program, \"./prog args\", beside it on other cores; ends with it\n"
	  "  --qemu PATH, --plugin PATH\n"
	  "                   under this qemu-x86_64, with our plugin, in place of the emulator that comes with it\n"
	  "  --kernel KERNEL  a built-in kernel in place of a program: stream:size=64M,threads=4\n"
	  "  --on local       on this computer's own counters, in its time; without a program (-a SECONDS: for so long) all of it\n"
	  "  --via HOW        how to reach them: perf or direct; the first that works if not given\n"
	  "  --force          take boxes in which somebody else counts\n\n"
	  "Readings go to standard error, or to standard output when there is no program.  The exit\n"
	  "status is the program's, 128 and the signal that ended it, or of our own 64: bad usage, 65: bad\n"
	  "event, machine or file, 69: the emulator is missing or the program is not for x86-64, 70: our fault,\n"
	  "124: --timeout ended the program.\n",
	  cmd_stat },
	{ "report", "-o FILE [-M SPEC] RUN [RUN]", "a page with maps, plots and tables of what stat -j wrote",
	  "  -o FILE          the page: one file of HTML that needs no network; - is standard output\n"
	  "  -M SPEC          the machine, for a RUN that does not say on which it was measured (stat --head)\n\n"
	  "RUN is a file of JSON lines, - is standard input; two are compared.  Lines that cannot be used are left out, and told with\n"
	  "file, line and column; then the exit status is 65.\n", cmd_report },
	{ "record", "[-M SPEC] -o FILE -- PROGRAM [ARGUMENT...]", "keep what a program does in a trace file",
	  NULL, cmd_record },
	{ "replay", "[OPTION...] FILE", "measure a trace file", MEASURE_DETAILS, cmd_replay },
	{ "with", "[OPTION...] -- PROGRAM [ARGUMENT...]", "run a tool with the machine in place of this computer's",
	  TOOLS_DETAILS
	  "  --machine-time   when the tool sleeps for a second, it is one of the machine's, however long that takes\n"
	  "  --likwid         registers through LIKWID's access daemon only, on a system without FUSE\n"
	  "  --native         the tool sees the processor it runs on, not the machine's\n\n"
	  "The tool finds the machine's registers where it always looks: /dev/cpu/N/msr, /proc/bus/pci, /sys.\n"
	  "The exit status is the tool's, 128 and the signal that ended it, or of our own 64, 65, 69, 70.\n",
	  cmd_with },
	{ "mount", "[OPTION...] DIRECTORY", "show the machine's registers as files",
	  TOOLS_DETAILS
	  "  --background     return when the files are there; umount ends it\n"
	  "  --allow-other    other users may read and write too\n",
	  cmd_mount },
	{ "replay-log", "[OPTION...] FILE", "do again what a tool did, and compare",
	  "  -M SPEC          on this machine; the log's if not given\n"
	  "  --load LOAD      under this load; the log's if not given, and its faults likewise\n"
	  "  --once           a load that has ended is not started again\n"
	  TOOLS_FAULT
	  "\nPrints each read that came out differently; then the exit status is 1.\n",
	  cmd_replay_log },
	{ "run", "[OPTION...] SCENARIO", "measure a scenario: kernels on cores, phase after phase", MEASURE_DETAILS
	  "  --list           name the scenarios that are shipped\n\n"
	  "SCENARIO is one of those, or a file.  Machine, events and metrics are the scenario's where\n"
	  "no option says otherwise.\n", cmd_run },
	{ "check", "[OPTION...] [FILE...]", "would these events and metrics be measured?",
	  MACHINE_DETAIL
	  "  -e EVENTS, -m METRICS\n"
	  "                   as stat takes them; or a FILE with an event list or NAME=EQUATION a line, or\n"
	  "                   behind the words events and metrics; # starts a comment, machine SPEC comes first\n"
	  "  --multiplex      they may be counted in turns\n\n"
	  "Nothing runs.  Every line that is wrong is told, FILE:LINE: and the character; then the exit status is 65, and 69 if\n"
	  "nothing of it can be measured there.\n",
	  cmd_check },
	{ "doctor", "", "what stands in the way of measuring on this computer",
	  "Tells processor, boxes, ways to the registers, and what would help; changes nothing.  The exit status is 69 if\n"
	  "nothing can be measured.\n", cmd_doctor },
	{ "list", "[-f FAMILY] [-a|-m] [WORD...]", "search events, metrics and registers",
	  "  -f FAMILY        of this family, or of all; the one that stat would take if not given\n"
	  "  --on local       of this computer's family\n"
	  "  -m               metrics only\n"
	  "  -a               subevents and registers too, where no word is given\n\n"
	  "Each WORD has to occur in the name, as a glob or where a word starts, or in the text.\n", cmd_list },
	{ "info", "[-f FAMILY] NAME", "all about an event, a register or a metric", NULL, cmd_info },
	{ "explain", "[-f FAMILY] REGISTER VALUE", "decode a raw register value bit by bit", NULL,
	  cmd_explain },
	{ "dump", "KIND [-f FAMILY]", "the catalogue as tab-separated values",
	  "  -f FAMILY        of this family (--family); of all if not given\n\n"
	  "KIND is registers, fields, values, events, subevents, metrics, packets or messages.\n", cmd_dump },
	{ "shell", "[-M SPEC|--on local [--via HOW]]", "a console on a fresh machine, line in, line out",
	  "Lines: rdmsr wrmsr rdpci wrpci rdcsr wrcsr rdpmc wrpmc rdpmd wrpmd read write pulse level advance\n"
	  "retire fetch dataref branch chk rfi interrupt thread cycles pending "
	  "measure compute readings play record help quit; `help` gives\n"
	  "their arguments.  # starts a comment.  Reads print the value in hexadecimal, a fault\n"
	  "prints #GP; after a bad line the exit status is 2 at the end.\n",
	  cmd_shell },
	{ "machines", "[FAMILY]", "families, parts, and what each is made of", NULL, cmd_machines },
};

static void help(FILE *out)
{
	fprintf(out, "usage: boxscore COMMAND [ARGUMENT...]\n\n"
		     "Intel's performance-monitoring hardware as software, and the tools to measure with it.\n\n");
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].text);
	fprintf(out, "\n`boxscore COMMAND --help` says more; boxscore(1) is the manual page.\n");
}

/* Is the option, short or long, among a command's?  What stands behind the name of a program is the program's. */
static bool wants(const struct cli_command *cmd, int argc, char **argv, const char *brief, const char *option)
{
	bool program = strstr(cmd->arguments, "PROGRAM") != NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], option) == 0 || strcmp(argv[i], brief) == 0)
			return true;
		if (program && argv[i][0] != '-')
			break;
	}
	return false;
}

static int version(void)
{
	printf("boxscore %s\n", BXS_VERSION);
	return CLI_OK;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static void go_on(int sig)
{
	(void)sig;
}

/*
 * Where a standard file is closed, the next one of ours would come in its place, and what is printed into that: so there
 * is one that can be neither read nor written, which no program inherits.  A file that may grow no more is an error like a full
 * disk, not our end; programs that we start get the signal all the same.
 */
static void withstand(void)
{
	struct sigaction action = { .sa_handler = go_on, .sa_flags = SA_RESTART }, old;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	}
	if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
	withstand();
	if (argc < 2) {
		help(stderr);
		return CLI_USAGE;
	}
	if (is_one_of(argv[1], "--help", "-h", "help")) {
		help(stdout);
		return CLI_OK;
	}
	if (is_one_of(argv[1], "--version", "-V", "version"))
		return version();
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		const struct cli_command *cmd = &commands[i];

		if (strcmp(argv[1], cmd->name) != 0)
			continue;
		if (wants(cmd, argc - 1, argv + 1, "-h", "--help")) {
			cli_usage(cmd, stdout);
			return CLI_OK;
		}
		if (wants(cmd, argc - 1, argv + 1, "-V", "--version"))
			return version();
		return cmd->run(cmd, argc - 1, argv + 1);
	}
	fprintf(stderr, "boxscore: no command %s; `boxscore --help` lists them\n", argv[1]);
	return CLI_USAGE;
}
