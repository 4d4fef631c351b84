// The viewer: joins data, play head, picture and panels.
import { byId } from "./dom.js";
import { Bounds, vec } from "./maths.js";
import { EmbeddedSource, HttpSource } from "./source.js";
import { FrameCache } from "./frames.js";
import { RunRanges } from "./ranges.js";
import { Playback } from "./playback.js";
import { Timeline } from "./timeline.js";
import { joinId, splitId } from "./poses.js";
import { Scene } from "./scene.js";
import { Camera } from "./camera.js";
import { Renderer } from "./renderer.js";
import { QUALITY_LEVELS, Quality } from "./quality.js";
import { DisplayPanel, defaultOptions } from "./display.js";
import { Inspector } from "./inspector.js";
import { Plots } from "./plots.js";
import { Live } from "./live.js";
import { GESTURES, KEYS, PointerControls, listenToKeys } from "./controls.js";
import { createContext } from "./gl.js";
import { drawGizmo, updateLegend, updateScaleBar } from "./marks.js";
import { CameraScript } from "./view.js";
import { isThere } from "./packed.js";

// After the last movement of the camera, pictures stay coarse for this long [ms].
const SETTLE_MS = 160;
// Windows with room for one panel at a time, as in style.css.
const SMALL_WINDOW = matchMedia("(max-width: 680px), (max-height: 520px)");

class App {
  constructor() {
    this.interactive = false;
    // The body that the camera keeps in the middle: { group, item }.
    this.following = null;
    // The camera that the scene asks for, until somebody touches it.
    this.script = null;
    this.selection = null;
    this.lastPicture = 0;
    this.lastCamera = 0;
    this.scheduled = false;
    // Nothing is drawn before the first frame has settled centre and camera.
    this.opened = false;
  }

  async start() {
    this.canvas = byId("picture");
    this.applyTheme(this.preferredTheme());
    const gl = (this.gl = createContext(this.canvas));
    this.source = EmbeddedSource.available() ? new EmbeddedSource() : new HttpSource(new URLSearchParams(location.search).get("token"));
    const [stage, head] = await Promise.all([this.source.stage(), this.source.times(0)]);
    this.stage = stage;
    this.cache = new FrameCache(this.source, (index, frame) => this.accepts(index, frame), () => this.changed());
    this.ranges = new RunRanges(this.source, () => this.display.fitRange());
    this.playback = new Playback(this.cache);
    this.playback.times = head.times;
    this.playback.finished = head.finished;
    this.options = defaultOptions(stage);
    this.scene = new Scene(gl, stage);
    this.renderer = new Renderer(gl, this.scene);
    this.camera = new Camera(this.scene.up);
    this.quality = new Quality(gl);
    this.makePanels(stage);
    this.live.generation = head.generation ?? null;
    this.live.growth = head.growth ?? 0;
    await this.firstFrame();
    this.opened = true;
    byId("loading").hidden = true;
    this.beginPlayback();
    this.live.start();
    if (stage.scalars.length) this.source.scalars(0).then((rows) => this.plots.append(rows, 0), (error) => this.notify(error.message));
    this.changed();
  }

  makePanels(stage) {
    document.title = `${stage.name || "run"} – Huygens`;
    byId("run-name").textContent = stage.name || "Huygens";
    byId("run-name").title = stage.generator ?? "";
    byId("run-title").textContent = this.scene.view.title;
    this.timeline = new Timeline(this.playback, () => this.changed());
    this.inspector = new Inspector(this.scene);
    this.display = new DisplayPanel(this);
    this.plots = new Plots(stage, this.playback, (t) => {
      this.playback.seek(t);
      this.changed();
    });
    this.live = new Live(this);
    this.pointer = new PointerControls(this, this.canvas);
    listenToKeys(this);
    this.options.theme = document.documentElement.dataset.theme;
    for (const name of ["display", "plots", "help"]) byId(`open-${name}`).onclick = () => this.openPanel(name);
    byId("open-theme").onclick = () => this.switchTheme();
    byId("open-fit").onclick = () => this.lookFrom("fit");
    for (const button of document.querySelectorAll("[data-close]")) button.onclick = () => this.closePanel(button.dataset.close);
    this.fillHelp();
    new ResizeObserver(() => this.changed()).observe(this.canvas);
    // What lies below the free part of the window takes its place from the picture instead of hiding it.
    new ResizeObserver(() => {
      const free = byId("free").getBoundingClientRect(), bar = byId("timeline").getBoundingClientRect();
      this.canvas.style.height = bar.top - free.bottom > 30 ? `${free.bottom + 5}px` : "";
    }).observe(byId("free"));
    SMALL_WINDOW.addEventListener("change", () => byId("display").hidden || this.closeOthers("display"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.applyTheme(this.preferredTheme()));
    this.canvas.addEventListener("webglcontextlost", () => this.notify("The graphics driver gave up. Reload the page to go on."));
  }

  // Wait for a frame to choose centre and camera by; a run that has just begun may not have written one yet.
  async firstFrame() {
    while (this.playback.times.length === 0) {
      byId("loading").textContent = "Waiting for the first frame…";
      await new Promise((done) => setTimeout(done, 300));
      const news = await this.source.times(0);
      this.playback.times = news.times;
      this.playback.finished = news.finished;
      if (news.finished && news.times.length === 0) throw new Error("The recording holds no frames.");
    }
    const wanted = new URLSearchParams(location.hash.slice(1)).get("t");
    this.playback.time = this.playback.start;
    if (wanted !== null && Number.isFinite(Number(wanted))) this.playback.seek(Number(wanted));
    const index = this.playback.finished ? this.playback.indexAt(this.playback.time) : this.playback.times.length - 1;
    const frame = await this.source.frame(index);
    frame.index = index;
    const bounds = this.scene.settle(frame);
    this.bounds = bounds;
    this.reach = bounds.empty ? [1, 1, 1] : bounds.max.map((m, k) => Math.max((m - bounds.min[k]) / 2, 1e-9) * 1.02);
    this.renderer.fitShadow(bounds);
    this.lookFrom("fit");
    if (this.playback.finished && index === 0 && this.playback.times.length > 1) await this.fitWholeRun();
    this.display.applySceneView(this.scene.view);
    if (this.scene.view.camera) this.lookAsAsked();
    byId("view-scene").hidden = !this.scene.view.camera;
  }

  // The run shows more than the stage of this page: make the scene again, and leave all else as it is.
  async grow() {
    const stage = await this.source.stage();
    this.cache.clear();
    const index = Math.max(0, Math.min(this.scene.a?.index ?? 0, this.playback.times.length - 1));
    const frame = await this.source.frame(index);
    frame.index = index;
    const scene = new Scene(this.gl, stage);
    scene.replace(this.scene, frame);
    for (const user of [this, this.renderer, this.renderer.overlays, this.inspector]) user.scene = scene;
    this.stage = stage;
    if (this.script) this.script = new CameraScript(scene.view, stage);
    this.display.grow();
    this.inspector.show(this.selection);
    this.plots.take(stage);
    if (stage.scalars.length) this.plots.append(await this.source.scalars(0), 0);
    this.changed();
  }

  // A frame is what the list of times promises, unless the recording was thinned or replaced meanwhile.
  accepts(index, frame) {
    if (frame.time === this.playback.times[index]) return true;
    this.live.renumbered();
    return false;
  }

  // What spreads a little during the run should stay in the picture; what travels far need not.
  async fitWholeRun() {
    const last = await this.source.frame(this.playback.times.length - 1);
    this.scene.remembered.push(last);
    const both = this.scene.bounds(last);
    if (both.empty || this.bounds.empty) return;
    both.add(...this.bounds.min);
    both.add(...this.bounds.max);
    if (both.radius >= 2.5 * this.bounds.radius) return;
    this.fit(both);
    this.wholeBounds = both;
  }

  // The camera that the scene itself asks for; it moves with time until somebody touches it.
  lookAsAsked() {
    this.script = new CameraScript(this.scene.view, this.stage);
    this.following = this.script.followed;
    byId("camera-follow").checked = this.following !== null;
    this.runScript();
    this.changed();
  }

  runScript() {
    const { script, scene } = this;
    const pose = script.followed && scene.itemPose(script.followed.group, script.followed.item);
    script.apply(this.camera, this.playback.time, this.framing(this.wholeBounds ?? this.bounds), (p) => vec.sub(p, scene.center), pose?.position);
    script.shape = this.aspect();
  }

  beginPlayback() {
    const hash = new URLSearchParams(location.hash.slice(1));
    if (!this.playback.finished) this.timeline.followLive(true);
    else this.playback.playing = this.playback.times.length > 1 && !hash.has("paused") && !hash.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  // ---- picture ----

  // Something changed: draw soon.
  changed() {
    this.renderer?.restart();
    this.schedule();
  }

  // By hand: from now on the camera stays where it is put.
  cameraMoved() {
    this.script = null;
    this.pictureMoved();
  }

  pictureMoved() {
    this.lastCamera = performance.now();
    this.changed();
  }

  schedule() {
    if (this.scheduled || !this.opened) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.scheduled = false;
    // Never queue pictures faster than they are drawn: input would lag behind.
    if (this.renderer.busy()) return this.schedule();
    const seconds = Math.max(0, (now - this.lastPicture) / 1000);
    const steady = this.moving && seconds < 3;
    this.lastPicture = now;
    this.playback.advance(this.moving ? seconds : 0);
    this.showFrames();
    this.moving = (this.playback.playing && !this.playback.follow) || performance.now() - this.lastCamera < SETTLE_MS;
    if (steady && this.moving) {
      this.quality.measure(seconds * 1000);
      this.playback.interval += 0.2 * (seconds - this.playback.interval);
    } else if (!this.moving && this.renderer.still > 2) this.quality.measureStill(seconds * 1000);
    this.resizeCanvas();
    if (this.scene.a) this.drawPicture();
    this.updateMarks();
    if (this.moving || !this.renderer.finished || this.playback.stalled) this.schedule();
  }

  showFrames() {
    const current = this.playback.current();
    if (!current) return;
    const frame = this.scene.a;
    if (!this.scene.show(current.a, current.b, current.mix)) return;
    this.renderer.restart();
    this.pointer.showPull();
    if (frame !== this.scene.a) this.newFrame(current.a, frame);
    if (this.script?.moves) this.runScript();
    else if (this.following) this.keepInMiddle();
  }

  newFrame(frame, before) {
    if (this.options.color.name) this.display.fitRange();
    if (this.selection && before) this.findSelected(before);
    // Bounds of a million items take a while; the shadow map may lag a little behind.
    const now = performance.now();
    if (now - (this.lastFit ?? -1e9) > 200) {
      this.lastFit = now;
      const bounds = this.scene.bounds(frame);
      if (!bounds.empty) this.renderer.fitShadow(this.withinView(bounds));
    }
  }

  // One item that flies off must not spoil the shadows of the rest.
  withinView(bounds) {
    const limit = 4 * this.camera.sceneRadius;
    const out = new Bounds();
    const clampTo = (p) => p.map((x, k) => Math.min(Math.max(x, this.bounds.center[k] - limit), this.bounds.center[k] + limit));
    out.add(...clampTo(bounds.min));
    out.add(...clampTo(bounds.max));
    return out;
  }

  drawPicture() {
    if (this.moving || !this.renderer.finished) this.renderer.draw(this.camera, this.options, this.moving ? this.quality.moving : this.quality.still, this.moving);
  }

  resizeCanvas() {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    // What was fitted to the picture is fitted anew.
    if (this.script && this.script.shape !== this.aspect()) this.runScript();
    this.renderer.restart();
  }

  updateMarks() {
    this.timeline.update();
    this.inspector.update();
    drawGizmo(this.camera, this.options.theme);
    updateScaleBar(this.camera, this.canvas.clientHeight);
    updateLegend(this.options.color);
    if (!byId("plots").hidden) this.plots.update();
    if (this.cache.error) this.notify(`Frames do not arrive: ${this.cache.error.message}`);
    else if (this.noticeIsError) this.notify("");
    this.noticeIsError = this.cache.error !== null;
  }

  // ---- camera ----

  aspect() {
    return Math.max(this.canvas.clientWidth, 1) / Math.max(this.canvas.clientHeight, 1);
  }

  lookFrom(name) {
    if (name === "scene") return this.lookAsAsked();
    const directions = { top: [-Math.PI / 2, 1.555], front: [-Math.PI / 2, 0], side: [0, 0], fit: [-0.95, 0.38] };
    [this.camera.yaw, this.camera.pitch] = directions[name];
    this.fit(this.withinFirst(this.scene.bounds(this.scene.a)));
    this.setFollow(false);
    this.cameraMoved();
  }

  fit(bounds) {
    const { center, half, aspect, share } = this.framing(bounds);
    this.camera.frame(center, half, aspect, share);
  }

  // What the camera should hold: a box, and the part of the picture that is free of bars.
  framing(bounds) {
    const half = bounds.empty ? [1, 1, 1] : vec.scale(vec.sub(bounds.max, bounds.min), 0.5);
    const share = Math.max(0.5, 1 - 150 / Math.max(this.canvas.clientHeight, 1));
    return { center: vec.sub(bounds.center, this.scene.center), half, aspect: this.aspect(), share };
  }

  withinFirst(bounds) {
    return !bounds.empty && (this.bounds.empty || bounds.radius < 6 * this.bounds.radius) ? bounds : this.bounds;
  }

  toggleOrtho() {
    this.camera.ortho = !this.camera.ortho;
    byId("camera-ortho").checked = this.camera.ortho;
  }

  turnByKey(e) {
    const step = { w: [0, 1], s: [0, -1], a: [-1, 0], d: [1, 0] }[e.key.toLowerCase()];
    if (e.shiftKey) {
      this.camera.pan(-step[0] * 0.05, step[1] * 0.05);
      this.unfollowOnPan();
    } else this.camera.orbit(-step[0] * 0.08, step[1] * 0.08);
    this.cameraMoved();
  }

  zoomByKey(factor) {
    this.camera.zoom(factor);
    this.cameraMoved();
  }

  setFollow(on) {
    this.following = on ? this.selection : null;
    byId("camera-follow").checked = this.following !== null;
    if (on && !this.selection) this.notify("Select a body first.");
    if (this.following) {
      this.script = null;
      this.keepInMiddle();
    }
    this.changed();
  }

  unfollowOnPan() {
    if (this.following) this.setFollow(false);
  }

  keepInMiddle() {
    const pose = this.scene.itemPose(this.following.group, this.following.item);
    if (pose) this.camera.target = vec.sub(pose.position, this.scene.center);
  }

  // ---- selection ----

  select(group, item) {
    this.selection = { group, item };
    this.options.selected = joinId(group, item);
    this.inspector.show(this.selection);
    this.closeOthers("inspector");
    byId("inspector").scrollIntoView({ block: "nearest" });
    if (this.following && !this.script) {
      this.following = this.selection;
      this.keepInMiddle();
    }
    this.changed();
  }

  // Items with an id may have another number in another frame.
  findSelected(before) {
    const { selection } = this;
    const { id } = this.scene.groups[selection.group];
    if (!id) return;
    const numbers = (frame) => frame.groups[selection.group].fields[id.index];
    if (selection.item >= 0) selection.id = numbers(before)[selection.item] ?? selection.id;
    selection.item = numbers(this.scene.a).indexOf(selection.id);
    this.options.selected = selection.item >= 0 ? joinId(selection.group, selection.item) : 0;
  }

  clearSelection() {
    const followed = this.following !== null && this.following === this.selection;
    this.selection = null;
    this.options.selected = 0;
    this.inspector.show(null);
    if (followed) this.setFollow(false);
    this.changed();
  }

  // Select what is meant at a place of the picture: floors and large fixed plates only with `all`.
  selectAt(x, y, all = false) {
    const hit = splitId(this.renderer.choose(x, y, this.options, all ? null : this.scene.backdrops()));
    if (hit) this.select(hit.group, hit.item);
    else this.clearSelection();
    return hit;
  }

  selectNext(by) {
    const group = this.selection?.group ?? Math.max(this.scene.bodyGroup, 0);
    const data = this.scene.a?.groups[group], count = data?.count ?? 0;
    let item = this.selection?.item ?? (by > 0 ? -1 : 0);
    for (let tries = 0; tries < count; tries++) {
      item = ((item + by) % count + count) % count;
      if (isThere(data, item)) return this.select(group, item);
    }
  }

  // ---- panels ----

  openPanel(name) {
    const panel = byId(name);
    if (name === "help") {
      if (panel.open) panel.close();
      else panel.showModal();
      return;
    }
    panel.hidden = !panel.hidden;
    if (!panel.hidden) this.closeOthers(name);
    byId(`open-${name}`).setAttribute("aria-expanded", String(!panel.hidden));
    document.body.classList.toggle(`${name}-open`, !panel.hidden);
    this.changed();
  }

  // Leave one panel open where there is no room for more.
  closeOthers(name) {
    for (const other of ["display", "plots"]) if (SMALL_WINDOW.matches && other !== name && !byId(other).hidden) this.openPanel(other);
  }

  closePanel(name) {
    if (name === "inspector") this.clearSelection();
    else this.openPanel(name);
    this.canvas.focus();
  }

  escape() {
    if (byId("help").open) byId("help").close();
    else if (this.selection) this.clearSelection();
    else if (!byId("display").hidden) this.openPanel("display");
    else if (!byId("plots").hidden) this.openPanel("plots");
  }

  toggle(key) {
    this.display.setShown(key, !this.options[key]);
  }

  inputKey(event, down) {
    return this.interactive && this.live.key(event, down);
  }

  fillHelp() {
    for (const [keys, what] of [...GESTURES, ...KEYS]) {
      const row = document.createElement("div");
      const left = document.createElement("span");
      const right = document.createElement("span");
      const gesture = GESTURES.some(([g]) => g === keys);
      if (gesture) left.textContent = keys;
      else {
        const kbd = document.createElement("kbd");
        kbd.textContent = keys;
        left.append(kbd);
      }
      right.textContent = what;
      row.append(left, right);
      byId("help-body").append(row);
    }
  }

  notify(text) {
    byId("notice").hidden = !text;
    if (byId("notice").textContent !== text) byId("notice").textContent = text;
    clearTimeout(this.noticeTimer);
    if (text) this.noticeTimer = setTimeout(() => (byId("notice").hidden = true), 8000);
  }

  preferredTheme() {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  applyTheme(theme) {
    document.documentElement.dataset.theme = theme;
    if (this.options) this.options.theme = theme;
    this.changed();
  }

  switchTheme() {
    this.applyTheme(this.options.theme === "dark" ? "light" : "dark");
  }

  // ---- for tests ----

  state() {
    return {
      time: this.playback.time, frame: this.scene.a?.index ?? -1, frameTime: this.scene.a?.time ?? null, frames: this.playback.times.length, playing: this.playback.playing, finished: this.playback.finished,
      follow: this.playback.follow, selection: this.selection, interactive: this.interactive, color: { ...this.options.color }, quality: this.quality.level, meanMs: this.quality.mean,
      settled: !this.moving && this.renderer.finished && !this.playback.stalled, theme: this.options.theme, cacheBytes: this.cache.bytes, scripted: this.script !== null,
      camera: { eye: vec.add(this.camera.eye, this.scene.center), target: vec.add(this.camera.target, this.scene.center), up: this.camera.axes().up, fov: 2 * Math.atan(this.camera.halfField) },
      shown: { arrows: this.options.arrows, chains: this.options.chains, joints: this.options.joints, boxes: this.options.boxes, ground: this.options.ground, clip: this.options.clip.on },
    };
  }

  // Mean time of a picture at a level of quality [ms], the GPU's work included.
  measure(level, count) {
    const quality = { ...QUALITY_LEVELS[level], stillLimit: 1 };
    const { gl } = this.renderer;
    const pixel = new Uint8Array(4);
    const once = () => {
      this.camera.orbit(0.02, 0);
      this.renderer.restart();
      this.renderer.draw(this.camera, this.options, quality, true);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    };
    once();
    const start = performance.now();
    for (let i = 0; i < count; i++) once();
    return (performance.now() - start) / count;
  }
}

const app = new App();
window.huygens = {
  ready: app.start().catch((error) => {
    byId("loading").textContent = error.message;
    throw error;
  }),
  state: () => app.state(),
  seek(time) {
    app.playback.playing = false;
    app.playback.seek(time);
    app.changed();
  },
  pick: (x, y, all) => app.selectAt(x, y, all),
  select: (group, item) => app.select(group, item),
  notify: (text) => app.notify(text),
  probe: (x, y) => splitId(app.renderer.pick(x, y).id),
  place: (group, item) => app.scene.itemPose(group, item)?.position ?? null,
  fraction: (point) => app.renderer.fraction(point),
  measure: (level, count) => app.measure(level, count),
};
