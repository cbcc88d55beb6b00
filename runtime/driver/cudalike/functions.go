// The functions that drivers call, under the names that each library has for them, and what results
// mean.

package cudalike

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Functions are the addresses of a library's functions, with its names for them: for CUDA the
// versioned ones that cuda.h maps the documented ones to. One without a name is a function that the
// interface does not have.
type Functions struct {
	Init             uintptr `cuda:"cuInit" hip:"hipInit"`
	DriverVersion    uintptr `cuda:"cuDriverGetVersion" hip:"hipRuntimeGetVersion"`
	DeviceCount      uintptr `cuda:"cuDeviceGetCount" hip:"hipGetDeviceCount"`
	DeviceGet        uintptr `cuda:"cuDeviceGet" hip:"hipDeviceGet"`
	DeviceName       uintptr `cuda:"cuDeviceGetName" hip:"hipDeviceGetName"`
	DeviceMemory     uintptr `cuda:"cuDeviceTotalMem_v2" hip:"hipDeviceTotalMem"`
	DeviceAttribute  uintptr `cuda:"cuDeviceGetAttribute" hip:"hipDeviceGetAttribute"`
	Properties       uintptr `hip:"hipGetDevicePropertiesR0600|hipGetDeviceProperties"`
	ContextRetain    uintptr `cuda:"cuDevicePrimaryCtxRetain"`
	ContextRelease   uintptr `cuda:"cuDevicePrimaryCtxRelease_v2|cuDevicePrimaryCtxRelease"`
	ContextReset     uintptr `cuda:"cuDevicePrimaryCtxReset_v2|cuDevicePrimaryCtxReset"`
	SetCurrent       uintptr `cuda:"cuCtxSetCurrent" hip:"hipSetDevice"`
	Synchronize      uintptr `cuda:"cuCtxSynchronize" hip:"hipDeviceSynchronize"`
	ModuleLoad       uintptr `cuda:"cuModuleLoadDataEx" hip:"hipModuleLoadData"`
	ModuleUnload     uintptr `cuda:"cuModuleUnload" hip:"hipModuleUnload"`
	ModuleFunction   uintptr `cuda:"cuModuleGetFunction" hip:"hipModuleGetFunction"`
	FunctionQuery    uintptr `cuda:"cuFuncGetAttribute" hip:"hipFuncGetAttribute"`
	FunctionSet      uintptr `cuda:"cuFuncSetAttribute?"`
	Launch           uintptr `cuda:"cuLaunchKernel" hip:"hipModuleLaunchKernel"`
	LaunchDependent  uintptr `cuda:"cuLaunchKernelEx?"`
	StreamCreate     uintptr `cuda:"cuStreamCreate" hip:"hipStreamCreateWithFlags"`
	StreamDestroy    uintptr `cuda:"cuStreamDestroy_v2" hip:"hipStreamDestroy"`
	StreamQuery      uintptr `cuda:"cuStreamQuery" hip:"hipStreamQuery"`
	StreamWait       uintptr `cuda:"cuStreamWaitEvent" hip:"hipStreamWaitEvent"`
	EventCreate      uintptr `cuda:"cuEventCreate" hip:"hipEventCreateWithFlags"`
	EventRecord      uintptr `cuda:"cuEventRecord" hip:"hipEventRecord"`
	EventQuery       uintptr `cuda:"cuEventQuery" hip:"hipEventQuery"`
	EventSynchronize uintptr `cuda:"cuEventSynchronize" hip:"hipEventSynchronize"`
	EventElapsed     uintptr `cuda:"cuEventElapsedTime" hip:"hipEventElapsedTime"`
	EventDestroy     uintptr `cuda:"cuEventDestroy_v2" hip:"hipEventDestroy"`
	MemoryInfo       uintptr `cuda:"cuMemGetInfo_v2?" hip:"hipMemGetInfo?"`
	Alloc            uintptr `cuda:"cuMemAlloc_v2" hip:"hipMalloc"`
	Free             uintptr `cuda:"cuMemFree_v2" hip:"hipFree"`
	AllocAsync       uintptr `cuda:"cuMemAllocAsync?" hip:"hipMallocAsync?"`
	FreeAsync        uintptr `cuda:"cuMemFreeAsync?" hip:"hipFreeAsync?"`
	DefaultPool      uintptr `cuda:"cuDeviceGetDefaultMemPool?" hip:"hipDeviceGetDefaultMemPool?"`
	PoolSet          uintptr `cuda:"cuMemPoolSetAttribute?" hip:"hipMemPoolSetAttribute?"`
	PoolTrim         uintptr `cuda:"cuMemPoolTrimTo?" hip:"hipMemPoolTrimTo?"`
	Fill             uintptr `cuda:"cuMemsetD32Async" hip:"hipMemsetD32Async"`
	CopyToDevice     uintptr `cuda:"cuMemcpyHtoDAsync_v2" hip:"hipMemcpyHtoDAsync"`
	CopyToHost       uintptr `cuda:"cuMemcpyDtoHAsync_v2" hip:"hipMemcpyDtoHAsync"`
	CopyOnDevice     uintptr `cuda:"cuMemcpyDtoDAsync_v2" hip:"hipMemcpyDtoDAsync"`
	PeerQuery        uintptr `cuda:"cuDeviceCanAccessPeer?" hip:"hipDeviceCanAccessPeer?"`
	PeerEnable       uintptr `cuda:"cuCtxEnablePeerAccess?" hip:"hipDeviceEnablePeerAccess?"`
	PeerCopy         uintptr `cuda:"cuMemcpyPeerAsync?" hip:"hipMemcpyPeerAsync?"`
	PoolAccess       uintptr `cuda:"cuMemPoolSetAccess?" hip:"hipMemPoolSetAccess?"`
	Copy3D           uintptr `cuda:"cuMemcpy3DAsync_v2"`
	MipmappedCreate  uintptr `cuda:"cuMipmappedArrayCreate"`
	MipmappedLevel   uintptr `cuda:"cuMipmappedArrayGetLevel"`
	MipmappedDestroy uintptr `cuda:"cuMipmappedArrayDestroy"`
	TextureCreate    uintptr `cuda:"cuTexObjectCreate"`
	TextureDestroy   uintptr `cuda:"cuTexObjectDestroy"`
	SurfaceCreate    uintptr `cuda:"cuSurfObjectCreate"`
	SurfaceDestroy   uintptr `cuda:"cuSurfObjectDestroy"`
	TensorEncode     uintptr `cuda:"cuTensorMapEncodeTiled?"`
	WindowsEncode    uintptr `cuda:"cuTensorMapEncodeIm2col?"`
	GraphCreate      uintptr `cuda:"cuGraphCreate?" hip:"hipGraphCreate?"`
	GraphDestroy     uintptr `cuda:"cuGraphDestroy?" hip:"hipGraphDestroy?"`
	GraphKernel      uintptr `cuda:"cuGraphAddKernelNode_v2|cuGraphAddKernelNode?" hip:"hipGraphAddKernelNode?"`
	GraphDependency  uintptr `cuda:"cuGraphAddDependencies_v2?"`
	GraphCopy        uintptr `cuda:"cuGraphAddMemcpyNode?"`
	GraphCopy1D      uintptr `hip:"hipGraphAddMemcpyNode1D?"`
	GraphFill        uintptr `cuda:"cuGraphAddMemsetNode?" hip:"hipGraphAddMemsetNode?"`
	GraphEmpty       uintptr `cuda:"cuGraphAddEmptyNode?" hip:"hipGraphAddEmptyNode?"`
	GraphInstantiate uintptr `cuda:"cuGraphInstantiateWithFlags?" hip:"hipGraphInstantiateWithFlags?"`
	GraphSetKernel   uintptr `cuda:"cuGraphExecKernelNodeSetParams_v2|cuGraphExecKernelNodeSetParams?" hip:"hipGraphExecKernelNodeSetParams?"`
	GraphLaunch      uintptr `cuda:"cuGraphLaunch?" hip:"hipGraphLaunch?"`
	ExecDestroy      uintptr `cuda:"cuGraphExecDestroy?" hip:"hipGraphExecDestroy?"`
	HostAlloc        uintptr `cuda:"cuMemHostAlloc" hip:"hipHostMalloc|hipHostAlloc"`
	HostFree         uintptr `cuda:"cuMemFreeHost" hip:"hipHostFree|hipFreeHost"`
	HostRegister     uintptr `cuda:"cuMemHostRegister_v2|cuMemHostRegister" hip:"hipHostRegister"`
	HostUnregister   uintptr `cuda:"cuMemHostUnregister" hip:"hipHostUnregister"`
	HostPointer      uintptr `cuda:"cuMemHostGetDevicePointer_v2|cuMemHostGetDevicePointer?" hip:"hipHostGetDevicePointer?"`
	ErrorName        uintptr `cuda:"cuGetErrorName" hip:"hipGetErrorName"`
	ErrorText        uintptr `cuda:"cuGetErrorString" hip:"hipGetErrorString"`
}

// hasPools reports whether the library has stream-ordered allocation (CUDA
// 11.2, ROCm 5.2).
func (c *Functions) hasPools() bool {
	return c.AllocAsync != 0 && c.FreeAsync != 0 && c.DefaultPool != 0 && c.PoolSet != 0 && c.PoolTrim != 0
}

// hasGraphs reports whether the library has graphs (CUDA 11.4).
func (c *Functions) hasGraphs() bool {
	return c.GraphCreate != 0 && c.GraphDestroy != 0 && c.GraphKernel != 0 && (c.GraphCopy != 0 || c.GraphCopy1D != 0) && c.GraphFill != 0 &&
		c.GraphEmpty != 0 && c.GraphInstantiate != 0 && c.GraphSetKernel != 0 && c.GraphLaunch != 0 && c.ExecDestroy != 0
}

// hasTextures reports whether textures can be made: HIP's are not written yet.
func (c *Functions) hasTextures() bool { return c.MipmappedCreate != 0 }

// Results (CUresult, hipError_t). HIP numbers what CUDA has as CUDA does.
const (
	codeOutOfMemory    = 2
	codeInvalidContext = 201
	codeInvalidHandle  = 400
	codeNotReady       = 600
)

// meanings maps result codes to the errors that callers tell apart. After those
// that lose the device every call on the context fails, whoever makes it.
var meanings = [...]struct {
	code uint32
	err  *error
}{
	{codeOutOfMemory, &driver.ErrOutOfMemory},
	{46, &driver.ErrDeviceLost},   // DEVICE_UNAVAILABLE
	{98, &driver.ErrUnsupported},  // INVALID_DEVICE_FUNCTION, of a module's kernel as a node
	{209, &driver.ErrUnsupported}, // NO_BINARY_FOR_GPU
	{214, &driver.ErrDeviceLost},  // ECC_UNCORRECTABLE
	{220, &driver.ErrDeviceLost},  // NVLINK_UNCORRECTABLE
	{221, &driver.ErrUnsupported}, // JIT_COMPILER_NOT_FOUND
	{222, &driver.ErrUnsupported}, // UNSUPPORTED_PTX_VERSION
	{223, &driver.ErrUnsupported}, // JIT_COMPILATION_DISABLED
	{700, &driver.ErrDeviceLost},  // ILLEGAL_ADDRESS
	{701, &driver.ErrUnsupported}, // LAUNCH_OUT_OF_RESOURCES
	{702, &driver.ErrDeviceLost},  // LAUNCH_TIMEOUT
	{709, &driver.ErrDeviceLost},  // CONTEXT_IS_DESTROYED
	{710, &driver.ErrDeviceLost},  // ASSERT
	{714, &driver.ErrDeviceLost},  // HARDWARE_STACK_ERROR
	{715, &driver.ErrDeviceLost},  // ILLEGAL_INSTRUCTION
	{716, &driver.ErrDeviceLost},  // MISALIGNED_ADDRESS
	{717, &driver.ErrDeviceLost},  // INVALID_ADDRESS_SPACE
	{718, &driver.ErrDeviceLost},  // INVALID_PC
	{719, &driver.ErrDeviceLost},  // LAUNCH_FAILED
	{801, &driver.ErrUnsupported}, // NOT_SUPPORTED
}

// check turns the register that a call returned into an error.
func (c *library) check(what string, register uintptr) error {
	code := uint32(register)
	if code == 0 {
		return nil
	}
	name, text := c.api.Text(c.ErrorName, code), c.api.Text(c.ErrorText, code)
	if name == "" {
		name = fmt.Sprintf("%s %d", c.api.Results, code)
	}
	for _, meaning := range meanings {
		if meaning.code == code {
			return fmt.Errorf("%s: %s: %w (%s: %s)", c.api.Name, what, *meaning.err, name, text)
		}
	}
	return fmt.Errorf("%s: %s: %s: %s", c.api.Name, what, name, text)
}
