/* SPDX-License-Identifier: BSD-2-Clause */
/* Calendars: who waits for whom, whatever the order in which they ask. */
#include "check.h"
#include "uncore/calendar.h"

enum { CLOCK = 500, WINDOW = 64 * CALENDAR_WORDS };	/* ps at 2 GHz; clocks */

/* One calendar, row after row: an arrival in clock `at` (and `ps` picoseconds) that needs n
 * clocks waits for `wait` clocks. */
static const struct booking { int line; uint64_t at; unsigned ps, n, wait; } bookings[] = {
	{ LINE, 100, 0, 1, 0 },
	{ LINE, 100, 0, 1, 1 },		/* 100 is taken: 101 */
	{ LINE, 100, 499, 1, 2 },
	{ LINE, 99, 0, 1, 0 },		/* an early one does not wait for later ones */
	{ LINE, 500, 0, 1, 0 },		/* far ahead */
	{ LINE, 103, 0, 1, 0 },		/* and back */
	{ LINE, 99, 0, 2, 5 },		/* 104 and 105: ends at 106, alone it would at 101 */
	{ LINE, 126, 0, 4, 0 },		/* over the end of a word of 64 */
	{ LINE, 126, 0, 4, 4 },
	{ LINE, 200, 0, 9, 0 },
	{ LINE, 204, 0, 1, 5 },		/* 209 */
	{ LINE, 204, 0, 1, 6 },		/* 210 */
	{ LINE, 100 + WINDOW, 0, 1, 0 },	/* the window moves on */
	{ LINE, 100 + WINDOW, 0, 1, 1 },
	{ LINE, 100, 0, 1, 0 },		/* out of the window: taken to be free */
};

int main(void)
{
	struct calendar c;
	struct calendar_rate rate = calendar_rate(2000000);

	memset(&c, 0, sizeof c);
	CHECK_EQ(__LINE__, rate.period, CLOCK);
	for (const struct booking *b = bookings; b < bookings + LEN(bookings); b++)
		CHECK_EQ(b->line, calendar_book(&c, &rate, b->at * CLOCK + b->ps, b->n), b->wait * CLOCK);

	/* No clock is given twice: 1000 arrivals at once end 1000 clocks later. */
	memset(&c, 0, sizeof c);
	for (unsigned i = 0; i < 1000; i++)
		CHECK_EQ(__LINE__, calendar_book(&c, &rate, 64 * CLOCK, 1), i * CLOCK);
	return check_done();
}
