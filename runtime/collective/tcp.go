// Ranks of several processes without a library: a connection between each two.

package collective

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// frame precedes the data of a message on a connection, in little-endian.
type frame struct {
	Of    signature
	Bytes uint64 // of data
	Total uint64
}

// frameBytes is the size of a frame.
const frameBytes = 20

func (f *frame) put(b []byte) {
	b[0], b[1], b[2], b[3] = f.Of.Kind, f.Of.Scalar, f.Of.Reduce, f.Of.Root
	binary.LittleEndian.PutUint64(b[4:], f.Bytes)
	binary.LittleEndian.PutUint64(b[12:], f.Total)
}

func (f *frame) get(b []byte) {
	f.Of = signature{b[0], b[1], b[2], b[3]}
	f.Bytes = binary.LittleEndian.Uint64(b[4:])
	f.Total = binary.LittleEndian.Uint64(b[12:])
}

// tcpPeer is the connection to another rank. A goroutine writes, so that two ranks that send much
// to each other do not wait for each other's reading.
type tcpPeer struct {
	conn    net.Conn
	reader  *bufio.Reader
	posted  chan *message
	written chan error // has room for one
	heads   [2][frameBytes]byte
}

// tcpLink is a rank's way to the others by connections.
type tcpLink struct {
	rank    int
	peers   []*tcpPeer // by rank, nil for this one
	failing sync.Once
	dead    chan struct{}
	why     error
	writers sync.WaitGroup
}

func newTCPLink(rank int, conns []net.Conn) *tcpLink {
	l := &tcpLink{rank: rank, peers: make([]*tcpPeer, len(conns)), dead: make(chan struct{})}
	for other, conn := range conns {
		if conn == nil {
			continue
		}
		p := &tcpPeer{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10), posted: make(chan *message), written: make(chan error, 1)}
		l.peers[other] = p
		l.writers.Go(func() {
			for m := range p.posted {
				p.written <- p.write(m)
			}
		})
	}
	return l
}

func (p *tcpPeer) write(m *message) error {
	f := frame{m.of, uint64(len(m.data)), m.total}
	f.put(p.heads[0][:])
	if _, err := p.conn.Write(p.heads[0][:]); err != nil {
		return err
	}
	_, err := p.conn.Write(m.data)
	return err
}

// lost is the error of a connection. If this side has closed it, that has a reason.
func (l *tcpLink) lost(rank int, err error) error {
	select {
	case <-l.dead:
		return l.why
	default:
	}
	return fmt.Errorf("%w: rank %d has ended, or closed its communicator: %w", ErrRemote, rank, err)
}

func (l *tcpLink) post(to int, m *message) error {
	select {
	case l.peers[to].posted <- m:
		return nil
	case <-l.dead:
		return l.why
	}
}

func (l *tcpLink) settle(to int) error {
	if err := <-l.peers[to].written; err != nil {
		return l.lost(to, err)
	}
	return nil
}

func (l *tcpLink) take(from int, m *message) error {
	p := l.peers[from]
	if _, err := io.ReadFull(p.reader, p.heads[1][:]); err != nil {
		return l.lost(from, err)
	}
	var f frame
	f.get(p.heads[1][:])
	if theirs := (message{of: f.Of, total: f.Total}); !m.fits(&theirs) || f.Bytes != uint64(len(m.data)) {
		return mismatch(m, &theirs, from)
	}
	if _, err := io.ReadFull(p.reader, m.data); err != nil {
		return l.lost(from, err)
	}
	return nil
}

// abort closes the connections, which ends the calls of this rank and then of the others.
func (l *tcpLink) abort(why error) {
	l.failing.Do(func() {
		l.why = why
		close(l.dead)
		l.disconnect()
	})
}

func (l *tcpLink) disconnect() {
	for _, p := range l.peers {
		if p != nil {
			_ = p.conn.Close()
		}
	}
}

func (l *tcpLink) close() error {
	l.abort(fmt.Errorf("rank %d: closed", l.rank))
	for _, p := range l.peers {
		if p != nil {
			close(p.posted)
		}
	}
	l.writers.Wait()
	return nil
}

// mesh connects a rank with all others: it calls those below it, and those above call it. Each
// caller says the token and its rank.
func mesh(ctx context.Context, rank int, addresses []string, token [tokenBytes]byte, listener net.Listener) (_ []net.Conn, err error) {
	conns := make([]net.Conn, len(addresses))
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	defer func() {
		if err == nil {
			return
		}
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
		err = errors.Join(err, ctx.Err())
	}()
	var dialer net.Dialer
	hello := make([]byte, tokenBytes+4)
	for other := range rank {
		copy(hello, token[:])
		binary.LittleEndian.PutUint32(hello[tokenBytes:], uint32(rank))
		if conns[other], err = dialer.DialContext(ctx, "tcp", addresses[other]); err != nil {
			return nil, fmt.Errorf("%w: connect to rank %d: %w", ErrRemote, other, err)
		}
		if _, err = conns[other].Write(hello); err != nil {
			return nil, fmt.Errorf("%w: connect to rank %d: %w", ErrRemote, other, err)
		}
	}
	for missing := len(addresses) - rank - 1; missing > 0; {
		conn, err := listener.Accept()
		if err != nil {
			return nil, fmt.Errorf("wait for other ranks: %w", err)
		}
		_ = conn.SetReadDeadline(helloDeadline())
		_, err = io.ReadFull(conn, hello)
		other := int(binary.LittleEndian.Uint32(hello[tokenBytes:]))
		if err != nil || [tokenBytes]byte(hello) != token || other <= rank || other >= len(conns) || conns[other] != nil {
			_ = conn.Close() // it is no rank of ours
			continue
		}
		_ = conn.SetReadDeadline(noDeadline)
		conns[other] = conn
		missing--
	}
	return conns, nil
}
