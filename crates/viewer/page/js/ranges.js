// Ranges of fields over the whole recording. The server looks through the frames while it is asked, so the answers grow
// until all frames are in; meanwhile the values of the frames on show are taken too.

// Time between questions while frames are left [ms].
const ASK_MS = 60;

export class RunRanges {
  constructor(source, changed) {
    Object.assign(this, { source, changed, groups: [], complete: false, busy: false, again: false, seen: new Map() });
  }

  // There are other frames than before.
  restart() {
    this.complete = false;
    if (this.busy) this.again = true;
    else if (this.wanted) this.ask();
  }

  // From now on somebody wants to know.
  want() {
    this.wanted = true;
    if (!this.complete && !this.busy) this.ask();
  }

  async ask() {
    this.busy = true;
    do {
      this.again = false;
      try {
        const { groups, frames, count } = await this.source.ranges();
        this.groups = groups;
        this.complete = frames >= count;
        // What was seen of frames that are gone by now no longer counts.
        if (this.complete) this.seen.clear();
        this.changed();
      } catch {
        // The frames on show are all that is known then, until the next change.
        break;
      }
      if (!this.complete) await new Promise((done) => setTimeout(done, ASK_MS));
    } while (!this.complete || this.again);
    this.busy = false;
  }

  // Range of a choice over the whole recording as far as it is known; `now` tells that of the frame on show.
  of(stage, choice, now) {
    const range = [Infinity, -Infinity];
    const add = (span) => {
      if (!span) return;
      range[0] = Math.min(range[0], span[0]);
      range[1] = Math.max(range[1], span[1]);
    };
    let constant = false;
    stage.groups.forEach((group, g) => {
      if (choice.group && choice.group !== group.name) return;
      constant ||= group.constants.some((f) => f.name === choice.name);
      const field = group.fields.findIndex((f) => f.name === choice.name);
      const spans = this.groups[g]?.[field];
      if (!spans) return;
      const { components } = group.fields[field];
      add(spans[components > 1 && choice.component < 0 ? components : Math.max(choice.component, 0)]);
    });
    if (!this.complete || constant) add(now());
    if (!this.complete) {
      const key = `${choice.group} ${choice.name} ${choice.component}`;
      add(this.seen.get(key));
      this.seen.set(key, range);
    }
    return range;
  }
}
