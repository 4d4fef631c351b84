// What the scene itself asks to be shown: the `[view]` description, with the same meaning as for rendered pictures.
import { vec } from "./maths.js";

const DEFAULT_CAMERA = { fov_deg: 30, azimuth_deg: -60, elevation_deg: 22, zoom: 1, orbit_deg_per_s: 0 };
const ALL_ROUND = 16;

const isPoint = (p) => Array.isArray(p) && p.length === 3 && p.every(Number.isFinite);
const pointOr = (p, other) => (isPoint(p) ? p : other);
export const radians = (degrees) => (degrees * Math.PI) / 180;

// Whether a name fits a pattern in which `*` stands for any text.
export function fitsPattern(pattern, name) {
  const parts = pattern.split("*");
  if (parts.length === 1) return pattern === name;
  const first = parts.shift(), last = parts.pop();
  if (!name.startsWith(first)) return false;
  let rest = name.slice(first.length);
  for (const part of parts) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return rest.length >= last.length && rest.endsWith(last);
}

// sRGB 0 … 1 of "#rgb", "#rrggbb" or [r, g, b]; null for anything else.
export function parseColor(color) {
  if (isPoint(color)) return color;
  const hex = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(typeof color === "string" ? color : "");
  if (!hex) return null;
  const digits = hex[2] ?? [...hex[1]].map((d) => d + d).join("");
  return [0, 2, 4].map((i) => parseInt(digits.slice(i, i + 2), 16) / 255);
}

// Value at a time of what some keyframes give: Catmull–Rom between them, still before, after and at the ends.
export function alongPath(path, time, pick) {
  const keys = path.map((k) => [k.time, pick(k)]).filter(([t, v]) => Number.isFinite(t) && Number.isFinite(v));
  if (keys.length === 0) return null;
  const last = keys.length - 1;
  if (time <= keys[0][0]) return keys[0][1];
  if (time >= keys[last][0]) return keys[last][1];
  const next = keys.findIndex(([t]) => t > time);
  const slope = (i) => (i === 0 || i === last ? 0 : (keys[i + 1][1] - keys[i - 1][1]) / (keys[i + 1][0] - keys[i - 1][0]));
  const [[t0, a], [t1, b]] = [keys[next - 1], keys[next]];
  const h = t1 - t0, s = (time - t0) / h, s2 = s * s, s3 = s2 * s;
  return a * (2 * s3 - 3 * s2 + 1) + h * slope(next - 1) * (s3 - 2 * s2 + s) + b * (3 * s2 - 2 * s3) + h * slope(next) * (s3 - s2);
}

function pointAlong(path, time, key) {
  const point = [0, 1, 2].map((axis) => alongPath(path, time, (k) => k[key]?.[axis]));
  return point.includes(null) ? null : point;
}

// The description with every key in place; wrong values are left out, as the page shows recordings of any origin.
export class SceneView {
  constructor(view) {
    const table = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
    const list = (value) => (Array.isArray(value) ? value : []);
    this.given = table(view);
    this.hide = list(this.given.hide).map(String);
    this.show = list(this.given.show).map(String);
    this.looks = list(this.given.looks).filter((rule) => typeof rule?.name === "string");
    this.ground = table(this.given.ground);
    this.marks = table(this.given.marks);
    this.sun = table(this.given.sun);
    this.title = typeof this.given.title === "string" ? this.given.title : "";
    this.colorBy = typeof this.given.color_by?.field === "string" ? this.given.color_by : null;
    const clip = table(this.given.clip);
    this.clip = isPoint(clip.normal) && vec.length(clip.normal) > 0 ? { normal: vec.unit(clip.normal), point: pointOr(clip.point, [0, 0, 0]) } : null;
    const camera = table(this.given.camera);
    this.camera = this.given.camera ? { ...camera, path: list(camera.path).filter((k) => k && typeof k === "object") } : null;
    for (const key in DEFAULT_CAMERA) if (this.camera && !Number.isFinite(this.camera[key])) this.camera[key] = DEFAULT_CAMERA[key];
  }

  // Direction that is up.
  up(other) {
    return isPoint(this.camera?.up) && vec.length(this.camera.up) > 0 ? this.camera.up : other;
  }

  // Whether an item is drawn.
  draws(group, item) {
    if (this.show.length === 0 && this.hide.length === 0) return true;
    const name = group.names[item] ?? "";
    const named = (patterns) => patterns.some((p) => fitsPattern(p, group.name) || (name !== "" && fitsPattern(p, name)));
    return (this.show.length === 0 || named(this.show)) && !named(this.hide);
  }

  // A look with the rules that mean it: by the name of the item, of its group or of the look.
  look(look, group, item) {
    const names = [group.names[item] ?? "", group.name, look.name ?? ""].filter(Boolean);
    let out = look;
    for (const rule of this.looks) {
      if (!names.some((name) => fitsPattern(rule.name, name))) continue;
      const rgb = parseColor(rule.color) ?? out.color.slice(0, 3);
      out = { name: look.name, color: [...rgb, rule.opacity ?? out.color[3]], roughness: rule.roughness ?? out.roughness, metal: rule.metal ?? out.metal };
    }
    return out;
  }
}

// The camera of the description at any time. It yields to the first touch of the camera.
export class CameraScript {
  constructor(view, stage) {
    this.spec = view.camera;
    const { path, orbit_deg_per_s } = this.spec;
    this.turns = orbit_deg_per_s !== 0 || path.some((k) => Number.isFinite(k.azimuth_deg));
    this.followed = null;
    if (typeof this.spec.follow === "string") {
      stage.groups.forEach((group, g) => {
        const item = group.names.indexOf(this.spec.follow);
        if (item >= 0) this.followed ??= { group: g, item };
      });
    }
  }

  // Whether it moves as time goes on.
  get moves() {
    return this.turns || this.spec.path.length > 0 || this.followed !== null;
  }

  // Place the camera. `framing`: { center, half, aspect, share } in coordinates of the camera; `toLocal` turns world
  // points into those; `subject` is the place of the followed body, if there is one.
  apply(camera, time, framing, toLocal, subject) {
    const { spec } = this;
    const value = (key) => alongPath(spec.path, time, (k) => k[key]) ?? spec[key];
    camera.halfField = Math.tan(radians(Math.min(Math.max(value("fov_deg"), 0.1), 170)) / 2);
    camera.yaw = radians(value("azimuth_deg") + spec.orbit_deg_per_s * time);
    camera.pitch = radians(Math.min(Math.max(value("elevation_deg"), -89.9), 89.9));
    const eye = pointAlong(spec.path, time, "position") ?? pointOr(spec.position, null);
    const wanted = subject ?? pointAlong(spec.path, time, "target") ?? pointOr(spec.target, null);
    const target = wanted ? toLocal(wanted) : framing.center;
    camera.frame(framing.center, framing.half, framing.aspect, framing.share);
    if (eye) return camera.place(toLocal(eye), target);
    if (wanted || this.turns) this.stepBackAllRound(camera, framing);
    camera.target = [...target];
    camera.distance /= Math.max(value("zoom"), 1e-3);
  }

  // The distance from which everything is seen from every side.
  stepBackAllRound(camera, { center, half, aspect, share }) {
    const { yaw } = camera;
    let distance = 0;
    for (let i = 0; i < ALL_ROUND; i++) {
      camera.yaw = (2 * Math.PI * i) / ALL_ROUND;
      camera.frame(center, half, aspect, share);
      distance = Math.max(distance, camera.distance);
    }
    camera.yaw = yaw;
    camera.distance = distance;
  }
}
