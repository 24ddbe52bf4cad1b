// SPDX-License-Identifier: Apache-2.0
// build-ui.mjs WEB MODULES OUT.c DEPFILE [required]: bundles the web interface with esbuild and writes it, compressed,
// as a C file. MODULES is a directory that builds share: packages are installed there once for each package-lock.json. When that
// fails (no network, no registry) the build goes on without the interface and says so, unless it is required.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const [web, modules, out, depfile, required] = process.argv.slice(2).map((a, i) => (i < 4 ? path.resolve(a) : a));
const types = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
                ".svg": "image/svg+xml" };

/* Packages, once for each lock file. The folder appears whole or not at all, whoever else builds at the same time. */
function install() {
  const lock = fs.readFileSync(path.join(web, "package-lock.json"));
  const folder = path.join(modules, createHash("sha256").update(lock).digest("hex").slice(0, 16));
  if (fs.existsSync(path.join(folder, "node_modules"))) return folder;
  const fresh = `${folder}.${process.pid}`;
  fs.mkdirSync(fresh, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) fs.copyFileSync(path.join(web, name), path.join(fresh, name));
  execFileSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
               { cwd: fresh, stdio: ["ignore", "ignore", "inherit"], timeout: 300000 });
  try {
    fs.renameSync(fresh, folder);
  } catch {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

async function bundle(folder) {
  const esbuild = createRequire(path.join(folder, "x.cjs"))("esbuild");
  const result = await esbuild.build({
    absWorkingDir: web, entryPoints: { app: "src/main.tsx" }, bundle: true, minify: true, splitting: true, format: "esm",
    target: "es2021", jsx: "automatic", jsxImportSource: "preact", nodePaths: [path.join(folder, "node_modules")],
    outdir: "/out", write: false, metafile: true, legalComments: "none", charset: "utf8", logLevel: "error",
  });
  const files = result.outputFiles.map((f) => [path.relative("/out", f.path), Buffer.from(f.contents)]);
  for (const name of ["index.html", "icon.svg"]) files.push([name, fs.readFileSync(path.join(web, "src", name))]);
  const inputs = Object.keys(result.metafile.inputs).map((f) => path.resolve(web, f)).filter((f) => f.startsWith(web));
  inputs.push(...["src/index.html", "src/icon.svg", "package-lock.json"].map((f) => path.join(web, f)));
  return { files: files.sort(), inputs };
}

function write(files) {
  const text = ["/* Made by tools/build-ui.mjs. */", `#include "${path.resolve(web, "../src/serve/ui.h")}"`, ""];
  const rows = [];
  files.forEach(([name, bytes], i) => {
    const packed = gzipSync(bytes, { level: 9 });
    const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 20);
    text.push(`static const unsigned char file${i}[] = {${[...packed].join(",")}};`);
    rows.push(`    {"${name}", "${types[path.extname(name)]}", "\\"${etag}\\"", file${i}, sizeof file${i}, ${bytes.length}},`);
  });
  text.push("const struct serve_ui_file sharc__serve_ui_files[] = {", ...rows, "    {0}};",
            `const size_t sharc__serve_ui_count = ${files.length};`, "");
  fs.writeFileSync(out, text.join("\n"));
}

let made = { files: [], inputs: [] };
let folder;
try {
  folder = install();
} catch (e) {
  console.error(`the web interface was left out: npm could not install its packages (${String(e.message).split("\n")[0]})`);
  if (required === "required") process.exit(1);
}
if (folder) made = await bundle(folder);
write(made.files);
fs.writeFileSync(depfile, `${path.basename(out)}: ${made.inputs.join(" ")}\n`);
