/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power control: sleeping and waking cores, the package states that follow from them, and
 * the standing levels that the events of the box count.
 */
#include "uncore/power/pcu.h"

#include <stdlib.h>

#include "base/error.h"
#include "uncore/power/inside.h"

#define US UINT64_C(1000000)		/* picoseconds */

/*
 * After `stay` in this state a core sinks to the next; `enter` and `leave` are what the
 * hardware is busy with the change.  Target residencies and exit latencies of Linux's
 * intel_idle for Haswell.
 */
static const struct {
	uint64_t stay, enter, leave;
	uint64_t flag;			/* of pcu.core_state */
} depths[PCU_DEPTHS] = {
	[PCU_RUNNING] = { .stay = UINT64_MAX, .flag = PCU_CORE_STATE_C0 },
	[PCU_C1] = { .stay = 100 * US, .leave = 2 * US, .flag = PCU_CORE_STATE_C0 },
	[PCU_C3] = { .stay = 300 * US, .enter = 5 * US, .leave = 33 * US, .flag = PCU_CORE_STATE_C3 },
	[PCU_C6] = { .stay = UINT64_MAX, .enter = 10 * US, .leave = 133 * US,
		     .flag = PCU_CORE_STATE_C6 },
};

static const uint64_t package_flag[PCU_PACKAGES] = {
	[PCU_PKG_C0] = PCU_PACKAGE_C0, [PCU_PKG_C1E] = PCU_PACKAGE_C1E, [PCU_PKG_C2E] = PCU_PACKAGE_C2E,
	[PCU_PKG_C3] = PCU_PACKAGE_C3, [PCU_PKG_C6] = PCU_PACKAGE_C6,
};

static bool valid(const struct pcu_config *c)
{
	if (c->sockets == 0 || c->cores == 0 || c->cores > PCU_MAX_CORES || c->least_khz > c->core_khz)
		return false;
	for (unsigned i = 0; c->turbo && i < c->cores; i++)
		if (c->most_khz[i] < c->least_khz || !c->base_khz)
			return false;
	return true;
}

int pcu_new(const struct pcu_config *config, struct pcu **out)
{
	unsigned sockets = config->sockets, cores = config->cores;
	struct pcu *p;

	if (!valid(config))
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
	p->next = config->shallow ? UINT64_MAX : depths[PCU_C1].stay;
	for (unsigned i = 0; i < sockets * cores; i++)
		p->core[i].depth = PCU_C1;
	for (unsigned i = 0; i < sockets; i++) {
		p->socket[i].at[PCU_C1] = cores;
		p->socket[i].package = PCU_PKG_C1E;
	}
	pcu_clock_init(p);
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

/* The memory's regulator saves phases while no core runs. */
static bool sheds(enum pcu_package package)
{
	return package != PCU_PKG_C0;
}

uint32_t pcu_work_khz(const struct pcu *p)
{
	return p->config.work_khz;
}

void pcu_port(struct pcu *p, unsigned socket, struct signal_port *port)
{
	struct pcu_socket *s = &p->socket[socket];

	s->port = port;
	pcu_level(s, SIG_PCU_CORE_STATE, 0, p->cores, PCU_CORE_STATE_C0);
	pcu_level(s, SIG_PCU_PACKAGE, 0, 1, package_flag[s->package]);
	pcu_level(s, SIG_PCU_SHEDDING, 0, sheds(s->package), 0);
	pcu_clock_port(p, s);
}

static enum pcu_package package_state(const struct pcu *p, const struct pcu_socket *s)
{
	if (s->at[PCU_RUNNING])
		return PCU_PKG_C0;
	if (s->at[PCU_C1])
		return PCU_PKG_C1E;
	if (p->io_until)
		return PCU_PKG_C2E;
	for (unsigned i = 0; i < p->sockets; i++)
		if (!pcu_deep(p, &p->socket[i]))
			return PCU_PKG_C2E;
	return s->at[PCU_C3] ? PCU_PKG_C3 : PCU_PKG_C6;
}

static void update_links(struct pcu *p, uint64_t when)
{
	bool sleep = true;

	for (unsigned i = 0; i < p->sockets; i++)
		sleep = sleep && p->socket[i].package >= PCU_PKG_C3;
	if (sleep == p->links_sleep)
		return;
	p->links_sleep = sleep;
	if (p->config.links)
		p->config.links(p->config.ctx, when, sleep);
}

/* The time in which cores change their state belongs to no state of the package that follows from it. */
static void end_residency(struct pcu_socket *s, uint64_t when)
{
	if (s->since == UINT64_MAX)
		return;
	if (when < s->since)
		when = s->since;
	pcu_level(s, SIG_PCU_PACKAGE, when, -1, package_flag[s->package]);
	s->time[s->package] += when - s->since;
	s->since = UINT64_MAX;
}

static void begin_residency(struct pcu_socket *s, uint64_t when)
{
	if (s->package >= PCU_PKG_C2E && s->waking)
		return;
	if (s->package >= PCU_PKG_C2E && when < s->entered)
		when = s->entered;
	pcu_level(s, SIG_PCU_PACKAGE, when, 1, package_flag[s->package]);
	s->since = when;
}

void pcu_packages(struct pcu *p, uint64_t when)
{
	static const enum pcu_state state_of[PCU_PACKAGES] = {
		[PCU_PKG_C2E] = PCU_IN_C2, [PCU_PKG_C3] = PCU_IN_C3, [PCU_PKG_C6] = PCU_IN_C6,
	};

	for (unsigned i = 0; i < p->sockets; i++) {
		struct pcu_socket *s = &p->socket[i];
		enum pcu_package package = package_state(p, s);

		if (package == s->package)
			continue;
		if (sheds(package) != sheds(s->package))
			pcu_level(s, SIG_PCU_SHEDDING, when, sheds(package) ? 1 : -1, 0);
		end_residency(s, when);
		s->package = package;
		begin_residency(s, when);
		if (p->config.package)
			p->config.package(p->config.ctx, i, when, state_of[package]);
	}
	update_links(p, when);
}

/* The hardware is busy for a while with changing a core's state. */
static void transition(struct pcu *p, unsigned core, uint64_t when, uint64_t how_long)
{
	static const struct signal_tag no_tag;
	struct pcu_socket *s = &p->socket[core / p->cores];

	if (s->port && how_long)
		signal_span(s->port, SIG_PCU_TRANSITION, when, when + how_long, 1,
			    PCU_TRANSITION_CORE0 << core % p->cores, &no_tag);
}

/*
 * A stay shorter than the changes to and from the state took saved nothing: the core will not
 * be let in the next time.  When that time has turned out long enough, it will again.
 */
static void learn(struct pcu_cpu *c, uint64_t when)
{
	uint64_t stay = when - c->since;

	if (depths[c->depth].enter && stay < depths[c->depth].enter + depths[c->depth].leave)
		c->brief |= (uint8_t)(1u << c->depth);
	for (unsigned d = PCU_C3; d < PCU_DEPTHS; d++)
		if (c->held >> d & 1 && stay >= depths[d - 1].stay + depths[d].enter + depths[d].leave)
			c->brief &= (uint8_t)~(1u << d);
	c->held = 0;
}

static void move(struct pcu *p, unsigned core, enum pcu_depth to, uint64_t when)
{
	struct pcu_cpu *c = &p->core[core];
	struct pcu_socket *s = &p->socket[core / p->cores];

	if (when < p->now)
		when = p->now;
	p->now = when;
	pcu_clock_before(s, when);
	s->at[c->depth]--;
	s->at[to]++;
	if (depths[c->depth].flag != depths[to].flag) {
		pcu_level(s, SIG_PCU_CORE_STATE, when, -1, depths[c->depth].flag);
		pcu_level(s, SIG_PCU_CORE_STATE, when, 1, depths[to].flag);
	}
	transition(p, core, when, depths[to].enter);
	s->entered = when + depths[to].enter > s->entered ? when + depths[to].enter : s->entered;
	c->time[c->depth] += when - c->since;
	c->depth = to;
	c->since = when;
	pcu_clock_core(p, core, when);
	pcu_clock_socket(p, s, when);
	pcu_packages(p, when);
	pcu_uncore_after(p, when, to == PCU_RUNNING);
}

/* When it runs, or sinks. */
static uint64_t changes_at(const struct pcu *p, const struct pcu_cpu *c)
{
	if (c->wakes)
		return c->wakes;
	return depths[c->depth].stay == UINT64_MAX || c->held || p->config.shallow ? UINT64_MAX : c->since + depths[c->depth].stay;
}

uint64_t pcu_next(const struct pcu *p)
{
	uint64_t clock = pcu_clock_next(p);

	return clock < p->next ? clock : p->next;
}

/* The core sinks, or is held where it is. */
static void sink(struct pcu *p, unsigned core, uint64_t when)
{
	static const struct signal_tag no_tag;
	struct pcu_cpu *c = &p->core[core];
	struct pcu_socket *s = &p->socket[core / p->cores];
	unsigned to = c->depth + 1;

	if (!(c->brief >> to & 1)) {
		move(p, core, (enum pcu_depth)to, when);
		return;
	}
	c->held |= (uint8_t)(1u << to);
	if (s->port)
		signal_pulse(s->port, SIG_PCU_DEMOTION, when, 1, PCU_DEMOTION_CORE0 << core % p->cores, &no_tag);
}

static void change(struct pcu *p, unsigned core, uint64_t when)
{
	if (!p->core[core].wakes) {
		sink(p, core, when);
		return;
	}
	p->core[core].wakes = 0;
	p->socket[core / p->cores].waking--;
	p->waking--;
	move(p, core, PCU_RUNNING, when);
}

static void find_next(struct pcu *p, unsigned *first)
{
	*first = 0;
	for (unsigned i = 1; i < p->sockets * p->cores; i++)
		if (changes_at(p, &p->core[i]) < changes_at(p, &p->core[*first]))
			*first = i;
	p->next = changes_at(p, &p->core[*first]);
}

void pcu_advance(struct pcu *p, uint64_t until)
{
	while (pcu_next(p) <= until) {
		unsigned first;

		if (pcu_clock_next(p) <= p->next) {
			pcu_clock_step(p);
			continue;
		}
		/* p->next may be early: who was to sink then has woken since. */
		find_next(p, &first);
		if (p->next <= until && p->next < pcu_clock_next(p)) {
			change(p, first, p->next);
			find_next(p, &first);
		}
	}
}

void pcu_halt(struct pcu *p, unsigned core, uint64_t when)
{
	pcu_advance(p, when);
	if (p->core[core].depth != PCU_RUNNING)
		return;
	move(p, core, PCU_C1, when);
	if (changes_at(p, &p->core[core]) < p->next)
		p->next = changes_at(p, &p->core[core]);
}

uint64_t pcu_core_time(const struct pcu *p, unsigned core, enum pcu_state state, uint64_t until)
{
	const struct pcu_cpu *c = &p->core[core];
	enum pcu_depth depth = state == PCU_IN_C3 ? PCU_C3 : PCU_C6;

	return c->time[depth] + (c->depth == depth && until > c->since ? until - c->since : 0);
}

uint64_t pcu_package_time(const struct pcu *p, unsigned socket, enum pcu_state state, uint64_t until)
{
	static const uint8_t packages[] = { [PCU_IN_C0] = PCU_PKG_C0, [PCU_IN_C2] = PCU_PKG_C2E,
					    [PCU_IN_C3] = PCU_PKG_C3, [PCU_IN_C6] = PCU_PKG_C6 };
	const struct pcu_socket *s = &p->socket[socket];
	unsigned package = packages[state];

	return s->time[package] + (s->package == package && until > s->since ? until - s->since : 0);
}

uint64_t pcu_wakes_in(const struct pcu *p, unsigned core, uint64_t when)
{
	const struct pcu_cpu *c = &p->core[core];
	unsigned depth = c->depth;
	uint64_t sinks = c->since + depths[depth].stay;

	if (depth == PCU_RUNNING || c->held)
		return depths[depth].leave;
	/* It sinks before it would begin to wake, as long as nothing holds it. */
	while (depths[depth].stay != UINT64_MAX && sinks + depths[depth].leave <= when && !(c->brief >> (depth + 1) & 1))
		sinks += depths[++depth].stay;
	return depths[depth].leave;
}

uint64_t pcu_wake(struct pcu *p, unsigned core, uint64_t when)
{
	struct pcu_socket *s = &p->socket[core / p->cores];
	struct pcu_cpu *c = &p->core[core];
	uint64_t runs;

	pcu_advance(p, when);
	if (c->depth == PCU_RUNNING)
		return when;
	if (c->wakes)
		return c->wakes;
	learn(c, when);
	runs = when + depths[c->depth].leave;
	if (depths[c->depth].enter) {	/* waking from C1 is no change of the hardware's state */
		uint64_t entered = c->since + depths[c->depth].enter;

		if (entered < when)
			entered = when;
		transition(p, core, entered, runs - entered);
	}
	if (s->package >= PCU_PKG_C2E)
		end_residency(s, when > p->now ? when : p->now);
	c->wakes = runs;
	s->waking++;
	p->waking++;
	if (runs < p->next)
		p->next = runs;
	return runs;
}
