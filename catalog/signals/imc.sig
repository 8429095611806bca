# What a channel of the memory controller can tell.

# Commands to DRAM.
signal imc.act           pulse rd wr byp "A row is opened, for a read, a write, or a read past the scheduler"
signal imc.pre           pulse page_miss page_close rd wr byp "A row is closed: another is needed, or it was idle too long"
signal imc.pre_all       pulse "All rows of a rank are closed, before a refresh"
signal imc.cas           pulse rd_reg rd_underfill wr wmm rmm low med high panic rank0 rank1 rank2 rank3 rank4 rank5 rank6 rank7 bank0 bank1 bank2 bank3 bank4 bank5 bank6 bank7 bank8 bank9 bank10 bank11 bank12 bank13 bank14 bank15 "A line is read or written, with major mode, priority, rank and bank"
signal imc.refresh       pulse opportunistic high panic "A rank is refreshed: while idle, with priority, or because it must"
signal imc.byp           pulse act cas pre "First command of a read that went past the scheduler"
signal imc.command       pulse act pre pre_all cas_rd cas_wr refresh read write "A command to DRAM, in read or write major mode"
signal imc.page          pulse miss hit empty "A line is to be read or written: another row is open, its row, or none"
signal imc.refresh_wait  pulse "A command has to wait for a refresh"

# Requests of the home agent and answers to it; tag.addr is the line's address in the channel.
signal imc.request       pulse read write ack smi_crc_err mem_ecc_err poison alert fast_reset retry cor uncor spec_ack spr_ack spr_uncor nb_trig "A request arrives, or its answer goes back"
signal imc.full          pulse read write                     "A queue of the channel becomes too full for a request"
signal imc.fill          level read write                     "A request waits because the queue is full"
signal imc.queue         level read write "Requests that wait for their column command"

# Modes and order.
signal imc.mode          level read write partial isoch "The channel is in this major mode"
signal imc.mode_change   pulse "The major mode changes"
signal imc.policy        level open closed "Rows are left open after use, or closed"
signal imc.wmm_to_rmm    pulse low_thresh starve vmse_retry "Write major mode ends, and why"
signal imc.wrong_mm      level "A read waits because of write major mode"
signal imc.preemption    pulse rd_preempt_rd rd_preempt_wr "A younger read goes first"

# Queues.
signal imc.rpq           level "Reads that wait for their CAS"
signal imc.rpq_insert    pulse "A read enters the read pending queue"
signal imc.rpq_ne        level "The read pending queue is not empty"
signal imc.rpq_full      level "The read pending queue is full"
signal imc.wpq           level "Writes that wait for their CAS"
signal imc.wpq_insert    pulse "A write enters the write pending queue"
signal imc.wpq_ne        level "The write pending queue is not empty"
signal imc.wpq_full      level "The write pending queue is full"
signal imc.wpq_read_hit  pulse "A read finds its line in the write pending queue"
signal imc.wpq_write_hit pulse "A write finds its line in the write pending queue"

signal imc.vmse_push     pulse wmm rmm "A write is pushed into the memory buffer, in write or read major mode"
signal imc.mxb           level "Writes that the memory buffer holds"

# Errors.
signal imc.ecc           pulse "ECC has corrected what was read"

# Power.
signal imc.cke           level rank0 rank1 rank2 rank3 rank4 rank5 rank6 rank7 "The rank has its clock enabled"
signal imc.cke_low       level rank0 rank1 rank2 rank3 rank4 rank5 rank6 rank7 "The rank, or pair of ranks, is powered down"
signal imc.cke_enter     pulse rank0 rank1 rank2 rank3 rank4 rank5 rank6 rank7 "It powers down"
signal imc.ppd           level "All ranks are in precharge power-down"
signal imc.dll_off       level "All ranks are powered down with their DLL off"
signal imc.self_refresh  level "The modules refresh themselves while the controller has its clock"
signal imc.throttle      level rank0 rank1 rank2 rank3 rank4 rank5 rank6 rank7 "The rank has fewer lines than it could, for heat or because power control asks"
signal imc.pcu_throttle  level "Power control throttles the channel"
signal imc.critical      level "Nothing goes out for heat"

# What a queue of commands in front of two such channels tells (Zbox of Itanium 9500).
signal imc.fvc             pulse reads writes merge v2f v2v f2v f2b sprwr megaop1 megaop2 megaop3 megaop4 ack retry cor uncor spec_ack spr_ack spr_uncor smi_crc_err mem_ecc_err poison alert nb_trig vic_corr frame_par frame_dm fill_corr ecc ecc_map "A command of the home agent or the answer to it; an error"
signal imc.live            level       "Commands that are not answered"
signal imc.fvid            level       "Commands in the queue of buffer indices"
signal imc.fvid_write      pulse       "A command enters that queue"
signal imc.dispatch        pulse conflict "A command enters the dispatch queue; one for its bank is in it"
signal imc.retry           pulse first zfull "A command is put off, for the first time, or while the controller is full"
signal imc.starved         level long badly "A command that was put off waits too long"
signal imc.conflict        pulse       "A command is put off by the heat of its rank"
signal imc.zfull           level       "The controller has no room for a command"
signal imc.fast_reset      pulse       "The serial link to the memory buffers is started anew"
signal imc.trip            pulse up_lo up_mid dn_fall dn_mid dn_lo "A module of tag.nid crosses a trip point of its temperature, or begins to cool"
signal imc.frame           pulse cmd1 cmd3 wdat sync chnl nop "A frame to the memory buffers"
