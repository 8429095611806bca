# What the power control unit of a socket tells.
signal pcu.core_state level c0 c3 c6                          "Cores in a power state; C1 counts as C0"
signal pcu.package    level c0 c1e c2e c3 c6                  "The package is in this power state"
signal pcu.transition level core0 core1 core2 core3 core4 core5 core6 core7 core8 core9 core10 core11 core12 core13 core14 core15 core16 core17 "A core goes into or comes out of a power state"
signal pcu.frequency  level                                   "Clock of the uncore; the tag has the frequency"
signal pcu.os_limit   level                                   "The operating system's request sets the highest frequency"
