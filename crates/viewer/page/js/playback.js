// The play head: times of frames, clock, and which frames are wanted.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Playback {
  constructor(cache) {
    this.cache = cache;
    this.times = [];
    this.finished = true;
    this.time = 0;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.follow = false;
    this.stalled = false;
    // Seconds between drawn pictures; decides how many frames a picture skips.
    this.interval = 1 / 60;
  }

  get start() {
    return this.times[0] ?? 0;
  }

  get end() {
    return this.times[this.times.length - 1] ?? 0;
  }

  // Last frame not after the time.
  indexAt(time) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.follow = false;
  }

  seekFrame(index) {
    this.seek(this.times[Math.min(Math.max(index, 0), this.times.length - 1)] ?? 0);
  }

  // Move whole frames from the nearest one.
  step(count) {
    this.playing = false;
    const i = this.indexAt(this.time);
    const between = this.time > this.times[i];
    this.seekFrame(i + count + (between && count < 0 ? 1 : 0));
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end && this.finished) this.time = this.start;
    if (!this.playing) this.follow = false;
  }

  advance(seconds) {
    if (this.follow) {
      this.time = this.end;
      return;
    }
    if (!this.playing || this.stalled) return;
    this.time += Math.min(seconds, 0.25) * this.speed;
    if (this.time < this.end) return;
    if (this.loop && this.end > this.start) this.time = this.start;
    else {
      this.time = this.end;
      if (this.finished) this.playing = false;
    }
  }

  // Frames a picture moves on by; above 1 there is nothing to interpolate.
  stride(index) {
    if (!this.playing || this.follow) return 1;
    const gap = (this.times[index + 1] ?? this.end) - this.times[index];
    return gap > 0 ? Math.max(1, Math.floor((this.speed * Math.min(this.interval, 0.25)) / gap)) : 1;
  }

  // Frames to show now: { a, b, mix } or null while the first is on its way.
  current() {
    if (this.times.length === 0) return null;
    let i = this.indexAt(this.time);
    const stride = this.stride(i);
    i -= i % stride;
    this.requestAround(i, stride);
    const a = this.cache.peek(i);
    const next = this.times[i + 1];
    const mix = stride > 1 || next === undefined || this.follow ? 0 : (this.time - this.times[i]) / (next - this.times[i]);
    const b = mix > 1e-4 ? this.cache.peek(i + 1) : undefined;
    this.stalled = !a || (mix > 1e-4 && !b);
    if (!a) return null;
    return { a, b: b ?? null, mix: b ? Math.min(mix, 1) : 0 };
  }

  requestAround(index, stride) {
    const wanted = [index];
    const reach = this.playing && !this.follow ? this.cache.reach : 4;
    for (let k = 1; k <= reach; k++) {
      let next = index + k * stride;
      if (next >= this.times.length) {
        if (!this.loop || !this.playing) break;
        next %= this.times.length;
      }
      wanted.push(next);
    }
    if (!this.playing && index > 0) wanted.push(index - 1);
    this.cache.want(wanted);
  }
}
