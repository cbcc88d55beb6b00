package texture

// Plane is a level of an image as a shape sees it: what whoever goes through its texels by himself
// has to know.
type Plane struct {
	// Offset is where its texels begin in the image's memory, in bytes.
	Offset               uint64
	Width, Height, Depth uint32
	Layers               uint32 // of cubes: six for each
}

// Plane returns a level, or the last one if there are fewer. The texel in column x and row y of
// layer or slice z is number (z·Height + y)·Width + x.
func (h *Handle) Plane(s Shape, level uint32) (p Plane) {
	at := h.Level + min(level, h.LevelCount(s)-1)
	p.Width, p.Height, p.Depth = h.Image.LevelSize(at)
	if p.Layers = h.LayerCount(s); shapes[s].Dimension == Cube {
		p.Layers *= 6
	}
	for before := range at {
		p.Offset += uint64(len(h.Image.levels[before]))
	}
	return p
}
