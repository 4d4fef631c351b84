// The bar at the bottom: play, step, scrub, speed, loop, live.
import { SPEEDS } from "./playback.js";
import { formatNumber } from "./maths.js";
import { byId } from "./dom.js";


export class Timeline {
  constructor(playback, changed) {
    this.playback = playback;
    this.changed = changed;
    const speed = byId("speed");
    for (const s of SPEEDS) speed.append(new Option(`${s}×`, s, s === 1, s === 1));
    speed.onchange = () => {
      playback.speed = Number(speed.value);
      changed();
    };
    const act = (id, action) => {
      byId(id).onclick = () => {
        action();
        changed();
      };
    };
    act("play", () => playback.toggle());
    act("step-back", () => playback.step(-1));
    act("step-next", () => playback.step(1));
    act("loop", () => (playback.loop = !playback.loop));
    act("follow-live", () => this.followLive(!playback.follow));
    byId("scrub").oninput = () => {
      playback.seek(playback.start + (Number(byId("scrub").value) / 1000) * (playback.end - playback.start));
      changed();
    };
  }

  followLive(on) {
    this.playback.follow = on;
    this.playback.playing = on;
  }

  // One notch faster (1) or slower (−1).
  shiftSpeed(by) {
    const i = SPEEDS.indexOf(this.playback.speed) + by;
    if (i < 0 || i >= SPEEDS.length) return;
    this.playback.speed = SPEEDS[i];
    byId("speed").value = String(SPEEDS[i]);
  }

  update() {
    const { playback } = this;
    const span = playback.end - playback.start;
    const scrub = byId("scrub");
    const value = span > 0 ? ((playback.time - playback.start) / span) * 1000 : 0;
    if (Math.abs(Number(scrub.value) - value) > 1e-6) scrub.value = String(value);
    // Enough digits that neighbouring frames read differently.
    const gap = span / Math.max(1, playback.times.length - 1);
    const digits = span > 0 ? Math.min(Math.max(1, Math.ceil(-Math.log10(gap))), 6) : 1;
    const text = `${playback.time.toFixed(digits)} s`;
    if (this.text !== text) {
      this.text = text;
      byId("clock").textContent = text;
      scrub.setAttribute("aria-valuetext", `${text} of ${formatNumber(playback.end)} s`);
    }
    this.reflect("play", playback.playing, () => {
      byId("play").setAttribute("aria-label", playback.playing ? "Pause" : "Play");
      byId("play-icon").setAttribute("href", playback.playing ? "#i-pause" : "#i-play");
    });
    this.reflect("loop", playback.loop, () => byId("loop").setAttribute("aria-pressed", String(playback.loop)));
    this.reflect("live", `${playback.finished} ${playback.follow}`, () => {
      byId("follow-live").hidden = playback.finished;
      byId("follow-live").setAttribute("aria-pressed", String(playback.follow));
    });
  }

  // Touch the document only when a value changed.
  reflect(key, value, apply) {
    this.shown ??= {};
    if (this.shown[key] === value) return;
    this.shown[key] = value;
    apply();
  }
}
