// Ranks of one process, whose messages are each other's memory.

package collective

import (
	"fmt"
	"sync"
)

// hall is what the ranks of a process have in common.
type hall struct {
	ranks int
	of    []*Communicator
	// offers are messages from one rank to another, by both: from*ranks + to. Each has room for
	// one, and so have the answers that they were taken.
	offers []chan *message
	taken  []chan struct{}
	left   []chan struct{} // by rank, closed when it has closed its communicator

	failing sync.Once
	dead    chan struct{} // closed when a rank has failed
	why     error
	// copying is held, shared, by ranks that copy from others' memory. Who fails waits for them.
	copying sync.RWMutex
}

// localLink is a rank's way to the others in its process.
type localLink struct {
	*hall
	rank int
}

// openLocal makes communicators of this process.
func openLocal(all []*Communicator) {
	n := len(all)
	h := &hall{ranks: n, of: all, offers: make([]chan *message, n*n), taken: make([]chan struct{}, n*n), dead: make(chan struct{})}
	for i := range h.offers {
		h.offers[i], h.taken[i] = make(chan *message, 1), make(chan struct{}, 1)
	}
	for _, c := range all {
		h.left = append(h.left, make(chan struct{}))
		c.ways = newHostRank(c, &localLink{h, c.rank})
	}
}

// gone is the error of a call for a rank that has left.
func gone(rank int) error {
	return fmt.Errorf("%w: rank %d has closed its communicator", ErrRemote, rank)
}

// died returns why the ranks have failed, once none copies from another's memory.
func (h *hall) died() error {
	h.copying.Lock()
	defer h.copying.Unlock()
	return h.why
}

func (l *localLink) post(to int, m *message) error {
	select {
	case l.offers[l.rank*l.ranks+to] <- m:
		return nil
	case <-l.left[to]:
		return gone(to)
	case <-l.dead:
		return l.died()
	}
}

func (l *localLink) take(from int, m *message) error {
	pair := from*l.ranks + l.rank
	select {
	case offered := <-l.offers[pair]:
		return l.copy(pair, from, m, offered)
	case <-l.left[from]:
		return gone(from)
	case <-l.dead:
		return l.died()
	}
}

// copy copies a message, whose memory may be another one's once its rank has failed.
func (l *localLink) copy(pair, from int, m, offered *message) error {
	l.copying.RLock()
	defer l.copying.RUnlock()
	select {
	case <-l.dead:
		return l.why
	default:
	}
	if !m.fits(offered) {
		return mismatch(m, offered, from)
	}
	copy(m.data, offered.data)
	l.taken[pair] <- struct{}{}
	return nil
}

func (l *localLink) settle(to int) error {
	taken := l.taken[l.rank*l.ranks+to]
	select {
	case <-taken:
		return nil
	case <-l.left[to]:
		select {
		case <-taken: // before it left
			return nil
		default:
			return gone(to)
		}
	case <-l.dead:
		return l.died()
	}
}

// abort ends the calls of all ranks, and their communicators.
func (l *localLink) abort(why error) {
	l.failing.Do(func() {
		l.why = fmt.Errorf("%w: rank %d: %w", ErrRemote, l.rank, why)
		close(l.dead)
		for _, c := range l.of {
			if c.rank != l.rank {
				go c.fail(l.why)
			}
		}
	})
}

func (l *localLink) close() error {
	close(l.left[l.rank])
	return nil
}
