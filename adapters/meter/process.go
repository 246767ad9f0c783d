package meter

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// ticks is how many of the kernel's units of time are a second, on every architecture of Linux that Go knows.
const ticks = 100

// ofProcess is what Linux says of this process; nothing elsewhere.
func ofProcess() (families []*family) {
	show := func(name, kind, help string, value float64) {
		families = append(families, single("process_"+name, kind, help, "", value))
	}
	// The name of the program, in parentheses, may contain anything.
	text, _ := os.ReadFile("/proc/self/stat")
	if fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])); len(fields) > 21 {
		field := func(i int) float64 { return float(fields[i-3]) } // as counted in proc(5)
		show("cpu_seconds_total", counter, "Time of processors, of the user and of the system.", (field(14)+field(15))/ticks)
		show("virtual_memory_bytes", gauge, "Size of virtual memory.", field(23))
		show("resident_memory_bytes", gauge, "Size of resident memory.", field(24)*float64(os.Getpagesize()))
		for _, booted := range rows("/proc/stat", "btime ") {
			show("start_time_seconds", gauge, "Time of the start, in seconds since 1970.", float(booted[1])+field(22)/ticks)
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		show("open_fds", gauge, "Open file descriptors.", float64(len(open)-1)) // without that of the directory
	}
	for _, limit := range rows("/proc/self/limits", "Max open files ") {
		show("max_fds", gauge, "Maximum of open file descriptors.", float(limit[3]))
	}
	for _, limit := range rows("/proc/self/limits", "Max address space ") {
		show("virtual_memory_max_bytes", gauge, "Maximum of virtual memory.", float(limit[3]))
	}
	network := rows("/proc/self/net/netstat", "IpExt: ") // the names, then the numbers
	for i := 0; len(network) == 2 && i < min(len(network[0]), len(network[1])); i++ {
		switch network[0][i] {
		case "InOctets":
			show("network_receive_bytes_total", counter, "Bytes that the network of the process received.", float(network[1][i]))
		case "OutOctets":
			show("network_transmit_bytes_total", counter, "Bytes that the network of the process sent.", float(network[1][i]))
		}
	}
	return families
}

// rows are the fields of the rows of a file with this beginning; none where there is no such file.
func rows(file, beginning string) (found [][]string) {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, beginning) {
			found = append(found, strings.Fields(line))
		}
	}
	return found
}

// float is a number; "unlimited" is the kernel's highest.
func float(text string) float64 {
	if text == "unlimited" {
		return math.MaxUint64
	}
	value, _ := strconv.ParseFloat(text, 64) // the kernel's own
	return value
}
