// Goroutines that start at once.

package driver

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/park"
)

// idleTime is how long a goroutine of a crew waits for its next task.
const idleTime = 200 * time.Millisecond

// crew starts goroutines together. Go's scheduler wakes its threads one after the other, each by
// the one before. On virtual machines each takes tens of microseconds. So goroutines that have
// ended wait in the kernel for some time, on threads of their own, and it wakes all that are
// needed. Systems without such a call have ordinary goroutines.
type crew struct {
	mutex sync.Mutex
	tasks []func()
	// waiting counts the goroutines that wait, were woken, or have not begun: there are at least as
	// many as tasks.
	waiting int
	word    atomic.Uint32 // changes with each start
}

// helpers copy for all devices.
var helpers crew

// start runs a task in some goroutines at once.
func (c *crew) start(count int, task func()) {
	if !park.Possible {
		for range count {
			go task()
		}
		return
	}
	if count <= 0 {
		return
	}
	c.mutex.Lock()
	there := min(count, c.waiting-len(c.tasks))
	for range count {
		c.tasks = append(c.tasks, task)
	}
	c.waiting += count - there
	c.word.Add(1)
	c.mutex.Unlock()
	if there > 0 {
		park.Wake(&c.word, there)
	}
	for range count - there {
		go c.serve()
	}
}

// serve runs tasks until there are none for a while.
func (c *crew) serve() {
	for last := time.Now(); ; {
		c.mutex.Lock()
		c.waiting--
		for n := len(c.tasks); n > 0; n = len(c.tasks) {
			task := c.tasks[n-1]
			c.tasks[n-1] = nil
			c.tasks = c.tasks[:n-1]
			c.mutex.Unlock()
			task()
			last = time.Now()
			c.mutex.Lock()
		}
		rest := idleTime - time.Since(last)
		if rest <= 0 {
			c.mutex.Unlock()
			return
		}
		c.waiting++
		seen := c.word.Load()
		c.mutex.Unlock()
		park.Wait(&c.word, seen, rest)
	}
}
