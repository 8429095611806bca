# What the stop between ring and QPI link tells.
signal r3qpi.rxr_insert pulse hom snp ndr drs ncb ncs         "Message taken from the ring for the link"
signal r3qpi.rxr        level hom snp ndr drs ncb ncs         "Messages waiting for the link"
signal r3qpi.vna_acquire pulse ad bl                          "Shared credits taken, one for each flit"
signal r3qpi.sbo_acquire pulse sbo0 sbo1 ad bl                "Credit taken for a message that crosses to the other ring"
signal r3qpi.ring_ad    pulse cw_even cw_odd ccw_even ccw_odd "AD slot used at this stop: passing by or ending here"
signal r3qpi.ring_ak    pulse cw_even cw_odd ccw_even ccw_odd "AK slot used at this stop: passing by or ending here"
signal r3qpi.ring_bl    pulse cw_even cw_odd ccw_even ccw_odd "BL slot used at this stop: passing by or ending here"
signal r3qpi.ring_iv    pulse cw_even cw_odd ccw_even ccw_odd "IV slot used at this stop: passing by or sent from here"
