// Runs the validator of the Khronos Group over a .glb file: node check.mjs FILE.
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[2])));
for (const message of report.issues.messages) {
  console.error(`${message.code} ${message.pointer ?? ""}: ${message.message}`);
}
const { numErrors, numWarnings } = report.issues;
const { animationCount, drawCallCount, totalTriangleCount } = report.info;
console.log(`glTF: ${numErrors} errors, ${numWarnings} warnings; ${animationCount} animation, ` +
  `${drawCallCount} shapes, ${totalTriangleCount} triangles`);
process.exit(numErrors + numWarnings > 0 || animationCount !== 1 ? 1 : 0);
