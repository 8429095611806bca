# What an Itanium 9500's Rbox tells.  tag.link is the port, 0 to 9; of a packet tag.packet holds the header.
signal router.port   pulse flit_in flit_out plain_in plain_out packet vn0 vn1 vna read_win alloc hom hom1 snp ndr drs ncs ncb eot_ne eot_insert eot_sum fast error retry_read out_ne out_in out_sum "What the input and output of a port do"
signal router.bid    pulse queue queue_fail queue_kill local local_fail local_kill global global_fail global_kill et_sum available hom snp ndr ncs drs ncb vsm vlg vn0 vn1 "What happens in the arbitration of a port"
signal router.packet pulse "A packet crosses from an input to an output port, told at the input"
