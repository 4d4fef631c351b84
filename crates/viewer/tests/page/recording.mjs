// A synthetic recording: a heap of spheres, boxes, capsules and other shapes that falls and settles, a slider-crank
// with joints, a waving cloth, a cable, dust. Packed as the server sends it.

function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

// Pairs of points closer than `size`, by a dense grid of linked lists.
function closePairs(p, n, size) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < 3 * n; k++) { low[k % 3] = Math.min(low[k % 3], p[k]); high[k % 3] = Math.max(high[k % 3], p[k]); }
  const dims = low.map((l, k) => Math.floor((high[k] - l) / size) + 3);
  const head = new Int32Array(dims[0] * dims[1] * dims[2]).fill(-1), next = new Int32Array(n), out = [];
  const cell = (i, k) => Math.floor((p[3 * i + k] - low[k]) / size) + 1;
  for (let i = 0; i < n; i++) {
    const cx = cell(i, 0), cy = cell(i, 1), cz = cell(i, 2);
    for (let z = cz - 1; z <= cz + 1; z++) for (let y = cy - 1; y <= cy + 1; y++) for (let x = cx - 1; x <= cx + 1; x++) {
      for (let j = head[(z * dims[1] + y) * dims[0] + x]; j >= 0; j = next[j]) {
        const dx = p[3 * i] - p[3 * j], dy = p[3 * i + 1] - p[3 * j + 1], dz = p[3 * i + 2] - p[3 * j + 2];
        if (dx * dx + dy * dy + dz * dz < size * size) out.push(j, i);
      }
    }
    const c = (cz * dims[1] + cy) * dims[0] + cx;
    next[i] = head[c];
    head[c] = i;
  }
  return out;
}

// Spheres that fall on a floor, by projecting overlaps away (position-based): crude, but it settles into a heap.
function settle(radii, frames, dt, seed) {
  const n = radii.length, rnd = random(seed), p = new Float64Array(3 * n), old = new Float64Array(3 * n), top = Math.max(...radii);
  const side = Math.ceil(Math.cbrt(n / 0.7));
  for (let i = 0; i < n; i++) {
    const k = Math.floor(i / (side * side)), r = i % (side * side), gap = 2.08 * top;
    p[3 * i] = ((r % side) - side / 2 + 0.3 * rnd()) * gap;
    p[3 * i + 1] = (Math.floor(r / side) - side / 2 + 0.3 * rnd()) * gap;
    p[3 * i + 2] = 0.6 + top + k * gap;
  }
  old.set(p);
  const out = [], substeps = 3, h = dt / substeps;
  const touch = (i, j, round, contacts) => {
    const dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1], dz = p[3 * j + 2] - p[3 * i + 2];
    const d = Math.sqrt(dx * dx + dy * dy + dz * dz), o = radii[i] + radii[j] - d;
    if (o <= 0 || d === 0) return;
    const w = (0.5 * o) / d;
    p[3 * i] -= w * dx; p[3 * i + 1] -= w * dy; p[3 * i + 2] -= w * dz;
    p[3 * j] += w * dx; p[3 * j + 1] += w * dy; p[3 * j + 2] += w * dz;
    // Friction: take away part of the relative sliding.
    for (let k = 0; k < 3; k++) {
      const slip = 0.12 * (p[3 * j + k] - old[3 * j + k] - p[3 * i + k] + old[3 * i + k]);
      old[3 * j + k] += slip; old[3 * i + k] -= slip;
    }
    if (round === 0) contacts.push([i, j, o, dx / d, dy / d, dz / d]);
  };
  const land = (i, round, contacts) => {
    const o = radii[i] - p[3 * i + 2];
    if (o <= 0) return;
    p[3 * i + 2] += o;
    for (let k = 0; k < 2; k++) old[3 * i + k] += 0.5 * (p[3 * i + k] - old[3 * i + k]);
    if (round === 0) contacts.push([-1, i, o, 0, 0, 1]);
  };
  for (let f = 0; f < frames; f++) {
    const before = Float64Array.from(p);
    let contacts = [];
    for (let s = 0; s < substeps; s++) {
      for (let i = 0; i < n; i++) {
        for (let k = 0; k < 3; k++) {
          const v = (p[3 * i + k] - old[3 * i + k]) * 0.999;
          old[3 * i + k] = p[3 * i + k];
          p[3 * i + k] += v + (k === 2 ? -9.81 * h * h : 0);
        }
      }
      contacts = [];
      const close = closePairs(p, n, 2 * top);
      for (let round = 0; round < 3; round++) {
        for (let c = 0; c < close.length; c += 2) touch(close[c], close[c + 1], round, contacts);
        for (let i = 0; i < n; i++) land(i, round, contacts);
      }
    }
    out.push({ p: Float64Array.from(p), v: p.map((x, k) => (x - before[k]) / dt), contacts });
  }
  return out;
}

// A cone of lattice points for large counts; it only breathes a little.
function lattice(radii, frames) {
  const n = radii.length, r = radii[0], rnd = random(7), p = new Float64Array(3 * n);
  const layer = 2 * r * Math.sqrt(2 / 3);
  let i = 0;
  let height = Math.cbrt((3 * n * 4 * Math.SQRT2 * r ** 3) / (Math.PI * 4)) ;
  for (; i < n; height *= 1.02) {
    i = 0;
    for (let k = 0; i < n; k++) {
      const z = r + k * layer, reach = 2 * (height - z);
      if (reach < 0) break;
      const m = Math.floor(reach / (2 * r));
      for (let y = -m; y <= m && i < n; y++) for (let x = -m; x <= m && i < n; x++) {
        const px = (x + 0.5 * ((y + k) & 1)) * 2 * r, py = y * Math.sqrt(3) * r;
        if (px * px + py * py > reach * reach) continue;
        p[3 * i] = px + 0.1 * r * (rnd() - 0.5); p[3 * i + 1] = py + 0.1 * r * (rnd() - 0.5); p[3 * i + 2] = z; i++;
      }
    }
  }
  return Array.from({ length: frames }, (_, f) => ({ p: p.map((x, k) => (k % 3 === 2 ? x + 0.05 * r * Math.sin(f * 0.3 + p[k - 2]) : x)), v: p.map((x, k) => Math.sin(p[k - (k % 3)] * 2 + f * 0.1)), contacts: [] }));
}

const qAxis = (x, y, z, a) => [x * Math.sin(a / 2), y * Math.sin(a / 2), z * Math.sin(a / 2), Math.cos(a / 2)];

// Stage and frames of the synthetic recording.
export function makeRecording({ spheres = 2000, frames = 150, rate = 30, extras = true } = {}) {
  const rnd = random(3);
  const dt = 1 / rate;
  const large = spheres > 5000;
  const kinds = large || !extras ? [] : ["box", "capsule", "cylinder", "cone", "ellipsoid", "rounded_box", "rounded_cylinder", "mesh"];
  const count = spheres + kinds.length * 40;
  const radii = Float64Array.from({ length: count }, () => (large ? 0.05 : 0.05 + 0.03 * rnd()));
  const motion = large ? lattice(radii, frames) : settle(radii, frames, dt, 5);
  const offset = spheres > 5000 ? [0, 0, 0] : [12, -7, 0];
  const mech = extras ? 4 : 0, ground = count + mech;
  const names = Array.from({ length: ground + 1 }, (_, i) => (i < spheres ? "" : i < count ? `${kinds[(i - spheres) % kinds.length]} ${i}` : ""));
  if (extras) ["stand", "crank", "rod", "slider"].forEach((n, k) => (names[count + k] = n));
  names[ground] = "ground";
  const looks = [
    { name: "sand", color: [0.83, 0.66, 0.40, 1], roughness: 0.7, metal: false }, { name: "clay", color: [0.74, 0.36, 0.24, 1], roughness: 0.75, metal: false },
    { name: "slate", color: [0.30, 0.42, 0.55, 1], roughness: 0.6, metal: false }, { name: "steel", color: [0.72, 0.74, 0.78, 1], roughness: 0.3, metal: true },
    { name: "moss", color: [0.38, 0.56, 0.33, 1], roughness: 0.7, metal: false }, { name: "glass", color: [0.55, 0.75, 0.85, 0.55], roughness: 0.15, metal: false },
    { name: "ground", color: [0.8, 0.8, 0.8, 1], roughness: 1, metal: false },
  ];
  const F = (a) => Float32Array.from(a), U = (a) => Uint32Array.from(a);
  const empty = { positions: F([]), rotations: F([]) };
  const batches = [
    { kind: "sphere", group: 0, visual: false, items: U(Array.from({ length: spheres }, (_, i) => i)), looks: U(Array.from({ length: spheres }, (_, i) => [0, 0, 1, 2][i % 4])), sizes: F(radii.slice(0, spheres)), ...empty },
    { kind: "half_space", group: 0, visual: false, items: U([ground]), looks: U([6]), sizes: F([]), ...empty },
  ];
  const sizeOf = { box: (r) => [0.8 * r, 0.7 * r, 0.6 * r], capsule: (r) => [0.5 * r, 0.8 * r], cylinder: (r) => [0.7 * r, 0.8 * r], cone: (r) => [0.9 * r, 0.9 * r], ellipsoid: (r) => [1.1 * r, 0.8 * r, 0.6 * r], rounded_box: (r) => [0.5 * r, 0.45 * r, 0.4 * r, 0.22 * r], rounded_cylinder: (r) => [0.5 * r, 0.5 * r, 0.2 * r], mesh: () => [] };
  kinds.forEach((kind, k) => {
    const items = Array.from({ length: 40 }, (_, i) => spheres + i * kinds.length + k);
    batches.push({ kind, group: 0, visual: false, ...(kind === "mesh" ? { mesh: 0 } : {}), items: U(items), looks: U(items.map((i) => [3, 4, 2, 1][i % 4])), sizes: F(items.flatMap((i) => sizeOf[kind](1.25 * radii[i]))), ...empty });
  });
  if (extras) {
    const c = count;
    batches.push(
      { kind: "rounded_box", group: 0, visual: false, items: U([c, c + 1, c + 2, c + 3]), looks: U([2, 1, 3, 4]), sizes: F([0.08, 0.08, 0.5, 0.02, 0.22, 0.03, 0.02, 0.02, 0.42, 0.03, 0.02, 0.02, 0.12, 0.1, 0.1, 0.02]), positions: F([0, 0, 0, 0.2, 0, 0, 0.4, 0, 0, 0, 0, 0]), rotations: F([]) },
      { kind: "cylinder", group: 0, visual: true, items: U([c + 1, c + 1, c + 2]), looks: U([3, 3, 3]), sizes: F([0.07, 0.06, 0.05, 0.07, 0.05, 0.07]), positions: F([0, 0, 0, 0.4, 0, 0, 0.8, 0, 0]), rotations: F([...qAxis(1, 0, 0, Math.PI / 2), ...qAxis(1, 0, 0, Math.PI / 2), ...qAxis(1, 0, 0, Math.PI / 2)]) },
      { kind: "box", group: 0, visual: true, items: U([c + 3]), looks: U([2]), sizes: F([0.75, 0.14, 0.03]), positions: F([0, 0, -0.17]), rotations: F([]) },
    );
    batches[batches.length - 1].items = U([c]);
    batches[batches.length - 1].positions = F([1.05, 0, 0.27]);
  }
  const vector = (name, unit) => ({ name, unit, components: 3 });
  const groups = [
    { name: "bodies", kind: "bodies", names: large ? [] : names, fields: large ? [vector("position", "m"), vector("velocity", "m/s")] : [vector("position", "m"), { name: "rotation", unit: "", components: 4 }, vector("velocity", "m/s")], constants: [{ name: "mass", unit: "kg", components: 1 }], constant_values: [F(Array.from({ length: ground + 1 }, (_, i) => (i < count ? 4.19 * 2600 * radii[i] ** 3 : 10)))] },
  ];
  groups.push({ name: "contacts", kind: "contacts", names: [], fields: [vector("position", "m"), vector("force", "N"), vector("normal", ""), { name: "gap", unit: "m", components: 1 }, { name: "a", unit: "", components: 1 }, { name: "b", unit: "", components: 1 }], constants: [], constant_values: [] });
  const cloth = 24, cable = 30, skins = [], tubes = [];
  if (extras && !large) {
    groups.push({ name: "cloth", kind: "nodes", names: [], fields: [vector("position", "m"), { name: "stress", unit: "Pa", components: 1 }], constants: [], constant_values: [] });
    groups.push({ name: "cable", kind: "nodes", names: [], fields: [vector("position", "m"), { name: "stress", unit: "Pa", components: 1 }], constants: [], constant_values: [] });
    groups.push({ name: "dust", kind: "particles", names: [], fields: [vector("position", "m"), vector("velocity", "m/s"), { name: "radius", unit: "m", components: 1 }], constants: [], constant_values: [] });
    const tri = [];
    for (let y = 0; y + 1 < cloth; y++) for (let x = 0; x + 1 < cloth; x++) { const a = y * cloth + x; tri.push(a, a + 1, a + cloth + 1, a, a + cloth + 1, a + cloth); }
    skins.push({ group: 2, look: 4, triangles: U(tri) });
    tubes.push({ group: 3, look: 2, radius: 0.025, segments: U(Array.from({ length: cable - 1 }, (_, i) => [i, i + 1]).flat()) });
  }
  const mesh = tetraMesh(0.095);
  const ident = [0, 0, 0, 1], turned = qAxis(1, 0, 0, -Math.PI / 2);
  const joints = extras && !large ? [
    { name: "bearing", kind: "revolute", a: count, b: count + 1, position_a: [0, -0.14, 0.45], rotation_a: turned, position_b: [0, 0, 0], rotation_b: turned },
    { name: "crank pin", kind: "revolute", a: count + 1, b: count + 2, position_a: [0.4, 0, 0], rotation_a: turned, position_b: [0, 0, 0], rotation_b: turned },
    { name: "wrist pin", kind: "revolute", a: count + 2, b: count + 3, position_a: [0.8, 0, 0], rotation_a: turned, position_b: [0, 0, 0], rotation_b: turned },
    { name: "guide", kind: "prismatic", a: null, b: count + 3, position_a: [offset[0] - 1.6, offset[1] - 2.34, 1.0], rotation_a: ident, position_b: [0, 0, 0], rotation_b: ident },
  ] : [];
  const scalars = [{ name: "energy.kinetic", unit: "J" }, { name: "energy.potential", unit: "J" }, { name: "contacts", unit: "" }, { name: "probe.slider_x", unit: "m" }];
  const stage = { name: "heap and slider-crank", generator: "huygens mock", up: [0, 0, 1], groups, scalars, meshes: [mesh], looks, batches, skins, tubes, joints, view: null };

  const rotations = new Float64Array(4 * count);
  for (let i = 0; i < count; i++) rotations.set(qAxis(...unit([rnd() - 0.5, rnd() - 0.5, rnd() - 0.5]), 6 * rnd()), 4 * i);
  const frameList = motion.map((m, f) => {
    const time = f * dt, total = ground + 1;
    const position = new Float32Array(3 * total), rotation = new Float32Array(4 * total), velocity = new Float32Array(3 * total);
    for (let k = 0; k < 3 * count; k++) { position[k] = m.p[k] + offset[k % 3]; velocity[k] = m.v[k]; }
    for (let i = 0; i < count; i++) {
      // Roll about the horizontal axis across the motion.
      const w = [-m.v[3 * i + 1] / radii[i], m.v[3 * i] / radii[i], 0], size = Math.hypot(...w);
      if (size > 0.5) multiply(qAxis(...unit(w), Math.min(size * dt, 0.6)), rotations, 4 * i);
      rotation.set(rotations.subarray(4 * i, 4 * i + 4), 4 * i);
    }
    for (let i = count; i < total; i++) rotation[4 * i + 3] = 1;
    let slider = 0;
    if (extras) slider = placeMechanism(position, rotation, count, offset, 3 * time);
    const mass = (i) => 4.19 * 2600 * radii[i] ** 3;
    const contacts = m.contacts;
    const force = (c) => (c[2] / dt / dt) * 16 * mass(c[1]) * 0.25;
    const contact = { count: contacts.length, fields: [
      F(contacts.flatMap(([, b, , nx, ny, nz]) => [nx, ny, nz].map((x, k) => m.p[3 * b + k] + offset[k] - x * radii[b]))),
      F(contacts.flatMap((c) => [c[3], c[4], c[5]].map((x) => x * force(c)))), F(contacts.flatMap((c) => [c[3], c[4], c[5]])), F(contacts.map((c) => -c[2])),
      F(contacts.map((c) => (c[0] < 0 ? ground : c[0]))), F(contacts.map((c) => c[1])),
    ] };
    let kinetic = 0, potential = 0;
    for (let i = 0; i < count; i++) {
      kinetic += 0.5 * mass(i) * (m.v[3 * i] ** 2 + m.v[3 * i + 1] ** 2 + m.v[3 * i + 2] ** 2);
      potential += mass(i) * 9.81 * m.p[3 * i + 2];
    }
    const list = [{ count: total, fields: large ? [position, velocity] : [position, rotation, velocity] }, contact];
    if (extras && !large) list.push(clothFrame(cloth, offset, time), cableFrame(cable, offset, time), dustFrame(offset, time));
    return { time, step: f * 10, scalars: [kinetic, potential, contacts.length, slider], groups: list };
  });
  return { stage, frames: frameList };
}

function unit(v) { const l = Math.hypot(...v) || 1; return v.map((x) => x / l); }

function multiply(q, all, at) {
  const [ax, ay, az, aw] = q, [bx, by, bz, bw] = all.subarray(at, at + 4);
  all.set([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz], at);
}

function placeMechanism(position, rotation, c, offset, angle) {
  const [ox, oy] = [offset[0] - 1.6, offset[1] - 2.2];
  const put = (i, p, q) => { position.set([ox + p[0], oy + p[1], p[2]], 3 * i); rotation.set(q, 4 * i); };
  const px = 0.4 * Math.cos(angle), pz = 0.4 * Math.sin(angle), tilt = Math.asin(pz / 0.8), x = px + 0.8 * Math.cos(tilt);
  put(c, [0, 0, 0.55], [0, 0, 0, 1]);
  put(c + 1, [0, -0.14, 1.0], qAxis(0, 1, 0, -angle));
  put(c + 2, [px, -0.14, 1.0 + pz], qAxis(0, 1, 0, tilt));
  put(c + 3, [x, -0.14, 1.0], [0, 0, 0, 1]);
  return x;
}

function clothFrame(n, offset, t) {
  const p = new Float32Array(3 * n * n), s = new Float32Array(n * n);
  for (let y = 0; y < n; y++) for (let x = 0; x < n; x++) {
    const i = y * n + x, u = x / (n - 1), v = y / (n - 1), wave = 0.16 * u * Math.sin(7 * u + 3 * v - 4 * t);
    p.set([offset[0] + 1.7 + 1.1 * u, offset[1] - 1.9 + wave, 0.5 + 0.9 * v], 3 * i);
    s[i] = 1e5 * (1 - u) + 4e4 * Math.abs(Math.sin(7 * u - 4 * t));
  }
  return { count: n * n, fields: [p, s] };
}

function cableFrame(n, offset, t) {
  const p = new Float32Array(3 * n), s = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    const u = i / (n - 1);
    p.set([offset[0] - 1.6 + 3.3 * u, offset[1] + 2.0 + 0.1 * Math.sin(Math.PI * u) * Math.sin(3 * t), 1.3 - 2.2 * u * (1 - u)], 3 * i);
    s[i] = 2e5 * Math.abs(u - 0.5);
  }
  return { count: n, fields: [p, s] };
}

// Grains that come one by one, so the count changes from frame to frame.
function dustFrame(offset, t) {
  const count = Math.min(200, Math.floor(60 * t)), p = new Float32Array(3 * count), v = new Float32Array(3 * count), r = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const age = t - i / 60, turn = i * 2.4, z = Math.max(0.02, 1.6 - 4.9 * age * age), out = 0.15 * Math.min(age, 0.57) + 0.02 * Math.sqrt(i);
    p.set([offset[0] + 2.3 + out * Math.cos(turn), offset[1] + 1.0 + out * Math.sin(turn), z], 3 * i);
    v[3 * i + 2] = z > 0.02 ? -9.81 * age : 0;
    r[i] = 0.02 + 0.008 * ((i * 7) % 5) / 5;
  }
  return { count, fields: [p, v, r] };
}

function tetraMesh(r) {
  // An octahedron with a waist: sharp edges and an obvious inside.
  const v = [[r, 0, 0], [0, r, 0], [-r, 0, 0], [0, -r, 0], [0, 0, 1.2 * r], [0, 0, -0.7 * r]];
  const t = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 1, 0, 5, 2, 1, 5, 3, 2, 5, 0, 3, 5];
  return { name: "gem", vertices: Float32Array.from(v.flat()), triangles: Uint32Array.from(t), crease: 0.5 };
}

// ---- packing ----

export function packStage(stage) {
  const arrays = [];
  let at = 0;
  const json = Buffer.from(JSON.stringify(stage, (_, value) => {
    if (!(value instanceof Float32Array || value instanceof Uint32Array)) return value;
    const entry = { offset: at, len: value.length, type: value instanceof Float32Array ? "f32" : "u32" };
    arrays.push(value);
    at += value.byteLength;
    return entry;
  }));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(json.length);
  return Buffer.concat([head, json, Buffer.alloc((4 - ((4 + json.length) % 4)) % 4), ...arrays.map((a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength))]);
}

export function packFrame(frame) {
  const head = Buffer.alloc(24 + 8 * frame.scalars.length);
  head.writeDoubleLE(frame.time, 0);
  head.writeBigUInt64LE(BigInt(frame.step), 8);
  head.writeUInt32LE(frame.scalars.length, 16);
  head.writeUInt32LE(frame.groups.length, 20);
  frame.scalars.forEach((s, i) => head.writeDoubleLE(s, 24 + 8 * i));
  const parts = [head];
  for (const group of frame.groups) {
    const count = Buffer.alloc(8);
    count.writeUInt32LE(group.count);
    parts.push(count, ...group.fields.map((f) => Buffer.from(f.buffer, f.byteOffset, f.byteLength)));
  }
  return Buffer.concat(parts);
}

export function packScalars(frames) {
  return Buffer.from(Float64Array.from(frames.flatMap((f) => [f.time, ...f.scalars])).buffer);
}

// Ranges of all fields over some frames, as the server tells them.
export function frameRanges(stage, frames) {
  return stage.groups.map((group, g) => (group.kind === "contacts" ? [] : group.fields.map(({ components }, f) => {
    const spans = Array.from({ length: components + (components > 1 ? 1 : 0) }, () => null);
    const add = (k, value) => {
      if (Number.isFinite(value)) spans[k] = spans[k] ? [Math.min(spans[k][0], value), Math.max(spans[k][1], value)] : [value, value];
    };
    for (const frame of frames) {
      const values = frame.groups[g]?.fields[f] ?? [];
      for (let i = 0; i < values.length; i += components) {
        for (let k = 0; k < components; k++) add(k, values[i + k]);
        if (components > 1) add(components, Math.hypot(...values.subarray(i, i + components)));
      }
    }
    return spans;
  })));
}
