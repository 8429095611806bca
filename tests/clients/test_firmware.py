#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the firmware and the kernel's cpuid driver say of the machine, read by unmodified tools and byte by byte.

usage: test_firmware.py BOXSCORE
"""
import errno
import mmap
import os
import re
import sys

from tools import Boxscore, check, check_that, done

# (machine, structure, what dmidecode prints of its first one, how many there are).  Sizes by hand: 18 cores with 32 and 256 KB
# each; 64 GB a socket over its modules, of which 3 do not divide it evenly.
STRUCTURES = [
    ("hsx", "Processor Information", {"Version": "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz", "Core Count": "18", "Thread Count": "36",
     "Upgrade": "Socket LGA2011-3", "External Clock": "100 MHz", "Max Speed": "3600 MHz", "Current Speed": "2300 MHz",
     "ID": "F2 06 03 00 FF FB EB BF", "L3 Cache Handle": "0x0703"}, 2),
    ("hsx", "Cache Information", {"Socket Designation": "CPU0 L1 data", "Installed Size": "576 kB", "Associativity": "8-way Set-associative",
     "System Type": "Data"}, 8),
    ("hsx", "Physical Memory Array", {"Maximum Capacity": "64 GB", "Number Of Devices": "4"}, 2),
    ("hsx", "Memory Device", {"Size": "16 GB", "Type": "DDR4", "Speed": "2133 MT/s", "Rank": "2", "Locator": "CPU0 channel 0 DIMM 0",
     "Bank Locator": "CPU0 memory controller 0", "Configured Voltage": "1.2 V"}, 8),
    ("hsx", "Memory Array Mapped Address", {"Starting Address": "0x00000000000", "Ending Address": "0x00FFFFFFFFF", "Range Size": "64 GB",
     "Partition Width": "4"}, 2),
    ("hsx", "End Of Table", {}, 1),
    ("hsx:e7-8890v3", "Processor Information", {"Upgrade": "Socket LGA2011", "Max Speed": "3300 MHz", "ID": "F4 06 03 00 FF FB EB BF"}, 4),
    ("hsx:e5-2407v3", "Processor Information", {"Upgrade": "Socket LGA1356-3", "Core Count": "6", "Thread Count": "6"}, 2),
    ("hsx:e5-2407v3", "Memory Device", {"Size": "21845 MB", "Speed": "1600 MT/s"}, 6),
    ("hsx,sockets=1,cores=4", "Processor Information", {"Core Count": "4", "Thread Count": "8"}, 1),
    ("hsx,sockets=1,memory=256M,dimms_per_channel=2,ranks=1", "Memory Device", {"Size": "32 MB", "Rank": "1"}, 8),
    ("hsx,sockets=8,memory=1024G", "Memory Array Mapped Address", {"Ending Address": "0x0FFFFFFFFFF", "Range Size": "1 TB"}, 8),
    ("snbep", "Processor Information", {"Version": "Intel(R) Xeon(R) CPU E5-2690 0 @ 2.90GHz", "Upgrade": "Socket LGA2011",
     "Core Count": "8", "Max Speed": "3800 MHz"}, 2),
    ("snbep", "Memory Device", {"Type": "DDR3", "Speed": "1600 MT/s", "Size": "16 GB"}, 8),
    ("nhmex", "Processor Information", {"Upgrade": "Socket LGA1567", "External Clock": "133 MHz", "Max Speed": "2666 MHz"}, 2),
    ("nhmex", "Memory Device", {"Type": "DDR3", "Speed": "1066 MT/s", "Size": "8 GB", "Locator": "CPU0 channel 0 DIMM 0"}, 16),
    ("bdx", "Processor Information", {"Upgrade": "Socket LGA2011-3", "Core Count": "18", "Max Speed": "3600 MHz"}, 2),
    ("bdx", "Memory Device", {"Type": "DDR4", "Speed": "2400 MT/s"}, 8),
    ("ivbep", "Processor Information", {"Version": "Intel(R) Xeon(R) CPU E5-2697 v2 0 @ 2.70GHz", "Upgrade": "Socket LGA2011",
     "Core Count": "12", "Max Speed": "3500 MHz"}, 2),
    ("ivbep", "Memory Device", {"Type": "DDR3", "Speed": "1866 MT/s"}, 8),
    ("nhmex", "System Information", {"Manufacturer": "Boxscore", "Product Name": "Model of nhmex:x7560", "Family": "nhmex"}, 1),
]

# (machine, pattern that x86info -a prints)
PROCESSORS = [
    ("hsx", r"Extended Model: 3 Family: 6 Model: 63 Stepping: 2"), ("hsx", r"Total processor threads: 72"),
    ("hsx", r"2 18-core processors with hyper-threading \(2 threads per core\) running at an estimated 2.30GHz"),
    ("hsx", r"eax in: 0x0000000a, eax = 07300403"), ("hsx", r"MSR_IA32_PERF_STATUS: 0x[0-9a-f]*1700"),
    ("hsx:e5-2407v3", r"Total processor threads: 12\n"),
    ("ivbep", r"Extended Model: 3 Family: 6 Model: 62 Stepping: 4"), ("ivbep:e7-8880v2", r"Model: 62 Stepping: 7"),
    ("ivbep", r"Total processor threads: 48\n"),
    ("snbep", r"Model: 45 Stepping: 7"), ("snbep", r"2 eight-core processors with hyper-threading"),
    ("nhmex", r"Model: 46 Stepping: 6"), ("nhmex", r"Total processor threads: 32"),
]

CPUID, MEMORY = "/dev/cpu/3/cpuid", "/dev/mem"
ENTRY = b"_SM_"
# (file, offset, size, the bytes or the error)
READS = [
    (CPUID, 0, 16, b"\x0f\0\0\0GenuntelineI"),
    (CPUID, 1, 16, bytes.fromhex("f2060300 00080806 fffbfe7f fffbebbf")),		# 8 APIC ids, this one 6
    (CPUID, 3 << 32 | 4, 16, bytes.fromhex("63c1010c 3f00c004 ff1f0000 06000000")),	# 10 MB in 20 ways: 8192 sets
    (CPUID, 1 << 32 | 0xb, 16, bytes.fromhex("03000000 08000000 01020000 06000000")),
    (CPUID, 9 << 32 | 4, 16, bytes(16)),
    (CPUID, 0x80000008, 32, bytes.fromhex("2e300000") + bytes(12) + bytes(16)),		# after the last leaf that of the highest
    (CPUID, 0, 0, b""), (CPUID, 0, 8, errno.EINVAL), (CPUID, 0, 17, errno.EINVAL),
    (MEMORY, 0, 4, bytes(4)), (MEMORY, 0x40e, 2, b"\xc0\x9f"), (MEMORY, 0x413, 2, b"\x7f\x02"), (MEMORY, 0x9fc00, 2, b"\x01\0"),
    (MEMORY, 0xa0000, 4, b"\xff" * 4), (MEMORY, 0xbfffe, 4, b"\xff\xff\0\0"), (MEMORY, 0xf0000, 4, ENTRY),
    (MEMORY, 0xffffe, 4, bytes(2)), (MEMORY, 0x100000, 4, errno.EPERM), (MEMORY, 0x7ffffffc, 4, errno.EPERM),
    (MEMORY, 0x90000000, 4, errno.EPERM),
]
WRITES = [(CPUID, 0, bytes(16), errno.EACCES), (MEMORY, 0xf0000, b"xxxx", 4), (MEMORY, 0xffffe, b"xxxx", 2), (MEMORY, 0x100000, b"x", errno.EPERM)]


def attempt(act, *arguments):
    try:
        return act(*arguments)
    except OSError as e:
        return e.errno


def inside():
    """Under the machine: rows that come out otherwise, a line each."""
    for path, offset, size, want in READS:
        fd = os.open(path, os.O_RDONLY)
        got = attempt(os.pread, fd, size, offset)
        if got != want:
            print(f"{path} {offset:#x} {size}: {got}, want {want}")
        os.close(fd)
    for path, offset, data, want in WRITES:
        fd = os.open(path, os.O_RDWR)
        got = attempt(os.pwrite, fd, data, offset)
        if got != want:
            print(f"writing {path} {offset:#x}: {got}, want {want}")
        os.close(fd)
    with open(MEMORY, "rb", buffering=0) as f:
        if f.read(0x100) != bytes(0x100) or os.pread(f.fileno(), 4, 0xf0000) != ENTRY:
            print("a write has changed the firmware's memory")
        area = mmap.mmap(f.fileno(), 0x10000, mmap.MAP_SHARED, mmap.PROT_READ, offset=0xf0000)
        if area[:4] != ENTRY or bytes(area) != os.pread(f.fileno(), 0x10000, 0xf0000):
            print("mapped memory is another")
        area.close()


def structures(text, name):
    """The structures of that name, each as a dictionary of its lines."""
    return [dict(re.findall(r"^\t(\S[^:]*): (.*)$", part, re.M)) for part in text.split("\n\n") if f"\n{name}\n" in part + "\n"]


def inventory(b):
    whole = {}
    for machine, name, values, count in STRUCTURES:
        if machine not in whole:
            whole[machine] = b.client(["-M", machine], ["dmidecode"]) or ""
        found = structures(whole[machine], name)
        check(f"{machine}: how many {name}", len(found), count)
        for key, value in values.items():
            check(f"{machine}: {name}, {key}", found[0].get(key) if found else None, value)
    for machine in ("hsx", "nhmex"):
        tail = whole[machine].partition("present.")[2]
        for options, command in ((["-M", machine], ["--no-sysfs"]), (["-M", machine, "--native"], ["--no-sysfs"])):
            got = b.client(options, ["dmidecode", *command], machine_time="--native" not in options) or ""
            check_that(f"{machine}: the same in physical memory", "Scanning /dev/mem" in got and got.partition("present.")[2] == tail, got[:300])
    # The sum of the modules is the memory that is there.
    sizes = [int(s.split()[0]) << (10 if s.endswith("GB") else 0) for s in re.findall(r"\n\tSize: (.*)", whole["snbep"])]
    check("the modules of two sockets, in MB", sum(sizes), 128 << 10)


def processors(b):
    whole = {}
    for machine, pattern in PROCESSORS:
        if machine not in whole:
            whole[machine] = b.client(["-M", machine], ["x86info", "-a"]) or ""
        check_that(f"{machine}: x86info says {pattern}", re.search(pattern, whole[machine]), whole[machine][-400:])


def table_of_windows(b):
    """Each family has the table of configuration space; where nobody is, all bits are ones."""
    for machine, first in (("hsx", "ffff"), ("nhmex", "ffff")):
        out = b.client(["-M", machine], ["sh", "-c", "od -An -tx4 -j44 -N8 /sys/firmware/acpi/tables/MCFG; "
                                         "od -An -tx2 -j$((0x80000000 + (200 << 20))) -N2 /dev/mem; cat /sys/class/dmi/id/product_name"])
        check(f"{machine}: MCFG, an empty function, the product", (out or "").split()[:3], ["80000000", "00000000", first])
        check_that(f"{machine}: the product", f"Model of {machine}:" in (out or ""), out)


def main():
    if sys.argv[1:] == ["inside"]:
        inside()
        return
    b = Boxscore(sys.argv[1], "dmidecode", "x86info")
    check("bytes", b.client(["-M", "hsx,sockets=1,cores=4"], [sys.executable, os.path.abspath(__file__), "inside"]), "")
    inventory(b)
    processors(b)
    table_of_windows(b)
    done()


main()
