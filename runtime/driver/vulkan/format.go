// Texel formats and samplers' words in Vulkan, and what a device can do with a
// format.

package vulkan

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// formats are the values of VkFormat. Packed formats are named there from the
// highest bits down, and have the same bits in memory.
var formats = [texture.Formats]uint32{
	texture.RGBA8Unorm:     37,  // VK_FORMAT_R8G8B8A8_UNORM
	texture.RGBA8Snorm:     38,  // VK_FORMAT_R8G8B8A8_SNORM
	texture.RGBA8Uint:      41,  // VK_FORMAT_R8G8B8A8_UINT
	texture.RGBA8Sint:      42,  // VK_FORMAT_R8G8B8A8_SINT
	texture.RGBA16Unorm:    91,  // VK_FORMAT_R16G16B16A16_UNORM
	texture.RGBA16Snorm:    92,  // VK_FORMAT_R16G16B16A16_SNORM
	texture.RGBA16Uint:     95,  // VK_FORMAT_R16G16B16A16_UINT
	texture.RGBA16Sint:     96,  // VK_FORMAT_R16G16B16A16_SINT
	texture.RGBA16Float:    97,  // VK_FORMAT_R16G16B16A16_SFLOAT
	texture.RG8Unorm:       16,  // VK_FORMAT_R8G8_UNORM
	texture.RG8Snorm:       17,  // VK_FORMAT_R8G8_SNORM
	texture.RG8Uint:        20,  // VK_FORMAT_R8G8_UINT
	texture.RG8Sint:        21,  // VK_FORMAT_R8G8_SINT
	texture.RG16Unorm:      77,  // VK_FORMAT_R16G16_UNORM
	texture.RG16Snorm:      78,  // VK_FORMAT_R16G16_SNORM
	texture.RG16Uint:       81,  // VK_FORMAT_R16G16_UINT
	texture.RG16Sint:       82,  // VK_FORMAT_R16G16_SINT
	texture.RG16Float:      83,  // VK_FORMAT_R16G16_SFLOAT
	texture.R32Uint:        98,  // VK_FORMAT_R32_UINT
	texture.R32Sint:        99,  // VK_FORMAT_R32_SINT
	texture.R32Float:       100, // VK_FORMAT_R32_SFLOAT
	texture.RG32Uint:       101, // VK_FORMAT_R32G32_UINT
	texture.RG32Sint:       102, // VK_FORMAT_R32G32_SINT
	texture.RG32Float:      103, // VK_FORMAT_R32G32_SFLOAT
	texture.RGBA32Uint:     107, // VK_FORMAT_R32G32B32A32_UINT
	texture.RGBA32Sint:     108, // VK_FORMAT_R32G32B32A32_SINT
	texture.RGBA32Float:    109, // VK_FORMAT_R32G32B32A32_SFLOAT
	texture.BGRA8Unorm:     44,  // VK_FORMAT_B8G8R8A8_UNORM
	texture.R8Unorm:        9,   // VK_FORMAT_R8_UNORM
	texture.R8Snorm:        10,  // VK_FORMAT_R8_SNORM
	texture.R8Uint:         13,  // VK_FORMAT_R8_UINT
	texture.R8Sint:         14,  // VK_FORMAT_R8_SINT
	texture.R16Unorm:       70,  // VK_FORMAT_R16_UNORM
	texture.R16Snorm:       71,  // VK_FORMAT_R16_SNORM
	texture.R16Uint:        74,  // VK_FORMAT_R16_UINT
	texture.R16Sint:        75,  // VK_FORMAT_R16_SINT
	texture.R16Float:       76,  // VK_FORMAT_R16_SFLOAT
	texture.RGB10A2Unorm:   64,  // VK_FORMAT_A2B10G10R10_UNORM_PACK32
	texture.RGB10A2Uint:    68,  // VK_FORMAT_A2B10G10R10_UINT_PACK32
	texture.RG11B10Ufloat:  122, // VK_FORMAT_B10G11R11_UFLOAT_PACK32
	texture.RGBA8UnormSRGB: 43,  // VK_FORMAT_R8G8B8A8_SRGB
	texture.BGRA8UnormSRGB: 50,  // VK_FORMAT_B8G8R8A8_SRGB
	texture.RGB9E5Ufloat:   123, // VK_FORMAT_E5B9G9R9_UFLOAT_PACK32
	texture.Depth16Unorm:   124, // VK_FORMAT_D16_UNORM
	texture.Depth32Float:   126, // VK_FORMAT_D32_SFLOAT
}

var (
	imageTypes = [...]uint32{texture.D1: imageType1D, texture.D2: imageType2D, texture.D3: imageType3D}

	// viewTypes are by dimension and whether the shape is an array.
	viewTypes = [...][2]uint32{
		texture.D1:   {view1D, view1D},
		texture.D2:   {view2D, view2DArray},
		texture.D3:   {view3D, view3D},
		texture.Cube: {viewCube, viewCubeArray},
	}

	addressModes = [texture.AddressModes]uint32{
		texture.ClampToEdge:  addressClampToEdge,
		texture.Repeat:       addressRepeat,
		texture.MirrorRepeat: addressMirrorRepeat,
	}
)

// viewType returns the VkImageViewType of a shape.
func viewType(s texture.Shape) uint32 {
	i := s.Info()
	if i.Arrayed {
		return viewTypes[i.Dimension][1]
	}
	return viewTypes[i.Dimension][0]
}

// aspectOf returns the part of an image that texels of the format are.
func aspectOf(f texture.Format) uint32 {
	if f.Info().Depth {
		return aspectDepth
	}
	return aspectColour
}

// usage returns what images of a format may be used for, besides copies: a set
// of VkImageUsageFlags that is 0 if there is nothing.
func (d *device) usage(f texture.Format) uint32 {
	// A queue without graphics cannot copy to depth images (Vulkan specification,
	// "Copying Data Between Buffers and Images").
	if f.Info().Depth && !d.graphics {
		return 0
	}
	p := new(formatProperties)
	dl.Call(d.instance.vk.FormatProperties, d.physical, uintptr(formats[f]), uintptr(unsafe.Pointer(p)))
	const copies = formatTransferSource | formatTransferTarget
	if p.optimal&copies != copies {
		return 0
	}
	usage := uint32(0)
	if p.optimal&formatSampled != 0 {
		usage |= imageSampled
	}
	if p.optimal&formatStorage != 0 {
		usage |= imageStorage
	}
	return usage
}

// imageInfo describes the VkImage for a texture, or says why the device has none
// like it.
func (d *device) imageInfo(t *texture.Description) (*imageCreateInfo, error) {
	if t.Samples > 1 {
		return nil, fmt.Errorf("%w: the Vulkan driver has no multisampled textures", driver.ErrUnsupported)
	}
	usage := d.usage(t.Format)
	if usage == 0 {
		return nil, fmt.Errorf("%w: %s can neither sample nor store textures of %s", driver.ErrUnsupported, d.info.Name, t.Format)
	}
	info := &imageCreateInfo{
		sType:     typeImageCreateInfo,
		dimension: imageTypes[t.Dimension],
		format:    formats[t.Format],
		extent:    extent{t.Width, t.Height, t.Depth},
		levels:    t.Levels,
		layers:    t.Layers,
		samples:   samples1,
		tiling:    tilingOptimal,
		usage:     usage | imageTransferSource | imageTransferTarget,
		layout:    layoutUndefined,
	}
	if t.Dimension == texture.D2 && t.Layers >= 6 && t.Width == t.Height {
		info.flags = imageCubeCompatible
	}
	most := new(imageFormatProperties)
	ask := func() error {
		return check("describe images", dl.Call(d.instance.vk.ImageFormat, d.physical, uintptr(info.format), uintptr(info.dimension),
			uintptr(info.tiling), uintptr(info.usage), uintptr(info.flags), uintptr(unsafe.Pointer(most))))
	}
	err := ask()
	if err != nil && usage&imageStorage != 0 && usage&imageSampled != 0 {
		// some formats are stored in fewer dimensions than they are sampled in
		info.usage &^= imageStorage
		err = ask()
	}
	if err != nil {
		return nil, fmt.Errorf("%d-dimensional textures of %s: %w", t.Dimension, t.Format, err)
	}
	if e := most.maxExtent; t.Width > e.width || t.Height > e.height || t.Depth > e.depth || t.Layers > most.maxLayers || t.Levels > most.maxLevels {
		return nil, fmt.Errorf("%w: %s takes textures of %s of at most %d x %d x %d texels, %d layers and %d levels",
			driver.ErrUnsupported, d.info.Name, t.Format, e.width, e.height, e.depth, most.maxLayers, most.maxLevels)
	}
	return info, nil
}
