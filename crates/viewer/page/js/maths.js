// Vectors, quaternions (x y z w) and column-major 4×4 matrices as plain arrays of f64; only the GPU sees f32.

export const vec = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  mix: (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  length: (a) => Math.hypot(a[0], a[1], a[2]),
  unit(a) {
    const l = Math.hypot(a[0], a[1], a[2]);
    return l > 0 ? [a[0] / l, a[1] / l, a[2] / l] : [0, 0, 1];
  },
  // Some unit vector at right angles to the unit vector `a`.
  normalTo(a) {
    const other = Math.abs(a[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
    return vec.unit(vec.sub(other, vec.scale(a, vec.dot(other, a))));
  },
};

export const quat = {
  rotate(q, v) {
    const t = vec.scale(vec.cross(q, v), 2);
    return vec.add(vec.add(v, vec.scale(t, q[3])), vec.cross(q, t));
  },
  // The shortest turn from one unit vector to another.
  between(a, b) {
    const w = 1 + vec.dot(a, b);
    const q = w > 1e-9 ? [...vec.cross(a, b), w] : [...vec.normalTo(a), 0];
    const l = Math.hypot(...q);
    return q.map((x) => x / l);
  },
  conjugate: (q) => [-q[0], -q[1], -q[2], q[3]],
  mix(a, b, t) {
    const s = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -t : t;
    const q = [0, 1, 2, 3].map((i) => a[i] * (1 - t) + b[i] * s);
    const l = Math.hypot(...q) || 1;
    return q.map((x) => x / l);
  },
};

export const mat4 = {
  multiply(a, b) {
    const out = new Array(16);
    for (let c = 0; c < 4; c++) {
      for (let r = 0; r < 4; r++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
        out[c * 4 + r] = sum;
      }
    }
    return out;
  },
  transform(m, v, w = 1) {
    const out = [0, 0, 0, 0];
    for (let r = 0; r < 4; r++) out[r] = m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * w;
    return out;
  },
  // View matrix of an eye whose axes are right, up and back (unit, orthogonal).
  view(eye, right, up, back) {
    return [
      right[0], up[0], back[0], 0,
      right[1], up[1], back[1], 0,
      right[2], up[2], back[2], 0,
      -vec.dot(right, eye), -vec.dot(up, eye), -vec.dot(back, eye), 1,
    ];
  },
  perspective(halfHeight, aspect, near, far) {
    const f = 1 / halfHeight;
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
  },
  orthographic(halfWidth, halfHeight, near, far) {
    return [1 / halfWidth, 0, 0, 0, 0, 1 / halfHeight, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];
  },
  // Inverse by cofactors; enough for well-conditioned camera matrices.
  inverse(m) {
    const inv = new Array(16);
    const s = [
      m[0] * m[5] - m[4] * m[1], m[0] * m[6] - m[4] * m[2], m[0] * m[7] - m[4] * m[3],
      m[1] * m[6] - m[5] * m[2], m[1] * m[7] - m[5] * m[3], m[2] * m[7] - m[6] * m[3],
    ];
    const c = [
      m[8] * m[13] - m[12] * m[9], m[8] * m[14] - m[12] * m[10], m[8] * m[15] - m[12] * m[11],
      m[9] * m[14] - m[13] * m[10], m[9] * m[15] - m[13] * m[11], m[10] * m[15] - m[14] * m[11],
    ];
    const d = 1 / (s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]);
    inv[0] = (m[5] * c[5] - m[6] * c[4] + m[7] * c[3]) * d;
    inv[1] = (-m[1] * c[5] + m[2] * c[4] - m[3] * c[3]) * d;
    inv[2] = (m[13] * s[5] - m[14] * s[4] + m[15] * s[3]) * d;
    inv[3] = (-m[9] * s[5] + m[10] * s[4] - m[11] * s[3]) * d;
    inv[4] = (-m[4] * c[5] + m[6] * c[2] - m[7] * c[1]) * d;
    inv[5] = (m[0] * c[5] - m[2] * c[2] + m[3] * c[1]) * d;
    inv[6] = (-m[12] * s[5] + m[14] * s[2] - m[15] * s[1]) * d;
    inv[7] = (m[8] * s[5] - m[10] * s[2] + m[11] * s[1]) * d;
    inv[8] = (m[4] * c[4] - m[5] * c[2] + m[7] * c[0]) * d;
    inv[9] = (-m[0] * c[4] + m[1] * c[2] - m[3] * c[0]) * d;
    inv[10] = (m[12] * s[4] - m[13] * s[2] + m[15] * s[0]) * d;
    inv[11] = (-m[8] * s[4] + m[9] * s[2] - m[11] * s[0]) * d;
    inv[12] = (-m[4] * c[3] + m[5] * c[1] - m[6] * c[0]) * d;
    inv[13] = (m[0] * c[3] - m[1] * c[1] + m[2] * c[0]) * d;
    inv[14] = (-m[12] * s[3] + m[13] * s[1] - m[14] * s[0]) * d;
    inv[15] = (m[8] * s[3] - m[9] * s[1] + m[10] * s[0]) * d;
    return inv;
  },
};

// Bounds that hold nothing until something is added.
export class Bounds {
  constructor() {
    this.min = [Infinity, Infinity, Infinity];
    this.max = [-Infinity, -Infinity, -Infinity];
  }
  get empty() {
    return !(this.min[0] <= this.max[0]);
  }
  add(x, y, z, margin = 0) {
    // Comparisons are false for NaN, so a diverged item does not spoil the view.
    if (x - margin < this.min[0]) this.min[0] = x - margin;
    if (y - margin < this.min[1]) this.min[1] = y - margin;
    if (z - margin < this.min[2]) this.min[2] = z - margin;
    if (x + margin > this.max[0]) this.max[0] = x + margin;
    if (y + margin > this.max[1]) this.max[1] = y + margin;
    if (z + margin > this.max[2]) this.max[2] = z + margin;
  }
  get center() {
    return this.empty ? [0, 0, 0] : vec.scale(vec.add(this.min, this.max), 0.5);
  }
  get radius() {
    return this.empty ? 0 : vec.length(vec.sub(this.max, this.min)) / 2;
  }
}

// Largest 1, 2 or 5 times a power of ten that is not above `x`.
export function roundDown125(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

// A number with about `digits` significant digits, short.
export function formatNumber(x, digits = 4) {
  if (!Number.isFinite(x)) return String(x).replace("Infinity", "∞");
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-3) {
    const [lead, power] = x.toExponential(Math.max(digits - 2, 0)).split("e");
    return `${lead.replace(/\.?0+$/, "").replace("-", "−")}e${power.replace("+", "").replace("-", "−")}`;
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

const LENGTH_UNITS = [[1e-6, "µm"], [1e-3, "mm"], [1, "m"], [1e3, "km"]];

// A length [m] with a fitting unit.
export function formatLength(meters) {
  let [size, unit] = LENGTH_UNITS[0];
  for (const [s, u] of LENGTH_UNITS) if (meters >= s * 0.9999) [size, unit] = [s, u];
  return `${formatNumber(meters / size, 3)} ${unit}`;
}
