package memlimit

import (
	"runtime"
	"testing"
)

// TestBudget: no more is taken than there is, except by one alone, and goroutines are served in
// order.
func TestBudget(t *testing.T) {
	over := uint64(0)
	b := NewBudget(100, func(bytes uint64) { over = bytes })
	b.Take(0, 60)
	b.Take(0, 40)
	served := make(chan int, 3)
	waiting := func(n int) bool { b.mutex.Lock(); defer b.mutex.Unlock(); return b.next == uint64(n) }
	for n, bytes := range []uint64{250, 1, 1} { // the small ones do not overtake the large one
		go func() {
			b.Take(0, bytes)
			served <- n
		}()
		for !waiting(3 + n) {
			runtime.Gosched()
		}
	}
	b.Give(60)
	select {
	case n := <-served:
		t.Fatalf("%d is served while another has something", n)
	default:
	}
	b.Give(40)
	if n := <-served; n != 0 || over != 150 {
		t.Errorf("%d is served first, %d bytes over", n, over)
	}
	b.Give(250)
	<-served
	<-served
	if b.used != 2 || over != 0 || b.peak != 250 {
		t.Errorf("%d bytes are used, %d over, %d at most", b.used, over, b.peak)
	}
	b.Give(2)
	b.Take(0, 90)
	b.Take(90, 90) // one goroutine takes more
	if b.used != 180 || over != 80 {
		t.Errorf("%d bytes are used, %d over", b.used, over)
	}
}

// TestSize parses and formats sizes.
func TestSize(t *testing.T) {
	for text, want := range map[string]Size{"256MB": 256 << 20, "1gb": 1 << 30, "17": 17, "3 kb": 3 << 10, "5B": 5} {
		var got Size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1MB", "1.5GB", "256M", "99999999999"} {
		var got Size
		if err := got.Set(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for size, want := range map[Size]string{256 << 20: "256MB", 1 << 30: "1GB", 1000: "1000B", 0: "0B"} {
		if got := size.String(); got != want {
			t.Errorf("%d is %q, want %q", uint64(size), got, want)
		}
	}
}
