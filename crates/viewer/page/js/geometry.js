// Triangles of the instanced shapes. A corner has a core point (scaled by the size) and a normal (times the border).

class Corners {
  constructor() {
    this.cores = [];
    this.normals = [];
    this.indices = [];
  }
  add(core, normal) {
    this.cores.push(...core);
    this.normals.push(...normal);
    return this.cores.length / 3 - 1;
  }
  quad(a, b, c, d) {
    this.indices.push(a, b, c, a, c, d);
  }
  fan(center, ring) {
    for (let i = 0; i + 1 < ring.length; i++) this.indices.push(center, ring[i], ring[i + 1]);
  }
  finish() {
    return { cores: new Float32Array(this.cores), normals: new Float32Array(this.normals), indices: new Uint32Array(this.indices) };
  }
}

function boxGeometry() {
  const out = new Corners();
  for (let axis = 0; axis < 3; axis++) {
    for (const sign of [1, -1]) {
      const at = (u, v) => {
        const p = [0, 0, 0];
        p[axis] = sign;
        p[(axis + 1) % 3] = u * sign;
        p[(axis + 2) % 3] = v;
        return p;
      };
      const normal = [0, 0, 0];
      normal[axis] = sign;
      out.quad(...[[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => out.add(at(u, v), normal)));
    }
  }
  return out.finish();
}

function circle(n) {
  return Array.from({ length: n + 1 }, (_, i) => [Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)]);
}

function disc(out, n, z, sign) {
  const center = out.add([0, 0, z], [0, 0, sign]);
  const ring = circle(n).map(([x, y]) => out.add([x, y, z], [0, 0, sign]));
  out.fan(center, sign > 0 ? ring : ring.reverse());
}

function cylinderGeometry(n = 32) {
  const out = new Corners();
  const low = circle(n).map(([x, y]) => out.add([x, y, -1], [x, y, 0]));
  const high = circle(n).map(([x, y]) => out.add([x, y, 1], [x, y, 0]));
  for (let i = 0; i < n; i++) out.quad(low[i], low[i + 1], high[i + 1], high[i]);
  disc(out, n, 1, 1);
  disc(out, n, -1, -1);
  return out.finish();
}

function coneGeometry(n = 40) {
  const out = new Corners();
  const ring = circle(n);
  // Normals of the cone of radius 1 and height 2; the inverse of the scale turns them into those of any cone.
  const low = ring.map(([x, y]) => out.add([x, y, -1], [2 * x, 2 * y, 1]));
  const high = ring.map((_, i) => {
    const turn = (2 * Math.PI * (i + 0.5)) / n;
    return out.add([0, 0, 1], [2 * Math.cos(turn), 2 * Math.sin(turn), 1]);
  });
  for (let i = 0; i < n; i++) out.indices.push(low[i], low[i + 1], high[i]);
  disc(out, n, -1, -1);
  return out.finish();
}

// Sphere of normals whose core points are pulled apart: `coreAt(x, y, zSign)` gives the core of a column and half.
function roundedGeometry(columns, coreAt, rows, capped) {
  const out = new Corners();
  const rings = [];
  for (const zSign of [-1, 1]) {
    for (let r = 0; r <= rows; r++) {
      const lat = (Math.PI / 2) * (zSign < 0 ? r / rows - 1 : r / rows);
      rings.push(columns.map(({ x, y, core }) => out.add(coreAt(x, y, zSign, core), [x * Math.cos(lat), y * Math.cos(lat), Math.sin(lat)])));
    }
  }
  for (let r = 0; r + 1 < rings.length; r++) {
    for (let c = 0; c + 1 < columns.length; c++) out.quad(rings[r][c], rings[r][c + 1], rings[r + 1][c + 1], rings[r + 1][c]);
  }
  if (capped) {
    out.fan(out.add([0, 0, 1], [0, 0, 1]), rings[rings.length - 1]);
    out.fan(out.add([0, 0, -1], [0, 0, -1]), [...rings[0]].reverse());
  }
  return out.finish();
}

function roundedBoxGeometry(n = 4) {
  const columns = [];
  const corners = [[1, 1], [-1, 1], [-1, -1], [1, -1]];
  corners.forEach((core, k) => {
    for (let i = 0; i <= n; i++) {
      const turn = (Math.PI / 2) * (k + i / n);
      columns.push({ x: Math.cos(turn), y: Math.sin(turn), core });
    }
  });
  columns.push(columns[0]);
  return roundedGeometry(columns, (x, y, z, core) => [...core, z], n, true);
}

function roundedCylinderGeometry(n = 32, rows = 6) {
  const columns = circle(n).map(([x, y]) => ({ x, y }));
  return roundedGeometry(columns, (x, y, z) => [x, y, z], rows, true);
}

function capsuleGeometry(n = 24, rows = 6) {
  const columns = circle(n).map(([x, y]) => ({ x, y }));
  return roundedGeometry(columns, (x, y, z) => [0, 0, z], rows, false);
}

// An open tube between z = −1 and 1, as cheap as can be: there may be a hundred thousand of them.
function strandGeometry(n = 5) {
  const out = new Corners();
  const low = circle(n).map(([x, y]) => out.add([0, 0, -1], [x, y, 0]));
  const high = circle(n).map(([x, y]) => out.add([0, 0, 1], [x, y, 0]));
  for (let i = 0; i < n; i++) out.quad(low[i], low[i + 1], high[i + 1], high[i]);
  return out.finish();
}

// Shaft and head; core z is 0 at the tail, 1 where the head begins, 2 at the tip.
function arrowGeometry(n = 6) {
  const out = new Corners();
  const ring = circle(n);
  const tail = ring.map(([x, y]) => out.add([x, y, 0], [x, y, 0]));
  const neck = ring.map(([x, y]) => out.add([x, y, 1], [x, y, 0]));
  for (let i = 0; i < n; i++) out.quad(tail[i], tail[i + 1], neck[i + 1], neck[i]);
  const base = ring.map(([x, y]) => out.add([2.4 * x, 2.4 * y, 1], [0.83 * x, 0.83 * y, 0.55]));
  const tip = ring.map(([x, y]) => out.add([0, 0, 2], [0.83 * x, 0.83 * y, 0.55]));
  for (let i = 0; i < n; i++) out.indices.push(base[i], base[i + 1], tip[i]);
  const brim = ring.map(([x, y]) => out.add([2.4 * x, 2.4 * y, 1], [0, 0, -1]));
  out.fan(out.add([0, 0, 1], [0, 0, -1]), brim.reverse());
  return out.finish();
}

// Finer and coarser shapes: of many, each is small in the picture, and triangles are what they cost.
const DETAIL = {
  cylinder: [[32], [16], [8]], cone: [[40], [20], [10]], capsule: [[24, 6], [12, 3], [8, 2]], rounded_box: [[4], [2], [1]], rounded_cylinder: [[32, 6], [16, 3], [8, 2]],
};

// Corners of a kind of shape that is drawn `count` times.
export function shapeGeometry(kind, count) {
  return SHAPE_GEOMETRY[kind](...(DETAIL[kind]?.[count > 4000 ? 2 : count > 400 ? 1 : 0] ?? []));
}

export const SHAPE_GEOMETRY = {
  box: boxGeometry,
  cylinder: cylinderGeometry,
  cone: coneGeometry,
  capsule: capsuleGeometry,
  rounded_box: roundedBoxGeometry,
  rounded_cylinder: roundedCylinderGeometry,
  arrow: arrowGeometry,
  strand: strandGeometry,
};

export const QUAD_CORNERS = new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]);

// Unit normal of triangle t times twice its area.
function triangleNormal(vertices, a, b, c) {
  const ux = vertices[3 * b] - vertices[3 * a], uy = vertices[3 * b + 1] - vertices[3 * a + 1], uz = vertices[3 * b + 2] - vertices[3 * a + 2];
  const vx = vertices[3 * c] - vertices[3 * a], vy = vertices[3 * c + 1] - vertices[3 * a + 1], vz = vertices[3 * c + 2] - vertices[3 * a + 2];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

// Corners of a mesh with normals smoothed over edges not sharper than the crease angle [rad].
export function meshGeometry(mesh) {
  const { vertices, triangles } = mesh;
  const count = triangles.length / 3;
  const faces = new Float32Array(3 * count);
  const fans = new Map();
  for (let t = 0; t < count; t++) {
    faces.set(triangleNormal(vertices, triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]), 3 * t);
    for (let k = 0; k < 3; k++) {
      // Corners at the same place are one corner, also where the file lists them apart.
      const v = triangles[3 * t + k];
      const key = `${vertices[3 * v]},${vertices[3 * v + 1]},${vertices[3 * v + 2]}`;
      const fan = fans.get(key);
      if (fan) fan.push(3 * t + k);
      else fans.set(key, [3 * t + k]);
    }
  }
  const cores = new Float32Array(9 * count);
  const normals = new Float32Array(9 * count);
  const limit = Math.cos(mesh.crease ?? 0.6);
  for (const fan of fans.values()) {
    for (const corner of fan) {
      const t = Math.floor(corner / 3), v = triangles[corner];
      const size = Math.hypot(faces[3 * t], faces[3 * t + 1], faces[3 * t + 2]) || 1;
      let x = 0, y = 0, z = 0;
      for (const other of fan) {
        const s = Math.floor(other / 3);
        const length = Math.hypot(faces[3 * s], faces[3 * s + 1], faces[3 * s + 2]) || 1;
        const along = faces[3 * t] * faces[3 * s] + faces[3 * t + 1] * faces[3 * s + 1] + faces[3 * t + 2] * faces[3 * s + 2];
        if (s === t || along >= limit * size * length) {
          x += faces[3 * s];
          y += faces[3 * s + 1];
          z += faces[3 * s + 2];
        }
      }
      const length = Math.hypot(x, y, z) || 1;
      normals.set([x / length, y / length, z / length], 3 * corner);
      cores.set([vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]], 3 * corner);
    }
  }
  return { cores, normals, indices: null };
}

// Normals at the items that are corners of a skin, weighted by area.
export function skinNormals(positions, triangles, out) {
  out.fill(0);
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    const a = triangles[t], b = triangles[t + 1], c = triangles[t + 2];
    const n = triangleNormal(positions, a, b, c);
    for (const v of [a, b, c]) {
      out[3 * v] += n[0];
      out[3 * v + 1] += n[1];
      out[3 * v + 2] += n[2];
    }
  }
  for (let i = 0; i < out.length; i += 3) {
    const l = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= l;
    out[i + 1] /= l;
    out[i + 2] /= l;
  }
  return out;
}
