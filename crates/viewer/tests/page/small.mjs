// Small recordings made for one question each, and the way to find on the screen where things are.
const F = (list) => Float32Array.from(list), U = (list) => Uint32Array.from(list);

export const field = (name, unit, components) => ({ name, unit, components });

// A stage of groups with spheres, seen from the front so that the target plane is `width` metres wide in an 800 × 560 picture.
export function makeSmall({ name = "small", groups, batches = [], frames, view, width = 10 }) {
  const distance = 30, fov = (2 * Math.atan(((width / 2) * 560) / 800 / distance) * 180) / Math.PI;
  return {
    stage: {
      name, generator: "huygens mock", up: [0, 0, 1], scalars: [], meshes: [], skins: [], tubes: [], joints: [],
      looks: [{ name: "blue", color: [0.2, 0.35, 0.75, 1], roughness: 0.6, metal: false }, { name: "red", color: [0.8, 0.2, 0.15, 1], roughness: 0.6, metal: false }],
      groups: groups.map((group) => ({ names: [], constants: [], constant_values: [], ...group })),
      batches: batches.map((batch) => ({ kind: "sphere", visual: false, positions: F([]), rotations: F([]), ...batch, items: U(batch.items), looks: U(batch.looks ?? batch.items.map(() => 0)), sizes: F(batch.sizes) })),
      view: view ?? { camera: { position: [0, -distance, 0], target: [0, 0, 0], fov_deg: fov } },
    },
    frames: frames.map(({ time, groups: list }, step) => ({ time, step, scalars: [], groups: list.map((fields) => ({ count: fields[0].length / 3, fields: fields.map(F) })) })),
  };
}

// Places along the middle row of the picture, in fractions of its width, of the items of a group: { item: middle }.
export async function middles(page, group) {
  return page.evaluate((wanted) => {
    const seen = {};
    for (let i = 0; i <= 800; i++) {
      const hit = window.huygens.probe(i / 800, 0.5);
      if (hit?.group === wanted) (seen[hit.item] ??= []).push(i / 800);
    }
    return Object.fromEntries(Object.entries(seen).map(([item, list]) => [item, (list[0] + list[list.length - 1]) / 2]));
  }, group);
}
