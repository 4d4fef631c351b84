// The page in headless Chromium: opening, playing, picking, colours, live runs, steering, refusals, access.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { colorBy, exported, recording, settled, shot, state, until, withPage } from "./browser.mjs";
import { moduleSources } from "./bundle.mjs";
import { makeRecording } from "./recording.mjs";
import { MockServer } from "./server.mjs";

// Mean and spread of the picture's brightness, and how much colour it has.
async function pictureStatistics(page) {
  const png = (await page.locator("#picture").screenshot({ timeout: 60000 })).toString("base64");
  return page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const ctx = canvas.getContext("2d");
    ctx.drawImage(image, 0, 0);
    const { data: px } = ctx.getImageData(0, 80, image.width, image.height - 160);
    let sum = 0, square = 0, color = 0;
    for (let i = 0; i < px.length; i += 4) {
      const l = (px[i] + px[i + 1] + px[i + 2]) / 3;
      sum += l;
      square += l * l;
      color += Math.max(px[i], px[i + 1], px[i + 2]) - Math.min(px[i], px[i + 1], px[i + 2]) > 60 ? 1 : 0;
    }
    const n = px.length / 4;
    return { mean: sum / n, spread: Math.sqrt(square / n - (sum / n) ** 2), colored: color / n };
  }, png);
}

test("modules join into one: unique names, one-line imports, order of use", () => {
  const names = new Map(), seen = new Set();
  for (const { file, text } of moduleSources()) {
    for (const [, from] of text.matchAll(/^import .* from "\.\/(.*)";$/gm)) assert.ok(seen.has(from), `${file} comes before ${from}`);
    assert.equal([...text.matchAll(/^import/gm)].length, [...text.matchAll(/^import .* from "\.\/.*";$/gm)].length, `${file}: imports on one line each`);
    for (const [, name] of text.matchAll(/^(?:export )?(?:async )?(?:function|class|const|let) (\w+)/gm)) {
      assert.ok(!names.has(name), `${name} of ${file} is also in ${names.get(name)}`);
      names.set(name, file);
    }
    assert.ok(text.split("\n").length < 800, file);
    seen.add(file);
  }
});

test("opens, draws, seeks to the exact frame, steps", () => withPage({}, async (page) => {
  assert.equal(await page.title(), "heap and slider-crank – Huygens");
  await page.evaluate(() => window.huygens.seek(1.0));
  let s = await settled(page);
  assert.equal(s.frame, 25);
  await shot(page, "open");
  const seen = await pictureStatistics(page);
  assert.ok(seen.spread > 15 && seen.colored > 0.005, JSON.stringify(seen));
  await page.keyboard.press("ArrowRight");
  s = await until(page, "one frame on", (x) => x.frame === 26);
  await page.keyboard.press("Home");
  s = await until(page, "first frame", (x) => x.frame === 0);
  assert.equal(s.time, 0);
}));

test("plays to the end and, looping, on", () => withPage({ hash: "" }, async (page) => {
  assert.ok((await state(page)).playing, "plays on opening");
  await page.selectOption("#speed", "5");
  await until(page, "the end", (x) => !x.playing && x.frame === 49);
  await page.click("#loop");
  await page.click("#play");
  await until(page, "starts anew", (x) => x.playing && x.frame < 40);
  await page.keyboard.press("Space");
}));

test("picks what is under the pointer and shows its state and contact forces", () => withPage({ hash: "#t=1.6" }, async (page) => {
  await settled(page);
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.click(box.width / 2, box.height / 2 + 10);
  const { selection } = await state(page);
  assert.ok(selection, "something is selected");
  assert.equal(selection.group, 0);
  const text = await page.locator("#inspector").innerText();
  const p = recording.frames[40].groups[0].fields[0];
  assert.match(text, /position/);
  const shown = (value) => String(Number(value.toPrecision(4))).replace("-", "−");
  assert.ok(text.includes(shown(p[3 * selection.item])), text);
  // The scalar of the quaternion comes first, although the recording holds it last.
  const q = recording.frames[40].groups[0].fields[1].subarray(4 * selection.item, 4 * selection.item + 4);
  assert.ok(text.replace(/\s+/g, " ").includes(`rotation wxyz ${[q[3], q[0], q[1], q[2]].map(shown).join(", ")}`), text);
  // The same sum by hand.
  const c = recording.frames[40].groups[1], [force, a, b] = [c.fields[1], c.fields[4], c.fields[5]];
  let count = 0;
  for (let i = 0; i < c.count; i++) if (a[i] === selection.item || b[i] === selection.item) count++;
  assert.match(text, new RegExp(`${count} contacts?`));
  assert.ok(force.length > 0);
  await settled(page);
  await shot(page, "picked");
  await page.keyboard.press("Escape");
  assert.equal((await state(page)).selection, null);
}));

test("every shape is found where it stands", () => withPage({ recording: oneOfEach() }, async (page) => {
  await settled(page);
  await shot(page, "shapes");
  // Columns of the row are found in order when the row is crossed from left to right.
  const found = await page.evaluate(() => {
    const seen = [];
    for (let x = 0; x <= 1; x += 0.004) {
      const hit = window.huygens.pick(x, 0.5);
      if (hit && seen[seen.length - 1] !== hit.item) seen.push(hit.item);
    }
    return seen;
  });
  assert.deepEqual(found, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}));

// The nine solids side by side, seen from the front.
function oneOfEach() {
  const kinds = { sphere: [0.4], ellipsoid: [0.4, 0.3, 0.3], box: [0.4, 0.3, 0.3], capsule: [0.3, 0.2], cylinder: [0.35, 0.35], cone: [0.4, 0.4], rounded_box: [0.3, 0.2, 0.2, 0.1], rounded_cylinder: [0.25, 0.25, 0.1], mesh: [] };
  const base = makeRecording({ spheres: 1, frames: 1, extras: false });
  const F = Float32Array, names = Object.keys(kinds), n = names.length;
  base.stage.groups = [{ name: "bodies", kind: "bodies", names, fields: [{ name: "position", unit: "m", components: 3 }], constants: [], constant_values: [] }];
  base.stage.batches = names.map((kind, i) => ({ kind, group: 0, mesh: 0, visual: false, items: Uint32Array.of(i), looks: Uint32Array.of(i % 5), sizes: F.from(kinds[kind]), positions: new F(0), rotations: new F(0) }));
  base.stage.meshes[0].vertices = base.stage.meshes[0].vertices.map((v) => v * 4.5);
  base.stage.scalars = [];
  base.stage.view = { camera: { position: [n / 2 - 0.5, -14, 0.05], target: [n / 2 - 0.5, 0, 0] } };
  const p = F.from(names.flatMap((_, i) => [i, 0, 0]));
  base.frames = [{ time: 0, step: 0, scalars: [], groups: [{ count: n, fields: [p] }] }];
  return base;
}

// Largest speed in some frames of the synthetic recording.
function topSpeed(frames) {
  let top = 0;
  for (const frame of frames) {
    for (const [group, field] of [[0, 2], [4, 1]]) {
      const v = frame.groups[group].fields[field];
      for (let i = 0; i < v.length; i += 3) top = Math.max(top, Math.hypot(v[i], v[i + 1], v[i + 2]));
    }
  }
  return top;
}

const untilTop = (page, top, what) => until(page, what, ({ color }) => Math.abs(color.range[1] - top) < 1e-4 * top);

test("colours by a field, with a legend: range of the whole recording, of the frame shown, or fixed", () => withPage({ hash: "#t=0.4" }, async (page) => {
  await settled(page);
  await page.keyboard.press("i");
  await page.selectOption("#color-field", "velocity");
  const whole = topSpeed(recording.frames), [early, late] = [10, 45].map((index) => topSpeed([recording.frames[index]]));
  assert.ok(early < 0.8 * late && early < 0.8 * whole, `${late}, ${early} and ${whole} differ`);
  await untilTop(page, whole, "the range of all frames");
  await page.locator("#legend-title", { hasText: "speed [m/s]" }).waitFor();
  await page.selectOption("#color-scope", "frame");
  await untilTop(page, early, "the range of the frame");
  await page.evaluate(() => window.huygens.seek(1.8));
  await untilTop(page, late, "the range of another frame");
  await page.fill("#color-high", "3");
  await page.locator("#color-high").press("Enter");
  assert.equal(await page.locator("#color-scope").inputValue(), "fixed");
  await page.evaluate(() => window.huygens.seek(0.4));
  await settled(page);
  assert.equal((await state(page)).color.range[1], 3, "a fixed range stays");
  await shot(page, "colour");
  await page.selectOption("#color-component", "2");
  await page.locator("#legend-title", { hasText: "velocity z [m/s]" }).waitFor();
}));

test("forces, chains, joints, boxes, cut, plots and help show without errors", () => withPage({ hash: "#t=1.6", scheme: "dark" }, async (page) => {
  await settled(page);
  const plain = await pictureStatistics(page);
  await page.keyboard.press("v");
  await settled(page);
  const arrows = await pictureStatistics(page);
  assert.notDeepEqual(arrows, plain);
  for (const key of ["k", "j", "b", "x", "o", "p"]) await page.keyboard.press(key);
  await settled(page);
  await shot(page, "everything");
  await page.locator("#plot-list canvas").first().click({ position: { x: 70, y: 40 } });
  await until(page, "the plot seeks", (s) => s.time < 0.3);
  await page.keyboard.press("h");
  assert.ok(await page.locator("#help").isVisible());
  await shot(page, "help");
}));

test("follows a run that is still computing", () => withPage({ server: { shown: 10 } }, async (page, server) => {
  let s = await until(page, "the newest frame", (x) => x.frame === 9);
  assert.ok(s.follow && !s.finished);
  assert.equal(await page.locator("#live-badge").innerText(), "live");
  server.grow(15);
  await until(page, "new frames", (x) => x.frames === 25 && x.frame === 24);
  await colorBy(page, "velocity");
  await untilTop(page, topSpeed(recording.frames.slice(0, 25)), "the range of the frames so far");
  await page.keyboard.press("ArrowLeft");
  s = await until(page, "one back", (x) => x.frame === 23);
  server.grow(100);
  s = await until(page, "the end of the run", (x) => x.finished);
  assert.equal(s.frame, 23, "looking back is not disturbed");
  await untilTop(page, topSpeed(recording.frames), "the range of all frames");
}));

test("steers a run only where the server offers it", async () => {
  await withPage({}, async (page) => assert.ok(!(await page.locator("#interact").isVisible())));
  await withPage({ hash: "#t=1.6", server: { interactive: true } }, async (page, server) => {
    await settled(page);
    await page.locator("#interact").waitFor();
    await page.click("#run-pause");
    await page.locator("#run-pause", { hasText: "Resume run" }).waitFor();
    await page.locator("#picture").focus();
    await page.keyboard.down("ArrowRight");
    await page.waitForTimeout(400);
    await page.keyboard.up("ArrowRight");
    await page.check("#pull-mode");
    await page.mouse.move(380, 300);
    await page.mouse.down();
    await page.mouse.move(420, 200, { steps: 4 });
    await shot(page, "interactive");
    await page.mouse.up();
    for (let i = 0; i < 100 && !server.commands.some((c) => c.type === "release"); i++) await page.waitForTimeout(20);
    const kinds = server.commands.map((c) => c.type);
    assert.ok(kinds.includes("pause") && kinds.includes("pull") && kinds.includes("release"), kinds.join());
    const pull = server.commands.filter((c) => c.type === "pull").pop();
    assert.ok(pull.target.every(Number.isFinite) && pull.point.length === 3);
    assert.ok(server.commands.some((c) => c.type === "input" && c.name === "steering" && c.value > 0));
  });
});

test("a wrong token is refused with a reason", () => withPage({ unready: true, url: (s) => `${s.origin}/?token=wrong` }, async (page) => {
  await page.getByText("refused the token").waitFor();
}));

test("a page of another origin gets nothing, even with the token", { skip: process.env.HUYGENS_SERVE ? false : "the stand-in does not check origins" }, () => withPage({ unready: true }, async (page, server) => {
  const stranger = await new MockServer(recording).listen();
  try {
    // A page without a content policy of its own, so that only the server can refuse.
    await page.route(`${stranger.origin}/`, (route) => route.fulfill({ contentType: "text/html", body: "<p>stranger</p>" }));
    await page.goto(`${stranger.origin}/`);
    const got = await page.evaluate(async ([origin, token]) => {
      const answer = await fetch(`${origin}/api/stage`, { headers: { Authorization: `Bearer ${token}` } }).then((a) => `status ${a.status}`, () => "refused");
      const opaque = await fetch(`${origin}/api/times`, { mode: "no-cors" }).then((a) => a.type, () => "refused");
      const socket = await new Promise((done) => {
        const s = new WebSocket(`${origin.replace("http", "ws")}/ws`, [`huygens.${token}`]);
        s.onopen = () => done("open");
        s.onerror = () => done("refused");
      });
      return { answer, opaque, socket };
    }, [server.origin, new URL(server.url).searchParams.get("token")]);
    assert.deepEqual(got, { answer: "refused", opaque: "refused", socket: "refused" });
  } finally {
    stranger.close();
  }
}));

test("the exported file opens from disk", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "huygens-page-")), "run.html");
  writeFileSync(file, exported(recording));
  await withPage({ url: () => `${pathToFileURL(file)}#t=1.2` }, async (page) => {
    const s = await settled(page);
    assert.equal(s.frame, 30);
    assert.equal(s.frames, 50);
    await colorBy(page, "velocity");
    await untilTop(page, topSpeed(recording.frames), "the range of all frames");
  });
});

test("reachable by keyboard, named, with enough contrast; fits a phone", () => withPage({ viewport: { width: 390, height: 780 }, touch: true, hash: "#t=1.6" }, async (page) => {
  await settled(page);
  await shot(page, "phone");
  await page.click("#open-display");
  await settled(page);
  await shot(page, "phone-display");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, select")].filter((e) => !e.labels?.length && !e.getAttribute("aria-label") && !e.textContent.trim()).map((e) => e.outerHTML));
  assert.deepEqual(unnamed, []);
  for (const theme of ["light", "dark"]) {
    if ((await state(page)).theme !== theme) await page.click("#open-theme");
    const ratios = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(name).trim().slice(1);
        const [r, g, b] = [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      return [["--ink", "--panel"], ["--ink-soft", "--panel"], ["--ink", "--field"], ["--accent", "--solid"], ["--accent-ink", "--accent"], ["--warn", "--solid"], ["--ink", "--hover"]].map(([a, b]) => [a, b, ratio(a, b)]);
    });
    for (const [a, b, r] of ratios) assert.ok(r >= 4.5, `${theme}: ${a} on ${b} has contrast ${r.toFixed(2)}`);
  }
  const reached = new Set();
  await page.locator("body").press("Tab");
  for (let i = 0; i < 60; i++) {
    reached.add(await page.evaluate(() => document.activeElement.id));
    await page.keyboard.press("Tab");
  }
  for (const id of ["picture", "open-display", "play", "scrub", "speed", "color-field", "clip-on"]) assert.ok(reached.has(id), `Tab does not reach ${id}`);
}));
