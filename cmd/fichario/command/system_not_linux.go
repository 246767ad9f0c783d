//go:build !linux

package command

func TakesNoMore(uintptr) error { return nil }
