// Bars, panels and marks share the window at sizes of desks and phones: none covers another, none leaves the window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { colorBy, settled, shot, until, withPage } from "./browser.mjs";

const PARTS = ["top", "timeline", "display", "interact", "inspector", "plots", "legend", "gizmo", "scale-bar", "notice"];

// Boxes of the parts that are visible, cut to what the column of panels shows of them.
const boxes = (page) => page.evaluate((parts) => {
  const found = {};
  for (const id of parts) {
    const part = document.getElementById(id);
    if (!part.checkVisibility()) continue;
    const box = part.getBoundingClientRect(), column = part.closest("#right")?.getBoundingClientRect();
    const [top, bottom] = column ? [Math.max(box.top, column.top), Math.min(box.bottom, column.bottom)] : [box.top, box.bottom];
    if (bottom > top) found[id] = { left: box.left, right: box.right, top, bottom };
  }
  return found;
}, PARTS);

async function checkBoxes(page, { width, height }, what) {
  const found = Object.entries(await boxes(page));
  for (const [name, box] of found) {
    assert.ok(box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height, `${what}: ${name} leaves the window: ${JSON.stringify(box)}`);
  }
  found.forEach(([name, a], i) => found.slice(i + 1).forEach(([other, b]) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    assert.ok(across <= 0.5 || down <= 0.5, `${what}: ${name} and ${other} share ${across} × ${down} pixels`);
  }));
  const bars = await page.evaluate(() => [...document.querySelectorAll(".bar")].filter((bar) => bar.scrollWidth > bar.clientWidth).map((bar) => bar.id));
  assert.deepEqual(bars, [], `${what}: the content of these bars leaves them`);
  return Object.fromEntries(found);
}

const SIZES = [[1280, 800], [800, 560], [844, 390], [390, 844], [320, 568]];

for (const [width, height] of SIZES) {
  const small = width <= 680 || height <= 520, viewport = { width, height };
  test(`nothing is covered at ${width} × ${height}`, () => withPage({ viewport, touch: small, hash: "#t=1.6", server: { interactive: true } }, async (page) => {
    await settled(page);
    await page.locator("#interact").waitFor();
    await checkBoxes(page, viewport, "opened");
    await colorBy(page, "velocity");
    await page.locator("#legend").waitFor();
    await page.evaluate(() => window.huygens.select(0, 20));
    let found = await checkBoxes(page, viewport, "with a selection");
    assert.ok(found.inspector.bottom - found.inspector.top >= 40 && found.legend, "the selected item is shown");
    await shot(page, `layout-${width}-selected`);
    await page.click("#open-display");
    found = await checkBoxes(page, viewport, "with display settings");
    assert.ok(found.display.bottom - found.display.top >= 150, "display settings have room");
    assert.equal(found.inspector === undefined, small, "a small window shows one panel at a time");
    // The last control can be scrolled to and is not hidden by what lies above it.
    await page.locator("#find-item").click();
    await page.click("#open-plots");
    await page.evaluate(() => window.huygens.notify("A message that is long enough to need more than one line of a phone."));
    found = await checkBoxes(page, viewport, "with plots and a message");
    assert.ok(found.plots.bottom - found.plots.top >= 100 && found.notice, "plots have room");
    assert.equal(found.display === undefined, small);
    await settled(page);
    await shot(page, `layout-${width}-plots`);
    // The picture is not hidden by what lies below it.
    const picture = await page.locator("#picture").boundingBox();
    assert.ok(picture.y + picture.height <= found.plots.top + 1, "the plots hide the picture");
  }));
}

test("a window that becomes small keeps one panel", () => withPage({ viewport: { width: 1280, height: 800 }, hash: "#t=1.6" }, async (page) => {
  await settled(page);
  await page.click("#open-display");
  await page.click("#open-plots");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#plots").waitFor({ state: "hidden" });
  assert.ok(await page.locator("#display").isVisible());
  await until(page, "the picture settles", (s) => s.settled);
  await checkBoxes(page, { width: 390, height: 844 }, "made small");
}));
