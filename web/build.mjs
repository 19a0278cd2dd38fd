// Builds dist/, the files that the site serves beside Sphinx's own, from src/ and the pinned packages in node_modules/.
// Called by tools/assets.py, which also says when there is nothing to do.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { trimStandardLibrary } from "./trim-stdlib.mjs";

const OUT = "dist";
const COMMON = { bundle: true, minify: true, legalComments: "linked", logLevel: "warning" };

const STEPS = [
  ["mathjax: formulas", copyMathJax],
  ["mermaid: diagrams", bundleMermaid],
  ["site: styles and scripts", bundleSite],
  ["figures: those that move", bundleFigures],
  ["self-tests: editor and Python", bundleSelfTests],
];

// TeX input, HTML output and the fonts; the extensions are fetched when a formula needs them.
function copyMathJax() {
  const parts = ["es5/tex-chtml.js", "es5/output/chtml/fonts/woff-v2", "es5/input/tex/extensions", "LICENSE"];
  for (const part of parts) {
    cpSync(`node_modules/mathjax/${part}`, `${OUT}/mathjax/${part.replace("es5/", "")}`, { recursive: true });
  }
}

// Split into chunks, so that a page loads the kinds of diagram it holds. Named .js, which every server knows.
function bundleMermaid() {
  const entryPoints = ["src/mermaid.js"];
  return build({ ...COMMON, entryPoints, format: "esm", splitting: true, target: "es2022", outdir: `${OUT}/mermaid` });
}

function bundleSite() {
  const entryPoints = ["src/site/site.js", "src/site/site.css", "src/site/ledger.js", "src/site/lecture-map.js", "src/site/models.js"];
  const external = ["*.woff"]; // written by tools/site/icons.py
  return build({ ...COMMON, entryPoints, external, format: "iife", target: "es2020", outdir: `${OUT}/site` });
}

// One file per figure with the shared script inside, as a classic script: it also runs from a file on disk.
function bundleFigures() {
  const entryPoints = readdirSync("src/figures").filter((name) => name.endsWith(".js")).map((name) => `src/figures/${name}`);
  return build({ ...COMMON, entryPoints, format: "iife", target: "es2020", outdir: `${OUT}/figures` });
}

// The page's script, and what it fetches when it is needed: the editor, and the worker with Python.
// pe_course.zip, the package itself, is added by tools/site/self_tests when the pages are written.
async function bundleSelfTests() {
  const outdir = `${OUT}/self-test`;
  const runtime = `${outdir}/pyodide-${JSON.parse(readFileSync("node_modules/pyodide/package.json")).version}`;
  mkdirSync(runtime, { recursive: true });
  cpSync("src/self-test/LICENCES.txt", `${outdir}/LICENCES.txt`);
  cpSync("node_modules/pyodide/pyodide.asm.wasm", `${runtime}/pyodide.asm.wasm`);
  const standardLibrary = await trimStandardLibrary(readFileSync("node_modules/pyodide/python_stdlib.zip"));
  writeFileSync(`${runtime}/python_stdlib.zip`, standardLibrary);

  const nodeOnly = ["node:*", "ws"];
  await build({ ...COMMON, entryPoints: ["src/self-test/worker.js"], external: nodeOnly, format: "esm", target: "es2022", outdir });
  await build({ ...COMMON, entryPoints: ["src/self-test/editor.js"], format: "iife", globalName: "selfTestEditor", target: "es2020", outdir });
  const define = {
    WORKER_VERSION: version(`${outdir}/worker.js`, `${runtime}/python_stdlib.zip`),
    EDITOR_VERSION: version(`${outdir}/editor.js`),
  };
  const entryPoints = ["src/self-test/self-test.js", "src/self-test/progress.js"];
  await build({ ...COMMON, entryPoints, define, format: "iife", target: "es2020", outdir });
}

// Part of an address, so that a browser never mixes files of two builds.
function version(...files) {
  const digest = createHash("sha256");
  for (const file of files) digest.update(readFileSync(file));
  return JSON.stringify(digest.digest("hex").slice(0, 8));
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
for (const [what, step] of STEPS) {
  console.log(`assets: building ${what}`);
  await step();
}
