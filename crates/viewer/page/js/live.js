// Follows a run that is still computing, and steers it where the server allows that.
import { formatNumber } from "./maths.js";
import { byId } from "./dom.js";

const POLL_MS = 2000;
// Time between changes of the stage at least [ms]: each makes the scene again.
const GROW_MS = 1500;
// A held key moves an input over its whole range in this time [s].
const KEY_TRAVEL_S = 1.0;
const KEY_TICK_MS = 33;

export class Live {
  constructor(app) {
    this.app = app;
    this.generation = null;
    this.inputs = [];
    this.held = new Set();
    this.paused = false;
    this.growth = 0;
    this.grown = -GROW_MS;
    byId("run-pause").onclick = () => app.source.send({ type: this.paused ? "resume" : "pause" });
    byId("run-step").onclick = () => app.source.send({ type: "step", count: 1 });
    byId("pull-mode").onchange = () => (app.pointer.pullMode = byId("pull-mode").checked);
  }

  start() {
    this.app.source.subscribe((event) => this.receive(event));
    setInterval(() => {
      // Without the socket, ask now and then.
      if (!this.connected && !this.app.playback.finished) this.catchUp();
    }, POLL_MS);
  }

  receive(event) {
    if (event.type === "connected") {
      this.connected = true;
      this.catchUp();
    } else if (event.type === "disconnected") this.connected = false;
    else if (event.type === "frames") this.framesCame(event);
    else if (event.type === "inputs" && Array.isArray(event.inputs)) this.showInputs(event.inputs);
    else if (event.type === "state") this.showState(event);
    else if (event.type === "refused") this.app.notify(`The run did not obey: ${event.reason}.`);
    // More things in the same run; or another run under the same name, of which nothing that was loaded still holds.
    else if (event.type === "stage") event.grown ? this.grow() : location.reload();
    this.showBadge();
  }

  framesCame({ count, finished, generation }) {
    const { playback } = this.app;
    const renumbered = count < playback.times.length || (generation !== undefined && this.generation !== null && generation !== this.generation);
    if (generation !== undefined) this.generation = generation;
    if (renumbered) this.reset();
    if (count > playback.times.length || Boolean(finished) !== playback.finished) this.catchUp();
  }

  // The file was thinned to stay within its budget: frames have new numbers.
  reset() {
    this.app.playback.times = [];
    this.app.cache.clear();
  }

  // Take the stage that has grown, but not too often.
  grow() {
    if (this.growing) return;
    this.growing = setTimeout(async () => {
      this.growing = null;
      try {
        await this.app.grow();
        this.grown = performance.now();
      } catch (error) {
        this.app.notify(error.message);
      }
    }, Math.max(0, GROW_MS - (performance.now() - this.grown)));
  }

  // A frame came that is not the one with that number: ask anew, but not too often.
  renumbered() {
    if (this.asking) return;
    this.asking = setTimeout(() => {
      this.asking = null;
      this.reset();
      this.catchUp();
    }, 250);
  }

  // Fetch times and scalars that are new; one request at a time.
  async catchUp() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      await this.fetchNews();
    } catch (error) {
      if (error.status) this.app.notify(error.message);
    }
    this.busy = false;
    if (this.again) {
      this.again = false;
      this.catchUp();
    }
  }

  async fetchNews() {
    const { playback, source, plots } = this.app;
    const from = playback.times.length;
    const answer = await source.times(from);
    if (answer.generation !== undefined) {
      if (this.generation !== null && answer.generation !== this.generation) {
        this.generation = answer.generation;
        this.reset();
        this.again = true;
        return;
      }
      this.generation = answer.generation;
    }
    if (answer.growth !== undefined && answer.growth !== this.growth) {
      this.growth = answer.growth;
      this.grow();
    }
    // Numbers were dropped while the answer was on its way.
    if (playback.times.length !== from) {
      this.again = true;
      return;
    }
    for (const t of answer.times) playback.times.push(t);
    if (answer.times.length) this.app.ranges.restart();
    playback.finished = answer.finished;
    if (answer.finished && playback.follow) {
      playback.time = playback.end;
      playback.follow = playback.playing = false;
    }
    if (plots.scalars.length && (answer.times.length || from === 0)) plots.append(await source.scalars(Math.min(from, plots.count)), Math.min(from, plots.count));
    this.showBadge();
    this.app.changed();
  }

  showBadge() {
    const badge = byId("live-badge");
    const { finished } = this.app.playback;
    const lost = this.connected === false && !finished;
    badge.hidden = finished && !lost && !this.app.interactive;
    badge.classList.toggle("lost", lost);
    const text = lost ? "connection lost" : finished ? "finished" : this.paused ? "paused" : "live";
    if (badge.textContent !== text) badge.textContent = text;
  }

  showState({ paused }) {
    this.paused = Boolean(paused);
    this.allow();
    byId("run-pause").textContent = this.paused ? "Resume run" : "Pause run";
    byId("run-step").disabled = !this.paused;
  }

  allow() {
    this.app.interactive = true;
    byId("interact").hidden = false;
  }

  showInputs(inputs) {
    this.allow();
    this.inputs = inputs.map((input) => ({ min: -1, max: 1, value: 0, keys: [], ...input }));
    byId("inputs").replaceChildren(...this.inputs.map((input) => this.inputRow(input)));
  }

  inputRow(input) {
    const row = document.createElement("div");
    row.className = "input-row";
    const label = document.createElement("label");
    label.textContent = input.name;
    label.htmlFor = `input-${input.name}`;
    for (const key of input.keys) {
      const kbd = document.createElement("kbd");
      kbd.textContent = key.replace("Arrow", "").replace("Left", "←").replace("Right", "→").replace("Up", "↑").replace("Down", "↓");
      label.append(" ", kbd);
    }
    input.output = document.createElement("output");
    input.slider = document.createElement("input");
    Object.assign(input.slider, { type: "range", id: `input-${input.name}`, min: input.min, max: input.max, step: "any", value: input.value });
    input.slider.oninput = () => this.setInput(input, Number(input.slider.value), true);
    input.output.textContent = formatNumber(input.value, 3);
    row.append(label, input.output, input.slider);
    return row;
  }

  setInput(input, value, byHand = false) {
    const next = Math.min(Math.max(value, input.min), input.max);
    if (byHand) input.byKey = false;
    if (next === input.value) return;
    input.value = next;
    input.slider.value = String(next);
    input.output.textContent = formatNumber(next, 3);
    this.app.source.send({ type: "input", name: input.name, value: next });
  }

  // Whether a key belongs to an input; remembers what is held.
  key(event, down) {
    if (!this.inputs.some((input) => input.keys.includes(event.key))) return false;
    if (down) this.held.add(event.key);
    else this.held.delete(event.key);
    // A clock of its own: steering must not wait for slow pictures.
    if (this.timer === undefined) {
      this.lastTick = performance.now();
      this.timer = setInterval(() => this.moveInputs(), KEY_TICK_MS);
    }
    return true;
  }

  // Move inputs by held keys: the first key of an input lowers it, the second raises it; let go, it returns to rest.
  moveInputs() {
    const now = performance.now();
    const seconds = (now - this.lastTick) / 1000;
    this.lastTick = now;
    let moving = false;
    for (const input of this.inputs) {
      const push = Number(this.held.has(input.keys[1])) - Number(this.held.has(input.keys[0]));
      const step = ((input.max - input.min) * Math.min(seconds, 0.2)) / KEY_TRAVEL_S;
      const rest = Math.min(Math.max(0, input.min), input.max);
      if (push !== 0) {
        input.byKey = true;
        this.setInput(input, input.value + push * step);
      } else if (input.byKey) {
        const gap = rest - input.value;
        this.setInput(input, Math.abs(gap) <= step ? rest : input.value + Math.sign(gap) * step);
        if (input.value === rest) input.byKey = false;
      }
      moving ||= push !== 0 || Boolean(input.byKey);
    }
    if (moving) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
