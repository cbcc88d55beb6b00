package execmem

import (
	"fmt"
	"os"
	"sync"
)

// This file names machine code for perf, which reads /tmp/perf-PID.map with a line for each
// function (Linux, tools/perf/Documentation/jit-interface.txt). Closed code keeps its line: a
// sample may have been taken before.

// PerfVariable is the environment variable that enables the file, if it is not empty.
const PerfVariable = "GPUC_PERF_MAP"

// perfMap is the file, which is created when the first code is loaded.
type perfMap struct {
	sync.Mutex
	tried bool
	file  *os.File
}

var perf perfMap

// add appends a line. Errors are not reported: nothing depends on the file.
func (p *perfMap) add(address uintptr, size int, name string) {
	p.Lock()
	defer p.Unlock()
	if !p.tried {
		p.tried = true
		if os.Getenv(PerfVariable) != "" {
			p.file, _ = os.OpenFile(fmt.Sprintf("/tmp/perf-%d.map", os.Getpid()), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		}
	}
	if p.file != nil {
		fmt.Fprintf(p.file, "%x %x %s\n", address, size, name)
	}
}
