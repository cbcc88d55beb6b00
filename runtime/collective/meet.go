// Meetings by a file, an environment variable, or an address.

package collective

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Meet makes the communicator of a rank with those of other processes that meet at the same point:
//
//	file:/shared/job42         a file, which rank 0 writes, and which is not there before
//	tcp:10.0.0.5:29500         an address, at which rank 0 listens
//	env:NAME                   an environment variable, with the ID of a Root
//
// Rank 0 has the root, and chooses the transport by its device, unless Use says which. Its process
// lives as long as the other ranks. Ranks may come in any order. ctx bounds the wait for all of
// them, and its end aborts the communicator later. A file remains: its name is for one job.
func Meet(ctx context.Context, d *gpu.Device, point string, rank, ranks int, list ...Option) (*Communicator, error) {
	o, err := chosen(list)
	if err != nil {
		return nil, err
	}
	way, where, _ := strings.Cut(point, ":")
	if where == "" || way != "file" && way != "tcp" && way != "env" {
		return nil, fmt.Errorf("meet: %w: %q is none of file:PATH, tcp:HOST:PORT and env:NAME", gpu.ErrShape, point)
	}
	if ranks < 1 || rank < 0 || rank >= ranks {
		return nil, fmt.Errorf("meet: %w: rank %d of %d", gpu.ErrShape, rank, ranks)
	}
	if d == nil || d.Info().Driver == "" {
		return nil, fmt.Errorf("meet: the device is nil or none that Open made: %w", gpu.ErrClosed)
	}
	var id ID
	var root *Root
	switch {
	case way == "env":
		if id = ID(os.Getenv(where)); id == "" {
			return nil, fmt.Errorf("meet: %w: the environment variable %s is not set; the program that starts the ranks sets it to Root.ID", gpu.ErrShape, where)
		}
	case rank == 0:
		if root, err = newRootFor(d, ranks, o, way, where); err != nil {
			return nil, fmt.Errorf("meet: %w", err)
		}
		id = root.ID()
		var publishing io.Closer
		if publishing, err = publish(id, way, where, ranks); err == nil {
			defer publishing.Close()
		}
	case way == "file":
		id, err = fetch(ctx, func() (string, error) {
			text, err := os.ReadFile(where)
			return string(text), err
		})
	default:
		id, err = fetch(ctx, func() (string, error) { return ask(ctx, where) })
	}
	var c *Communicator
	if err == nil {
		c, err = Join(ctx, d, id, rank, list...)
	}
	if err == nil && c.ranks != ranks {
		err = fmt.Errorf("%w: %d ranks, but the root has %d", gpu.ErrShape, ranks, c.ranks)
		_ = c.Close()
	}
	if err != nil {
		if root != nil {
			_ = root.Close()
		}
		return nil, fmt.Errorf("meet at %s: %w", point, err)
	}
	c.member.own(root)
	return c, nil
}

// newRootFor makes the root of a meeting, with the transport for a device.
func newRootFor(d *gpu.Device, ranks int, o options, way, where string) (*Root, error) {
	t, _, err := choose(o.transport, []*gpu.Device{d})
	if err != nil {
		return nil, err
	}
	if way == "tcp" && o.listen == "" {
		if o.listen, _, err = net.SplitHostPort(where); err != nil {
			return nil, fmt.Errorf("%w: %w", gpu.ErrShape, err)
		}
	}
	return NewRoot(ranks, Use(t), Listen(o.listen))
}

// publish hands an ID to the other ranks until it is closed.
func publish(id ID, way, where string, ranks int) (io.Closer, error) {
	if way == "file" {
		return io.NopCloser(nil), writeWhole(where, string(id)+"\n")
	}
	listener, err := net.Listen("tcp", where)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(helloDeadline())
			_, _ = io.WriteString(conn, string(id)+"\n")
			_ = conn.Close()
		}
	}()
	return listener, nil
}

// writeWhole makes a file that others see with all of its text or not at all. It was not there
// before: an old one would lead ranks to a job that has ended.
func writeWhole(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".meet")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return fmt.Errorf("%w; a file of an earlier job is removed before, or has another name", err)
	}
	return nil
}

// fetchInterval is how often a rank looks for what rank 0 publishes.
const fetchInterval = 20 * time.Millisecond

// fetch looks for an ID until there is one, or ctx ends.
func fetch(ctx context.Context, look func() (string, error)) (ID, error) {
	for {
		text, err := look()
		if err == nil && strings.HasSuffix(text, "\n") {
			return ID(strings.TrimSpace(text)), nil
		}
		select {
		case <-time.After(fetchInterval):
		case <-ctx.Done():
			return "", errors.Join(fmt.Errorf("wait for rank 0: %w", ctx.Err()), err)
		}
	}
}

// ask asks rank 0 for the ID.
func ask(ctx context.Context, address string) (string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(helloDeadline())
	text, err := io.ReadAll(io.LimitReader(conn, 4096))
	return string(text), err
}
