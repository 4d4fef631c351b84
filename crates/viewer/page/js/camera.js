// A camera that orbits a target. Coordinates are relative to the scene's centre.
import { mat4, vec } from "./maths.js";

const HALF_FIELD = Math.tan((36 / 2) * (Math.PI / 180));

export class Camera {
  constructor(up) {
    this.up = up;
    this.side = vec.normalTo(up);
    this.front = vec.cross(up, this.side);
    this.target = [0, 0, 0];
    this.distance = 5;
    this.yaw = -0.9;
    this.pitch = 0.42;
    this.ortho = false;
    this.halfField = HALF_FIELD;
    this.sceneRadius = 1;
  }

  // Move back until a box fits into a picture of the given aspect; `share` of its height is free of bars.
  frame(center, half, aspect, share) {
    this.target = [...center];
    this.sceneRadius = Math.max(vec.length(half), 1e-9);
    const { right, up, back } = this.axes();
    this.distance = 1e-6 * this.sceneRadius;
    for (let corner = 0; corner < 8; corner++) {
      const p = half.map((h, k) => (corner & (1 << k) ? h : -h));
      const depth = this.ortho ? 0 : vec.dot(p, back);
      const wide = Math.abs(vec.dot(p, right)) / (aspect * 0.94), high = Math.abs(vec.dot(p, up)) / share;
      this.distance = Math.max(this.distance, depth + Math.max(wide, high) / this.halfField);
    }
  }

  // Stand at `eye`, looking at `target`.
  place(eye, target) {
    const d = vec.sub(eye, target);
    this.target = [...target];
    this.distance = Math.max(vec.length(d), 1e-9);
    const u = vec.unit(d);
    this.pitch = Math.asin(Math.min(Math.max(vec.dot(u, this.up), -1), 1));
    this.yaw = Math.atan2(vec.dot(u, this.front), vec.dot(u, this.side));
  }

  get back() {
    const flat = vec.add(vec.scale(this.side, Math.cos(this.yaw)), vec.scale(this.front, Math.sin(this.yaw)));
    return vec.add(vec.scale(flat, Math.cos(this.pitch)), vec.scale(this.up, Math.sin(this.pitch)));
  }

  // Right, up and back axes of the eye.
  axes() {
    const back = this.back;
    const right = vec.add(vec.scale(this.side, -Math.sin(this.yaw)), vec.scale(this.front, Math.cos(this.yaw)));
    return { right, up: vec.cross(back, right), back };
  }

  get eye() {
    return vec.add(this.target, vec.scale(this.back, this.distance));
  }

  orbit(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.min(Math.max(this.pitch + dy, -1.555), 1.555);
  }

  // Move the target in the picture plane by fractions of the picture's height.
  pan(dx, dy) {
    const { right, up } = this.axes();
    const size = 2 * this.distance * this.halfField;
    this.target = vec.add(this.target, vec.add(vec.scale(right, -dx * size), vec.scale(up, dy * size)));
  }

  // Nearer (factor < 1) or farther, keeping the point under the pointer (fractions from the middle) in place.
  zoom(factor, x = 0, y = 0) {
    const next = Math.min(Math.max(this.distance * factor, 1e-4 * this.sceneRadius), 200 * this.sceneRadius);
    const real = next / this.distance;
    this.pan(-x * (1 - real), y * (1 - real));
    this.distance = next;
  }

  // Matrices for a picture; `jitter` shifts it by parts of a pixel (in clip units).
  matrices(aspect, jitter = [0, 0]) {
    const { right, up, back } = this.axes();
    const eye = this.eye;
    const depth = this.distance + 4 * this.sceneRadius;
    const near = this.ortho ? -depth : Math.max(this.distance * 0.02, 1e-3 * this.sceneRadius);
    const far = this.ortho ? this.distance + 60 * this.sceneRadius : this.distance + 120 * this.sceneRadius;
    const half = this.distance * this.halfField;
    const projection = this.ortho ? mat4.orthographic(half * aspect, half, near, far) : mat4.perspective(this.halfField, aspect, near, far);
    if (this.ortho) {
      projection[12] += jitter[0];
      projection[13] += jitter[1];
    } else {
      projection[8] += jitter[0];
      projection[9] += jitter[1];
    }
    const view = mat4.view(eye, right, up, back);
    return { view, projection, inverseProjection: mat4.inverse(projection), axes: { right, up, back }, eye, near, far };
  }

  // Length at the target that one pixel stands for, in a picture `height` pixels high.
  pixelLength(height) {
    return (2 * this.distance * this.halfField) / height;
  }
}

// Quaternion of the rotation in a view matrix.
export function viewRotation(m) {
  const trace = m[0] + m[5] + m[10];
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    return [(m[6] - m[9]) / s, (m[8] - m[2]) / s, (m[1] - m[4]) / s, s / 4];
  }
  if (m[0] > m[5] && m[0] > m[10]) {
    const s = 2 * Math.sqrt(1 + m[0] - m[5] - m[10]);
    return [s / 4, (m[4] + m[1]) / s, (m[8] + m[2]) / s, (m[6] - m[9]) / s];
  }
  if (m[5] > m[10]) {
    const s = 2 * Math.sqrt(1 + m[5] - m[0] - m[10]);
    return [(m[4] + m[1]) / s, s / 4, (m[9] + m[6]) / s, (m[8] - m[2]) / s];
  }
  const s = 2 * Math.sqrt(1 + m[10] - m[0] - m[5]);
  return [(m[8] + m[2]) / s, (m[9] + m[6]) / s, s / 4, (m[1] - m[4]) / s];
}
