// Pictures of the page, compared with stored ones. HUYGENS_RENEW_SCREENS=1 stores them anew: look at each before it is
// kept. Where one differs, it and the difference are written to the folder `failed` beside the stored ones.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { blankPage, exported, recording, settled, withPage } from "./browser.mjs";
import { LIMITS, compare, reduced } from "./compare.mjs";

const SCREENS = fileURLToPath(new URL("./screens/", import.meta.url));
const viewport = { width: 760, height: 460 };
const asked = (view) => ({ ...recording, stage: { ...recording.stage, view } });
const heap = { target: [12, -7, 0.25], azimuth_deg: -65, elevation_deg: 24, zoom: 2.6 };

// Text is left out: its shape depends on the fonts of the machine. Other tests read it.
const withoutText = () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { color: transparent !important; text-shadow: none !important } svg { fill: var(--ink) !important } #gizmo { visibility: hidden }");
  document.adoptedStyleSheets = [sheet];
};

async function check(page, name) {
  await page.evaluate(withoutText);
  await page.mouse.move(2, 200);
  await settled(page);
  const blank = await blankPage();
  const png = await reduced(blank, (await page.screenshot({ timeout: 60000 })).toString("base64"));
  const file = join(SCREENS, `${name}.png`);
  if (process.env.HUYGENS_RENEW_SCREENS) {
    mkdirSync(SCREENS, { recursive: true });
    await blank.close();
    return writeFileSync(file, Buffer.from(png, "base64"));
  }
  assert.ok(existsSync(file), `${file} is missing; HUYGENS_RENEW_SCREENS=1 stores it`);
  const { difference, ...found } = await compare(blank, png, readFileSync(file).toString("base64"));
  await blank.close();
  const text = Object.entries(found).map(([key, value]) => `${key} ${value.toFixed(2)} (limit ${LIMITS[key]})`).join(", ");
  if (process.env.HUYGENS_SCREEN_NUMBERS) console.log(`${name}: ${text}`);
  if (Object.keys(LIMITS).every((key) => found[key] <= LIMITS[key])) return;
  const folder = join(SCREENS, "failed");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), Buffer.from(png, "base64"));
  writeFileSync(join(folder, `${name}.difference.png`), Buffer.from(difference, "base64"));
  assert.fail(`${name} differs from the stored picture: ΔE ${text}; see ${folder}`);
}

const screen = (name, options, prepare) => test(`picture: ${name}`, () => withPage({ viewport, hash: "#t=1.2", ...options }, async (page) => {
  await settled(page);
  await prepare?.(page);
  await check(page, name);
}));

screen("overview-light", {});
screen("overview-dark", { scheme: "dark" });
screen("colour", { hash: "#t=0.36", recording: asked({ color_by: { field: "speed", range: [0, 4] } }) });
screen("forces", { recording: asked({ camera: { ...heap, target: [11.6, -7.6, 0.4], zoom: 1.9 }, marks: { contacts: "arrows", joints: true } }) });
screen("cut", { recording: asked({ camera: heap, clip: { point: [12.1, -7.2, 0], normal: [0.3, -1, 0] } }) });
screen("picked", { recording: asked({ camera: heap }) }, (page) => page.evaluate(() => window.huygens.pick(0.45, 0.55)));

test("picture: exported file with force chains", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "huygens-page-")), "run.html");
  writeFileSync(file, exported(asked({ camera: { ...heap, zoom: 1.9 }, marks: { contacts: "chains" } })));
  await withPage({ viewport, url: () => `${pathToFileURL(file)}#t=1.2` }, (page) => check(page, "chains"));
});
