// Mouse, touch and keys: camera, selection, pulling.
import { mat4, quat, vec } from "./maths.js";
import { splitId } from "./poses.js";

const CLICK_PIXELS = 5;

export class PointerControls {
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.pointers = new Map();
    this.pullMode = false;
    this.pull = null;
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => this.up(e));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("dblclick", (e) => this.recenter(e));
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  fraction(e) {
    const box = this.canvas.getBoundingClientRect();
    return [(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height, box];
  }

  down(e) {
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    this.moved = this.pointers.size > 1 ? Infinity : 0;
    this.canvas.classList.add("dragging");
    if (this.app.interactive && this.pointers.size === 1 && e.button === 0 && (this.pullMode || e.altKey)) this.startPull(e);
  }

  move(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.x, dy = e.clientY - last.y;
    const before = this.pointers.size === 2 ? this.pinch() : null;
    last.x = e.clientX;
    last.y = e.clientY;
    this.moved += Math.hypot(dx, dy);
    const height = this.canvas.clientHeight;
    const { camera } = this.app;
    if (this.pull) {
      this.movePull(e);
      return this.app.pictureMoved();
    }
    // A click with an unsteady hand does not turn the camera.
    if (this.moved < CLICK_PIXELS) return;
    if (before) {
      const after = this.pinch();
      camera.zoom(before.span / Math.max(after.span, 1));
      camera.pan((after.x - before.x) / height, (after.y - before.y) / height);
      this.app.unfollowOnPan();
    } else if (e.buttons & 6 || e.shiftKey) {
      camera.pan(dx / height, dy / height);
      this.app.unfollowOnPan();
    } else camera.orbit((dx / height) * 4, (dy / height) * 4);
    this.app.cameraMoved();
  }

  pinch() {
    const [a, b] = [...this.pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, span: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  up(e) {
    if (!this.pointers.delete(e.pointerId)) return;
    if (this.pointers.size > 0) return;
    this.canvas.classList.remove("dragging");
    if (this.pull) this.endPull();
    else if (e.type === "pointerup" && this.moved < CLICK_PIXELS && e.button === 0) {
      const [x, y] = this.fraction(e);
      this.app.selectAt(x, y, e.shiftKey);
    }
  }

  wheel(e) {
    e.preventDefault();
    const [x, y, box] = this.fraction(e);
    const lines = e.deltaMode === 1 ? 18 : 1;
    this.app.camera.zoom(Math.exp(Math.min(Math.max(e.deltaY * lines, -240), 240) * 0.0016), (x - 0.5) * (box.width / box.height), y - 0.5);
    this.app.cameraMoved();
  }

  // Orbit around the point under the pointer.
  recenter(e) {
    const [x, y] = this.fraction(e);
    const { point } = this.app.renderer.pick(x, y);
    if (!point) return;
    this.app.camera.target = vec.sub(point, this.app.scene.center);
    this.app.unfollowOnPan();
    this.app.cameraMoved();
  }

  startPull(e) {
    const { app } = this;
    const [x, y] = this.fraction(e);
    const { id, point } = app.renderer.pick(x, y);
    const hit = splitId(id);
    if (!hit || !point || hit.group !== app.scene.bodyGroup || app.scene.backdrops().includes(id)) return;
    const pose = app.scene.itemPose(hit.group, hit.item);
    const local = quat.rotate(quat.conjugate(pose.rotation), vec.sub(point, pose.position));
    this.pull = { item: hit.item, local, target: point };
    this.canvas.classList.add("pulling");
    app.select(hit.group, hit.item);
    this.sendPull();
  }

  // The target moves in the plane through the grabbed point that faces the camera.
  movePull(e) {
    const { app } = this;
    const [x, y] = this.fraction(e);
    const view = app.renderer.lastView;
    const pivot = vec.sub(this.pull.target, app.scene.center);
    const depth = mat4.transform(view.view, pivot)[2];
    const half = app.camera.halfField * (view.ortho ? app.camera.distance : -depth);
    const { right, up, back } = view.axes;
    const aside = vec.add(vec.scale(right, (x * 2 - 1) * half * (view.width / view.height)), vec.scale(up, (1 - y * 2) * half));
    this.pull.target = vec.add(app.scene.center, vec.add(vec.add(view.eye, aside), vec.scale(back, depth)));
    this.sendPull();
  }

  sendPull() {
    const { app, pull } = this;
    app.source.send({ type: "pull", item: pull.item, point: pull.local, target: pull.target });
    this.showPull();
  }

  // Keep the line at the body while it moves.
  showPull() {
    const { app, pull } = this;
    if (!pull) return;
    const pose = app.scene.itemPose(app.scene.bodyGroup, pull.item);
    if (pose) app.options.pull = { from: vec.add(pose.position, quat.rotate(pose.rotation, pull.local)), to: pull.target };
  }

  endPull() {
    this.pull = null;
    this.canvas.classList.remove("pulling");
    this.app.options.pull = null;
    this.app.source.send({ type: "release" });
    this.app.changed();
  }
}

// Keys and what they do; also the text of the help.
export const KEYS = [
  ["Space", "play, pause", (app) => app.playback.toggle(), " "],
  ["← →", "one frame back, on", (app, e) => app.playback.step((e.key === "ArrowLeft" ? -1 : 1) * (e.shiftKey ? 10 : 1)), "ArrowLeft", "ArrowRight"],
  ["↑ ↓", "faster, slower", (app, e) => app.timeline.shiftSpeed(e.key === "ArrowUp" ? 1 : -1), "ArrowUp", "ArrowDown"],
  ["Home End", "first, last frame", (app, e) => app.playback.seek(e.key === "Home" ? -Infinity : Infinity), "Home", "End"],
  ["L", "loop", (app) => (app.playback.loop = !app.playback.loop), "l"],
  ["W A S D", "turn the camera", (app, e) => app.turnByKey(e), "w", "a", "s", "d"],
  ["Shift + W A S D", "move the camera", null],
  ["+ −", "nearer, farther", (app, e) => app.zoomByKey(e.key === "-" ? 1.15 : 1 / 1.15), "+", "=", "-"],
  ["F", "whole scene", (app) => app.lookFrom("fit"), "f"],
  ["1 2 3", "front, side, top", (app, e) => app.lookFrom(["front", "side", "top"][Number(e.key) - 1]), "1", "2", "3"],
  ["O", "parallel or perspective", (app) => app.toggleOrtho(), "o"],
  ["N", "select the next body (Shift: previous)", (app, e) => app.selectNext(e.shiftKey ? -1 : 1), "n"],
  ["C", "follow the selected body", (app) => app.setFollow(!app.following), "c"],
  ["Esc", "clear the selection, close", (app) => app.escape(), "Escape"],
  ["V", "contact forces", (app) => app.toggle("arrows"), "v"],
  ["K", "force chains", (app) => app.toggle("chains"), "k"],
  ["J", "joints", (app) => app.toggle("joints"), "j"],
  ["B", "boxes", (app) => app.toggle("boxes"), "b"],
  ["G", "grid", (app) => app.toggle("grid"), "g"],
  ["X", "cut open", (app) => app.display.toggleClip(), "x"],
  ["I", "display settings", (app) => app.openPanel("display"), "i"],
  ["P", "plots", (app) => app.openPanel("plots"), "p"],
  ["T", "light or dark", (app) => app.switchTheme(), "t"],
  ["H", "this help", (app) => app.openPanel("help"), "h", "?"],
];

export const GESTURES = [
  ["drag", "turn"], ["right drag, two fingers", "move"], ["wheel, pinch", "zoom"], ["click, tap", "select"], ["Shift + click", "select a floor, too"], ["double click", "turn around this point"],
];

export function listenToKeys(app) {
  const actions = new Map();
  for (const [, , action, ...keys] of KEYS) for (const key of keys) actions.set(key, action);
  window.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (app.inputKey(e, true)) return e.preventDefault();
    const kind = e.target.tagName;
    const typing = kind === "SELECT" || (kind === "INPUT" && e.target.type !== "checkbox");
    // Sliders use the arrows, buttons the space bar, text fields everything.
    if (typing && e.key !== "Escape") return;
    if (kind === "BUTTON" && (e.key === " " || e.key === "Enter")) return;
    if (kind === "INPUT" && e.key === " ") return;
    const action = actions.get(e.key.length === 1 ? e.key.toLowerCase() : e.key);
    if (!action || (document.getElementById("help").open && e.key !== "Escape" && e.key.toLowerCase() !== "h")) return;
    e.preventDefault();
    action(app, e);
    app.changed();
  });
  window.addEventListener("keyup", (e) => app.inputKey(e, false));
}
