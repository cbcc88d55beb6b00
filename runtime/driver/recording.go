// Recordings: work that is prepared once and replayed.

package driver

// Operation is a part of a recording: a launch, a copy, or zeros.
type Operation struct {
	// Launch is the dispatch, or nil.
	Launch *Launch
	// Dst gets a copy of Src. If Src has no memory, Dst is all of a memory, which gets zeros as by
	// Stream.Clear.
	Dst, Src Slice
	// Data is what Src holds for as long as the recording lives, or nil if that is not known.
	Data []byte
	// After are the operations that precede it: lower numbers than its own. They precede what
	// follows it, too.
	After []int
}

// Recorder is a Device that can prepare work, so that replaying it costs less than enqueuing it
// again. For others there is a List.
type Recorder interface {
	// NewRecording prepares operations, which belong to the recording from then on. Their numbers
	// are their indices. It is ErrUnsupported if it has no faster way than a List.
	NewRecording(work []Operation) (Recording, error)
}

// Recording is prepared work. Its calls come one at a time. The memory, kernels and textures that
// it uses are open while it is.
type Recording interface {
	// Replay enqueues the work on a stream, after the work so far of that stream and after earlier
	// replays on any. Those of a List must be ordered by the caller.
	Replay(s Stream) error
	// Change replaces a launch by another one, which it must not retain, for later replays.
	Change(n int, l *Launch) error
	// Close releases the recording once the replays so far have finished.
	Close() error
}

// List is a recording whose replays enqueue each operation on the stream. The order of the
// operations will do for all that is in Operation.After.
type List struct{ work []Operation }

// NewList makes a list, which keeps the operations.
func NewList(work []Operation) *List { return &List{work} }

// Replay enqueues the operations.
func (l *List) Replay(s Stream) error {
	for n := range l.work {
		if err := l.work[n].Enqueue(s); err != nil {
			return err
		}
	}
	return nil
}

// Enqueue gives the operation to a stream.
func (o *Operation) Enqueue(s Stream) error {
	switch {
	case o.Launch != nil:
		return s.Launch(o.Launch)
	case o.Src.Memory == nil:
		return s.Clear(o.Dst.Memory)
	}
	return s.Copy(o.Dst, o.Src)
}

// Change replaces a launch.
func (l *List) Change(n int, by *Launch) error {
	l.work[n].Launch.Set(by)
	return nil
}

// Close does nothing: a list is Go's.
func (l *List) Close() error { return nil }

// Set copies a launch. Its slices keep their memory if that has room.
func (l *Launch) Set(from *Launch) {
	l.Kernel, l.Grid = from.Kernel, from.Grid
	l.Bindings = append(l.Bindings[:0], from.Bindings...)
	l.Handles = append(l.Handles[:0], from.Handles...)
	l.Immediates = append(l.Immediates[:0], from.Immediates...)
}
