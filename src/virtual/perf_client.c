/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter for one system call, and its listener on the way from client to server. */
#include "virtual/perf_client.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"

static int filter(uint32_t action, unsigned flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = LEN(code), .filter = code };

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Room for one descriptor beside a message of one byte. */
struct parcel {
	char byte;
	struct iovec data;
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
	struct msghdr message;
};

static void wrap(struct parcel *p)
{
	memset(p, 0, sizeof *p);
	p->data = (struct iovec){ &p->byte, 1 };
	p->message = (struct msghdr){ .msg_iov = &p->data, .msg_iovlen = 1, .msg_control = p->room,
				      .msg_controllen = sizeof p->room };
}

static int send_descriptor(int socket, int fd)
{
	struct cmsghdr *header;
	struct parcel p;

	wrap(&p);
	header = CMSG_FIRSTHDR(&p.message);
	header->cmsg_len = CMSG_LEN(sizeof fd);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	return sendmsg(socket, &p.message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int perf_client_listener(int socket)
{
	const struct cmsghdr *header;
	struct parcel p;
	ssize_t n;
	int fd = -1;

	wrap(&p);
	do
		n = recvmsg(socket, &p.message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	header = n == 1 ? CMSG_FIRSTHDR(&p.message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof fd);
	return fd;
}

/*
 * The kernel's own counters are those of another processor.  A listener is refused where there is one already, below another
 * `with`: then perf_event_open() answers as a kernel without it.
 */
int perf_client_catch(int socket)
{
	int listener = socket < 0 ? -1 : filter(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER), err;

	if (listener < 0)
		return filter(SECCOMP_RET_ERRNO | ENOSYS, 0);
	err = send_descriptor(socket, listener);
	close(listener);
	return err;
}
