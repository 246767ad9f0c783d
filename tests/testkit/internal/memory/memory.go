// Package memory finds space in memory for test databases: each test has its own, which on PostgreSQL is hundreds of
// files to create and remove.
package memory

import "golang.org/x/sys/unix"

const (
	folder = "/dev/shm"
	// enough is several times what a whole run takes, in bytes.
	enough = 6 << 30
)

// Folder is a folder in memory, or the usual one where this machine lacks the memory. Its content survives a killed
// process like on a disk; no test cuts the power.
func Folder(usual string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Bavail*uint64(s.Bsize) < enough {
		return usual
	}
	return folder
}
