package metal

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
)

// This file has as much of Objective-C as is needed. A message is a call of objc_msgSend with the
// object, the selector and the arguments, in the registers of a C function with these parameters
// (Objective-C Runtime, objc_msgSend).
//
// Names of methods say who owns what they return (Memory Management Policy): the caller releases
// what new… and copy… return, and the thread's autorelease pool all else. A pool belongs to a
// thread, so everything that sends messages locks its goroutine to one.

// functions are those of both libraries.
type functions struct {
	GetClass       uintptr `c:"objc_getClass"`
	RegisterName   uintptr `c:"sel_registerName"`
	MsgSend        uintptr `c:"objc_msgSend"`
	PoolPush       uintptr `c:"objc_autoreleasePoolPush"`
	PoolPop        uintptr `c:"objc_autoreleasePoolPop"`
	CopyAllDevices uintptr `c:"MTLCopyAllDevices"`
}

// selectors are the messages that are sent.
type selectors struct {
	Retain              uintptr `s:"retain"`
	Release             uintptr `s:"release"`
	RespondsToSelector  uintptr `s:"respondsToSelector:"`
	StringWithUTF8      uintptr `s:"stringWithUTF8String:"`
	UTF8String          uintptr `s:"UTF8String"`
	Count               uintptr `s:"count"`
	ObjectAtIndex       uintptr `s:"objectAtIndex:"`
	New                 uintptr `s:"new"`
	Code                uintptr `s:"code"`
	LocalizedDescripton uintptr `s:"localizedDescription"`

	Name                         uintptr `s:"name"`
	SupportsFamily               uintptr `s:"supportsFamily:"`
	RecommendedMaxWorkingSetSize uintptr `s:"recommendedMaxWorkingSetSize"`
	MaxThreadgroupMemoryLength   uintptr `s:"maxThreadgroupMemoryLength"`
	MaxBufferLength              uintptr `s:"maxBufferLength"`
	NewCommandQueue              uintptr `s:"newCommandQueue"`
	NewBufferWithLength          uintptr `s:"newBufferWithLength:options:"`
	NewBufferWithBytes           uintptr `s:"newBufferWithBytes:length:options:"`
	NewBufferNoCopy              uintptr `s:"newBufferWithBytesNoCopy:length:options:deallocator:"`
	Contents                     uintptr `s:"contents"`

	SetLanguageVersion      uintptr `s:"setLanguageVersion:"`
	SetFastMathEnabled      uintptr `s:"setFastMathEnabled:"`
	SetMathMode             uintptr `s:"setMathMode:"`
	NewLibraryWithSource    uintptr `s:"newLibraryWithSource:options:error:"`
	NewFunctionWithName     uintptr `s:"newFunctionWithName:"`
	NewPipeline             uintptr `s:"newComputePipelineStateWithFunction:error:"`
	ProcessInfo             uintptr `s:"processInfo"`
	SystemVersion           uintptr `s:"operatingSystemVersionString"`
	FileURL                 uintptr `s:"fileURLWithPath:"`
	ArrayWithObject         uintptr `s:"arrayWithObject:"`
	SetURL                  uintptr `s:"setUrl:"`
	NewArchive              uintptr `s:"newBinaryArchiveWithDescriptor:error:"`
	AddFunctions            uintptr `s:"addComputePipelineFunctionsWithDescriptor:error:"`
	Serialize               uintptr `s:"serializeToURL:error:"`
	SetComputeFunction      uintptr `s:"setComputeFunction:"`
	SetArchives             uintptr `s:"setBinaryArchives:"`
	NewPipelineByDescriptor uintptr `s:"newComputePipelineStateWithDescriptor:options:reflection:error:"`
	MaxTotalThreads         uintptr `s:"maxTotalThreadsPerThreadgroup"`
	ThreadExecutionWidth    uintptr `s:"threadExecutionWidth"`
	CommandBuffer           uintptr `s:"commandBuffer"`
	ComputeCommandEncoder   uintptr `s:"computeCommandEncoder"`
	BlitCommandEncoder      uintptr `s:"blitCommandEncoder"`
	SetComputePipelineState uintptr `s:"setComputePipelineState:"`
	SetBuffer               uintptr `s:"setBuffer:offset:atIndex:"`
	SetBytes                uintptr `s:"setBytes:length:atIndex:"`
	SetThreadgroupMemory    uintptr `s:"setThreadgroupMemoryLength:atIndex:"`
	Dispatch                uintptr `s:"dispatchThreadgroups:threadsPerThreadgroup:"`
	CopyFromBuffer          uintptr `s:"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"`
	FillBuffer              uintptr `s:"fillBuffer:range:value:"`
	EndEncoding             uintptr `s:"endEncoding"`
	SetTexture              uintptr `s:"setTexture:atIndex:"`
	SetSamplerState         uintptr `s:"setSamplerState:atIndex:"`
	CopyToTexture           uintptr `s:"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:"`
	CopyFromTexture         uintptr `s:"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:"`
	Commit                  uintptr `s:"commit"`
	WaitUntilCompleted      uintptr `s:"waitUntilCompleted"`
	Status                  uintptr `s:"status"`
	Error                   uintptr `s:"error"`
	GPUEndTime              uintptr `s:"GPUEndTime"`

	SetTextureType      uintptr `s:"setTextureType:"`
	SetPixelFormat      uintptr `s:"setPixelFormat:"`
	SetWidth            uintptr `s:"setWidth:"`
	SetHeight           uintptr `s:"setHeight:"`
	SetDepth            uintptr `s:"setDepth:"`
	SetArrayLength      uintptr `s:"setArrayLength:"`
	SetMipmapLevelCount uintptr `s:"setMipmapLevelCount:"`
	SetStorageMode      uintptr `s:"setStorageMode:"`
	SetUsage            uintptr `s:"setUsage:"`
	NewTexture          uintptr `s:"newTextureWithDescriptor:"`
	NewTextureView      uintptr `s:"newTextureViewWithPixelFormat:textureType:levels:slices:"`
	SetSAddressMode     uintptr `s:"setSAddressMode:"`
	SetTAddressMode     uintptr `s:"setTAddressMode:"`
	SetRAddressMode     uintptr `s:"setRAddressMode:"`
	SetMagFilter        uintptr `s:"setMagFilter:"`
	SetMinFilter        uintptr `s:"setMinFilter:"`
	SetMipFilter        uintptr `s:"setMipFilter:"`
	SetLodMinClamp      uintptr `s:"setLodMinClamp:"`
	SetLodMaxClamp      uintptr `s:"setLodMaxClamp:"`
	SetCompareFunction  uintptr `s:"setCompareFunction:"`
	NewSampler          uintptr `s:"newSamplerStateWithDescriptor:"`
}

// objects is the libraries with their selectors.
type objects struct {
	c functions
	s selectors
	// classes
	stringClass, compileOptions, textureDescriptor, samplerDescriptor uintptr
	// classes for archives, 0 where the system has none
	arrayClass, urlClass, processInfo, archiveDescriptor, pipelineDescriptor uintptr
}

// loadObjects loads the Objective-C runtime and Metal.
func loadObjects(names [2][]string) (*objects, error) {
	var libraries [2]*dl.Library
	for n := range names {
		var err error
		if libraries[n], err = dl.Open(names[n]...); err != nil {
			return nil, err
		}
	}
	m := new(objects)
	err := dl.Fill(&m.c, func(name string) uintptr {
		for _, l := range libraries {
			if address := l.Symbol(name); address != 0 {
				return address
			}
		}
		return 0
	})
	if err != nil {
		return nil, err
	}
	table := reflect.ValueOf(&m.s).Elem()
	for n := range table.NumField() {
		name := dl.CString(table.Type().Field(n).Tag.Get("s"))
		table.Field(n).SetUint(uint64(dl.Call(m.c.RegisterName, uintptr(unsafe.Pointer(name)))))
	}
	for _, class := range []struct {
		to       *uintptr
		name     string
		optional bool
	}{{&m.stringClass, "NSString", false}, {&m.compileOptions, "MTLCompileOptions", false},
		{&m.textureDescriptor, "MTLTextureDescriptor", false}, {&m.samplerDescriptor, "MTLSamplerDescriptor", false},
		{&m.arrayClass, "NSArray", true}, {&m.urlClass, "NSURL", true}, {&m.processInfo, "NSProcessInfo", true},
		{&m.archiveDescriptor, "MTLBinaryArchiveDescriptor", true}, {&m.pipelineDescriptor, "MTLComputePipelineDescriptor", true}} {
		if *class.to = dl.Call(m.c.GetClass, uintptr(unsafe.Pointer(dl.CString(class.name)))); *class.to == 0 && !class.optional {
			return nil, fmt.Errorf("the class %s is missing", class.name)
		}
	}
	return m, nil
}

// pool is an autorelease pool on a locked thread.
type pool struct {
	m      *objects
	handle uintptr
}

// enter locks the goroutine to its thread and makes a pool, until leave.
func (m *objects) enter() pool {
	runtime.LockOSThread()
	return pool{m, dl.Call(m.c.PoolPush)}
}

func (p pool) leave() {
	dl.Call1(p.m.c.PoolPop, p.handle)
	runtime.UnlockOSThread()
}

// send sends a message whose arguments are integers or objects. Addresses of Go memory must not be
// among them: those are written as arguments of dl.Call themselves.
func (m *objects) send(object, selector uintptr, arguments ...uintptr) uintptr {
	var a [3]uintptr
	copy(a[:], arguments)
	return dl.Call5(m.c.MsgSend, object, selector, a[0], a[1], a[2])
}

// flag is a BOOL, of which a register has one byte.
func (m *objects) flag(register uintptr) bool { return register&0xff != 0 }

// release gives an object back, if there is one.
func (m *objects) release(object uintptr) {
	if object != 0 {
		dl.Call2(m.c.MsgSend, object, m.s.Release)
	}
}

// retain keeps an object beyond the pool.
func (m *objects) retain(object uintptr) uintptr {
	if object != 0 {
		dl.Call2(m.c.MsgSend, object, m.s.Retain)
	}
	return object
}

// string makes an NSString, which the pool releases.
func (m *objects) string(text string) uintptr {
	return dl.Call(m.c.MsgSend, m.stringClass, m.s.StringWithUTF8, uintptr(unsafe.Pointer(dl.CString(text))))
}

// text copies an NSString.
func (m *objects) text(s uintptr) string {
	if s == 0 {
		return ""
	}
	return dl.GoString(m.send(s, m.s.UTF8String))
}

// sizes are two MTLSize, of three NSUInteger each, which dispatches take by value.
type sizes [6]uintptr

// dispatch sends a message with two structures of 24 bytes. On arm64 the caller passes the
// addresses of copies (Procedure Call Standard for the Arm 64-bit Architecture, 6.8.2, rule B.4).
// On amd64 they are on the stack (System V ABI, 3.2.3, class MEMORY), which begins after the sixth
// integer, so that four registers are padding.
func (m *objects) dispatch(encoder uintptr, s *sizes) {
	if runtime.GOARCH == "arm64" {
		dl.Call4(m.c.MsgSend, encoder, m.s.Dispatch, uintptr(unsafe.Pointer(&s[0])), uintptr(unsafe.Pointer(&s[3])))
		return
	}
	dl.Call12(m.c.MsgSend, encoder, m.s.Dispatch, 0, 0, 0, 0, s[0], s[1], s[2], s[3], s[4], s[5])
}
