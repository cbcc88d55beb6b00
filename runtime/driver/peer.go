// Devices that copy to each other, and work of other libraries: what drivers may have besides.

package driver

// Reach says how a device copies to another one by itself.
type Reach uint8

// The ways, in the order of speed.
const (
	Unreached   Reach = iota // it cannot: the host copies
	ThroughHost              // its library copies through memory of the host
	Direct                   // over a link or the bus between them
)

// Peers is a Device that may copy to others of its driver by itself. Its streams are PeerStreams,
// and as Awaiters take events of devices that it reaches.
type Peers interface {
	// Reach prepares copies to another device, and says how they are made. The first call makes
	// memory of this device accessible to the other one if there is a direct way.
	Reach(other Device) (Reach, error)
}

// PeerStream is a Stream of a device that implements Peers.
type PeerStream interface {
	// CopyTo enqueues a copy to memory of another stream's device, which this one reaches. It comes
	// after the work so far of both streams, and before their later work. Both are in use by this
	// call alone.
	CopyTo(other Stream, dst, src Slice) error
}

// Foreign is a Stream on which other libraries enqueue work.
type Foreign interface {
	// Enqueue calls a function with the library's handle of the stream and the addresses of slices,
	// whose contents are unknown afterwards. The device's context is current on the thread. The
	// function must not retain the addresses.
	Enqueue(slices []Slice, f func(stream uintptr, addresses []uintptr) error) error
}
