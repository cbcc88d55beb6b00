package cudalike

import (
	"errors"

	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// This file keeps on disk the binaries that a driver makes of text.

// SetCache implements driver.Caching.
func (d *device) SetCache(c *kernelcache.Cache) { d.cache.Store(c) }

var errUnknownBuild = errors.New("kernels are not kept: this system does not say which build of the driver it has")

// makeModule makes the module of a variant: of the binary in the cache, or of one that is made for
// the cache, or else of the image. It returns what API.Load does; only images have errors of their
// own, with a log. enter must have been called.
func (k *kernel) makeModule(f *variant) (result uintptr, log string) {
	c, cache := k.device.c, k.device.cache.Load()
	if c.api.Link == nil || !cache.On() {
		return c.api.Load(&c.Functions, &f.module, f.image)
	}
	if c.build() == "" {
		cache.Note(errUnknownBuild)
		return c.api.Load(&c.Functions, &f.module, f.image)
	}
	key := k.key(f.image)
	load := func(binary []byte) bool {
		if binary == nil {
			return false
		}
		result, log = c.api.Load(&c.Functions, &f.module, binary)
		return uint32(result) == 0
	}
	binary := cache.Load(key)
	if load(binary) {
		return result, log
	}
	if binary != nil {
		cache.Drop(key)
	}
	if binary = c.api.Link(&c.Functions, f.image); load(binary) {
		cache.Store(key, kernelcache.Label{Driver: c.api.Name, Device: k.device.info.Name, Kernel: k.name}, binary)
		return result, log
	}
	return c.api.Load(&c.Functions, &f.module, f.image)
}

// key returns the key of the binary of an image. A device's profile is its architecture.
func (k *kernel) key(image []byte) kernelcache.Key {
	c, info := k.device.c, &k.device.info
	return kernelcache.KeyOf([]byte(c.api.Name), []byte(c.build()), []byte(info.Version), []byte(info.Name), []byte(c.api.Linking), image)
}
