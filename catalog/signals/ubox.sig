# What the system configuration controller of a socket tells.
signal ubox.racu      level                                   "Register requests on the message channel"
signal ubox.message   pulse b4 b8                             "Register request on the message channel, by its size"
signal ubox.lock      pulse                                   "A locked access across two lines stops the system"
