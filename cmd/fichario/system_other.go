//go:build !unix

package main

func writeBeyondLimits() {}
