#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lspci and setpci see the devices of a two-socket server, through sysfs and procfs, and drive counters."""
import os
import shutil
import struct
import sys

from tools import Boxscore, check, check_that, done

# Some functions as a real two-socket server lists them: class and id by place.
LISTED = {
    "00:05.0": "0880: 8086:2f28", "00:05.6": "1101: 8086:2f39", "7f:08.2": "1101: 8086:2f32",
    "7f:09.2": "1101: 8086:2f33", "7f:0b.1": "1101: 8086:2f36", "7f:10.5": "0880: 8086:2f1e",
    "7f:12.1": "1101: 8086:2f30", "7f:12.5": "1101: 8086:2f38", "7f:14.0": "0880: 8086:2fb0",
    "7f:14.1": "0880: 8086:2fb1", "7f:15.0": "0880: 8086:2fb4", "7f:17.0": "0880: 8086:2fd0",
    "7f:1e.3": "0880: 8086:2fc0", "80:05.6": "1101: 8086:2f39", "ff:14.0": "0880: 8086:2fb0",
}

# The fixed counter of a channel counts its clocks: 1066.5 MHz against 2300 MHz of the time stamp counter.
DCLK = """
set -e
t0=$(rdmsr -d -p 0 0x10)
setpci -s 7f:14.0 f0.l=400000
t1=$(rdmsr -d -p 0 0x10)
sleep 0.05
t2=$(rdmsr -d -p 0 0x10)
setpci -s 7f:14.0 f4.l=30100
t3=$(rdmsr -d -p 0 0x10)
printf '%d %d %d %d %d\\n' $t0 $t1 $t2 $t3 0x$(setpci -s 7f:14.0 d4.l)$(setpci -s 7f:14.0 d0.l)
"""


def listing(b):
    out = b.client(["-M", "hsx:e5-2650v3"], ["lspci", "-n"])
    seen = dict(line.split(" ", 1) for line in (out or "").splitlines())
    for place, text in LISTED.items():
        check(place, (seen.get(place) or "").split(" (")[0], text)
    check("functions on both sockets", [sum(p.startswith(bus) for p in seen) for bus in ("7f", "80")],
          [sum(p.startswith(bus) for p in seen) for bus in ("ff", "00")])
    check("no others", {p[:2] for p in seen}, {"00", "7f", "80", "ff"})
    through_proc = b.client(["-M", "hsx:e5-2650v3"], ["lspci", "-n", "-A", "linux-proc"])
    check("procfs agrees", sorted((through_proc or "").splitlines()), sorted((out or "").splitlines()))
    names = b.client(["-M", "hsx"], ["lspci", "-s", "7f:08.2"]) or ""
    check_that("a name", "QPI Link 0" in names, names)


def registers(b):
    out = b.client(["-M", "hsx"], ["sh", "-c", "setpci -s 7f:10.5 40.l 54.l; setpci -s ff:10.5 40.l; "
                                               "setpci -s 00:05.0 108.l; setpci -s 80:05.0 108.l; setpci -s 7f:1e.3 94.l"])
    check("node ids, bus numbers, capabilities", (out or "").split(),
          ["00000000", "00000008", "00000001", "00007f00", "0000ff80", "00000080"])
    out = b.client(["-M", "hsx"], ["sh", "-c", "setpci -s 7f:14.0 d8.l=400304; setpci -s 7f:14.0 d9.b=c; "
                                               "setpci -s 7f:14.0 d8.w d8.l d8.b da.b; lspci -xxx -s 7f:14.0 | grep ^d0"])
    check("bytes, words and dwords", (out or "").split(),
          ["0c04", "00400c04", "04", "40", "d0:"] + ["00"] * 8 + ["04", "0c", "40", "00"] + ["00"] * 4)
    out = b.client(["-M", "hsx"], ["sh", "-c", DCLK])
    if out:
        t0, t1, t2, t3, count = map(int, out.split())
        low, high = ((t2 - t1) * 2133 / 4600, (t3 - t0) * 2133 / 4600)
        check_that("clocks of the channel", low - 2 <= count <= high + 2, f"{low} <= {count} <= {high}")


def domain(b):
    """Which domain a bus belongs to, asked as everybody asks: the argument is NULL."""
    ask = "import fcntl; print(fcntl.ioctl(open('/proc/bus/pci/7f/14.0'), 0x50434900, 0))"
    check("PCIIOC_CONTROLLER", b.client(["-M", "hsx,cores=1"], ["python3", "-c", ask]), "0\n")


def physical_memory(b, program):
    """Configuration space where it lies in physical memory: by offset, and mapped."""
    out = b.client(["-M", "hsx"],
                   ["sh", "-c", "setpci -s 7f:14.0 d8.l=400304; "
                                "dd if=/dev/mem bs=4 count=1 skip=$((0x87fa00d8)) iflag=skip_bytes status=none | od -An -tx4"])
    check("a register in physical memory", (out or "").split(), ["00400304"])
    table = b.client(["-M", "hsx"], ["od", "-An", "-v", "-tx1", "/sys/firmware/acpi/tables/MCFG"]) or ""
    table = bytes.fromhex(table)
    check("table MCFG", (table[:4], len(table), sum(table) % 256), (b"MCFG", int.from_bytes(table[4:8], "little"), 0))
    check("its one window: base, segment, buses", struct.unpack("<QHBB", table[44:56]), (0x80000000, 0, 0, 255))
    out = b.client(["-M", "hsx"], [program]) or ""
    check("mapped", out.split("\n")[-2:], ["165 checks, 0 wrong", ""])
    if shutil.which("pcm-mmio"):
        out = b.client(["-M", "hsx"], ["sh", "-c", "pcm-mmio -w 0x400c04 0x87fa00d8; setpci -s 7f:14.0 d8.l"]) or ""
        check_that("pcm-mmio", "Read value 0x400c04 from" in out and out.endswith("\n00400c04\n"), out)


def cpus(b):
    """Which CPUs are close to devices, and which the process may use as its control group says: the machine's."""
    machine = ["-M", "hsx,cores=4,snoop=cod"]
    out = b.client(machine, ["sh", "-c", "cd /sys/class/pci_bus; ls; cat */cpulistaffinity ../../bus/pci/devices/*:14.0/numa_node"])
    check("CPUs of the buses, nodes of the channels", (out or "").split(),
          ["0000:00", "0000:7f", "0000:80", "0000:ff"] + ["0-3,8-11"] * 2 + ["4-7,12-15"] * 2 + ["0", "2"])
    out = b.client(["-M", "hsx,cores=2", "--load", "stream:threads=1"], ["sh", "-c", "sleep 0.05; dd if=/proc/stat bs=7 status=none"])
    rows = [line.split() for line in (out or "").splitlines() if line.startswith("cpu")]
    check("CPUs of /proc/stat", [row[0] for row in rows], ["cpu"] + [f"cpu{i}" for i in range(8)])
    ran, idle = ([int(row[i]) for row in rows] for i in (1, 4))
    check_that("the first one runs, the others sleep: for 50 ms, or a little more",
               ran[1] >= 5 and idle[1] == 0 and not any(ran[2:]) and min(idle[2:]) >= 5 and ran[0] >= ran[1], out)
    check("no bus, no class of them", b.client(["-M", "nhmex,cores=2"], ["ls", "/sys/class/pci_bus"]), "")
    with open("/proc/self/cgroup", encoding="utf-8") as f:
        groups = [line.rstrip("\n").split(":", 2)[1:] for line in f]
    tops = [("/sys/fs/cgroup/cpuset" if which else "/sys/fs/cgroup") + group for which, group in groups
            if not which or "cpuset" in which.split(",")]
    for top in tops:
        for name, want in (("cpuset.cpus", "0-15"), ("cpuset.cpus.effective", "0-15"), ("cpuset.mems", "0-3"),
                           ("cpuset.mems.effective", "0-3")):
            if os.path.exists(f"{top}/{name}"):
                check(f"{top}/{name}", b.client(machine, ["cat", f"{top}/{name}"]), want + "\n")


def chosen(b):
    """numactl takes the machine's CPUs: libnuma asks which there are before main(), /proc/self/status among others."""
    if not shutil.which("numactl"):
        return
    out = b.client(["-M", "hsx:e5-2680v3"], ["sh", "-c", "numactl -C 30,2 sh -c 'numactl --show; nproc'; numactl -N 1 numactl --show"])
    told = dict(line.split(": ", 1) for line in reversed((out or "").splitlines()) if ": " in line)
    check("by number", (told.get("physcpubind"), told.get("cpubind")), ("2 30 ", "0 "))
    check("how many", [line for line in (out or "").splitlines() if line.isdigit()], ["2"])
    check_that("by node", f"physcpubind: {' '.join(map(str, [*range(12, 24), *range(36, 48)]))} \ncpubind: 1 \n" in (out or ""), out)
    read = ("import ctypes; c = ctypes.CDLL(None); c.fopen.restype = ctypes.c_void_p; "
            "f = ctypes.c_void_p(c.fopen(b'/proc/self/status', b'r')); "
            "t = ctypes.create_string_buffer(1 << 16); n = c.fread(t, 1, 1 << 16, f); "
            "print(*[r for r in t.raw[:n].decode().split('\\n') if 'llowed' in r])")
    out = b.client(["-M", "hsx:e5-2680v3"], ["sh", "-c", f'taskset -c 1,2,33-35 python3 -c "{read}"'])
    check("as read", (out or "").split(), ["Cpus_allowed:", "0000000e,00000006", "Cpus_allowed_list:", "1-2,33-35",
                                           "Mems_allowed:", "00000003", "Mems_allowed_list:", "0-1"])


def parts(b):
    out = b.client(["-M", "hsx:e7-8890v3"], ["lspci", "-n", "-d", "8086:2f1e"])
    check("four sockets", [line.split()[0] for line in (out or "").splitlines()],
          ["3f:10.5", "7f:10.5", "bf:10.5", "ff:10.5"])
    out = b.client(["-M", "nhmex", "--native"], ["sh", "-c", "ls -d /sys/devices/system/cpu/cpu31; rdmsr -p 31 0xc00; "
                                                             "lspci | wc -l; wc -c < /proc/bus/pci/devices"],
                   machine_time=False)
    check("a family without PCI functions", (out or "").split(), ["/sys/devices/system/cpu/cpu31", "0", "0", "0"])


def main():
    b = Boxscore(sys.argv[1], "lspci", "setpci", "rdmsr")
    listing(b)
    registers(b)
    domain(b)
    physical_memory(b, sys.argv[2])
    cpus(b)
    chosen(b)
    parts(b)
    done()


main()
