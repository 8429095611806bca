# What a home agent can tell.

# Requests and the tracker.
signal ha.request        pulse read_local read_remote write_local write_remote invitoe_local invitoe_remote "A request enters the home agent"
signal ha.packet         pulse ad bl ak "A message arrives, with its address and opcode"
signal ha.tad            pulse region0 region1 region2 region3 region4 region5 region6 region7 region8 region9 region10 region11 "A request is decoded into this region of memory"
signal ha.tracker        level read_local read_remote write_local write_remote invitoe_local invitoe_remote "Requests in the tracker"
signal ha.tracker_ne     level local remote all "The tracker holds requests"
signal ha.tracker_full   level gp all "The tracker has no free entry, outside the reserved ones or at all"
signal ha.pending        level local remote "Reads whose data is back from memory but not yet at the egress"
signal ha.bt             level "Requests in the backup tracker"
signal ha.bt_ne          level "The backup tracker is not empty"
signal ha.conflict       level "Requests of two sockets for one line collide"

# Snoops and the directory.
signal ha.snoop          level local remote "Requests that wait for snoop responses"
signal ha.snoop_ne       level local remote all "Some request waits for snoop responses"
signal ha.snoop_late     pulse local remote "The last snoop response came after the data"
signal ha.response       pulse rspi rsps rspifwd rspsfwd rsp_wb rsp_fwd_wb rspcnflct other local remote "A snoop response arrives, for a request of this or another socket"
signal ha.dir_lookup     pulse snp no_snp "The directory is looked up, and asks for snoops or not"
signal ha.dir_update     pulse set clear "The directory entry of a line changes"
signal ha.dir_lat_opt    pulse "Data goes out at once because the directory knows no holder"
signal ha.osb            pulse reads_local invitoe_local remote cancelled reads_local_useful remote_useful "Snoops are sent before the directory is known"
signal ha.osb_edr        pulse reads_local_i reads_remote_i reads_local_s reads_remote_s "Data goes out early though snoops were sent"

# The way to the channels.
signal ha.bypass         pulse taken not_taken "A read tries to go past the scheduler of its channel"
signal ha.imc_read       pulse "A read goes to a channel the ordinary way"
signal ha.imc_write      pulse full partial full_isoch partial_isoch "A write goes to a channel"
signal ha.rpq_no_credit  level chn0 chn1 chn2 chn3 "No credit is left for the read queue of a channel"
signal ha.wpq_no_credit  level chn0 chn1 chn2 chn3 "No credit is left for the write queue of a channel"

# Egress and ring stop.
signal ha.tx_bl          pulse drs_cache drs_core drs_qpi "Data goes onto the BL ring, by destination"
signal ha.tx_ak          pulse ndr crd_cbo crd_qpi "A message goes onto the AK ring"
signal ha.tx_bl_occupancy level sched0 sched1 "Entries of the BL egress queues"
signal ha.tx_ad_full     level sched0 sched1 all "An AD egress queue is full"
signal ha.tx_ak_full     level sched0 sched1 all "An AK egress queue is full"
signal ha.tx_bl_full     level sched0 sched1 all "A BL egress queue is full"
signal ha.tx_starved     pulse ak bl "An egress entry has waited too long for the ring"
signal ha.direct         pulse "Data is sent to the core past the CBo"
signal ha.direct_override pulse "Data goes to the CBo though the core asked for it directly"
signal ha.ring_ad        pulse cw_even cw_odd ccw_even ccw_odd "The AD ring is in use at this stop"
signal ha.ring_ak        pulse cw_even cw_odd ccw_even ccw_odd "The AK ring is in use at this stop"
signal ha.ring_bl        pulse cw_even cw_odd ccw_even ccw_odd "The BL ring is in use at this stop"
signal ha.sbo_acquired   pulse sbo0_ad sbo0_bl sbo1_ad sbo1_bl "A credit of an SBo is taken"
signal ha.sbo_credits    level sbo0_ad sbo0_bl sbo1_ad sbo1_bl "Credits of an SBo in use"
signal ha.sbo_stall      level sbo0_ad sbo0_bl sbo1_ad sbo1_bl "The egress waits for a credit of an SBo"
signal ha.igr_no_credit  level ad_qpi0 ad_qpi1 ad_qpi2 bl_qpi0 bl_qpi1 bl_qpi2 "No credit is left for messages to a QPI link"
