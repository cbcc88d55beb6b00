//go:build !linux

package park

import (
	"sync/atomic"
	"time"
)

// Possible reports whether Wait and Wake do anything.
const Possible = false

// Wait returns at once.
func Wait(*atomic.Uint32, uint32, time.Duration) {}

// Wake does nothing.
func Wake(*atomic.Uint32, int) {}
