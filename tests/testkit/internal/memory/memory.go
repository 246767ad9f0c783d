// Package memory finds room in memory for test databases: each test has its own, which on PostgreSQL means creating and
// removing hundreds of files.
package memory

import (
	"os"

	"golang.org/x/sys/unix"
)

// EnvDisk names the variable that, set to anything, keeps databases out of memory: for whoever measures what waits for
// the disk.
const EnvDisk = "FICHARIO_TEST_DISK"

const (
	folder = "/dev/shm"
	// enough is several times what a whole run takes, in bytes.
	enough = 6 << 30
)

// Folder is a folder in memory, or the usual one where this machine lacks the memory, or EnvDisk is set. Its content
// survives a killed process like on a disk; no test cuts the power.
func Folder(usual string) string {
	if os.Getenv(EnvDisk) != "" {
		return usual
	}
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Bavail*uint64(s.Bsize) < enough {
		return usual
	}
	return folder
}
