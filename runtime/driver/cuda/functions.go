// The functions of libcuda that the driver calls, under the versioned names that
// cuda.h maps the documented ones to, and the error codes.

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

type functions struct {
	Init             uintptr `c:"cuInit"`
	DriverVersion    uintptr `c:"cuDriverGetVersion"`
	DeviceCount      uintptr `c:"cuDeviceGetCount"`
	DeviceGet        uintptr `c:"cuDeviceGet"`
	DeviceName       uintptr `c:"cuDeviceGetName"`
	DeviceMemory     uintptr `c:"cuDeviceTotalMem_v2"`
	DeviceAttribute  uintptr `c:"cuDeviceGetAttribute"`
	ContextRetain    uintptr `c:"cuDevicePrimaryCtxRetain"`
	ContextRelease   uintptr `c:"cuDevicePrimaryCtxRelease_v2|cuDevicePrimaryCtxRelease"`
	ContextReset     uintptr `c:"cuDevicePrimaryCtxReset_v2|cuDevicePrimaryCtxReset"`
	SetCurrent       uintptr `c:"cuCtxSetCurrent"`
	Synchronize      uintptr `c:"cuCtxSynchronize"`
	ModuleLoad       uintptr `c:"cuModuleLoadDataEx"`
	ModuleUnload     uintptr `c:"cuModuleUnload"`
	ModuleFunction   uintptr `c:"cuModuleGetFunction"`
	FunctionQuery    uintptr `c:"cuFuncGetAttribute"`
	FunctionSet      uintptr `c:"cuFuncSetAttribute?"`
	Launch           uintptr `c:"cuLaunchKernel"`
	StreamCreate     uintptr `c:"cuStreamCreate"`
	StreamDestroy    uintptr `c:"cuStreamDestroy_v2"`
	StreamQuery      uintptr `c:"cuStreamQuery"`
	StreamWait       uintptr `c:"cuStreamWaitEvent"`
	EventCreate      uintptr `c:"cuEventCreate"`
	EventRecord      uintptr `c:"cuEventRecord"`
	EventQuery       uintptr `c:"cuEventQuery"`
	EventSynchronize uintptr `c:"cuEventSynchronize"`
	EventElapsed     uintptr `c:"cuEventElapsedTime"`
	EventDestroy     uintptr `c:"cuEventDestroy_v2"`
	Alloc            uintptr `c:"cuMemAlloc_v2"`
	Free             uintptr `c:"cuMemFree_v2"`
	AllocAsync       uintptr `c:"cuMemAllocAsync?"`
	FreeAsync        uintptr `c:"cuMemFreeAsync?"`
	DefaultPool      uintptr `c:"cuDeviceGetDefaultMemPool?"`
	PoolSet          uintptr `c:"cuMemPoolSetAttribute?"`
	PoolTrim         uintptr `c:"cuMemPoolTrimTo?"`
	Fill             uintptr `c:"cuMemsetD32Async"`
	CopyToDevice     uintptr `c:"cuMemcpyHtoDAsync_v2"`
	CopyToHost       uintptr `c:"cuMemcpyDtoHAsync_v2"`
	CopyOnDevice     uintptr `c:"cuMemcpyDtoDAsync_v2"`
	Copy3D           uintptr `c:"cuMemcpy3DAsync_v2"`
	MipmappedCreate  uintptr `c:"cuMipmappedArrayCreate"`
	MipmappedLevel   uintptr `c:"cuMipmappedArrayGetLevel"`
	MipmappedDestroy uintptr `c:"cuMipmappedArrayDestroy"`
	TextureCreate    uintptr `c:"cuTexObjectCreate"`
	TextureDestroy   uintptr `c:"cuTexObjectDestroy"`
	SurfaceCreate    uintptr `c:"cuSurfObjectCreate"`
	SurfaceDestroy   uintptr `c:"cuSurfObjectDestroy"`
	HostAlloc        uintptr `c:"cuMemHostAlloc"`
	HostFree         uintptr `c:"cuMemFreeHost"`
	HostRegister     uintptr `c:"cuMemHostRegister_v2|cuMemHostRegister"`
	HostUnregister   uintptr `c:"cuMemHostUnregister"`
	ErrorName        uintptr `c:"cuGetErrorName"`
	ErrorText        uintptr `c:"cuGetErrorString"`
}

// hasPools reports whether the library has stream-ordered allocation (CUDA
// 11.2).
func (cu *functions) hasPools() bool {
	return cu.AllocAsync != 0 && cu.FreeAsync != 0 && cu.DefaultPool != 0 && cu.PoolSet != 0 && cu.PoolTrim != 0
}

// Result codes (CUresult).
const (
	codeOutOfMemory    = 2
	codeNoDevice       = 100
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
func (cu *functions) check(what string, register uintptr) error {
	code := uint32(register)
	if code == 0 {
		return nil
	}
	name, text := cu.text(cu.ErrorName, code), cu.text(cu.ErrorText, code)
	if name == "" {
		name = fmt.Sprintf("CUresult %d", code)
	}
	for _, meaning := range meanings {
		if meaning.code == code {
			return fmt.Errorf("cuda: %s: %w (%s: %s)", what, *meaning.err, name, text)
		}
	}
	return fmt.Errorf("cuda: %s: %s: %s", what, name, text)
}

// text asks for one of libcuda's static strings.
func (cu *functions) text(function uintptr, code uint32) string {
	var address uintptr
	if uint32(dl.Call(function, uintptr(code), uintptr(unsafe.Pointer(&address)))) != 0 {
		return ""
	}
	return dl.GoString(address)
}
