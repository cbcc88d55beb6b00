package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// This file bounds the memory of gpuc serve. Requests wait until there is room for them, in the
// order in which they come; one that needs more than there is at all runs alone.

// budget is memory that several share.
type budget struct {
	mutex   sync.Mutex
	changed *sync.Cond
	size    uint64
	used    uint64
	most    uint64 // that were used at one time
	// over is told how much more than its size is in use, because one needs it alone.
	over func(bytes uint64)
	// Those who wait have numbers, and are served in the order of these.
	last, serving uint64
}

func newBudget(size uint64, over func(bytes uint64)) *budget {
	b := &budget{size: size, over: over}
	b.changed = sync.NewCond(&b.mutex)
	return b
}

// take adds bytes to what a user has, once there is room for them or nobody else has anything. A
// user that has something already may take more only if no other does so, or two could wait for
// each other.
func (b *budget) take(has, bytes uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	number := b.last
	b.last++
	for number != b.serving || b.used+bytes > b.size && b.used > has {
		b.changed.Wait()
	}
	b.serving++
	b.change(b.used + bytes)
}

// give gives bytes back.
func (b *budget) give(bytes uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.change(b.used - bytes)
}

func (b *budget) change(used uint64) {
	before := excess(b.used, b.size)
	b.used, b.most = used, max(b.most, used)
	if after := excess(used, b.size); after != before {
		b.over(after)
	}
	b.changed.Broadcast()
}

func excess(used, size uint64) uint64 { return max(used, size) - size }

// sizeFlag is a number of bytes on the command line: 256MB.
type sizeFlag uint64

// sizeUnits are what may stand behind a number of bytes, the longest first where one ends as
// another does.
var sizeUnits = []struct {
	name  string
	bytes uint64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}}

func (s *sizeFlag) String() string {
	for _, u := range sizeUnits {
		if n := uint64(*s); n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatUint(n/u.bytes, 10) + u.name
		}
	}
	return "0B"
}

func (s *sizeFlag) Set(text string) error {
	number, unit := text, uint64(1)
	for _, u := range sizeUnits {
		if before, found := strings.CutSuffix(strings.ToUpper(text), u.name); found {
			number, unit = before, u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 32)
	if err != nil {
		return fmt.Errorf("want a size, such as 256MB or 1GB")
	}
	*s = sizeFlag(n * unit)
	return nil
}
