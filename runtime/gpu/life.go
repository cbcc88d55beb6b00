// The calls into a device's driver, for which Close waits.

package gpu

import "sync/atomic"

// life counts the calls under way. A sync.RWMutex would not do: it blocks new readers while a
// writer waits. Handlers of messages and progress run within a call and may call the device, and
// would then wait for a Close that waits for them. Here calls that begin after Close are refused.
type life struct {
	calls atomic.Int64  // under way, and ending once Close was called
	idle  chan struct{} // receives when the last call ends during Close; has room for one
	ended chan struct{} // closed by the end of Close
}

// ending is added to the number of calls by Close.
const ending = 1 << 62

func newLife() life { return life{idle: make(chan struct{}, 1), ended: make(chan struct{})} }

// enter begins a call, unless the device is closed or being closed.
func (l *life) enter() bool {
	if l.calls.Add(1) < ending {
		return true
	}
	l.leave()
	return false
}

// leave ends a call.
func (l *life) leave() {
	if l.calls.Add(-1) == ending {
		select {
		case l.idle <- struct{}{}:
		default: // Close has been told
		}
	}
}

// over reports whether Close was called.
func (l *life) over() bool { return l.calls.Load() >= ending }

// end refuses further calls and waits for those under way. It returns true to the first caller, who
// closes ended, and false to all others, once that has happened.
func (l *life) end() bool {
	for {
		n := l.calls.Load()
		if n >= ending {
			<-l.ended
			return false
		}
		if l.calls.CompareAndSwap(n, n+ending) {
			break
		}
	}
	for l.calls.Load() != ending {
		<-l.idle
	}
	return true
}
