# What the system configuration controller of a socket tells.
signal ubox.racu      level                                   "Register requests on the message channel"
signal ubox.message   pulse b4 b8                             "Register request on the message channel, by its size"
signal ubox.lock      pulse                                   "A locked access across two lines stops the system"
signal ubox.event     pulse doorbell vlw msi ipi int_prio      "Message that came in for a core, by kind"
signal ubox.match     pulse enable disable u2c_enable u2c_disable "Message that the thread filter lets through: any or to a core, with the filter on or off"
signal ubox.u2c       pulse monitor_t0 monitor_t1 livelock lterror cmc umc trap other "Message to a core"
signal ubox.woken     pulse                                   "A core that slept is woken up"
signal ubox.phold     level asked held                        "A lock has been asked for and is not granted, or is held"
