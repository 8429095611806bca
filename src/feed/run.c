/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting a program under the emulator, its signals and its end. */
#include "feed/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/product.h"
#include "feed/module.h"
#include "feed/run_itanium.h"
#include "feed/run_private.h"
#include "feed/target.h"
#include "feed/witness.h"
#include "machine/machine.h"

extern char **environ;

#define NATIVE "boxscore-native"
#define PLUGIN "boxscore-plugin.so"

#define KILLING_TERM 3			/* this SIGTERM is obeyed, whatever the program does with those before */

static const int passed_on[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT,
};

/* Files. */

static bool is_file(const char *dir, const char *below, char *out, size_t size)
{
	return (size_t)snprintf(out, size, "%s%s", dir, below) < size && !access(out, R_OK);
}

static int find_plugin(const struct run_config *cfg, char *out, size_t size)
{
	if (cfg->plugin)
		return is_file(cfg->plugin, "", out, size) ? 0 : BXS_ENOTSUP;
	return module_find(PLUGIN, out, size) ? 0 : BXS_ENOTSUP;
}

static int find_qemu(const struct run_config *cfg, char *out, size_t size)
{
	const char *path = getenv("PATH");

	if (cfg->qemu)
		return is_file(cfg->qemu, "", out, size) ? 0 : BXS_ENOTSUP;
	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		size_t len = strcspn(path, ":");
		char dir[PATH_MAX];

		snprintf(dir, sizeof dir, "%.*s", (int)len, path);
		if (len && is_file(dir, "/qemu-x86_64", out, size) && !access(out, X_OK))
			return 0;
		path += len;
	}
	return is_file("/usr/bin", "/qemu-x86_64", out, size) ? 0 : BXS_ENOTSUP;
}

/* Ours, with the plugin built in, unless somebody names another one or its plugin. */
static bool find_native(const struct run_config *cfg, char *out, size_t size)
{
	return !cfg->qemu && !cfg->plugin && module_find(NATIVE, out, size) && !access(out, X_OK);
}

/* The emulator, and the file that is its plugin. */
static int find_emulator(const struct run_config *cfg, char *emulator, char *plugin, size_t size, char *why, size_t why_size)
{
	char missing[400];
	int err;

	if (find_native(cfg, emulator, size)) {
		snprintf(plugin, size, "built-in");
		return 0;
	}
	if (cfg->machine_time || cfg->seeded) {
		snprintf(why, why_size, "%s to be had under boxscore-native only%s", cfg->machine_time ? "machine time is" : "random numbers from a seed are",
			 cfg->qemu || cfg->plugin ? ": QEMU answers a program's questions by itself" : ", which is not there");
		return BXS_ENOTSUP;
	}
	err = find_qemu(cfg, emulator, size);
	module_missing(err < 0 ? NATIVE : PLUGIN, missing, sizeof missing);
	if (err < 0 && (cfg->qemu || cfg->plugin))
		snprintf(why, why_size, "%s: no such emulator; Debian has it in the package qemu-user",
			 cfg->qemu ? cfg->qemu : "qemu-x86_64");
	else if (err < 0)
		snprintf(why, why_size, "%s; qemu-x86_64, which would do, is not in PATH; Debian has it in the package qemu-user", missing);
	if (err < 0)
		return err;
	err = find_plugin(cfg, plugin, size);
	if (err < 0 && cfg->plugin)
		snprintf(why, why_size, "%s: no such file", cfg->plugin);
	else if (err < 0)
		snprintf(why, why_size, "%s", missing);
	return err;
}

/* The child. */

/* The environment without the emulator's own variables. */
static char **clean_environment(void)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = malloc((n + 1) * sizeof *env);
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], "QEMU_", 5) != 0)
			env[kept++] = environ[i];
	}
	env[kept] = NULL;
	return env;
}

/* The standard files of a program in the background. */
static bool hide_files(int output)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (dup2(null, 0) < 0)
		return false;
	if (output == RUN_OURS)
		return true;
	if (output == RUN_NOWHERE)
		output = null;
	return dup2(output, 1) >= 0 && dup2(output, 2) >= 0;
}

/* Everything between fork and exec; only returns to say what went wrong. */
static void become_program(const struct run *r, pid_t parent, char **command, char **env)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, r->background ? &none : &r->old_mask, NULL);
	if (r->background && !hide_files(r->output))
		return;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return;
	if (getppid() != parent) {
		errno = ESRCH;
		return;
	}
	/* The same addresses in every run. */
	personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	execve(command[0], command, env);
}

static int spawn(struct run *r, char **command, char *why, size_t size)
{
	char **env = clean_environment();
	pid_t parent = getpid();
	int report[2], failed = 0;

	if (!env)
		return BXS_ENOMEM;
	if (pipe2(report, O_CLOEXEC) < 0) {
		snprintf(why, size, "%s cannot be started: %s", command[0], strerror(errno));
		free(env);
		return BXS_EIO;
	}
	r->pid = fork();
	if (r->pid == 0) {
		become_program(r, parent, command, env);
		failed = errno;
		if (write(report[1], &failed, sizeof failed) < 0)
			_exit(126);
		_exit(127);
	}
	if (r->pid < 0)
		failed = errno;
	free(env);
	close(report[1]);
	if (r->pid > 0 && read(report[0], &failed, sizeof failed) == sizeof failed)
		waitpid(r->pid, NULL, 0);
	close(report[0]);
	if (!failed)
		return 0;
	r->pid = 0;
	snprintf(why, size, "%s cannot be started: %s", command[0], strerror(failed));
	return BXS_EIO;
}

/* Signals. */

static int hold_signals(struct run *r)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < LEN(passed_on); i++)
		sigaddset(&set, passed_on[i]);
	if (sigprocmask(SIG_BLOCK, &set, &r->old_mask) < 0)
		return BXS_EIO;
	r->holds_signals = true;
	r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return r->signals < 0 ? BXS_EIO : 0;
}

void run_pass_signals(struct run *r)
{
	struct signalfd_siginfo info;

	while (r->signals >= 0 && read(r->signals, &info, sizeof info) == sizeof info) {
		int number = (int)info.ssi_signo;

		/* Nobody is left to obey: we do. */
		if (r->ended && (number == SIGINT || number == SIGQUIT || number == SIGTERM || number == SIGHUP))
			r->cut = true;
		/* A program may have reasons not to end; whoever asks so often has better ones. */
		r->terms += number == SIGTERM;
		if (!r->ended && r->terms == KILLING_TERM) {
			kill(r->pid, SIGKILL);
			r->cut = true;
		}
		/* What the terminal sends goes to the whole process group. */
		else if (info.ssi_code != SI_KERNEL && !r->ended)
			kill(r->pid, number);
	}
}

void run_reap(struct run *r)
{
	int status;

	if (!r->ended && waitpid(r->pid, &status, WNOHANG) == r->pid) {
		r->ended = true;
		r->status = status;
		/* Whatever it left in the background goes on alone. */
		atomic_store(&r->segment->detached, RING_ALONE);
	}
}

/* A checked build always looks for lines that two threads have: there are none as long as each thread has a core of its own. */
#ifdef BXS_CHECKED
static const bool run_checked = true;
#else
static const bool run_checked;
#endif

static void check_owners(const struct run *r)
{
	uint64_t kept = 0;

	for (unsigned i = 0; i < run_used(r); i++)
		kept += atomic_load(&run_ring(r, i)->kept);
	if (kept && run_used(r) <= r->cores && !r->crowded) {
		fprintf(stderr, "boxscore: %" PRIu64 " lines were still in caches from which others had taken them\n", kept);
		abort();
	}
}

static void run_close(struct feed *f)
{
	struct run *r = (struct run *)f;

	if (r->pid && !r->ended) {
		atomic_store(&r->segment->detached, RING_OVER);
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
	}
	if (r->holds_signals) {
		if (r->signals >= 0)
			run_pass_signals(r);
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	}
	if (r->signals >= 0)
		close(r->signals);
	if (run_checked && r->segment && !r->fault)
		check_owners(r);
	ring_unmap(r->segment);
	witness_free(r->witness);
	if (r->fd >= 0)
		close(r->fd);
	run_hide_cpus(r);
	free(r);
}

static const struct feed_ops run_ops = { .run = run_feed, .close = run_close, .rest = run_rest,
					.stop = run_stop, .why = run_why, .mark = run_mark };

static int start(struct run *r, const struct run_config *cfg, char *why, size_t size)
{
	const struct spec *spec = machine_spec(r->feed.machine);
	char qemu[PATH_MAX], plugin[PATH_MAX], segment[64], processor[128];
	struct target *t = malloc(sizeof *t);
	char **command = NULL;
	int err;

	if (!t)
		return BXS_ENOMEM;
	err = target_find(cfg->argv[0], t, why, size);
	if (err < 0)
		goto out;
	err = find_emulator(cfg, qemu, plugin, sizeof qemu, why, size);
	if (err < 0)
		goto out;
	/* QEMU runs the "fast" repeated string moves of a processor a byte at a time. */
	snprintf(processor, sizeof processor, "%s%s", cat_str(cat_cpu_of(spec->family)->emulator),
		 spec->value[SPEC_ERMS] || cat_design_of(spec->family)->lacks & CAT_LACKS_ERMS ? "" : ",-erms");
	snprintf(segment, sizeof segment, "/proc/%d/fd/%d", (int)getpid(), r->fd);
	if (access(segment, R_OK | W_OK) < 0) {
		snprintf(why, size, "/proc, by which the program's emulator finds the memory that it shares with us, cannot be used: %s: %s",
			 segment, strerror(errno));
		err = BXS_ENOTSUP;
		goto out;
	}
	command = target_command(t, cfg->argv, &(struct target_emulator){
		.qemu = qemu, .plugin = plugin, .segment = segment,
		.processor = processor });
	err = command ? spawn(r, command, why, size) : BXS_ENOMEM;
out:
	free(command);
	free(t);
	return err;
}

/* Are the program's clocks the machine's?  Of several programs each would wait for its own, and QEMU answers by itself. */
static bool has_world(const struct run_config *cfg)
{
	char path[PATH_MAX];

	return !cfg->host_world && cfg->places <= 1 && !cfg->background && find_native(cfg, path, sizeof path);
}

/* Can such a run be had of this machine?  0, or an error and why not. */
static int check_config(const struct machine *m, const struct run_config *cfg, char *why, size_t size)
{
	if (cfg->places > RUN_PLACES || cfg->places > machine_cores(m)) {
		snprintf(why, size, "%u programs beside each other: each needs a core of its own, and the machine has %u "
			 "(no more than %d programs)", cfg->places, machine_cores(m), RUN_PLACES);
		return BXS_EINVAL;
	}
	if ((cfg->machine_time || cfg->seeded) && (cfg->places > 1 || cfg->background)) {
		snprintf(why, size, "%s for one program: of several beside each other each would wait for its own",
			 cfg->machine_time ? "machine time is" : "a seed also means a date in machine time, which is");
		return BXS_ENOTSUP;
	}
	return 0;
}

static struct run *new_run(struct machine *m, const struct run_config *cfg)
{
	struct run *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->feed = (struct feed){ .ops = &run_ops, .machine = m, .live = cfg->background };
	r->background = cfg->background;
	r->tells_marks = cfg->region != NULL;
	r->in_step = cfg->places > 1;
	r->output = cfg->output;
	r->signals = r->fd = -1;
	r->status = -1;
	run_map_cores(r, cfg);
	for (unsigned i = 0; i < RING_SLOTS; i++)
		r->thread[i].wake_at = UINT64_MAX;
	return r;
}

/* The memory shared with the program, and what is settled there before it starts. */
static int make_segment(struct run *r, const struct run_config *cfg, char *why, size_t size)
{
	int err = ring_create(&r->fd, &r->segment);

	if (err < 0) {
		snprintf(why, size, "memory to share with the program cannot be had: %s%s", strerror(errno),
			 errno == EFBIG ? " (ulimit -f counts it)" : "");
		return err;
	}
	if (cfg->quantum)
		r->segment->quantum = r->segment->quantum_most = (uint32_t)cfg->quantum * RING_INSTRUCTIONS_NS;
	if (cfg->region)
		snprintf(r->segment->region, sizeof r->segment->region, "%s", cfg->region);
	if (cfg->places > 1)
		ring_spaces(r->segment, (uint8_t)(cfg->place * RING_SPACES / cfg->places),
			    (uint8_t)((cfg->place + 1) * RING_SPACES / cfg->places - 1));
	return 0;
}

/* What the program sees of the machine, and who watches what it does to its lines. */
static int make_world(struct run *r, const struct run_config *cfg)
{
	const struct machine *m = r->feed.machine;

	if ((cfg->witness || run_checked) && !(r->witness = witness_new(machine_cores(m) / machine_nodes(m))))
		return BXS_ENOMEM;
	if (!has_world(cfg))
		return 0;
	run_world_init(r, cfg);
	return cfg->files ? run_show_cpus(r, cfg->files) : 0;
}

static int open_x86(struct machine *m, const struct run_config *cfg, struct feed **out, char *why, size_t size)
{
	struct run *r;
	int err = check_config(m, cfg, why, size);

	if (err < 0)
		return err;
	snprintf(why, size, "%s", "out of memory");
	r = new_run(m, cfg);
	if (!r)
		return BXS_ENOMEM;
	err = make_segment(r, cfg, why, size);
	if (!err)
		err = make_world(r, cfg);
	if (!err && !r->background && (err = hold_signals(r)) < 0)
		snprintf(why, size, "signals for the program cannot be received: %s", strerror(errno));
	if (!err)
		err = start(r, cfg, why, size);
	if (err < 0) {
		run_close(&r->feed);
		return err;
	}
	*out = &r->feed;
	return 0;
}

int run_open(struct machine *m, const struct run_config *cfg, struct feed **out, char *why,
	     size_t size)
{
	if (machine_runs_x86(m) || !machine_has_hardware(m))
		return open_x86(m, cfg, out, why, size);
	if (cfg->machine_time || cfg->quantum || cfg->seeded) {
		snprintf(why, size, "machine time, a quantum and a seed are for programs of x86-64");
		return BXS_ENOTSUP;
	}
	return run_itanium_open(m, cfg, out, why, size);
}

int run_status(const struct feed *f)
{
	return run_itanium_is(f) ? run_itanium_status(f) : ((const struct run *)f)->status;
}

const char *run_ending(const struct feed *f)
{
	return run_itanium_is(f) ? run_itanium_ending(f) : "";
}

const char *run_note(const struct feed *f)
{
	return run_itanium_is(f) ? run_itanium_note(f) : "";
}

unsigned run_lost_threads(const struct feed *f)
{
	return run_itanium_is(f) ? 0 : atomic_load(&((const struct run *)f)->segment->lost);
}

unsigned run_notes(const struct feed *f)
{
	const struct run *r = (const struct run *)f;

	if (run_itanium_is(f))
		return 0;
	return atomic_load(&r->segment->notes) & (r->world ? UINT32_MAX : ~(unsigned)(RING_NOTE_OUTSIDE | RING_NOTE_HOST_CLOCK | RING_NOTE_CHANCE));
}

bool run_witness(const struct feed *f, struct witness_totals *out)
{
	const struct run *r = (const struct run *)f;

	if (run_itanium_is(f) || !r->witness)
		return false;
	*out = witness_totals(r->witness);
	for (unsigned i = 0; i < run_used(r); i++)
		out->kept += atomic_load(&run_ring(r, i)->kept);
	return true;
}

unsigned run_killed(const struct feed *f)
{
	return run_itanium_is(f) ? 0 : ((const struct run *)f)->killed;
}

bool run_cut_off(const struct feed *f)
{
	const struct run *r = (const struct run *)f;

	return r->fault || r->cut;
}

unsigned run_untraced(const struct feed *f)
{
	return run_itanium_is(f) ? 0 : atomic_load(&((const struct run *)f)->segment->untraced);
}
