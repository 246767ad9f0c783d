//go:build !unix

package command

import "os"

func WriteBeyondLimits() {}

func Waits(uintptr) bool { return false }

func OwnedLike(*os.File, string) error { return nil }
