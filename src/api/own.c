/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of the embedding program's own. */
#include <inttypes.h>

#include "api/session.h"
#include "feed/own.h"

_Static_assert((int)BXS_LOAD == (int)OWN_LOAD && (int)BXS_LOAD_AFTER == (int)OWN_LOAD_AFTER &&
	       (int)BXS_STORE == (int)OWN_STORE && (int)BXS_LOCKED == (int)OWN_LOCKED && (int)BXS_FETCH == (int)OWN_FETCH &&
	       (int)BXS_PREFETCH == (int)OWN_PREFETCH && (int)BXS_STREAM == (int)OWN_STREAM &&
	       (int)BXS_FLUSH == (int)OWN_FLUSH && (int)OWN_KINDS == (int)BXS_FLUSH + 1, "they are passed on as they are");

int api_own(bxs_machine *m, struct feed **out)
{
	int err = 0;

	if (!machine_has_hardware(m->machine))
		return api_fail(m, BXS_ENOTSUP, "this machine is a PMU without hardware behind it: there is nothing to access");
	if (!m->own)
		err = own_open(m->machine, &m->own);
	if (err < 0)
		return api_fail(m, err, "%s", bxs_strerror(err));
	*out = m->own;
	return 0;
}

static int check_core(bxs_machine *m, unsigned core)
{
	unsigned cores = machine_cores(m->machine);

	return core < cores ? 0 : api_fail(m, BXS_ENOENT, "no core %u, there are 0 to %u", core, cores - 1);
}

/* May the embedding program drive core `core` now? */
static int ready(bxs_machine *m, unsigned core, struct feed **own)
{
	int err = check_core(m, core);

	if (err < 0)
		return err;
	if (m->driven)
		return api_fail(m, BXS_ECONFLICT, "a session drives the machine by something else until it is freed");
	return api_own(m, own);
}

/* Something has happened: is it time for the counters to be read? */
static int told(bxs_machine *m, int err)
{
	bxs_session *s = m->measuring;

	if (err < 0)
		return api_fail(m, err, "%s", bxs_strerror(err));
	return s && machine_latest(m->machine) >= s->turn_end ? bxs_session_read(s) : 0;
}

int bxs_access(bxs_machine *m, unsigned core, uint64_t address, enum bxs_access_kind kind, uint32_t instructions)
{
	struct feed *own = NULL;
	int err = ready(m, core, &own);

	if (err < 0)
		return err;
	if ((unsigned)kind >= OWN_KINDS)
		return api_fail(m, BXS_EINVAL, "no kind of access %d, there are 0 to %d", (int)kind, OWN_KINDS - 1);
	if (address >= OWN_ADDRESSES)
		return api_fail(m, BXS_EINVAL, "address %#" PRIx64 ": addresses are below %#" PRIx64, address, OWN_ADDRESSES);
	return told(m, own_access(own, core, address, (enum own_kind)kind, instructions));
}

int bxs_idle(bxs_machine *m, unsigned core, uint64_t when)
{
	struct feed *own = NULL;
	int err = ready(m, core, &own);

	return err < 0 ? err : told(m, own_idle(own, core, when));
}

int bxs_core_time(bxs_machine *m, unsigned core, uint64_t *when)
{
	int err = check_core(m, core);

	if (err == 0)
		*when = machine_core_time(m->machine, core);
	return err;
}

int bxs_prefetchers(bxs_machine *m, bool on)
{
	struct feed *own = NULL;
	int err = ready(m, 0, &own);

	if (err < 0)
		return err;
	if (own_used(own))
		return api_fail(m, BXS_EINVAL, "cores have made accesses already: prefetchers are set before the first");
	own_prefetch(own, on);
	return 0;
}

int bxs_session_own(bxs_session *s)
{
	struct feed *own = NULL;
	int err = api_undriven(s);

	if (err == 0)
		err = api_own(s->machine, &own);
	if (err == 0)
		s->feed = own_share(own);
	return err;
}
