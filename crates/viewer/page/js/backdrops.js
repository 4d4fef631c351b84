// What a click looks through: bodies that are floors, walls or tables, although they consist of ordinary shapes.
import { Bounds } from "./maths.js";
import { fieldValues, isThere } from "./packed.js";
import { joinId } from "./poses.js";

// A plate is at most this thick, as a share of its shorter side, …
const THICKNESS = 0.25;
// … and large if its shorter side is at least this share of the size of everything else.
const SHARE = 0.5;

// Half edges of the box around a shape of a batch.
function halfEdges(draw, i) {
  const s = draw.sizes.subarray(4 * i, 4 * i + 4);
  return [0, 1, 2].map((k) => (draw.batch.kind === "mesh" ? 0.5 * (draw.boxMax[k] - draw.boxMin[k]) : s[k] + s[3]));
}

// Half the shorter side of a thin shape; 0 for others.
function plateSize(draw, i) {
  const [thin, short] = halfEdges(draw, i).sort((a, b) => a - b);
  return thin <= THICKNESS * short ? short : 0;
}

// Whether an item stands where it stood in all those frames.
function isStill(poses, group, item, frames) {
  const pose = (frame) => {
    const data = frame.groups[group];
    if (!data || !isThere(data, item)) return null;
    const part = (field, n) => (field ? Array.from(fieldValues(poses.group, data, field).subarray(n * item, n * item + n)) : []);
    return [...part(poses.position, 3), ...part(poses.rotation, 4)].join();
  };
  const [first, ...others] = frames.map(pose);
  return first !== null && others.every((other) => other === first);
}

// Ids of large plates that do not move, largest first. `frames`: some frames of the run, the one on show among them.
export function findBackdrops(scene, frames) {
  const frame = scene.a, rest = new Bounds(), plates = new Map();
  const solid = scene.draws.filter((draw) => draw.batch && draw.count && scene.groups[draw.group].position);
  for (const draw of solid) {
    draw.batch.items.forEach((item, i) => {
      const id = joinId(draw.group, item), plate = plates.get(id) ?? { group: draw.group, item, size: Infinity };
      plates.set(id, { ...plate, size: Math.min(plate.size, plateSize(draw, i)) });
    });
  }
  for (const [id, { group, item, size }] of plates) if (size === 0 || !isStill(scene.groups[group], group, item, frames)) plates.delete(id);
  if (plates.size === 0) return [];
  for (const draw of scene.draws) {
    const poses = scene.groups[draw.group];
    if (!poses.position) continue;
    const p = fieldValues(poses.group, frame.groups[draw.group], poses.position);
    if (!draw.batch) for (let k = 0; k + 2 < p.length; k += 3) rest.add(p[k], p[k + 1], p[k + 2], draw.reach ?? draw.radius ?? 0);
    else draw.batch.items.forEach((item, i) => plates.has(joinId(draw.group, item)) || rest.add(p[3 * item], p[3 * item + 1], p[3 * item + 2], draw.reaches[i]));
  }
  if (rest.empty) return [];
  const large = [...plates].filter(([, { size }]) => size >= SHARE * rest.radius);
  return large.sort(([, a], [, b]) => b.size - a.size).map(([id]) => id);
}
