package native

import (
	"slices"
	"sync"
	"time"
)

// This file ends launches whose context ends. Code cannot be told by a channel, and a function that a context calls when it ends takes
// memory for each launch and may be called after it; so one goroutine looks at the contexts of all launches now and then, as long as there are some.

// watchInterval is how often contexts are looked at, and watchIdle how often in vain before the goroutine ends.
const (
	watchInterval = 2 * time.Millisecond
	watchIdle     = 500
)

// watcher has the launches in progress that have a context which can end.
type watcher struct {
	mutex   sync.Mutex
	list    []*execution
	running bool
}

var watched watcher

func (w *watcher) add(e *execution) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.list = append(w.list, e)
	if !w.running {
		w.running = true
		go w.watch()
	}
}

// remove takes a launch out. Afterwards it is not ended any more.
func (w *watcher) remove(e *execution) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	n, last := slices.Index(w.list, e), len(w.list)-1
	w.list[n], w.list[last] = w.list[last], nil
	w.list = w.list[:last]
}

func (w *watcher) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for idle := 0; ; {
		<-ticker.C
		w.mutex.Lock()
		if idle++; len(w.list) > 0 {
			idle = 0
		}
		for _, e := range w.list {
			if e.launch.Context.Err() != nil {
				e.end()
			}
		}
		if idle == watchIdle {
			w.running = false
			w.mutex.Unlock()
			return
		}
		w.mutex.Unlock()
	}
}
