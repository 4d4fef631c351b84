// Headless Chromium on the page, against the stand-in server, or against the viewer's own one where HUYGENS_SERVE names
// its example program `serve` (`cargo build -p huygens-viewer --example serve`). HUYGENS_CHROMIUM names the browser's
// program; HUYGENS_SHOTS a folder for pictures of what was tested.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { exportHtml } from "./bundle.mjs";
import { RealServer, exportHtmlReal } from "./real.mjs";
import { makeRecording } from "./recording.mjs";
import { MockServer } from "./server.mjs";

const [PageServer, exportPage] = process.env.HUYGENS_SERVE ? [RealServer, exportHtmlReal] : [MockServer, exportHtml];
const PROGRAM = process.env.HUYGENS_CHROMIUM ?? ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);
const FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

export const exported = exportPage;
export const recording = makeRecording({ spheres: 300, frames: 50, rate: 25 });
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
});
after(() => browser?.close());

// A page on the synthetic recording; fails the test on any error of the page.
export async function withPage(options, body) {
  const server = await new PageServer(options.recording ?? recording, options.server).listen();
  const page = await browser.newPage({ viewport: options.viewport ?? { width: 800, height: 560 }, colorScheme: options.scheme ?? "light", reducedMotion: "no-preference", hasTouch: Boolean(options.touch) });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  try {
    await page.goto(options.url?.(server) ?? server.url + (options.hash ?? "#paused"));
    if (!options.unready) await page.evaluate(() => window.huygens.ready.then(() => true));
    await body(page, server);
    if (!options.unready) assert.deepEqual(errors, []);
  } finally {
    await page.close();
    server.close();
  }
}

export const state = (page) => page.evaluate(() => window.huygens.state());

// Wait until a condition on the page's state holds.
export async function until(page, what, condition) {
  for (let i = 0; i < 600; i++) {
    const s = await state(page);
    if (condition(s)) return s;
    await page.waitForTimeout(50);
  }
  assert.fail(`${what}: ${JSON.stringify(await state(page))}`);
}

export const settled = (page) => until(page, "the picture settles", (s) => s.settled);

// Colour by a field, whether its control is on show or not.
export const colorBy = (page, name) => page.evaluate((field) => {
  const select = document.getElementById("color-field");
  select.value = field;
  select.dispatchEvent(new Event("change"));
}, name);

export async function shot(page, name) {
  if (process.env.HUYGENS_SHOTS) await page.screenshot({ path: join(process.env.HUYGENS_SHOTS, `${name}.png`), timeout: 60000 });
}

// A page without content, to compute in.
export const blankPage = () => browser.newPage();
