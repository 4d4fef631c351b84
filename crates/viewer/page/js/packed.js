// Packed stages and frames: the bytes of the recording, read without copying wherever alignment allows.

const ARRAY_TYPES = { f32: Float32Array, u32: Uint32Array };

// Replace each {offset, len, type} of the stage by the typed array it stands for.
function resolveArrays(value, buffer, base) {
  if (Array.isArray(value)) return value.map((v) => resolveArrays(v, buffer, base));
  if (value === null || typeof value !== "object") return value;
  if (typeof value.offset === "number" && typeof value.len === "number" && value.type in ARRAY_TYPES) {
    const start = base + value.offset;
    if (start % 4 !== 0 || start + 4 * value.len > buffer.byteLength) throw new Error("the stage refers to bytes it does not have");
    return new ARRAY_TYPES[value.type](buffer, start, value.len);
  }
  for (const key of Object.keys(value)) value[key] = resolveArrays(value[key], buffer, base);
  return value;
}

// Stage object from its packed bytes (an ArrayBuffer).
export function parseStage(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw new Error("the stage is cut off");
  const stage = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const base = Math.ceil((4 + length) / 4) * 4;
  // The scene's own description is free-form and holds no arrays of ours.
  const view = stage.view;
  stage.view = null;
  resolveArrays(stage, buffer, base);
  stage.view = view;
  for (const key of ["groups", "scalars", "meshes", "looks", "batches", "skins", "tubes", "joints"]) stage[key] ??= [];
  for (const group of stage.groups) {
    group.names ??= [];
    group.constants ??= [];
    group.constant_values ??= [];
  }
  // Arrays that were empty may have been left out.
  for (const batch of stage.batches) {
    for (const key of ["items", "looks"]) batch[key] ??= new Uint32Array(0);
    for (const key of ["sizes", "positions", "rotations"]) batch[key] ??= new Float32Array(0);
  }
  for (const skin of stage.skins) skin.triangles ??= new Uint32Array(0);
  for (const tubes of stage.tubes) tubes.segments ??= new Uint32Array(0);
  if (!Array.isArray(stage.up) || !stage.up.some((x) => x !== 0)) stage.up = [0, 0, 1];
  return stage;
}

// Frame object from its packed bytes: { time, step, scalars, groups: [{ count, fields: [Float32Array] }], bytes }.
export function parseFrame(buffer, stage) {
  const head = new DataView(buffer);
  const scalarCount = head.getUint32(16, true);
  const groupCount = head.getUint32(20, true);
  // A stage only grows: what came since this one was fetched lies behind what it knows.
  if (groupCount < stage.groups.length) throw new Error("the frame does not belong to this stage");
  const frame = {
    time: head.getFloat64(0, true),
    step: Number(head.getBigUint64(8, true)),
    scalars: new Float64Array(buffer, 24, scalarCount),
    groups: [],
    bytes: buffer.byteLength,
  };
  let at = 24 + 8 * scalarCount;
  for (const group of stage.groups) {
    const count = head.getUint32(at, true);
    at += 8;
    const fields = group.fields.map((field) => {
      const values = new Float32Array(buffer, at, count * field.components);
      at += 4 * values.length;
      return values;
    });
    frame.groups.push({ count, fields });
  }
  return frame;
}

// Where the values of a field of a group lie: in every frame, among the constants, or nowhere.
export function findField(group, name) {
  const index = group.fields.findIndex((f) => f.name === name);
  if (index >= 0) return { constant: false, index, ...group.fields[index] };
  const constant = group.constants.findIndex((f) => f.name === name);
  if (constant >= 0) return { constant: true, index: constant, ...group.constants[constant] };
  return null;
}

// Values of a field found by `findField` in a frame of the group.
export function fieldValues(group, groupFrame, field) {
  return field.constant ? group.constant_values[field.index] : groupFrame.fields[field.index];
}

// Whether an item is there: counted, and with a number to begin with.
export function isThere(groupFrame, item) {
  if (item < 0 || item >= groupFrame.count) return false;
  const first = groupFrame.fields.find((values) => values.length > 0);
  return !first || !Number.isNaN(first[item * (first.length / groupFrame.count)]);
}

// Whether all items that are counted are there.
export function allThere(groupFrame) {
  const first = groupFrame.fields.find((values) => values.length > 0);
  if (!first) return true;
  const step = first.length / groupFrame.count;
  for (let i = 0; i < first.length; i += step) if (Number.isNaN(first[i])) return false;
  return true;
}

// Name of an item for people.
export function itemName(group, item) {
  return group.names[item] || `${group.name} ${item}`;
}
