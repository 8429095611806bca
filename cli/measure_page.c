/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes with the readings: the line about the machine ahead of them, the notes behind them, and the page of them all. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "measure.h"
#include "page.h"

static bool wants_lines(const struct measure *m)
{
	return m->out.head || m->html;
}

/* What the machine is driven by, as given. */
static json_t *command_of(const struct measure *m)
{
	json_t *words = json_array();

	if (m->kernel)
		json_array_append_new(words, json_sprintf("--kernel %s", m->kernel));
	else if (m->trace)
		json_array_append_new(words, json_sprintf("replay %s", m->trace));
	else if (m->scenario)
		json_array_append_new(words, json_sprintf("run %s", bxs_scenario_name(m->scenario)));
	for (char *const *word = m->program.argv; word && *word; word++)
		json_array_append_new(words, head_text(*word));
	return words;
}

int measure_head(struct measure *m, bxs_machine *machine, const char *spec)
{
	static const char *const rows[] = { [BXS_BY_SUM] = "sum", [BXS_BY_SOCKET] = "socket", [BXS_BY_BOX] = "box" };
	json_t *head;
	int err;

	if (!wants_lines(m))
		return 0;
	head = head_of(machine, spec);
	err = !head || json_object_set_new(head, "rows", json_string(rows[m->out.by])) != 0 ||
	      json_object_set_new(head, "command", command_of(m)) != 0 ||
	      (m->interval_ns && json_object_set_new(head, "interval_ns", json_integer((json_int_t)m->interval_ns)) != 0) ?
	      BXS_ENOMEM : output_line(&m->out, head);
	json_decref(head);
	return err == BXS_ENOMEM ? cli_fail(m->cmd, CLI_BUG, "%s", bxs_strerror(err)) : 0;
}

void measure_note(const struct measure *m, const char *format, ...)
{
	char text[1500];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	cli_fail(m->cmd, 0, "%s", text);
	if (wants_lines(m) && m->notes)
		json_array_append_new(m->notes, head_text(text));
}

int measure_page_begin(struct measure *m)
{
	FILE *to = m->html ? fopen(m->html, "ae") : NULL;

	if (m->html && !to)
		return cli_fail(m->cmd, CLI_DATA, "%s cannot be written: %s", m->html, strerror(errno));
	if (to) {
		fclose(to);
		m->page.file = m->html;
		m->out.page = &m->page;
	}
	m->notes = json_array();
	return 0;
}

/* What the run is called on its page. */
static const char *name_of(const struct measure *m)
{
	if (m->program.argv)
		return m->program.argv[0];
	if (m->scenario)
		return bxs_scenario_name(m->scenario);
	return m->kernel ? m->kernel : m->trace ? m->trace : m->html;
}

/* The exit code. */
static int save(struct measure *m)
{
	if (!m->page.count) {
		page_remove_empty(m->html);
		return CLI_OK;
	}
	m->page.file = name_of(m);
	if (run_end(&m->page) < 0)
		return cli_fail(m->cmd, CLI_BUG, "%s", bxs_strerror(BXS_ENOMEM));
	return page_save(m->cmd, &m->page, 1, m->html);
}

int measure_page(struct measure *m)
{
	int code = 0;
	size_t i;
	json_t *note;

	json_array_foreach(m->notes, i, note) {
		json_t *line = json_pack("{sO}", "note", note);

		output_line(&m->out, line);
		json_decref(line);
	}
	if (m->html)
		code = save(m);
	json_decref(m->notes);
	run_free(&m->page);
	return code;
}
