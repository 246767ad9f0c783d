package command

import "golang.org/x/sys/unix"

// TakesNoMore makes a listener begin no further connections; those that wait to be accepted stay. Who tries to connect
// hears nothing and tries again, and is refused once the listener is closed. Only Linux can do this.
func TakesNoMore(fd uintptr) error {
	const flags, syn, ack = 13, 0x02, 0x10 // of the header of TCP
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flags},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: syn | ack},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: syn, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K}, // dropped
		{Code: unix.BPF_RET | unix.BPF_K, K: 1<<32 - 1},
	}
	return unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
}
