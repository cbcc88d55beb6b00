package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	sceneWidth  = 40
	sceneHeight = 30
)

type Ray struct{ Origin, Direction Vec3f }

type Material struct {
	Colour Vec3f
	Shine  float32
}

type Sphere struct {
	Centre   Vec3f
	Radius   float32
	Material Material
}

type Scene struct {
	Camera  Mat4
	Light   Vec3f
	Count   uint32
	Spheres [4]Sphere
}

type hit struct {
	found    bool
	distance float32
	sphere   int
}

// dotRounded is a dot product in which each product and each sum is rounded.
func dotRounded(a, b Vec3f) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z)
}

// seen returns a linear combination of the columns of the camera, with each product rounded.
func (s *Scene) seen(v Vec4f) Vec3f {
	m := &s.Camera
	return gpu.V3f(
		float32(m[0].X*v.X)+float32(m[1].X*v.Y)+float32(m[2].X*v.Z)+float32(m[3].X*v.W),
		float32(m[0].Y*v.X)+float32(m[1].Y*v.Y)+float32(m[2].Y*v.Z)+float32(m[3].Y*v.W),
		float32(m[0].Z*v.X)+float32(m[1].Z*v.Y)+float32(m[2].Z*v.Z)+float32(m[3].Z*v.W),
	)
}

func (s *Scene) ray(x, y int) Ray {
	across := (float32(x) - 20) * 0.0625
	up := (15 - float32(y)) * 0.0625
	return Ray{Origin: s.seen(Vec4f{W: 1}), Direction: s.seen(gpu.V4f(across, up, -1, 0))}
}

// nearest returns the first sphere that a ray hits.
func (s *Scene) nearest(ray Ray) hit {
	best := hit{distance: 1e30}
	a := dotRounded(ray.Direction, ray.Direction)
	for i := range int(s.Count) {
		sphere := &s.Spheres[i]
		toCentre := sphere.Centre.Sub(ray.Origin)
		b := dotRounded(toCentre, ray.Direction)
		c := dotRounded(toCentre, toCentre) - float32(sphere.Radius*sphere.Radius)
		discriminant := float32(b*b) - float32(a*c)
		if discriminant <= 0 || b <= 0 {
			continue
		}
		if t := (b - gpu.Sqrt(discriminant)) / a; t < best.distance {
			best = hit{true, t, i}
		}
	}
	return best
}

// sky returns the colour of a ray that hits nothing.
func (r Ray) sky() Vec3f {
	t := saturate(gpu.Normalize(r.Direction).Y*0.5 + 0.5)
	return gpu.V3f(1, 1, 1).Scale(1 - t).Add(gpu.V3f(0.25, 0.5, 1).Scale(t))
}

func (s *Scene) shade(ray Ray, h hit) Vec3f {
	if !h.found {
		return ray.sky()
	}
	sphere := s.Spheres[h.sphere]
	at := ray.Origin.Add(ray.Direction.Scale(h.distance))
	normal := at.Sub(sphere.Centre).Scale(1 / sphere.Radius)
	toLight := gpu.Normalize(s.Light.Sub(at))
	diffuse := max(normal.Dot(toLight), 0)
	mirrored := gpu.Reflect(gpu.Normalize(ray.Direction), normal)
	highlight := gpu.Pow(saturate(mirrored.Dot(toLight)), sphere.Material.Shine) * 0.5
	return sphere.Material.Colour.Scale(0.125 + diffuse).Add(gpu.V3f(highlight, highlight, highlight))
}

// RayTracer is compiled strictly.
//
//gpuc:kernel workgroup=8,8
func RayTracer(it gpu.Item, scene Scene, colours []Vec4f, hits []uint32) {
	at := it.Global()
	if at.X >= sceneWidth || at.Y >= sceneHeight {
		return
	}
	ray := scene.ray(at.X, at.Y)
	h := scene.nearest(ray)
	n := at.Y*sceneWidth + at.X
	hits[n] = 0
	if h.found {
		hits[n] = uint32(h.sphere) + 1
	}
	colours[n] = scene.shade(ray, h).With(1)
}
