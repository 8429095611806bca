# What the stop between ring and I/O tells.
signal r2pcie.rxr_insert pulse ncb ncs                        "Message taken from the ring for a device"
signal r2pcie.rxr       level ncb ncs                         "Messages waiting to go to a device"
signal r2pcie.sbo_acquire pulse ad bl                         "Credit taken for a message that crosses to the other ring"
signal r2pcie.ring_ad   pulse cw_even cw_odd ccw_even ccw_odd "AD slot used at this stop: passing by or ending here"
signal r2pcie.ring_ak   pulse cw_even cw_odd ccw_even ccw_odd "AK slot used at this stop: passing by or ending here"
signal r2pcie.ring_bl   pulse cw_even cw_odd ccw_even ccw_odd "BL slot used at this stop: passing by or ending here"
signal r2pcie.ring_iv   pulse cw_even cw_odd ccw_even ccw_odd "IV slot used at this stop: passing by or sent from here"
