// Programmatic dependent launches: workgroups may be on the device before the launch in front of
// theirs has finished, and wait for its end themselves. So the device does not idle between two
// launches (CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization").

package cudalike

import "unsafe"

// launchConfig is a CUlaunchConfig.
type launchConfig struct {
	grid, workgroup [3]uint32
	shared, _       uint32
	stream          uintptr
	attributes      uintptr // the address of the first
	count, _        uint32
}

// launchAttribute is a CUlaunchAttribute, whose value has 64 bytes.
type launchAttribute struct {
	id, _ uint32
	value [16]uint32
}

// dependentLaunch is a launch that may overlap the one in front of it.
type dependentLaunch struct {
	config    launchConfig
	attribute launchAttribute
}

// edgeData is a CUgraphEdgeData: the ports of its ends, and its type.
type edgeData struct {
	from, to, kind uint8
	_              [5]uint8
}

// programmatic leaves the wait for the node in front of it to a kernel
// (CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC).
var programmatic = edgeData{from: 1, kind: 1}

// fill lays out a launch on a stream, and returns its address.
func (l *dependentLaunch) fill(stream uintptr, grid, workgroup [3]uint32, shared uint32) uintptr {
	const streamSerialization = 6 // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
	l.attribute.id, l.attribute.value[0] = streamSerialization, 1
	l.config = launchConfig{grid: grid, workgroup: workgroup, shared: shared, stream: stream, attributes: uintptr(unsafe.Pointer(&l.attribute)), count: 1}
	return uintptr(unsafe.Pointer(&l.config))
}

// waits makes the kernel of an image wait for the launch in front of it, and reports whether it
// did. Then launches of the kernel may be dependent ones.
func (d *device) waits(image *[]byte, entry string) bool {
	api := d.c.api
	if api.Dependent == 0 || d.info.Profile < api.Dependent || d.c.LaunchDependent == 0 {
		return false
	}
	changed := api.Wait(*image, entry)
	if changed == nil {
		return false
	}
	*image = changed
	return true
}
