# What the system configuration controller of a socket tells.
signal ubox.racu      level                                   "Register requests on the message channel"
