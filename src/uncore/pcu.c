// SPDX-License-Identifier: BSD-2-Clause
/*
 * Power control: sleeping and waking cores, the package states that follow from them, and
 * the standing levels that the events of the box count.
 */
#include "uncore/pcu.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "signal_ids.h"

#define US UINT64_C(1000000)		/* picoseconds */

enum depth { RUNNING, C1, C3, C6, DEPTHS };
enum package { PKG_C0, PKG_C1E, PKG_C2E, PKG_C3, PKG_C6, PACKAGES };

/*
 * After `stay` in this state a core sinks to the next; `enter` and `leave` are what the
 * hardware is busy with the change.  Target residencies and exit latencies of Linux's
 * intel_idle for Haswell.
 */
static const struct {
	uint64_t stay, enter, leave;
	uint64_t flag;			/* of pcu.core_state */
} depths[DEPTHS] = {
	[RUNNING] = { .stay = UINT64_MAX, .flag = PCU_CORE_STATE_C0 },
	[C1] = { .stay = 100 * US, .leave = 2 * US, .flag = PCU_CORE_STATE_C0 },
	[C3] = { .stay = 300 * US, .enter = 5 * US, .leave = 33 * US, .flag = PCU_CORE_STATE_C3 },
	[C6] = { .stay = UINT64_MAX, .enter = 10 * US, .leave = 133 * US,
		 .flag = PCU_CORE_STATE_C6 },
};

static const uint64_t package_flag[PACKAGES] = {
	[PKG_C0] = PCU_PACKAGE_C0, [PKG_C1E] = PCU_PACKAGE_C1E, [PKG_C2E] = PCU_PACKAGE_C2E,
	[PKG_C3] = PCU_PACKAGE_C3, [PKG_C6] = PCU_PACKAGE_C6,
};

struct socket {
	struct signal_port *port;
	unsigned at[DEPTHS];		/* cores there */
	enum package package;
	uint64_t since, time[PACKAGES];	/* in this state since; before that, in each */
};

struct core {
	enum depth depth;
	uint64_t since, time[DEPTHS];	/* as of a socket */
};

struct pcu {
	struct pcu_config config;
	unsigned sockets, cores;	/* cores of a socket */
	uint32_t khz;			/* of the uncore, now */
	uint64_t now;			/* latest change */
	uint64_t next;			/* nothing sinks before */
	struct socket *socket;
	struct core *core;
};

int pcu_new(const struct pcu_config *config, struct pcu **out)
{
	unsigned sockets = config->sockets, cores = config->cores;
	struct pcu *p;

	if (sockets == 0 || cores == 0 || cores > PCU_MAX_CORES)
		return BXS_EINVAL;
	p = calloc(1, sizeof *p);
	if (!p)
		return BXS_ENOMEM;
	p->socket = calloc(sockets, sizeof *p->socket);
	p->core = calloc((size_t)sockets * cores, sizeof *p->core);
	if (!p->socket || !p->core) {
		pcu_free(p);
		return BXS_ENOMEM;
	}
	p->sockets = sockets;
	p->cores = cores;
	p->config = *config;
	p->khz = config->rest_khz;
	p->next = depths[C1].stay;
	for (unsigned i = 0; i < sockets * cores; i++)
		p->core[i].depth = C1;
	for (unsigned i = 0; i < sockets; i++) {
		p->socket[i].at[C1] = cores;
		p->socket[i].package = PKG_C1E;
	}
	*out = p;
	return 0;
}

void pcu_free(struct pcu *p)
{
	if (!p)
		return;
	free(p->socket);
	free(p->core);
	free(p);
}

static void level(const struct socket *s, unsigned sig, uint64_t when, int64_t delta,
		  uint64_t flags)
{
	static const struct signal_tag no_tag;

	if (s->port)
		signal_level(s->port, sig, when, delta, flags, &no_tag);
}

/* The frequency counts as told, or (delta -1) no more. */
static void tell_frequency(const struct pcu *p, const struct socket *s, uint64_t when, int delta)
{
	struct signal_tag tag = { .freq = (uint8_t)(p->khz / 100000) };

	if (s->port)
		signal_level(s->port, SIG_PCU_FREQUENCY, when, delta, 0, &tag);
}

void pcu_port(struct pcu *p, unsigned socket, struct signal_port *port)
{
	struct socket *s = &p->socket[socket];

	s->port = port;
	level(s, SIG_PCU_CORE_STATE, 0, p->cores, PCU_CORE_STATE_C0);
	level(s, SIG_PCU_PACKAGE, 0, 1, package_flag[s->package]);
	level(s, SIG_PCU_OS_LIMIT, 0, 1, 0);
	tell_frequency(p, s, 0, 1);
}

static bool deep(const struct pcu *p, const struct socket *s)
{
	return s->at[C3] + s->at[C6] == p->cores;
}

static enum package package_state(const struct pcu *p, const struct socket *s)
{
	if (s->at[RUNNING])
		return PKG_C0;
	if (s->at[C1])
		return PKG_C1E;
	for (unsigned i = 0; i < p->sockets; i++)
		if (!deep(p, &p->socket[i]))
			return PKG_C2E;
	return s->at[C3] ? PKG_C3 : PKG_C6;
}

/* The states that follow from where the cores are. */
static void update_packages(struct pcu *p, uint64_t when)
{
	for (unsigned i = 0; i < p->sockets; i++) {
		struct socket *s = &p->socket[i];
		enum package package = package_state(p, s);

		if (package == s->package)
			continue;
		level(s, SIG_PCU_PACKAGE, when, -1, package_flag[s->package]);
		level(s, SIG_PCU_PACKAGE, when, 1, package_flag[package]);
		s->time[s->package] += when - s->since;
		s->since = when;
		s->package = package;
	}
}

static void change_frequency(struct pcu *p, uint64_t when, uint32_t khz)
{
	if (khz == p->khz)
		return;
	for (unsigned i = 0; i < p->sockets; i++)
		tell_frequency(p, &p->socket[i], when, -1);
	p->khz = khz;
	for (unsigned i = 0; i < p->sockets; i++)
		tell_frequency(p, &p->socket[i], when, 1);
	if (p->config.uclk)
		p->config.uclk(p->config.ctx, when, khz);
}

/* Work when a core starts to run; rest when the last one has gone to sleep. */
static void update_frequency(struct pcu *p, uint64_t when, bool runs)
{
	bool all_deep = true;

	for (unsigned i = 0; i < p->sockets; i++)
		all_deep &= deep(p, &p->socket[i]);
	if (runs)
		change_frequency(p, when, p->config.work_khz);
	else if (all_deep)
		change_frequency(p, when, p->config.rest_khz);
}

/* The hardware is busy for a while with changing a core's state. */
static void transition(struct pcu *p, unsigned core, uint64_t when, uint64_t how_long)
{
	static const struct signal_tag no_tag;
	struct socket *s = &p->socket[core / p->cores];

	if (s->port && how_long)
		signal_span(s->port, SIG_PCU_TRANSITION, when, when + how_long, 1,
			    PCU_TRANSITION_CORE0 << core % p->cores, &no_tag);
}

static void move(struct pcu *p, unsigned core, enum depth to, uint64_t when)
{
	struct core *c = &p->core[core];
	struct socket *s = &p->socket[core / p->cores];

	if (when < p->now)
		when = p->now;
	p->now = when;
	s->at[c->depth]--;
	s->at[to]++;
	if (depths[c->depth].flag != depths[to].flag) {
		level(s, SIG_PCU_CORE_STATE, when, -1, depths[c->depth].flag);
		level(s, SIG_PCU_CORE_STATE, when, 1, depths[to].flag);
	}
	transition(p, core, when, depths[to].enter);
	c->time[c->depth] += when - c->since;
	c->depth = to;
	c->since = when;
	update_packages(p, when);
	update_frequency(p, when, to == RUNNING);
}

static uint64_t sinks_at(const struct core *c)
{
	return depths[c->depth].stay == UINT64_MAX ? UINT64_MAX
						   : c->since + depths[c->depth].stay;
}

uint64_t pcu_next(const struct pcu *p)
{
	return p->next;
}

void pcu_advance(struct pcu *p, uint64_t until)
{
	while (p->next <= until) {
		unsigned first = 0;

		for (unsigned i = 1; i < p->sockets * p->cores; i++)
			if (sinks_at(&p->core[i]) < sinks_at(&p->core[first]))
				first = i;
		p->next = sinks_at(&p->core[first]);
		if (p->next <= until)
			move(p, first, p->core[first].depth + 1, p->next);
	}
}

void pcu_halt(struct pcu *p, unsigned core, uint64_t when)
{
	pcu_advance(p, when);
	if (p->core[core].depth != RUNNING)
		return;
	move(p, core, C1, when);
	if (sinks_at(&p->core[core]) < p->next)
		p->next = sinks_at(&p->core[core]);
}

uint64_t pcu_runs(const struct pcu *p, unsigned core, uint64_t when)
{
	enum depth from = p->core[core].depth;

	return from == RUNNING ? when : when + depths[from].leave;
}

uint64_t pcu_core_time(const struct pcu *p, unsigned core, enum pcu_state state, uint64_t until)
{
	const struct core *c = &p->core[core];
	enum depth depth = state == PCU_IN_C3 ? C3 : C6;

	return c->time[depth] + (c->depth == depth && until > c->since ? until - c->since : 0);
}

uint64_t pcu_package_time(const struct pcu *p, unsigned socket, enum pcu_state state, uint64_t until)
{
	static const uint8_t packages[] = { [PCU_IN_C0] = PKG_C0, [PCU_IN_C2] = PKG_C2E, [PCU_IN_C3] = PKG_C3,
					    [PCU_IN_C6] = PKG_C6 };
	const struct socket *s = &p->socket[socket];
	unsigned package = packages[state];

	return s->time[package] + (s->package == package && until > s->since ? until - s->since : 0);
}

uint64_t pcu_wake(struct pcu *p, unsigned core, uint64_t when)
{
	enum depth from;

	pcu_advance(p, when);
	from = p->core[core].depth;
	if (from == RUNNING)
		return when;
	if (depths[from].enter)		/* waking from C1 is no change of the hardware's state */
		transition(p, core, when, depths[from].leave);
	when += depths[from].leave;
	move(p, core, RUNNING, when);
	return when;
}
