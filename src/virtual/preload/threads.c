/* SPDX-License-Identifier: BSD-2-Clause */
/* New threads: they start on the CPUs of their maker, or on those that their attributes name. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "virtual/preload/preload.h"

enum { ATTRIBUTES = 64 };

/* Attributes that name CPUs; the C library must not see these, it would ask the kernel for them. */
static struct {
	_Atomic(const pthread_attr_t *) of;
	struct preload_mask mask;
} wishes[ATTRIBUTES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct birth {
	void *(*run)(void *arg);
	void *arg;
	struct preload_mask mask;
};

/* The place of attr, or a free one; ATTRIBUTES: there is none. */
static unsigned place(const pthread_attr_t *attr)
{
	unsigned room = ATTRIBUTES;

	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		if (wishes[i].of == attr)
			return i;
		if (!wishes[i].of && room == ATTRIBUTES)
			room = i;
	}
	return room;
}

PRELOAD_EXPORT int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set)
{
	unsigned i;

	if (!preload_page())
		return PRELOAD_NEXT(pthread_attr_setaffinity_np)(attr, size, set);
	pthread_mutex_lock(&lock);
	i = place(attr);
	if (i < ATTRIBUTES) {
		memset(&wishes[i].mask, 0, sizeof wishes[i].mask);
		memcpy(&wishes[i].mask, set, size < sizeof wishes[i].mask ? size : sizeof wishes[i].mask);
		wishes[i].of = size ? attr : NULL;
	}
	pthread_mutex_unlock(&lock);
	return i < ATTRIBUTES ? 0 : ENOMEM;
}

PRELOAD_EXPORT int pthread_attr_destroy(pthread_attr_t *attr)
{
	for (unsigned i = 0; i < ATTRIBUTES; i++)
		if (wishes[i].of == attr)
			wishes[i].of = NULL;
	return PRELOAD_NEXT(pthread_attr_destroy)(attr);
}

static bool wish(const pthread_attr_t *attr, struct preload_mask *mask)
{
	unsigned i = ATTRIBUTES;
	bool found;

	pthread_mutex_lock(&lock);
	if (attr)
		i = place(attr);
	found = i < ATTRIBUTES && wishes[i].of == attr;
	if (found)
		*mask = wishes[i].mask;
	pthread_mutex_unlock(&lock);
	return found;
}

static void end(void *unused)
{
	(void)unused;
	preload_thread_end();
}

static void *live(void *arg)
{
	struct birth b = *(struct birth *)arg;
	void *result;

	free(arg);
	preload_thread_start(&b.mask);
	pthread_cleanup_push(end, NULL);
	result = b.run(b.arg);
	pthread_cleanup_pop(1);
	return result;
}

PRELOAD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
				  void *arg)
{
	struct birth *b;
	int err;

	if (!preload_page())
		return PRELOAD_NEXT(pthread_create)(thread, attr, run, arg);
	b = malloc(sizeof *b);
	if (!b)
		return EAGAIN;
	*b = (struct birth){ .run = run, .arg = arg };
	if (!wish(attr, &b->mask))
		preload_get_mask(0, &b->mask);
	err = PRELOAD_NEXT(pthread_create)(thread, attr, live, b);
	if (err)
		free(b);
	return err;
}
