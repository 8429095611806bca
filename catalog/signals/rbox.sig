# What a half of the router tells.  tag.link is the port, 0 to 7; of a packet tag.packet holds the header.
signal rbox.port   pulse flits_sent null_idle retryq_ov retryq_ne outputq_ov outputq_ne flits_recv_spec flits_recv_err eot_ne eot_insert eot_sum eot_hom_vn0 eot_hom_vn1 eot_ndr eot_drs_vn0 eot_snp eot_ncb eot_ncs eot_drs_vn1 arb_ncb arb_ncs arb_drs arb_ndr arb_snp arb_hom_vn0 arb_hom_vn1 inque_read_win pkt_ncb pkt_ncs pkt_drs pkt_ndr pkt_snp pkt_hom vn0 vn1 vna "What a port does"
signal rbox.bid    pulse queue queue_fail local local_fail global global_fail available starving hom snp ndr ncs drs ncb vsm vlg vn0 vn1 "What happens in the arbitration of a port"
signal rbox.packet pulse "Packet that crosses from its input to its output port, told at the input"
