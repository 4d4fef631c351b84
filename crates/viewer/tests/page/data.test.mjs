// What the page makes of its data: thinned and replaced recordings, items that come and go, the view the scene asks for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, shot, state, until, withPage } from "./browser.mjs";
import { field, makeSmall, middles } from "./small.mjs";

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b} within ${tolerance}`);
const position = field("position", "m", 3);

// One ball that crosses the picture in 4 s, with some ballast so that frames have a size.
function crossing(name = "crossing") {
  const frames = Array.from({ length: 81 }, (_, i) => ({
    time: i / 20,
    groups: [[[-4 + i / 10, 0, 0]], [Array.from({ length: 1200 }, (_, k) => Math.sin(1e5 * Math.sin(12.9898 * k + 78.233 * i)))]],
  }));
  return makeSmall({ name, groups: [{ name: "bodies", kind: "bodies", names: ["ball"], fields: [position] }, { name: "ballast", kind: "nodes", fields: [position] }], batches: [{ group: 0, items: [0], sizes: [0.5] }], frames });
}

test("a recording thinned while the page follows shows the right frames", () => withPage({ recording: crossing(), server: { shown: 12, budgetFrames: 16, budgetBytes: 80000 } }, async (page, server) => {
  await until(page, "the newest frame", (s) => s.frame === 11);
  for (const count of [10, 10, 20, 100]) {
    server.grow(count);
    await page.waitForTimeout(300);
  }
  const { frames } = await until(page, "the end of the run", (s) => s.finished && s.frame === s.frames - 1);
  assert.ok(frames > 8 && frames < 41, `${frames} frames are left of 81`);
  // The place on the screen tells what the GPU holds, whatever number the frame has.
  await page.keyboard.press("Home");
  for (let i = 0; i < frames; i += 3) {
    await page.evaluate((t) => window.huygens.seek(t), i / 8);
    const { time } = await settled(page);
    near((await middles(page, 0))[0], 0.5 + (-4 + 2 * time) / 10, 0.006, `ball at ${time} s`);
  }
}));

test("another run under the same name is opened anew", () => withPage({ recording: crossing("first") }, async (page, server) => {
  assert.equal(await page.title(), "first – Huygens");
  server.replace(crossing("second"));
  await page.waitForFunction(() => document.title === "second – Huygens", null, { timeout: 20000 });
  await page.evaluate(() => window.huygens.ready.then(() => true));
  assert.equal((await state(page)).frames, 81);
}));

// Grains with ids: 7 stays, 5 leaves after the first frame, 9 comes with the second; so numbers shift.
function comingAndGoing() {
  const radius = field("radius", "m", 1), id = field("id", "", 1), heat = field("heat", "K", 1);
  const grains = [
    [[-3, 0, 0, 0, 0, 0], [0.4, 0.4], [5, 7], [0, 0]],
    [[1, 0, 0, 3, 0, 0], [0.4, 0.4], [7, 9], [100, 50]],
    [[2, 0, 0], [0.4], [7], [100]],
  ];
  // Bodies of which the last is there only at first; its shape stays in the batch.
  const bodies = [[-4, 0, 2, 4, 0, 2], [-3.5, 0, 2], [-3, 0, 2]];
  return makeSmall({
    name: "coming and going", groups: [{ name: "grains", kind: "particles", fields: [position, radius, id, heat] }, { name: "bodies", kind: "bodies", fields: [position] }],
    batches: [{ group: 1, items: [0, 1], sizes: [0.3, 0.3] }], frames: grains.map((fields, i) => ({ time: i, groups: [fields, [bodies[i]]] })),
  });
}

test("items that come and go keep their way, their colour and the selection", () => withPage({ recording: comingAndGoing(), hash: "#t=0.5" }, async (page) => {
  await settled(page);
  // Half-way between two frames: 5 is still at its last place, 7 on its way, 9 not there yet.
  const half = await middles(page, 0);
  assert.deepEqual(Object.keys(half), ["0", "1"]);
  near(half[0], 0.2, 0.006, "the grain that leaves");
  near(half[1], 0.55, 0.006, "the grain on its way");
  await page.evaluate(() => window.huygens.pick(0.55, 0.5));
  assert.deepEqual((await state(page)).selection, { group: 0, item: 1 });
  await page.keyboard.press("i");
  await page.selectOption("#color-field", "heat");
  await page.fill("#color-high", "100");
  await page.dispatchEvent("#color-high", "change");
  await page.click("[data-close=display]");
  await settled(page);
  // Colours are mixed like places: 7 is half-way from 0 to 100.
  await shot(page, "coming-and-going");
  const middle = await colorAt(page, 0.55, 0.5), cold = await colorAt(page, 0.2, 0.5);
  assert.ok(middle[1] > cold[1] + 40 && middle[1] > middle[0], `${middle} should be the green of the middle of the map, ${cold} its violet`);
  await page.evaluate(() => window.huygens.seek(2));
  await settled(page);
  const { selection } = await state(page);
  assert.equal(selection.item, 0, "the same grain is selected under its new number");
  assert.deepEqual(Object.keys(await middles(page, 0)), ["0"]);
  assert.equal(await page.evaluate(() => window.huygens.place(1, 1)), null);
  // Nothing is drawn of the body that is gone: neither at its old place nor at the origin.
  const found = await page.evaluate(() => {
    const items = new Set();
    for (let y = 0; y <= 1; y += 0.02) for (let x = 0; x <= 1; x += 0.02) {
      const hit = window.huygens.probe(x, y);
      if (hit?.group === 1) items.add(hit.item);
    }
    return [...items];
  });
  assert.deepEqual(found, [0]);
}));

// A ball that stays, and one that comes with the third frame and leaves with the fifth; `all` is the stage that shows both.
function guest(all) {
  const frames = Array.from({ length: 6 }, (_, i) => {
    const there = i >= 2 && i < 4 ? [3, 0, 0] : [NaN, NaN, NaN];
    return { time: i, groups: [[[-3, 0, 0, ...(all ? there : [])]]] };
  });
  const names = all ? ["host", "guest"] : ["host"];
  return makeSmall({ name: "guest", groups: [{ name: "bodies", kind: "bodies", names, fields: [position] }], batches: [{ group: 0, items: names.map((_, i) => i), sizes: names.map(() => 0.5), looks: names.map((_, i) => i) }], frames });
}

test("things with names are shown while they are there, and only then", () => withPage({ recording: guest(true), hash: "#t=0" }, async (page) => {
  for (const [time, items] of [[0, ["0"]], [1.5, ["0"]], [2, ["0", "1"]], [2.5, ["0", "1"]], [3.4, ["0", "1"]], [4, ["0"]]]) {
    await page.evaluate((t) => window.huygens.seek(t), time);
    await settled(page);
    const found = await middles(page, 0);
    assert.deepEqual(Object.keys(found), items, `at ${time} s`);
    near(found[0], 0.2, 0.006, "the ball that stays");
    if (items.length > 1) near(found[1], 0.8, 0.006, "the guest, who does not move");
    assert.equal(await page.evaluate(() => window.huygens.place(0, 1) !== null), items.length > 1);
  }
}));

test("a stage that grows is taken over in the open page", () => withPage({ recording: guest(false), server: { shown: 2 } }, async (page, server) => {
  await until(page, "the second frame", (s) => s.frame === 1);
  await settled(page);
  await page.evaluate(() => window.huygens.pick(0.2, 0.5));
  const { camera, selection } = await state(page);
  assert.deepEqual(selection, { group: 0, item: 0 });
  server.extend(guest(true));
  server.grow(2);
  await until(page, "the fourth frame", (s) => s.frame === 3);
  await page.waitForFunction(() => window.huygens.place(0, 1) !== null, null, { timeout: 20000 });
  await settled(page);
  assert.deepEqual(Object.keys(await middles(page, 0)), ["0", "1"]);
  const after = await state(page);
  assert.deepEqual(after.selection, { group: 0, item: 0 });
  after.camera.eye.forEach((x, k) => near(x, camera.eye[k], 1e-6, "the camera stays"));
  await page.evaluate(() => window.huygens.seek(0));
  await settled(page);
  assert.deepEqual(Object.keys(await middles(page, 0)), ["0"]);
}));

// A ball on a floor, a ball under it, one behind glass, and a ball on a fixed table.
function onFloors() {
  const rotation = field("rotation", "", 4), still = [0, 0, 0, 1];
  const names = ["ground", "ball", "under", "behind", "glass", "table", "on it"];
  const places = [[0, 0, -1], [-3, 0, -0.5], [-1, 0, -3], [1, 1.5, 0.2], [1, 0, 0.2], [3, 0, -0.9], [3, 0, -0.4]];
  const at = (time) => [places.flatMap((p, i) => (i === 1 ? [p[0], p[1], p[2] + 0.01 * time] : p)), names.flatMap(() => still)];
  const recording = makeSmall({
    name: "floors", groups: [{ name: "bodies", kind: "bodies", names, fields: [position, rotation] }],
    batches: [
      { kind: "half_space", group: 0, items: [0], sizes: [] }, { group: 0, items: [1, 2, 3, 6], sizes: [0.5, 0.5, 0.4, 0.4], looks: [0, 1, 0, 1] },
      { kind: "box", group: 0, items: [4, 5], sizes: [0.6, 0.05, 0.6, 4, 4, 0.05], looks: [2, 0] },
    ],
    frames: [0, 1].map((time) => ({ time, groups: [at(time)] })),
  });
  recording.stage.looks.push({ name: "glass", color: [0.6, 0.8, 0.9, 0.4], roughness: 0.1, metal: false });
  recording.stage.view.camera.position = [0, -30, 6];
  return recording;
}

test("a click looks through floors, tables and glass", () => withPage({ recording: onFloors() }, async (page) => {
  await settled(page);
  await shot(page, "floors");
  // Where a point is in the picture.
  const fraction = (point) => page.evaluate((p) => window.huygens.fraction(p), point);
  const picked = async (point, all) => (await page.evaluate(([[x, y], whole]) => window.huygens.pick(x, y, whole), [await fraction(point), all]))?.item ?? null;
  assert.equal(await picked([-3, 0, -0.5]), 1, "the ball on the floor");
  assert.equal(await picked([-1, 0, -3]), 2, "the ball under the floor");
  assert.equal(await picked([-1, 0, -3], true), 0, "with Shift the floor");
  assert.equal(await picked([-2, -1, -1]), null, "nothing where there is only floor");
  assert.equal(await picked([1, 1.5, 0.2]), 3, "the ball behind the glass");
  assert.equal(await picked([1.5, 0, 0.7]), 4, "glass with nothing behind it");
  assert.equal(await picked([3, 0, -0.4]), 6, "the ball on the table");
  assert.equal(await picked([3.9, -2, -0.85]), null, "a table that does not move and is larger than all else");
  assert.equal(await picked([3.9, -2, -0.85], true), 5, "with Shift the table");
  const [x, y] = await fraction([-2, -1, -1]), { width, height } = await page.locator("#picture").boundingBox();
  await page.mouse.click(x * width, y * height);
  assert.equal((await state(page)).selection, null);
  await page.keyboard.down("Shift");
  await page.mouse.click(x * width, y * height);
  assert.deepEqual((await state(page)).selection, { group: 0, item: 0 });
}));

async function colorAt(page, x, y) {
  const png = (await page.locator("#picture").screenshot({ timeout: 60000 })).toString("base64");
  return page.evaluate(async ([data, x, y]) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(image.width, image.height), ctx = canvas.getContext("2d");
    ctx.drawImage(image, 0, 0);
    return [...ctx.getImageData(Math.round(x * image.width), Math.round(y * image.height), 1, 1).data.slice(0, 3)];
  }, [png, x, y]);
}

// Two balls, a post and a wall; `view` is what the scene asks for.
function asking(view) {
  const frames = [0, 1, 2, 3, 4].map((time) => ({ time, groups: [[[time, 0, 0.5, -2, 0, 0.5, 0, 1.5, 1, 0, 3, 1], [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0].map((v) => v * time)]] }));
  return makeSmall({
    name: "asking", view, frames, groups: [{ name: "bodies", kind: "bodies", names: ["runner", "post", "wall_1", "wall_2"], fields: [position, field("velocity", "m/s", 3)] }],
    batches: [{ group: 0, items: [0, 1], sizes: [0.5, 0.5] }, { kind: "box", group: 0, items: [2, 3], looks: [1, 1], sizes: [2, 0.1, 1, 2, 0.1, 1] }],
  });
}

const pointsNear = (a, b, tolerance, what) => a.forEach((x, k) => near(x, b[k], tolerance, `${what}[${k}]`));
const spherical = (azimuth, elevation) => {
  const [a, e] = [azimuth, elevation].map((d) => (d * Math.PI) / 180);
  return [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
};

test("a camera path and an orbit run with time until the camera is touched", async () => {
  const path = [{ time: 0, position: [0, -10, 2], target: [0, 0, 0] }, { time: 2, position: [4, -10, 2] }, { time: 4, position: [4, -6, 2], target: [2, 0, 0], fov_deg: 20 }];
  await withPage({ recording: asking({ camera: { fov_deg: 40, path } }), hash: "#t=0" }, async (page) => {
    const at = async (t) => {
      await page.evaluate((time) => window.huygens.seek(time), t);
      return (await settled(page)).camera;
    };
    pointsNear((await at(0)).eye, [0, -10, 2], 1e-6, "eye at the start");
    pointsNear((await at(2)).eye, [4, -10, 2], 1e-6, "eye at a keyframe");
    // Catmull–Rom by hand: x from 0 to 4 with slope 0, then (4 − 0)/4; y from −10 to −10, then (−6 + 10)/4.
    const s = 0.5, ends = [3 * s * s - 2 * s ** 3, s ** 3 - s * s];
    const { eye, target, fov } = await at(1);
    pointsNear(eye, [4 * ends[0] + 2 * ends[1], -10 + 2 * ends[1], 2], 1e-6, "eye between keyframes");
    pointsNear(target, [2 * (3 / 16 - 2 / 64), 0, 0], 1e-6, "target between keyframes");
    near((fov * 180) / Math.PI, 20, 1e-6, "field of view");
    await page.keyboard.press("a");
    const touched = await until(page, "the camera is free", (x) => !x.scripted);
    await at(4);
    pointsNear((await state(page)).camera.eye, touched.camera.eye, 1e-9, "a touched camera stays");
    await page.keyboard.press("i");
    await page.click("#view-scene");
    pointsNear((await settled(page)).camera.eye, [4, -6, 2], 1e-6, "the scene's camera again");
  });
  await withPage({ recording: asking({ camera: { follow: "runner", azimuth_deg: 30, elevation_deg: 10, zoom: 2, orbit_deg_per_s: 15 } }), hash: "#t=0" }, async (page) => {
    const first = (await settled(page)).camera;
    await page.evaluate(() => window.huygens.seek(3.5));
    const { camera } = await settled(page);
    pointsNear(camera.target, [3.5, 0, 0.5], 1e-5, "the followed body");
    const away = camera.eye.map((x, k) => x - camera.target[k]), distance = Math.hypot(...away);
    pointsNear(away.map((x) => x / distance), spherical(30 + 15 * 3.5, 10), 1e-5, "direction");
    near(distance, Math.hypot(...first.eye.map((x, k) => x - first.target[k])), 1e-6, "distance while turning");
    // Turning by hand ends the orbit, not the following.
    await page.keyboard.press("d");
    await page.evaluate(() => window.huygens.seek(1));
    pointsNear((await settled(page)).camera.target, [1, 0, 0.5], 1e-5, "still followed");
  });
});

test("hidden things, looks, colours, marks, ground and cut as the scene asks", () => withPage({
  recording: asking({
    title: "Two walls", camera: { azimuth_deg: -90, elevation_deg: 0, up: [0, 0, 1] }, hide: ["wall_*"], looks: [{ name: "post", color: "#10c020", metal: false }],
    color_by: { field: "speed", group: "nobody", range: [0, 5], map: "heat", label: "how fast" }, marks: { bounds: true }, ground: { show: true, pattern: "checker", color: "#c0a080" }, clip: { point: [1.5, 0, 0], normal: [1, 0, 0] },
  }), hash: "#t=1",
}, async (page) => {
  const s = await settled(page);
  assert.deepEqual([s.shown.boxes, s.shown.clip, s.shown.ground], [true, true, true]);
  assert.deepEqual([s.color.map, s.color.range, s.color.title], ["heat", [0, 5], "how fast [m/s]"]);
  assert.equal(await page.locator("#run-title").innerText(), "Two walls");
  await shot(page, "asked");
  const seen = () => page.evaluate(() => {
    const items = new Set();
    for (let y = 0.12; y <= 0.88; y += 0.02) for (let x = 0; x <= 1; x += 0.02) {
      const hit = window.huygens.probe(x, y);
      if (hit) items.add(hit.item);
    }
    return [...items].sort();
  });
  assert.deepEqual(await seen(), [0, 1], "walls are hidden");
  // The cut is at the right edge of the runner at 1 s, and takes it away at 3 s.
  await page.evaluate(() => window.huygens.seek(3));
  await settled(page);
  assert.deepEqual(await seen(), [1]);
  await page.keyboard.press("i");
  await page.check("#show-concealed");
  await settled(page);
  assert.deepEqual(await seen(), [1, 2], "hidden parts can be brought back");
}));

test("fingers turn, zoom, move and select", () => withPage({ recording: crossing(), hash: "#t=2", touch: true }, async (page) => {
  await settled(page);
  const fingers = await page.context().newCDPSession(page);
  const touch = (type, ...points) => fingers.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const reach = ({ camera }) => Math.hypot(...camera.eye.map((x, k) => x - camera.target[k]));
  const before = await state(page);
  await touch("touchStart", [300, 280], [500, 280]);
  await touch("touchMove", [200, 300], [600, 300]);
  await touch("touchEnd");
  const zoomed = await state(page);
  near(reach(zoomed) / reach(before), 0.5, 0.01, "two fingers twice as far apart");
  assert.ok(Math.hypot(...zoomed.camera.target) > 1e-3 && !zoomed.scripted, "and moved");
  await touch("touchStart", [300, 280]);
  await touch("touchMove", [340, 300]);
  await touch("touchMove", [400, 300]);
  await touch("touchEnd");
  const turned = await state(page);
  near(reach(turned), reach(zoomed), 1e-6, "one finger keeps the distance");
  assert.ok(Math.hypot(...turned.camera.eye.map((x, k) => x - zoomed.camera.eye[k])) > 1, "one finger turns");
  await settled(page);
  const [x] = Object.values(await middles(page, 0));
  await page.touchscreen.tap(Math.round(800 * x), 280);
  assert.deepEqual((await state(page)).selection, { group: 0, item: 0 });
}));
