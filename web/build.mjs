// Builds dist/, the files that the site serves beside Sphinx's own, from src/ and the pinned packages in node_modules/.
// Called by tools/assets.py, which also says when there is nothing to do.
import { build } from "esbuild";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";

const OUT = "dist";
const COMMON = { bundle: true, minify: true, legalComments: "linked", logLevel: "warning" };

const STEPS = [
  ["mathjax: formulas", copyMathJax],
  ["mermaid: diagrams", bundleMermaid],
  ["site: styles and scripts", bundleSite],
  ["figures: those that move", bundleFigures],
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
  const entryPoints = ["src/site/site.js", "src/site/site.css", "src/site/ledger.js", "src/site/lecture-map.js"];
  const external = ["*.woff"]; // written by tools/site/icons.py
  return build({ ...COMMON, entryPoints, external, format: "iife", target: "es2020", outdir: `${OUT}/site` });
}

// One file per figure with the shared script inside, as a classic script: it also runs from a file on disk.
function bundleFigures() {
  const entryPoints = readdirSync("src/figures").filter((name) => name.endsWith(".js")).map((name) => `src/figures/${name}`);
  return build({ ...COMMON, entryPoints, format: "iife", target: "es2020", outdir: `${OUT}/figures` });
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
for (const [what, step] of STEPS) {
  console.log(`assets: building ${what}`);
  await step();
}
