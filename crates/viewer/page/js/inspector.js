// Panel of the selected item: its name, its state, the forces that act on it through contacts.
import { fieldValues, findField, isThere, itemName } from "./packed.js";
import { formatField } from "./display.js";
import { formatNumber } from "./maths.js";
import { byId } from "./dom.js";

const CONTACTS_LISTED = 8;

function addEntry(list, title, text) {
  const dt = document.createElement("dt");
  const dd = document.createElement("dd");
  dt.textContent = title;
  dd.textContent = text;
  list.append(dt, dd);
}

// Forces of the contacts of an item: sum on it, and each with its partner, largest first.
export function contactForces(scene, item) {
  const { stage, contactGroup } = scene;
  if (contactGroup < 0 || !scene.a) return null;
  const group = stage.groups[contactGroup];
  const data = scene.a.groups[contactGroup];
  const [fa, fb, ff] = ["a", "b", "force"].map((n) => findField(group, n));
  if (!fa || !fb || !ff) return null;
  const [a, b, force] = [fa, fb, ff].map((f) => fieldValues(group, data, f));
  const sum = [0, 0, 0];
  const list = [];
  for (let i = 0; i < data.count; i++) {
    // The recorded force acts on the second item; the first feels its opposite.
    const sign = b[i] === item ? 1 : a[i] === item ? -1 : 0;
    if (sign === 0) continue;
    for (let k = 0; k < 3; k++) sum[k] += sign * force[3 * i + k];
    list.push({ partner: sign > 0 ? a[i] : b[i], size: Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]) });
  }
  list.sort((p, q) => q.size - p.size);
  return { sum, list };
}

export class Inspector {
  constructor(scene) {
    this.scene = scene;
    this.selection = null;
    this.last = 0;
  }

  show(selection) {
    this.selection = selection;
    this.key = null;
    byId("inspector").hidden = !selection;
    if (selection) this.update(true);
  }

  update(now = false) {
    if (!this.selection || !this.scene.a) return;
    // Frames are told apart by themselves: their numbers change when a recording is thinned.
    const key = `${this.selection.group} ${this.selection.item}`;
    if ((key === this.key && this.frame === this.scene.a) || (!now && performance.now() - this.last < 100)) return;
    this.key = key;
    this.frame = this.scene.a;
    this.last = performance.now();
    this.render();
  }

  render() {
    const { scene } = this;
    const { group: g, item } = this.selection;
    const group = scene.stage.groups[g];
    const data = scene.a.groups[g];
    // Numbers of items with an id change; the id is what names them.
    const { id } = scene.groups[g];
    const name = id && !group.names[item] ? `${group.name} ${data.fields[id.index][item] ?? this.selection.id}` : itemName(group, item);
    byId("inspector-name").textContent = name;
    const body = byId("inspector-body");
    const list = document.createElement("dl");
    addEntry(list, "group", item >= 0 ? `${group.name}, item ${item}` : group.name);
    const there = isThere(data, item);
    if (there) this.addFields(list, group, data, item);
    else addEntry(list, "state", "not in this frame");
    body.replaceChildren(list);
    if (g === scene.bodyGroup && there) this.addContacts(body, group, item);
  }

  addFields(list, group, data, item) {
    for (const field of [...group.fields, ...group.constants]) {
      const found = findField(group, field.name);
      const values = fieldValues(group, data, found).subarray(item * field.components, (item + 1) * field.components);
      if (values.length === 0) continue;
      const unit = field.unit ? ` ${field.unit}` : "";
      // Recordings hold quaternions with the scalar last; people read them with the scalar first, as in scene files.
      if (field.name === "rotation" && values.length === 4) addEntry(list, "rotation wxyz", formatField([values[3], ...values.subarray(0, 3)]));
      else addEntry(list, field.name.replaceAll("_", " "), formatField(values) + unit);
      if (field.name === "velocity") addEntry(list, "speed", formatNumber(Math.hypot(...values)) + unit);
    }
  }

  addContacts(body, group, item) {
    const forces = contactForces(this.scene, item);
    if (!forces) return;
    const title = document.createElement("h3");
    title.textContent = forces.list.length === 1 ? "1 contact" : `${forces.list.length} contacts`;
    body.append(title);
    if (forces.list.length === 0) return;
    const list = document.createElement("dl");
    addEntry(list, "force on it", `${formatField(forces.sum)} N`);
    addEntry(list, "its size", `${formatNumber(Math.hypot(...forces.sum))} N`);
    const table = document.createElement("table");
    table.setAttribute("aria-label", "Largest contact forces");
    for (const { partner, size } of forces.list.slice(0, CONTACTS_LISTED)) {
      const row = table.insertRow();
      row.insertCell().textContent = partner < 0 ? "ground" : itemName(group, partner);
      row.insertCell().textContent = `${formatNumber(size)} N`;
    }
    body.append(list, table);
    if (forces.list.length > CONTACTS_LISTED) body.append(`and ${forces.list.length - CONTACTS_LISTED} more`);
  }
}
