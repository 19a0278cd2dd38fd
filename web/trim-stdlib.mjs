// Python's standard library for the browser, cut down to what a self-test can use, and compiled.
//
// Pyodide ships sources of everything, and compiling them is most of the time that a reader waits. This runs Pyodide
// here, in node, notes which modules its start and the imports below load, and compiles exactly those with the same
// interpreter, so that the bytecode always fits. The result is the same bytes on every machine.
import { loadPyodide } from "pyodide";

// What an answer may import, and what the grader and error messages need.
export const OFFERED = `
  abc array ast bisect builtins cmath collections collections.abc contextlib copy dataclasses datetime decimal difflib dis enum
  fractions functools heapq html inspect io itertools json keyword linecache math numbers operator os pprint random re signal
  statistics string struct sys textwrap threading time timeit tokenize traceback types typing warnings zipimport
  importlib.util importlib.resources pathlib encodings.idna encodings.latin_1 encodings.ascii encodings.cp437
  encodings.unicode_escape _strptime _colorize annotationlib
`.trim().split(/\s+/);

/** Returns the bytes of the new zip, given those of Pyodide's own. */
export async function trimStandardLibrary(original) {
  const python = await loadPyodide();
  python.FS.writeFile("/original.zip", original);
  python.globals.set("OFFERED", python.toPy(OFFERED));
  python.runPython(WRITE_COMPILED);
  return python.FS.readFile("/trimmed.zip");
}

const WRITE_COMPILED = `
import importlib, importlib.util, marshal, sys, zipfile

for name in OFFERED:
    importlib.import_module(name)

origins = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
needed = {origin.split(".zip/", 1)[1] for origin in origins if ".zip/" in origin}

def compiled(name, source):
    code = compile(source, "/lib/" + name, "exec", dont_inherit=True, optimize=0)
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)

with zipfile.ZipFile("/original.zip") as original, zipfile.ZipFile("/trimmed.zip", "w") as trimmed:
    for name in sorted(original.namelist()):
        if name in needed:
            entry = zipfile.ZipInfo(name + "c", (2020, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            trimmed.writestr(entry, compiled(name, original.read(name)), compresslevel=9)
`;
