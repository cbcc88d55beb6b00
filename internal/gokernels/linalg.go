package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

type Shape struct{ Rows, Columns, Inner uint32 }

// MatmulNaive is compiled strictly: no product is added without having been rounded.
//
//gpuc:kernel workgroup=8,4
func MatmulNaive(it gpu.Item, shape Shape, a, b, c []float32) {
	at := it.Global()
	rows, columns, inner := int(shape.Rows), int(shape.Columns), int(shape.Inner)
	if at.Y >= rows || at.X >= columns {
		return
	}
	sum := float32(0)
	for k := range inner {
		sum += float32(a[at.Y*inner+k] * b[k*columns+at.X])
	}
	c[at.Y*columns+at.X] = sum
}

const matmulTile = 16

type matmulShared struct {
	a, b [matmulTile][matmulTile]float32
}

// matrix is a matrix by rows.
type matrix struct {
	values        []float32
	rows, columns int
}

// at returns an element, or 0 outside of the matrix.
func (m *matrix) at(row, column int) float32 {
	if row < m.rows && column < m.columns {
		return m.values[row*m.columns+column]
	}
	return 0
}

//gpuc:kernel workgroup=matmulTile,matmulTile
func MatmulTiled(it gpu.Item, shared *matmulShared, shape Shape, a, b, c []float32) {
	group, local := it.Group(), it.Local()
	rows, columns, inner := int(shape.Rows), int(shape.Columns), int(shape.Inner)
	left, right := matrix{a, rows, inner}, matrix{b, inner, columns}
	row, column := group.Y*matmulTile+local.Y, group.X*matmulTile+local.X
	sum := float32(0)
	for tile := range (inner + matmulTile - 1) / matmulTile {
		base := tile * matmulTile
		shared.a[local.Y][local.X] = left.at(row, base+local.X)
		shared.b[local.Y][local.X] = right.at(base+local.Y, column)
		it.Barrier()
		for i := range matmulTile {
			sum += shared.a[local.Y][i] * shared.b[i][local.X]
		}
		it.Barrier()
	}
	if row < rows && column < columns {
		c[row*columns+column] = sum
	}
}

const choleskyOrder = 6

// SquareMatrix is a matrix by rows.
type SquareMatrix [choleskyOrder][choleskyOrder]float32

// factorise replaces the matrix by its Cholesky factor.
func (m *SquareMatrix) factorise() {
	for j := range choleskyOrder {
		for i := range j {
			m[i][j] = 0
		}
		diagonal := m[j][j]
		for _, l := range m[j][:j] {
			diagonal -= l * l
		}
		diagonal = gpu.Sqrt(diagonal)
		m[j][j] = diagonal
		for i := j + 1; i < choleskyOrder; i++ {
			sum := m[i][j]
			for k := range j {
				sum -= m[i][k] * m[j][k]
			}
			m[i][j] = sum / diagonal
		}
	}
}

//gpuc:kernel workgroup=8
func Cholesky(it gpu.Item, matrices, factors []SquareMatrix) {
	i := it.Index()
	if i >= len(matrices) {
		return
	}
	m := matrices[i]
	m.factorise()
	factors[i] = m
}

//gpuc:kernel workgroup=16
func SparseProduct(it gpu.Item, rowStarts, columns []uint32, weights, x, y []float32) {
	row := it.Index()
	if row >= len(y) {
		return
	}
	sum := y[row]
	for k := rowStarts[row]; k < rowStarts[row+1]; k++ {
		sum += weights[k] * x[columns[k]]
	}
	y[row] = sum
}

// Array4 is a matrix of 4×4 by columns.
type Array4 [4][4]float32

// minor returns the matrix without a column and a row.
func (m *Array4) minor(skipColumn, skipRow int) (r [3][3]float32) {
	column := 0
	for i := range m {
		if i == skipColumn {
			continue
		}
		row := 0
		for j := range m[i] {
			if j != skipRow {
				r[column][row] = m[i][j]
				row++
			}
		}
		column++
	}
	return r
}

func determinant(m [3][3]float32) float32 {
	return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) +
		m[0][1]*(m[1][2]*m[2][0]-m[1][0]*m[2][2]) +
		m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
}

// cofactor returns the determinant of a minor with its sign.
func (m *Array4) cofactor(i, j int) float32 {
	d := determinant(m.minor(i, j))
	if (i+j)%2 == 1 {
		return -d
	}
	return d
}

func (m *Array4) determinant() (d float32) {
	for j, x := range m[0] {
		d += x * m.cofactor(0, j)
	}
	return d
}

func (m *Array4) inverse() (r Array4) {
	for i := range m {
		for j := range m[i] {
			r[j][i] = m.cofactor(i, j)
		}
	}
	var d float32
	for j, x := range m[0] {
		d += x * r[j][0]
	}
	for i := range r {
		for j := range r[i] {
			r[i][j] /= d
		}
	}
	return r
}

func (m *Array4) times(n *Array4) (r Array4) {
	for i := range r {
		for j := range r[i] {
			for k := range m {
				r[i][j] += m[k][j] * n[i][k]
			}
		}
	}
	return r
}

//gpuc:kernel workgroup=4
func MatrixInverse(it gpu.Item, matrices, inverses, products []Array4, determinants []float32) {
	i := it.Index()
	if i >= len(matrices) {
		return
	}
	m := matrices[i]
	n := m.inverse()
	inverses[i] = n
	products[i] = m.times(&n)
	determinants[i] = m.determinant()
}

// floydNodes is the number of nodes of the graph.
const (
	floydNodes  = 21
	floydNoPath = 0xffffffff
)

// joined returns the sum of the lengths of two paths, if both exist.
func joined(a, b uint32) uint32 {
	if a == floydNoPath || b == floydNoPath {
		return floydNoPath
	}
	return a + b
}

//gpuc:kernel workgroup=8,8
func FloydWarshallRelax(it gpu.Item, distanceOf [][floydNodes][floydNodes]uint32, through []uint32) {
	at, graph := it.Global(), &distanceOf[0]
	if at.X >= floydNodes || at.Y >= floydNodes {
		return
	}
	via := joined(graph[at.Y][through[0]], graph[through[0]][at.X])
	// The row and column that all other items read cannot become shorter, so they are not stored
	// and there is no race.
	if d := &graph[at.Y][at.X]; via < *d {
		*d = via
	}
}

//gpuc:kernel workgroup=1
func FloydWarshallAdvance(it gpu.Item, through []uint32) { through[0]++ }

// longestWord is the largest length of the words of Levenshtein.
const longestWord = 16

type Job struct{ A, ALength, B, BLength uint32 }

// word is a part of a text, in bytes.
type word struct {
	text          []uint32
	start, length uint32
}

func (w *word) letter(i uint32) uint32 {
	at := w.start + i
	return w.text[at/4] >> (8 * (at % 4)) & 255
}

//gpuc:kernel workgroup=16
func Levenshtein(it gpu.Item, text []uint32, jobs []Job, distances []uint32) {
	i := it.Index()
	if i >= len(jobs) {
		return
	}
	job := jobs[i]
	a, b := word{text, job.A, job.ALength}, word{text, job.B, job.BLength}
	var row [longestWord + 1]uint32
	for j := range b.length + 1 {
		row[j] = j
	}
	for i := range a.length {
		diagonal := row[0]
		row[0] = i + 1
		mine := a.letter(i)
		for j := range b.length {
			above := row[j+1]
			change := diagonal + one(mine != b.letter(j))
			row[j+1] = min(change, min(above, row[j])+1)
			diagonal = above
		}
	}
	distances[i] = row[b.length]
}

// Quat is a quaternion, W its real part.
type Quat struct{ Vec4f }

func (q Quat) rotate(v Vec3f) Vec3f {
	t := q.XYZ().Cross(v).Scale(2)
	return v.Add(t.Scale(q.W)).Add(q.XYZ().Cross(t))
}

func (q Quat) matrix() Mat3 {
	v := q.XYZ()
	d, w := v.Mul(v), v.Scale(q.W)
	xy, yz, zx := q.X*q.Y, q.Y*q.Z, q.Z*q.X
	return Mat3{
		gpu.V3(1-2*(d.Y+d.Z), 2*(xy+w.Z), 2*(zx-w.Y)),
		gpu.V3(2*(xy-w.Z), 1-2*(d.X+d.Z), 2*(yz+w.X)),
		gpu.V3(2*(zx+w.Y), 2*(yz-w.X), 1-2*(d.X+d.Y)),
	}
}

//gpuc:kernel workgroup=16
func Quaternion(it gpu.Item, rotations []Vec4f, points []Padded[float32], byQuaternion, byMatrix []Vec4f) {
	i := it.Index()
	if i >= len(points) {
		return
	}
	r := rotations[i]
	q := Quat{r.Scale(1 / gpu.Sqrt(r.Dot(r)))}
	v := points[i].Vec3
	byQuaternion[i] = q.rotate(v).With(gpu.Sqrt(q.Dot(q.Vec4f)))
	byMatrix[i] = q.matrix().Times(v).With(gpu.Distance(v, Vec3f{}))
}

// NormalRay is a direction and a ratio of refraction.
type NormalRay struct {
	Direction Vec3f
	Ratio     float32
}

// refract returns direction d after refraction at a surface with normal n, or 0 on total
// reflection.
func refract(d, n Vec3f, ratio float32) Vec3f {
	cosine := n.Dot(d)
	k := 1 - ratio*ratio*(1-cosine*cosine)
	if k < 0 {
		return Vec3f{}
	}
	return d.Scale(ratio).Sub(n.Scale(ratio*cosine + gpu.Sqrt(k)))
}

//gpuc:kernel workgroup=16
func Geometry(it gpu.Item, rays []NormalRay, normals []Padded[float32], measures, bounced, bent []Vec4f) {
	i := it.Index()
	if i >= len(rays) {
		return
	}
	ray := rays[i]
	n, d := gpu.Normalize(normals[i].Vec3), gpu.Normalize(ray.Direction)
	flat := ray.Direction.XY()
	measures[i] = gpu.V4f(gpu.Length(flat), gpu.Distance(ray.Direction, normals[i].Vec3), d.Dot(n), gpu.Length(d.Cross(n)))
	bounced[i] = gpu.Reflect(d, n).With(gpu.Abs(-ray.Ratio))
	facing := n
	if d.Dot(n) >= 0 {
		facing = n.Scale(-1)
	}
	bent[i] = refract(d, facing, ray.Ratio).With(facing.Dot(d))
}
