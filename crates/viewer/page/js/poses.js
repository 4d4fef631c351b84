// Fields of one group at the two frames around the play head, on the GPU.
import { ItemTexture } from "./gl.js";
import { allThere, fieldValues, findField, isThere } from "./packed.js";

// Stands for the places of items that are not there: shaders need not know what is not a number.
const NOWHERE = 1e37;

function placed(values) {
  if (!values.some(Number.isNaN)) return values;
  return values.map((value) => (Number.isNaN(value) ? NOWHERE : value));
}

// Ids of groups lie above the numbers of items in the id buffer.
export const GROUP_SHIFT = 26;

// Group and item of an id of the id buffer; null for the background.
export function splitId(id) {
  return id === 0 ? null : { group: (id >>> GROUP_SHIFT) - 1, item: id & ((1 << GROUP_SHIFT) - 1) };
}

export function joinId(group, item) {
  return (((group + 1) << GROUP_SHIFT) | item) >>> 0;
}

// One field as two textures: of the frame before the play head and of the one after it.
export class PairedField {
  constructor(gl, group, index, field, reduce = null, change = null) {
    Object.assign(this, { group, index, field, reduce, change });
    this.slots = [0, 1].map(() => ({ frame: null, match: null, texture: new ItemTexture(gl) }));
  }

  get a() {
    return this.slots[0].texture.texture;
  }

  get b() {
    return (this.field.constant ? this.slots[0] : this.slots[1]).texture.texture;
  }

  values(frame) {
    const values = fieldValues(this.group, frame.groups[this.index], this.field);
    return this.reduce ? this.reduce(values) : this.change ? this.change(values) : values;
  }

  // `b` is null where nothing is to be mixed in; `match` tells which item of `b` belongs to each item of `a`.
  show(a, b, match) {
    if (this.field.constant) return this.load(this.slots[0], this.group, null, null);
    // Playing on, the later frame becomes the earlier one: only one new upload a frame. Frames are told apart by
    // themselves, not by their numbers, which change when a recording is thinned.
    if ((this.slots[1].frame === a && !this.slots[1].match) || (b && !match && this.slots[0].frame === b)) this.slots.reverse();
    this.load(this.slots[0], a, null, null);
    if (b) this.load(this.slots[1], b, match, a);
  }

  load(slot, frame, match, before) {
    if (slot.frame === frame && slot.match === match) return;
    Object.assign(slot, { frame, match });
    const n = this.reduce ? 1 : this.field.components;
    if (this.field.constant) return slot.texture.upload(this.values({ groups: [] }), n);
    const values = this.values(frame);
    slot.texture.upload(match ? reorder(values, this.values(before), match, n) : values, n);
  }
}

// Values of the later frame in the order of the earlier one; items that are gone keep their last.
function reorder(later, earlier, match, n) {
  const out = new Float32Array(match.length * n);
  for (let i = 0; i < match.length; i++) {
    const from = match[i] >= 0 ? later : earlier, j = match[i] >= 0 ? match[i] : i;
    for (let k = 0; k < n; k++) out[n * i + k] = from[n * j + k];
  }
  return out;
}

export class GroupPoses {
  constructor(gl, group, index) {
    this.gl = gl;
    this.group = group;
    this.index = index;
    this.idBase = ((index + 1) << GROUP_SHIFT) >>> 0;
    this.position = findField(group, "position");
    this.rotation = findField(group, "rotation");
    this.id = findField(group, "id");
    if (this.id?.constant) this.id = null;
    const pair = (field, components, change) => (field?.components === components ? new PairedField(gl, group, index, field, null, change) : null);
    // Items with names may be absent and keep their numbers.
    this.positions = pair(this.position, 3, group.names.length ? placed : null);
    this.rotations = pair(this.rotation, 4, null);
    this.nothing = new ItemTexture(gl).texture;
    this.count = 0;
    this.mix = 0;
    this.match = null;
  }

  show(a, b, mix) {
    this.count = a.groups[this.index].count;
    if (this.a !== a || this.b !== b) this.match = b ? this.matchItems(a.groups[this.index], b.groups[this.index]) : undefined;
    Object.assign(this, { a, b });
    this.mix = b && this.match !== undefined ? mix : 0;
    this.pair(this.positions);
    this.pair(this.rotations);
  }

  // Load a field of this group for the frames on show.
  pair(field) {
    field?.show(this.a, this.mix > 0 ? this.b : null, this.match);
  }

  // Items of the later frame that belong to those of the earlier one, −1 for none; null where each keeps its number,
  // undefined where nobody can tell.
  matchItems(fa, fb) {
    if (this.group.kind === "contacts") return undefined;
    if (this.id) return matchIds(fa.fields[this.id.index], fb.fields[this.id.index]);
    const named = this.group.kind === "bodies" || this.group.names.length > 0;
    if (fa.count === fb.count && (!named || allThere(fb))) return null;
    if (!named) return undefined;
    // Things with names keep their numbers; some may not be there yet, or no longer.
    return fb.count > fa.count && allThere(fb) ? null : Int32Array.from({ length: fa.count }, (_, i) => (isThere(fb, i) ? i : -1));
  }

  // Number of an item in the later frame; −1 where it is gone.
  partner(item) {
    return this.match ? (this.match[item] ?? -1) : item;
  }

  uniforms() {
    return {
      uPositionA: this.positions?.a ?? this.nothing, uPositionB: this.positions?.b ?? this.nothing, uRotationA: this.rotations?.a ?? this.nothing, uRotationB: this.rotations?.b ?? this.nothing,
      uTurned: this.rotations ? 1 : 0, uMix: this.mix, uIdBase: this.idBase, uCount: this.count,
    };
  }
}

function matchIds(ia, ib) {
  if (ia.length === ib.length && ia.every((v, i) => v === ib[i])) return null;
  const places = new Map();
  ib.forEach((id, i) => places.set(id, i));
  return Int32Array.from(ia, (id) => places.get(id) ?? -1);
}
