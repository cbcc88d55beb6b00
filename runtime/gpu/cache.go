package gpu

import (
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// This file gives devices the cache of compiled kernels on disk.

// CacheStats says what a device did with the cache of compiled kernels.
type CacheStats = kernelcache.Stats

// CacheStats returns how many kernels were found in the cache since the device was opened, how many
// were compiled, and the last error of the disk. Such errors keep no kernel from being loaded. It
// is zero if the cache is off (KernelCache), and for the CPU, which has none. Through CUDA nothing
// is counted: its driver has a cache of its own.
func (d *Device) CacheStats() CacheStats {
	if !d.valid() {
		return CacheStats{}
	}
	return d.cache.Stats()
}

// useCache gives a driver's device the cache that the options or the environment say, and returns
// it, or nil if the driver takes none.
func (c *choice) useCache(device driver.Device) *kernelcache.Cache {
	caching, ok := device.(driver.Caching)
	if !ok {
		return nil
	}
	cache := kernelcache.FromEnvironment
	if c.cache != nil {
		cache = func() *kernelcache.Cache { return kernelcache.Named(*c.cache) }
	}
	used := cache()
	caching.SetCache(used)
	return used
}
