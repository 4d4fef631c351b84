// The stage on the GPU: poses of groups as textures, batches as instance buffers; follows the play head.
import { ATTRIBUTE, ItemTexture, attachFloats, attachIntegers, createBuffer, createColorTable } from "./gl.js";
import { QUAD_CORNERS, SHAPE_GEOMETRY, meshGeometry, shapeGeometry, skinNormals } from "./geometry.js";
import { Bounds, quat, vec } from "./maths.js";
import { fieldValues, findField, isThere } from "./packed.js";
import { GroupPoses, PairedField } from "./poses.js";
import { findBackdrops } from "./backdrops.js";
import { SceneView } from "./view.js";
import { srgbFromLinear } from "./colormap.js";

// Sizes as the shaders take them: core scale (x, y, z) and border.
const SIZE_EXPANSION = {
  sphere: (s) => [s[0], s[0], s[0], 0],
  ellipsoid: (s) => [s[0], s[1], s[2], 0],
  box: (s) => [s[0], s[1], s[2], 0],
  capsule: (s) => [0, 0, s[1], s[0]],
  cylinder: (s) => [s[0], s[0], s[1], 0],
  cone: (s) => [s[0], s[0], s[1], 0],
  rounded_box: (s) => [s[0], s[1], s[2], s[3]],
  rounded_cylinder: (s) => [s[0], s[0], s[1], s[2]],
  half_space: () => [1, 1, 1, 0],
  mesh: () => [1, 1, 1, 0],
};
const SIZE_LENGTH = { sphere: 1, ellipsoid: 3, box: 3, capsule: 2, cylinder: 2, cone: 2, rounded_box: 4, rounded_cylinder: 3, half_space: 0, mesh: 0 };
const ROUNDED = new Set(["capsule", "rounded_box", "rounded_cylinder"]);
// Colours (linear light) of groups whose shapes name no look.
const PLAIN_COLORS = [[0.22, 0.42, 0.66], [0.80, 0.42, 0.16], [0.24, 0.55, 0.40], [0.62, 0.30, 0.50], [0.55, 0.57, 0.60]];

function lookBytes(looks) {
  const bytes = new Uint8Array(8 * Math.max(1, looks.length));
  bytes.set([190, 194, 200, 255, 150, 0, 0, 255]);
  looks.forEach((look, i) => {
    look.color.forEach((c, k) => (bytes[8 * i + k] = Math.round(255 * Math.min(Math.max(c, 0), 1))));
    bytes[8 * i + 4] = Math.round(255 * Math.min(Math.max(look.roughness, 0), 1));
    bytes[8 * i + 5] = look.metal ? 255 : 0;
    bytes[8 * i + 7] = 255;
  });
  return bytes;
}

export class Scene {
  constructor(gl, stage) {
    this.gl = gl;
    this.stage = stage;
    this.view = new SceneView(stage.view);
    this.up = vec.unit(this.view.up(stage.up));
    this.groups = stage.groups.map((group, i) => new GroupPoses(gl, group, i));
    this.lookList = stage.looks.map((look) => ({ ...look, color: [...look.color] }));
    this.lookPlaces = new Map();
    this.meshes = new Map();
    this.draws = [];
    this.planes = [];
    this.bodyGroup = this.findBodyGroup();
    this.contactGroup = stage.groups.findIndex((g) => g.kind === "contacts");
    this.a = null;
    this.b = null;
    this.mix = 0;
    this.center = [0, 0, 0];
    this.fieldPairs = new Map();
    for (const batch of stage.batches) for (const part of this.partition(this.restyled(batch))) part.kind === "half_space" ? this.addPlanes(part) : this.addBatch(part);
    stage.groups.forEach((group, i) => this.addLooseSpheres(group, i));
    for (const skin of stage.skins) this.addSkin(skin);
    for (const tubes of stage.tubes) this.addTubes(tubes);
    if (this.contactGroup >= 0) this.addContacts();
    this.looks = createColorTable(gl, lookBytes(this.lookList), gl.NEAREST);
  }

  // A batch with the looks that the scene's own description gives.
  restyled(batch) {
    if (batch.looks.length && this.view.looks.length === 0) return batch;
    const looks = new Uint32Array(batch.items.length);
    for (let i = 0; i < looks.length; i++) looks[i] = this.lookOf(batch.looks[i], batch.group, batch.items[i]);
    return { ...batch, looks };
  }

  // Number of the look of an item whose shape names one, or none.
  lookOf(index, groupIndex, item) {
    const base = this.stage.looks[index];
    if (base && this.view.looks.length === 0) return index;
    const color = [...PLAIN_COLORS[groupIndex % PLAIN_COLORS.length].map(srgbFromLinear), 1];
    const look = this.view.look(base ?? { name: "", color, roughness: 0.5, metal: false }, this.stage.groups[groupIndex], item);
    if (look === base) return index;
    const key = JSON.stringify(look);
    if (!this.lookPlaces.has(key)) this.lookPlaces.set(key, this.lookList.push(look) - 1);
    return this.lookPlaces.get(key);
  }

  // What the scene's description shows of a batch, and what it hides.
  partition(batch) {
    const group = this.stage.groups[batch.group];
    if (this.view.hide.length === 0 && this.view.show.length === 0) return [batch];
    const shown = [], concealed = [];
    for (let i = 0; i < batch.items.length; i++) (this.view.draws(group, batch.items[i]) ? shown : concealed).push(i);
    if (concealed.length === 0) return [batch];
    const take = (values, n, list) => (values.length ? values.constructor.from(list.flatMap((i) => Array.from(values.subarray(n * i, n * (i + 1))))) : values);
    const part = (list, hidden) => ({
      ...batch, concealed: hidden, items: take(batch.items, 1, list), looks: take(batch.looks, 1, list), sizes: take(batch.sizes, SIZE_LENGTH[batch.kind] ?? 0, list),
      positions: take(batch.positions, 3, list), rotations: take(batch.rotations, 4, list),
    });
    return [part(shown, false), part(concealed, true)];
  }

  // Whether something is drawn: neither hidden by hand nor by the scene's description.
  visible(draw, options) {
    return !options.hidden.has(draw.group) && (!draw.concealed || options.concealed);
  }

  findBodyGroup() {
    const { groups } = this.stage;
    const bodies = groups.findIndex((g) => g.kind === "bodies");
    return bodies >= 0 ? bodies : groups.findIndex((g) => g.kind === "particles");
  }

  quadArray() {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.quad ??= createBuffer(gl, QUAD_CORNERS);
    attachFloats(gl, ATTRIBUTE.aCore, this.quad, 3, 0);
    return array;
  }

  solidArray(geometry) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    attachFloats(gl, ATTRIBUTE.aCore, createBuffer(gl, geometry.cores), 3, 0);
    attachFloats(gl, ATTRIBUTE.aNormal, createBuffer(gl, geometry.normals), 3, 0);
    if (geometry.indices) createBuffer(gl, geometry.indices, gl.ELEMENT_ARRAY_BUFFER);
    return { array, indexed: geometry.indices !== null, length: geometry.indices?.length ?? geometry.cores.length / 3 };
  }

  meshOf(index) {
    if (!this.meshes.has(index)) {
      const mesh = this.stage.meshes[index];
      const bounds = new Bounds();
      for (let i = 0; i < mesh.vertices.length; i += 3) bounds.add(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]);
      this.meshes.set(index, { geometry: meshGeometry(mesh), bounds });
    }
    return this.meshes.get(index);
  }

  addBatch(batch) {
    const { gl } = this;
    const count = batch.items.length;
    const expand = SIZE_EXPANSION[batch.kind];
    if (!expand || count === 0) return;
    const step = SIZE_LENGTH[batch.kind];
    const sizes = new Float32Array(4 * count);
    for (let i = 0; i < count; i++) sizes.set(expand(batch.sizes.subarray(step * i, step * (i + 1))), 4 * i);
    const draw = { kind: batch.kind, group: batch.group, concealed: Boolean(batch.concealed), count, sizes, batch, rounded: ROUNDED.has(batch.kind), boxMin: [-1, -1, -1], boxMax: [1, 1, 1] };
    if (batch.kind === "sphere" || batch.kind === "ellipsoid" || batch.kind === "half_space") draw.array = this.quadArray();
    else {
      const mesh = batch.kind === "mesh" ? this.meshOf(batch.mesh) : null;
      Object.assign(draw, this.solidArray(mesh?.geometry ?? shapeGeometry(batch.kind, count)));
      if (mesh) Object.assign(draw, { boxMin: mesh.bounds.min, boxMax: mesh.bounds.max, meshReach: vec.length(mesh.bounds.max.map((m, k) => Math.max(m, -mesh.bounds.min[k]))) });
    }
    draw.reaches = new Float32Array(count);
    const spread = batch.kind === "sphere" ? 1 / Math.sqrt(3) : 1;
    for (let i = 0; i < count; i++) draw.reaches[i] = draw.meshReach ?? spread * vec.length(sizes.subarray(4 * i, 4 * i + 3)) + sizes[4 * i + 3];
    if (batch.kind === "sphere" || batch.kind === "ellipsoid") this.addShapeTextures(draw, batch);
    gl.bindVertexArray(draw.array);
    attachIntegers(gl, ATTRIBUTE.iItem, createBuffer(gl, batch.items), 1, 1);
    if (batch.looks.length) attachIntegers(gl, ATTRIBUTE.iLook, createBuffer(gl, batch.looks), 1, 1);
    attachFloats(gl, ATTRIBUTE.iSize, createBuffer(gl, sizes), 4, 1);
    if (batch.positions.length) attachFloats(gl, ATTRIBUTE.iPosition, createBuffer(gl, batch.positions), 3, 1);
    if (batch.rotations.length) attachFloats(gl, ATTRIBUTE.iRotation, createBuffer(gl, batch.rotations), 4, 1);
    (batch.kind === "half_space" ? this.planes : this.draws).push(draw);
  }

  // What the impostors read: radius, item and look of each shape, and where it sits in its item.
  addShapeTextures(draw, batch) {
    const table = new Float32Array(4 * draw.count);
    for (let i = 0; i < draw.count; i++) {
      table[4 * i] = draw.sizes[4 * i];
      table[4 * i + 1] = batch.items[i];
      table[4 * i + 2] = batch.looks.length ? batch.looks[i] : 0;
    }
    const texture = (values, components) => {
      const t = new ItemTexture(this.gl);
      t.upload(values, components);
      return t.texture;
    };
    draw.shape = texture(table, 4);
    if (batch.kind === "ellipsoid") draw.shapeAxes = texture(draw.sizes, 4);
    if (batch.positions.length) draw.shapePosition = texture(batch.positions, 3);
    if (batch.rotations.length && batch.kind === "ellipsoid") draw.shapeRotation = texture(batch.rotations, 4);
  }

  // Half-spaces one by one, since floors and walls are drawn differently.
  addPlanes(batch) {
    const part = (values, n, i) => (values.length ? values.slice(n * i, n * (i + 1)) : values);
    for (let i = 0; i < batch.items.length; i++) {
      this.addBatch({
        ...batch, items: part(batch.items, 1, i), looks: part(batch.looks, 1, i), sizes: new Float32Array(0),
        positions: part(batch.positions, 3, i), rotations: part(batch.rotations, 4, i),
      });
    }
  }

  // Choose the centre that coordinates are relative to, and find the floor, from the first frame.
  settle(frame) {
    this.show(frame, null, 0);
    this.remembered = [frame];
    const bounds = this.bounds(frame);
    this.center = Array.from(new Float32Array(bounds.center));
    this.floor = bounds.empty ? 0 : vec.dot(bounds.min.map((m, k) => (this.up[k] > 0 ? m : bounds.max[k])), this.up);
    this.findGround();
    if (this.view.ground.show === true && !this.hasGround) this.addGround();
    return bounds;
  }

  // Take the place of a scene that shows less: everything that was there stays where it is.
  replace(other, frame) {
    Object.assign(this, { center: other.center, floor: other.floor, remembered: other.remembered });
    this.show(frame, null, 0);
    this.findGround();
    if (this.view.ground.show === true && !this.hasGround) this.addGround();
  }

  // Ids of bodies that a click looks through.
  backdrops() {
    return this.a ? findBackdrops(this, [this.a, ...this.remembered]) : [];
  }

  findGround() {
    this.hasGround = false;
    for (const plane of this.planes) {
      const pose = this.itemPose(plane.group, plane.batch.items[0]);
      const local = plane.batch.rotations.length ? Array.from(plane.batch.rotations) : [0, 0, 0, 1];
      plane.isGround = pose !== null && vec.dot(quat.rotate(pose.rotation, quat.rotate(local, [0, 0, 1])), this.up) > 0.5;
      this.hasGround ||= plane.isGround;
    }
  }

  // A ground below everything, for recordings without one.
  addGround() {
    const texture = (values) => {
      const t = new ItemTexture(this.gl);
      t.upload(values, 4);
      return t.texture;
    };
    const position = texture(new Float32Array([...vec.scale(this.up, this.floor), 0]));
    const rotation = texture(new Float32Array(quat.between([0, 0, 1], this.up)));
    const poses = { uPositionA: position, uPositionB: position, uRotationA: rotation, uRotationB: rotation, uTurned: 1, uMix: 0, uIdBase: 0, uCount: 1 };
    this.planes.push({ group: -1, count: 1, array: this.quadArray(), isGround: true, poses });
    this.hasGround = true;
  }

  // Grains and markers without shapes of their own are spheres of their radius.
  addLooseSpheres(group, index) {
    if (group.kind !== "particles" && group.kind !== "markers") return;
    if (this.stage.batches.some((b) => b.group === index)) return;
    const radius = findField(group, "radius");
    if (!radius) return;
    const { gl } = this;
    const draw = { kind: "sphere", group: index, concealed: !this.view.draws(group, -1), look: this.lookOf(-1, index, -1), loose: true, radius, array: this.quadArray(), boxMin: [-1, -1, -1], boxMax: [1, 1, 1] };
    draw.radii = createBuffer(gl, radius.constant ? group.constant_values[radius.index] : new Float32Array(1));
    draw.one = radius.constant && group.constant_values[radius.index].length === 1 ? group.constant_values[radius.index][0] : 0;
    if (!draw.one) attachFloats(gl, ATTRIBUTE.iSize, draw.radii, 1, 1);
    draw.radiusTexture = new ItemTexture(gl);
    if (radius.constant) draw.radiusTexture.upload(group.constant_values[radius.index], 1);
    draw.shape = draw.radiusTexture.texture;
    draw.reach = radius.constant ? group.constant_values[radius.index].reduce((m, r) => Math.max(m, r), 0) : 0;
    this.draws.push(draw);
  }

  addSkin(skin) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    createBuffer(gl, skin.triangles, gl.ELEMENT_ARRAY_BUFFER);
    const look = this.lookOf(skin.look, skin.group, -1), concealed = !this.view.draws(this.stage.groups[skin.group], -1);
    const items = skin.triangles.reduce((top, i) => Math.max(top, i + 1), 0);
    this.draws.push({ kind: "skin", group: skin.group, look, concealed, array, indexed: true, length: skin.triangles.length, count: 1, items, triangles: skin.triangles, normals: new ItemTexture(gl), frame: -1 });
  }

  addTubes(tubes) {
    const { gl } = this;
    const look = this.lookOf(tubes.look, tubes.group, -1), concealed = !this.view.draws(this.stage.groups[tubes.group], -1);
    const draw = { kind: "tube", group: tubes.group, look, concealed, radius: tubes.radius, count: tubes.segments.length / 2, ...this.solidArray(SHAPE_GEOMETRY.capsule(12)) };
    gl.bindVertexArray(draw.array);
    attachIntegers(gl, ATTRIBUTE.iSegment, createBuffer(gl, tubes.segments), 2, 1);
    this.draws.push(draw);
  }

  addContacts() {
    const { gl } = this;
    const group = this.stage.groups[this.contactGroup];
    const found = Object.fromEntries(["position", "force", "a", "b"].map((name) => [name, findField(group, name)]));
    if (!found.position || !found.force) return;
    const textures = Object.fromEntries(Object.keys(found).map((name) => [name, new ItemTexture(gl)]));
    this.contacts = { found, textures, frame: -1, count: 0, arrow: this.solidArray(SHAPE_GEOMETRY.arrow()), chain: this.solidArray(SHAPE_GEOMETRY.strand()), top: 1e-30 };
  }

  // Show the state between two frames; returns whether anything changed on the GPU.
  show(a, b, mix) {
    const changed = this.a !== a || this.mix !== mix || (mix > 0 && this.b !== b);
    if (!changed) return false;
    const newFrame = this.a !== a;
    Object.assign(this, { a, b, mix });
    for (const poses of this.groups) poses.show(a, b, mix);
    if (newFrame) this.loadFrameExtras(a);
    return true;
  }

  loadFrameExtras(frame) {
    const { gl } = this;
    for (const draw of this.draws) {
      const data = frame.groups[draw.group];
      if (draw.loose) {
        draw.count = data.count;
        if (!draw.radius.constant) {
          const radii = data.fields[draw.radius.index];
          gl.bindBuffer(gl.ARRAY_BUFFER, draw.radii);
          gl.bufferData(gl.ARRAY_BUFFER, radii, gl.STREAM_DRAW);
          draw.radiusTexture.upload(radii, 1);
          draw.reach = radii.reduce((m, r) => Math.max(m, r), 0);
        }
      } else if (draw.kind === "skin") {
        const poses = this.groups[draw.group];
        // A skin is drawn where all of its corners are there.
        draw.count = data.count >= draw.items ? 1 : 0;
        if (!poses.position || draw.triangles.length === 0 || !draw.count) continue;
        const positions = fieldValues(poses.group, data, poses.position);
        draw.normalValues = draw.normalValues?.length === positions.length ? draw.normalValues : new Float32Array(positions.length);
        draw.normals.upload(skinNormals(positions, draw.triangles, draw.normalValues), 3);
      }
    }
    this.contactsLoaded = false;
  }

  // Contact arrays go up only while something shows them.
  loadContacts() {
    if (!this.contacts || this.contactsLoaded) return;
    this.contactsLoaded = true;
    const group = this.stage.groups[this.contactGroup];
    const data = this.a.groups[this.contactGroup];
    const { found, textures } = this.contacts;
    for (const name in found) if (found[name]) textures[name].upload(fieldValues(group, data, found[name]), found[name].components);
    this.contacts.count = data.count;
    const force = fieldValues(group, data, found.force);
    let top = 0;
    for (let i = 0; i < force.length; i += 3) top = Math.max(top, force[i] ** 2 + force[i + 1] ** 2 + force[i + 2] ** 2);
    // The scale follows the largest force seen, slowly forgetting peaks such as an impact.
    this.contacts.top = Math.max(Math.sqrt(top), this.contacts.top * 0.98, 1e-30);
  }

  // Pose of an item now, in world coordinates.
  itemPose(groupIndex, item) {
    const poses = this.groups[groupIndex];
    const at = (frame, item) => {
      const data = frame.groups[groupIndex];
      if (!poses.position || !isThere(data, item)) return null;
      const p = fieldValues(poses.group, data, poses.position).subarray(3 * item, 3 * item + 3);
      const q = poses.rotation ? fieldValues(poses.group, data, poses.rotation).subarray(4 * item, 4 * item + 4) : [0, 0, 0, 1];
      return { position: Array.from(p), rotation: Array.from(q) };
    };
    const a = this.a && at(this.a, item);
    if (!a || poses.mix === 0) return a;
    const b = at(this.b, poses.partner(item));
    return !b ? a : { position: vec.mix(a.position, b.position, poses.mix), rotation: quat.mix(a.rotation, b.rotation, poses.mix) };
  }

  // Bounds of what is on show, without half-spaces; very large shapes count by their centre only.
  bounds(frame) {
    const centers = this.addBounds(frame, new Bounds(), 0);
    return this.addBounds(frame, new Bounds(), centers.radius > 0 ? 4 * centers.radius : Infinity);
  }

  addBounds(frame, out, limit) {
    for (const draw of this.draws) {
      const poses = this.groups[draw.group];
      if (!poses.position || draw.concealed) continue;
      const data = frame.groups[draw.group];
      const p = fieldValues(poses.group, data, poses.position);
      if (draw.batch) {
        const { items, positions } = draw.batch;
        const q = poses.rotation && positions.length ? fieldValues(poses.group, data, poses.rotation) : null;
        for (let i = 0; i < items.length; i++) {
          const k = 3 * items[i];
          const margin = draw.reaches[i] <= limit ? draw.reaches[i] : 0;
          if (positions.length) {
            const local = positions.subarray(3 * i, 3 * i + 3);
            const o = q ? quat.rotate(q.subarray(4 * items[i], 4 * items[i] + 4), local) : local;
            out.add(p[k] + o[0], p[k + 1] + o[1], p[k + 2] + o[2], margin);
          } else out.add(p[k], p[k + 1], p[k + 2], margin);
        }
      } else {
        const margin = draw.reach ?? draw.radius ?? 0;
        for (let k = 0; k + 2 < p.length; k += 3) out.add(p[k], p[k + 1], p[k + 2], margin);
      }
    }
    return out;
  }

  // Texture and uniforms that colour a group by the chosen field; null where the group lacks it.
  fieldUniforms(groupIndex, choice) {
    const group = this.stage.groups[groupIndex];
    const field = choice.group && choice.group !== group.name ? null : findField(group, choice.name);
    if (!field || !this.a) return null;
    const magnitude = choice.component < 0 && field.components > 1;
    const component = Math.max(choice.component, 0);
    if (component >= field.components) return null;
    const key = `${groupIndex} ${choice.name} ${field.components > 4 ? choice.component : ""}`;
    if (!this.fieldPairs.has(key)) {
      const reduce = field.components > 4 ? (values) => reduceField(values, field.components, magnitude ? -1 : component) : null;
      this.fieldPairs.set(key, new PairedField(this.gl, group, groupIndex, field, reduce));
    }
    const pair = this.fieldPairs.get(key);
    this.groups[groupIndex].pair(pair);
    const mask = [0, 0, 0, 0];
    if (field.components > 4) mask[0] = 1;
    else if (magnitude) for (let k = 0; k < field.components; k++) mask[k] = 1;
    else mask[component] = 1;
    return { uField: pair.a, uFieldB: pair.b, uFieldMask: mask, uFieldMagnitude: magnitude && field.components <= 4 ? 1 : 0 };
  }

  // Smallest and largest finite value of the chosen field in the frame on show; the first is larger where there is none.
  fieldRange(choice) {
    let low = Infinity, high = -Infinity;
    this.stage.groups.forEach((group, g) => {
      const field = findField(group, choice.name);
      if (!field || group.kind === "contacts" || (choice.group && choice.group !== group.name)) return;
      const values = fieldValues(group, this.a.groups[g], field);
      const n = field.components;
      if (choice.component < 0 && n > 1) {
        for (let i = 0; i < values.length; i += n) {
          let sum = 0;
          for (let k = 0; k < n; k++) sum += values[i + k] * values[i + k];
          if (!Number.isFinite(sum)) continue;
          if (sum < low * Math.abs(low)) low = Math.sqrt(sum);
          if (sum > high * Math.abs(high)) high = Math.sqrt(sum);
        }
      } else {
        for (let i = Math.max(choice.component, 0); i < values.length; i += n) {
          if (!Number.isFinite(values[i])) continue;
          if (values[i] < low) low = values[i];
          if (values[i] > high) high = values[i];
        }
      }
    });
    return [low, high];
  }
}

// One number an item of a field with many components.
function reduceField(values, components, component) {
  const out = new Float32Array(values.length / components);
  for (let i = 0; i < out.length; i++) {
    if (component >= 0) out[i] = values[i * components + component];
    else {
      let sum = 0;
      for (let k = 0; k < components; k++) sum += values[i * components + k] ** 2;
      out[i] = Math.sqrt(sum);
    }
  }
  return out;
}
