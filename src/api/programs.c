/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that drive a session's machine: their start, and what they have come to. */
#include "api/session.h"

#include <inttypes.h>
#include <string.h>

#include "feed/mix.h"
#include "feed/ring.h"
#include "feed/run.h"
#include "virtual/files.h"

/* Program number n of so many; all but the first stay in the background. */
static int open_program(bxs_session *s, const struct bxs_program *p, unsigned n, unsigned count)
{
	struct run_config config = {
		.argv = p->argv, .qemu = p->qemu, .plugin = p->plugin, .compact = p->compact,
		.machine_time = p->machine_time, .host_world = p->host_world, .region = s->region, .quantum = p->quantum,
		.seeded = p->seeded, .seed = p->seed,
		.witness = s->config.truth, .files = files_archive, .background = n > 0, .output = RUN_OURS, .place = n, .places = count,
		.instructions = p->instructions, .picoseconds = p->ns > UINT64_MAX / 1000 ? UINT64_MAX : p->ns * 1000,
	};
	char why[400] = "";
	int err;

	if (p->machine_time && p->host_world)
		return api_fail(s->machine, BXS_EINVAL, "the machine's clocks or this computer's, not both");
	if (p->seeded && p->host_world)
		return api_fail(s->machine, BXS_EINVAL, "random numbers and a date from a seed, or this computer's, not both");
	if (p->quantum && (p->quantum < BXS_QUANTUM_LEAST || p->quantum > BXS_QUANTUM_MOST))
		return api_fail(s->machine, BXS_EINVAL, "threads cannot take turns of %" PRIu64 " ns, but of %d to %d", p->quantum,
				BXS_QUANTUM_LEAST, BXS_QUANTUM_MOST);
	err = run_open(s->machine->machine, &config, &s->program[n], why, sizeof why);
	if (err < 0)
		return api_feed(s, err, why);
	s->programs++;
	if (count == 1)
		s->feed = s->program[0];
	else
		err = mix_add(s->feed, s->program[n]);
	return err;
}

int bxs_session_region(bxs_session *s, const char *name)
{
	size_t len = strlen(name);
	int err = api_undriven(s);

	if (err < 0)
		return err;
	if (!len || len >= RING_REGION || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != len)
		return api_fail(s->machine, BXS_EINVAL, "%s is no name of a region: that has 1 to %d letters, digits, and _ - .", name,
				RING_REGION - 1);
	s->region = name;
	return 0;
}

uint64_t bxs_session_entered(const bxs_session *s)
{
	return s->entered;
}

int bxs_session_programs(bxs_session *s, const struct bxs_program *programs, unsigned count)
{
	int err;

	if (s->machine->local && count == 1)
		return api_child_start(s, programs);
	err = api_undriven(s);
	if (err < 0)
		return err;
	if (count == 0 || count > API_PROGRAMS)
		return api_fail(s->machine, BXS_EINVAL, "%u programs at once: there may be 1 to %d", count,
				API_PROGRAMS);
	if (s->region && (count > 1 || !machine_runs_x86(s->machine->machine)))
		return api_fail(s->machine, BXS_ENOTSUP, "a region is one of a single program for x86-64");
	if (count > 1)
		err = mix_new(s->machine->machine, true, &s->feed);
	for (unsigned n = 0; n < count && err == 0; n++)
		err = open_program(s, programs + n, n, count);
	return err;
}

int bxs_session_program(bxs_session *s, const struct bxs_program *program)
{
	return bxs_session_programs(s, program, 1);
}

int bxs_session_status(const bxs_session *s)
{
	return bxs_session_status_of(s, 0);
}

int bxs_session_status_of(const bxs_session *s, unsigned program)
{
	if (s->machine->local)
		return program == 0 && s->child.pid ? s->child.status : -1;
	return program < s->programs ? run_status(s->program[program]) : -1;
}

unsigned bxs_session_lost_threads(const bxs_session *s)
{
	unsigned lost = 0;

	for (unsigned n = 0; n < s->programs; n++)
		lost += run_lost_threads(s->program[n]);
	return lost;
}

unsigned bxs_session_notes(const bxs_session *s)
{
	unsigned notes = 0;

	for (unsigned n = 0; n < s->programs; n++)
		notes |= run_notes(s->program[n]);
	return notes;
}

unsigned bxs_session_killed(const bxs_session *s)
{
	unsigned killed = 0;

	for (unsigned n = 0; n < s->programs; n++)
		killed += run_killed(s->program[n]);
	return killed;
}

const char *bxs_session_ending(const bxs_session *s)
{
	return s->programs ? run_ending(s->program[0]) : "";
}

const char *bxs_session_note(const bxs_session *s)
{
	return s->programs ? run_note(s->program[0]) : "";
}

bool api_is_partial(const bxs_session *s)
{
	bool cut = false;

	for (unsigned n = 0; n < s->programs; n++)
		cut |= run_cut_off(s->program[n]);
	return cut || bxs_session_killed(s) || bxs_session_lost_threads(s) || bxs_session_untraced(s) || machine_error(s->machine->machine) < 0;
}

unsigned bxs_session_untraced(const bxs_session *s)
{
	unsigned untraced = 0;

	for (unsigned n = 0; n < s->programs; n++)
		untraced += run_untraced(s->program[n]);
	return untraced;
}
