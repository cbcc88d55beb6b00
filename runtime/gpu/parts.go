// Data that several devices share: a part for each.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Scatter makes a buffer on each device of a group with its part of host, as Split divides it, and
// waits until all are copied. The devices copy at once. If it fails, there are no buffers.
func Scatter[T any](ctx context.Context, g *Group, host []T) ([]*Buffer[T], error) {
	if !g.valid() {
		return nil, invalid("scatter: group", groupMaker)
	}
	parts := make([]*Buffer[T], len(g.devices))
	err := onAll(len(parts), func(n int) (err error) {
		start, end := Split(len(host), len(parts), n)
		parts[n], err = Upload(ctx, g.devices[n], host[start:end])
		return err
	})
	if err != nil {
		for _, b := range parts {
			if b != nil {
				_ = b.Close()
			}
		}
		return nil, fmt.Errorf("scatter: %w", err)
	}
	return parts, nil
}

// ScatterTo copies host to buffers, one behind the other: each with the stream of the same index,
// as Buffer.Write does. The devices copy at once. All of them together have as many elements as
// host, otherwise it is ErrShape.
func ScatterTo[T any](streams []*Stream, parts []*Buffer[T], host []T) error {
	ends, err := checkParts("scatter", streams, parts, len(host))
	if err != nil {
		return err
	}
	return onAll(len(parts), func(n int) error {
		return parts[n].Write(streams[n], host[ends[n]-parts[n].length:ends[n]])
	})
}

// Gather copies buffers to host, one behind the other: each after the work so far of the stream of
// the same index, as Buffer.Read does. The devices copy at once. All of them together have as many
// elements as host, otherwise it is ErrShape. ctx bounds the waits.
func Gather[T any](ctx context.Context, streams []*Stream, parts []*Buffer[T], host []T) error {
	ends, err := checkParts("gather", streams, parts, len(host))
	if err != nil {
		return err
	}
	return onAll(len(parts), func(n int) error {
		return parts[n].Read(ctx, streams[n], host[ends[n]-parts[n].length:ends[n]])
	})
}

// checkParts compares parts with their streams and with n elements. It returns where each part
// ends.
func checkParts[T any](what string, streams []*Stream, parts []*Buffer[T], n int) ([]int, error) {
	if len(parts) == 0 || len(streams) != len(parts) {
		return nil, fmt.Errorf("%s: %w: %d streams for %d buffers", what, ErrShape, len(streams), len(parts))
	}
	ends, end := make([]int, len(parts)), 0
	for i, b := range parts {
		if !b.valid() {
			return nil, invalid(fmt.Sprintf("%s: buffer %d", what, i), bufferMaker)
		}
		end += b.length
		ends[i] = end
	}
	if end != n {
		return nil, fmt.Errorf("%s: %w: %d elements in buffers, and %d of the host", what, ErrShape, end, n)
	}
	return ends, nil
}

// onAll calls f with 0 to n-1 at once, and joins the errors.
func onAll(n int, f func(int) error) error {
	failures := make([]error, n)
	var group sync.WaitGroup
	for i := 1; i < n; i++ {
		group.Go(func() { failures[i] = f(i) })
	}
	failures[0] = f(0)
	group.Wait()
	return errors.Join(failures...)
}
