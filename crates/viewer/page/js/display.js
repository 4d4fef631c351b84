// The display panel: what is shown and how it is coloured.
import { formatNumber, vec } from "./maths.js";
import { COLOR_MAPS } from "./colormap.js";
import { isThere } from "./packed.js";
import { byId } from "./dom.js";

const COMPONENT_NAMES = { 2: ["x", "y"], 3: ["x", "y", "z"], 4: ["x", "y", "z", "w"], 6: ["xx", "yy", "zz", "yz", "xz", "xy"] };

// What the picture shows; read by the renderer every time.
export function defaultOptions(stage) {
  return {
    theme: "light", ground: true, grid: true, shadows: true, occlusion: true, arrows: false, chains: false, joints: false, boxes: false, concealed: false, opacity: 1, forceSize: 1, jointSize: 1,
    hidden: new Set(), selected: 0, pull: null, clip: { on: false, normal: [-1, 0, 0], offset: 0 },
    color: { name: "", group: "", component: -1, map: "lake", range: [0, 1], scope: "run", title: "", keepOthers: false, unexplained: false },
    stage,
  };
}

// Every field people may colour by, with the widest unit and number of components.
function colorFields(stage) {
  const found = new Map();
  for (const group of stage.groups) {
    if (group.kind === "contacts") continue;
    for (const field of [...group.fields, ...group.constants]) {
      if (field.name !== "rotation" && !found.has(field.name)) found.set(field.name, field);
    }
  }
  return found;
}

export class DisplayPanel {
  constructor(app) {
    this.app = app;
    this.options = app.options;
    this.fields = new Map();
    this.makeColor();
    this.addFields();
    this.makeChecks();
    this.makeGroups();
    this.makeClip();
    this.makeCamera();
  }

  makeColor() {
    const { color } = this.options;
    const select = byId("color-field");
    select.append(new Option("material", ""));
    select.onchange = () => this.chooseColor(select.value, -1);
    byId("color-component").onchange = () => this.chooseColor(color.name, Number(byId("color-component").value));
    byId("color-map").onchange = () => {
      color.map = byId("color-map").value;
      this.fitRange();
    };
    byId("color-scope").onchange = () => {
      color.scope = byId("color-scope").value;
      this.fitRange();
    };
    for (const id of ["color-low", "color-high"]) {
      byId(id).onchange = () => {
        const low = Number(byId("color-low").value), high = Number(byId("color-high").value);
        if (low < high) this.fixRange([low, high]);
      };
    }
  }

  addFields() {
    for (const [name, field] of colorFields(this.app.stage)) {
      if (!this.fields.has(name)) byId("color-field").append(new Option(name === "velocity" ? "velocity (speed)" : name, name));
      this.fields.set(name, field);
    }
  }

  // The stage of the app has grown.
  grow() {
    this.addFields();
    this.options.stage = this.app.stage;
    byId("group-checks").replaceChildren();
    this.makeGroups();
    this.listNames();
  }

  chooseColor(name, component) {
    const { color } = this.options;
    const field = this.fields.get(name);
    const parts = byId("color-component");
    if (name !== color.name) {
      parts.replaceChildren();
      if (field && field.components > 1) {
        parts.append(new Option("magnitude", -1));
        const names = COMPONENT_NAMES[field.components] ?? Array.from({ length: field.components }, (_, i) => String(i + 1));
        names.forEach((n, i) => parts.append(new Option(n, i)));
      } else parts.append(new Option("value", -1));
    }
    Object.assign(color, { name: field ? name : "", group: "", component, scope: "run", keepOthers: false, unexplained: false });
    byId("color-field").value = color.name;
    parts.value = String(component);
    parts.disabled = !field || field.components === 1;
    byId("color-details").hidden = !field;
    if (field) {
      const part = component >= 0 ? ` ${parts.selectedOptions[0]?.textContent ?? component}` : field.components > 1 && name !== "velocity" ? " (magnitude)" : "";
      color.title = `${name === "velocity" && component < 0 ? "speed" : name}${part}${field.unit ? ` [${field.unit}]` : ""}`;
    }
    this.fitRange();
  }

  // Take the range of the whole recording or of the frame on show, as chosen; a fixed one stays.
  fitRange() {
    const { color } = this.options, { scene, stage, ranges } = this.app;
    if (color.name && scene.a && color.scope !== "fixed") {
      const now = () => scene.fieldRange(color);
      if (color.scope === "run") ranges.want();
      const [low, high] = color.scope === "run" ? ranges.of(stage, color, now) : now();
      color.range = this.widen(low <= high ? [low, high] : [0, 1]);
    }
    this.reflectRange();
    this.app.changed();
  }

  // From now on the range is this one.
  fixRange(range) {
    Object.assign(this.options.color, { range, scope: "fixed" });
    this.fitRange();
  }

  widen([low, high]) {
    if (this.options.color.map === "diverging") {
      const top = Math.max(Math.abs(low), Math.abs(high)) || 1;
      return [-top, top];
    }
    return high > low ? [low, high] : [low - 0.5, high + 0.5];
  }

  reflectRange() {
    const { range, scope } = this.options.color;
    byId("color-scope").value = scope;
    for (const [id, value] of [["color-low", range[0]], ["color-high", range[1]]]) {
      if (document.activeElement !== byId(id)) byId(id).value = String(Number(value.toPrecision(4)));
    }
  }

  makeChecks() {
    const contacts = Boolean(this.app.scene.contacts);
    this.checks = [
      ["ground", "Ground", this.app.scene.planes.length > 0 || this.app.scene.view.ground.show === true], ["grid", "Grid", true], ["shadows", "Shadows", true], ["occlusion", "Occlusion", true],
      ["arrows", "Forces", contacts], ["chains", "Chains", contacts], ["joints", "Joints", this.app.stage.joints.length > 0], ["boxes", "Boxes", true],
      ["concealed", "Hidden parts", [...this.app.scene.draws, ...this.app.scene.planes].some((d) => d.concealed)],
    ].filter(([, , useful]) => useful);
    for (const [key, title] of this.checks) {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.id = `show-${key}`;
      box.checked = this.options[key];
      box.onchange = () => this.setShown(key, box.checked);
      label.append(box, title);
      byId("show-checks").append(label);
    }
    byId("force-size-row").hidden = !contacts;
    byId("show-opacity").oninput = () => {
      this.options.opacity = Number(byId("show-opacity").value);
      this.app.changed();
    };
    byId("show-force").oninput = () => {
      this.options.forceSize = 10 ** Number(byId("show-force").value);
      this.app.changed();
    };
  }

  setShown(key, on) {
    if (!this.checks.some(([k]) => k === key)) return;
    this.options[key] = on;
    byId(`show-${key}`).checked = on;
    // Chains run inside the grains: make those transparent, and solid again afterwards.
    if (key === "chains") {
      this.options.opacity = on ? Math.min(this.options.opacity, 0.12) : 1;
      byId("show-opacity").value = String(this.options.opacity);
    }
    this.app.changed();
  }

  // Colours, marks, ground and cut that the scene itself asks for.
  applySceneView(view) {
    const { colorBy, marks, ground } = view;
    if (colorBy) this.applyColorBy(colorBy, view.given.legend);
    if (marks.contacts === "arrows" || marks.contacts === "chains") this.setShown(marks.contacts, true);
    if (marks.joints === true) this.setShown("joints", true);
    if (marks.bounds === true) this.setShown("boxes", true);
    if (ground.show === false) this.setShown("ground", false);
    if (ground.pattern === "plain") this.setShown("grid", false);
    if (view.clip) this.clipAsked();
  }

  applyColorBy(asked, legend) {
    const { color } = this.options;
    const name = !this.fields.has(asked.field) && asked.field === "speed" ? "velocity" : asked.field;
    if (!this.fields.has(name)) return this.app.notify(`The scene asks for colours by “${asked.field}”, which is not recorded.`);
    this.chooseColor(name, ["x", "y", "z", "w"].indexOf(asked.component));
    // As in pictures, groups that are not meant keep their own colours.
    Object.assign(color, { group: asked.group ?? "", keepOthers: true, unexplained: legend === false });
    if (COLOR_MAPS.includes(asked.map)) byId("color-map").value = color.map = asked.map;
    if (asked.label) color.title = asked.label + (this.fields.get(name).unit ? ` [${this.fields.get(name).unit}]` : "");
    this.fitRange();
    if (Array.isArray(asked.range) && asked.range[0] < asked.range[1]) this.fixRange([...asked.range]);
  }

  makeGroups() {
    const drawn = new Set([...this.app.scene.draws, ...this.app.scene.planes].map((d) => d.group).filter((g) => g >= 0));
    byId("groups-set").hidden = drawn.size < 2;
    for (const index of [...drawn].sort((a, b) => a - b)) {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = !this.options.hidden.has(index);
      box.onchange = () => {
        if (box.checked) this.options.hidden.delete(index);
        else this.options.hidden.add(index);
        this.app.changed();
      };
      label.append(box, this.app.stage.groups[index].name);
      byId("group-checks").append(label);
    }
  }

  makeClip() {
    const asked = this.app.scene.view.clip;
    if (asked) byId("clip-axis").append(new Option("scene", "scene"));
    // The plane is kept by the normal of what stays; the side that the given normal points to is cut away.
    const apply = () => {
      const { clip } = this.options;
      const axis = byId("clip-axis").value, place = Number(byId("clip-place").value);
      const normal = axis === "scene" ? asked.normal : [0, 1, 2].map((k) => (k === Number(axis) ? 1 : 0));
      const reach = this.app.reach, origin = axis === "scene" ? vec.dot(vec.sub(asked.point, this.app.scene.center), normal) : 0;
      const offset = origin + place * Math.hypot(...normal.map((n, k) => n * reach[k]));
      const sign = byId("clip-flip").checked ? 1 : -1;
      Object.assign(clip, { on: byId("clip-on").checked, normal: vec.scale(normal, sign), offset: sign * offset });
      this.app.changed();
    };
    this.clipAsked = () => {
      byId("clip-axis").value = "scene";
      byId("clip-on").checked = true;
      apply();
    };
    for (const id of ["clip-on", "clip-axis", "clip-flip", "clip-place"]) byId(id).oninput = apply;
    this.toggleClip = () => {
      byId("clip-on").checked = !byId("clip-on").checked;
      apply();
    };
  }

  listNames() {
    const names = new Set(this.app.stage.groups[this.app.scene.bodyGroup]?.names.filter(Boolean).slice(0, 500) ?? []);
    byId("item-names").replaceChildren(...[...names].map((name) => new Option(name)));
  }

  makeCamera() {
    for (const button of document.querySelectorAll("[data-view]")) button.onclick = () => this.app.lookFrom(button.dataset.view);
    byId("camera-ortho").onchange = () => {
      this.app.camera.ortho = byId("camera-ortho").checked;
      this.app.changed();
    };
    byId("camera-follow").onchange = () => this.app.setFollow(byId("camera-follow").checked);
    this.listNames();
    byId("find-item").onchange = () => {
      const { scene, stage } = this.app, group = stage.groups[scene.bodyGroup];
      const text = byId("find-item").value.trim();
      // Things that follow each other may have one name: first the one that is there.
      const named = group.names.flatMap((name, item) => (text !== "" && name === text ? [item] : []));
      const index = named.find((item) => isThere(scene.a.groups[scene.bodyGroup], item)) ?? named[0] ?? -1;
      const item = index >= 0 ? index : /^\d+$/.test(text) ? Number(text) : -1;
      if (item >= 0) this.app.select(this.app.scene.bodyGroup, item);
      else if (text) this.app.notify(`Nothing is called “${text}”.`);
    };
  }
}

// Text for a value of a field.
export function formatField(values) {
  return Array.from(values, (v) => formatNumber(v, 4)).join(", ");
}
