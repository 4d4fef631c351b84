// The viewer's own server in place of the stand-in: the example program `serve`, named by HUYGENS_SERVE.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { packFrame, packStage } from "./recording.mjs";

const PROGRAM = process.env.HUYGENS_SERVE;

function sized(bytes) {
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([head, bytes]);
}

// Everything in one file for the program to record.
function writeInput({ stage, frames }) {
  const folder = mkdtempSync(join(tmpdir(), "huygens-serve-"));
  // Only batches of meshes name one.
  const batches = stage.batches.map((batch) => ({ ...batch, mesh: batch.kind === "mesh" ? batch.mesh : null }));
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(frames.length));
  writeFileSync(join(folder, "input.bin"), Buffer.concat([sized(packStage({ ...stage, batches })), count, ...frames.map((f) => sized(packFrame(f)))]));
  return folder;
}

export class RealServer {
  constructor(recording, { shown = recording.frames.length, interactive = false, budgetBytes = 0 } = {}) {
    this.folder = writeInput(recording);
    this.commands = [];
    const options = ["--shown", String(shown), ...(interactive ? ["--interactive"] : []), ...(budgetBytes ? ["--budget", String(budgetBytes)] : [])];
    this.program = spawn(PROGRAM, [join(this.folder, "input.bin"), ...options], { stdio: ["pipe", "pipe", "inherit"] });
  }

  // First the program prints the address, then commands of the page.
  listen() {
    return new Promise((done, fail) => {
      this.program.on("error", fail);
      this.program.on("exit", (code) => fail(new Error(`the server ended with code ${code}`)));
      createInterface({ input: this.program.stdout }).on("line", (line) => {
        if (this.url) return this.commands.push(JSON.parse(line));
        this.url = line;
        this.origin = new URL(line).origin;
        done(this);
      });
    });
  }

  grow(count) {
    this.program.stdin.write(`grow ${count}\n`);
  }

  // More things in the same run: a recording of a larger stage.
  extend(recording) {
    this.larger = writeInput(recording);
    this.program.stdin.write(`extend ${join(this.larger, "input.bin")}\n`);
  }

  // Another run under the same name.
  replace(recording) {
    this.other = writeInput(recording);
    this.program.stdin.write(`replace ${join(this.other, "input.bin")}\n`);
  }

  close() {
    for (const folder of [this.other, this.larger]) if (folder) rmSync(folder, { recursive: true, force: true });
    this.program.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// The page as one file, written by the viewer.
export function exportHtmlReal(recording) {
  const folder = writeInput(recording), file = join(folder, "run.html");
  execFileSync(PROGRAM, [join(folder, "input.bin"), "--html", file], { stdio: "inherit" });
  const text = readFileSync(file, "utf8");
  rmSync(folder, { recursive: true, force: true });
  return text;
}
