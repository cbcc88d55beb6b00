// Package texture says what textures are and what reading them means: their
// shapes and texel formats, images in memory, and the arithmetic of sampling.
//
// It knows nothing of the IR, so that compiler, interpreter, drivers and tools can share it. It has
// one table of shapes (this file), one of formats (format.go), one description of an image
// (image.go) and one of a sampler (sampler.go). The interpreter reads images through sample.go,
// which is what targets are compared with.
package texture

// Shape is a texture type's dimension and use.
type Shape uint8

// The shapes of texture (WGSL §6.6).
const (
	Sampled1D Shape = iota
	Sampled2D
	Sampled2DArray
	Sampled3D
	SampledCube
	SampledCubeArray
	Multisampled2D
	Depth2D
	Depth2DArray
	DepthCube
	DepthCubeArray
	DepthMultisampled2D
	Storage1D
	Storage2D
	Storage2DArray
	Storage3D
	External
	Shapes
)

// Dimension is the number of coordinates of an image, and what they address.
type Dimension uint8

// The dimensions. A cube is six square layers.
const (
	D1 Dimension = iota + 1
	D2
	D3
	Cube
)

// Class is what a texture is read as.
type Class uint8

// The classes. External textures are read like sampled ones of f32.
const (
	Sampled Class = iota
	Depth
	Storage
)

// ShapeInfo is a shape's row.
type ShapeInfo struct {
	Name      string // the type's name in WGSL
	Dimension Dimension
	Class     Class
	Arrayed   bool
	// Multisampled textures have one level, and loads name a sample instead.
	Multisampled bool
}

var shapes = [Shapes]ShapeInfo{
	Sampled1D:           {"texture_1d", D1, Sampled, false, false},
	Sampled2D:           {"texture_2d", D2, Sampled, false, false},
	Sampled2DArray:      {"texture_2d_array", D2, Sampled, true, false},
	Sampled3D:           {"texture_3d", D3, Sampled, false, false},
	SampledCube:         {"texture_cube", Cube, Sampled, false, false},
	SampledCubeArray:    {"texture_cube_array", Cube, Sampled, true, false},
	Multisampled2D:      {"texture_multisampled_2d", D2, Sampled, false, true},
	Depth2D:             {"texture_depth_2d", D2, Depth, false, false},
	Depth2DArray:        {"texture_depth_2d_array", D2, Depth, true, false},
	DepthCube:           {"texture_depth_cube", Cube, Depth, false, false},
	DepthCubeArray:      {"texture_depth_cube_array", Cube, Depth, true, false},
	DepthMultisampled2D: {"texture_depth_multisampled_2d", D2, Depth, false, true},
	Storage1D:           {"texture_storage_1d", D1, Storage, false, false},
	Storage2D:           {"texture_storage_2d", D2, Storage, false, false},
	Storage2DArray:      {"texture_storage_2d_array", D2, Storage, true, false},
	Storage3D:           {"texture_storage_3d", D3, Storage, false, false},
	External:            {"texture_external", D2, Sampled, false, false},
}

// Info returns the shape's row. It must not be changed.
func (s Shape) Info() *ShapeInfo { return &shapes[s] }

// String returns the shape's type name in WGSL.
func (s Shape) String() string { return shapes[s].Name }

// ShapeNamed finds a shape by its type name in WGSL.
func ShapeNamed(name string) (Shape, bool) {
	for s := range shapes {
		if shapes[s].Name == name {
			return Shape(s), true
		}
	}
	return 0, false
}

// Typed reports whether the type's template names what a read yields: f32, i32
// or u32.
func (s Shape) Typed() bool { return shapes[s].Class == Sampled && s != External }

// IsStorage reports whether the type's template names a texel format and an
// access mode.
func (s Shape) IsStorage() bool { return shapes[s].Class == Storage }

// IsDepth reports whether reads yield a single f32 and comparison is possible.
func (s Shape) IsDepth() bool { return shapes[s].Class == Depth }

// HasLevels reports whether loads and queries may name a mip level.
func (s Shape) HasLevels() bool {
	return shapes[s].Class != Storage && !shapes[s].Multisampled && s != External
}

// SizeComponents is the number of components of the texture's size: width,
// height and depth. A cube's size is that of a face.
func (s Shape) SizeComponents() int {
	if d := shapes[s].Dimension; d != Cube {
		return int(d)
	}
	return 2
}

// Coordinates is the number of components of a sampling coordinate: a cube's is
// a direction.
func (s Shape) Coordinates() int {
	if d := shapes[s].Dimension; d != Cube {
		return int(d)
	}
	return 3
}

// MarshalText implements encoding.TextMarshaler.
func (s Shape) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Shape) UnmarshalText(text []byte) error {
	shape, ok := ShapeNamed(string(text))
	if !ok {
		return unknown("texture type", text)
	}
	*s = shape
	return nil
}
