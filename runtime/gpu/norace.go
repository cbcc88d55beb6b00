//go:build !race

package gpu

import "iter"

// This file is race.go without the race detector.

// raceEnabled says that the race detector watches.
const raceEnabled = false

// fence is a barrier, which only the race detector has to know.
type fence struct{}

func (*fence) before() {}
func (*fence) behind() {}

// crew are the goroutines of items.
type crew struct{ done fence }

// coroutine returns functions that resume body up to its next call of yield, and that end it. next
// reports whether body yielded, and panics if body does. yield reports whether body is to go on.
func (g *group) coroutine(_ int, body func(yield func() bool)) (next func() bool, stop func()) {
	resume, stop := iter.Pull(func(yield func(struct{}) bool) {
		body(func() bool { return yield(struct{}{}) })
	})
	return func() bool { _, more := resume(); return more }, stop
}

// alone calls a kernel for an item that waits for no other.
func (l *launch) alone(kernel func(Item), it Item) { kernel(it) }

// dismiss is called at the end of a launch.
func (l *launch) dismiss() {}

func aside(f func()) { f() }

func hide()             {}
func show(store func()) {}
