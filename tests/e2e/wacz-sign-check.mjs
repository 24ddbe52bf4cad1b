// SPDX-License-Identifier: Apache-2.0
// wacz-sign-check.mjs [--wabac CACHE] DIRECTORY...: verifies the anonymous signature of unpacked WACZ files, by
// WebCrypto as "WACZ Signing and Verification" 0.1.0 has it, or with the function that ReplayWeb.page calls.
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

let directories = process.argv.slice(2);
let verify = bySpecification;
if (directories[0] === "--wabac") {
  verify = ofReplayWebPage(directories[1]);
  directories = directories.slice(2);
}

async function bySpecification(data) {
  const curves = { 91: "P-256", 120: "P-384" }; // by the length of a public key
  const spki = Buffer.from(data.publicKey, "base64");
  const key = await webcrypto.subtle.importKey("spki", spki, { name: "ECDSA", namedCurve: curves[spki.length] }, false, ["verify"]);
  const signature = Buffer.from(data.signature, "base64");
  return webcrypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, signature, new TextEncoder().encode(data.hash));
}

function ofReplayWebPage(cache) {
  const load = createRequire(cache + "/");
  const source = readFileSync(cache + "/package/src/wacz/certutils.ts", "utf8");
  const { code } = load("sucrase").transform(source, { transforms: ["typescript", "imports"] });
  const exports = {};
  const utils = { base16: (bytes) => Buffer.from(bytes).toString("hex") };
  new Function("require", "exports", code)((name) => (name === "../utils" ? utils : load(name)), exports);
  return async (data) => (await exports.verifyWACZSignature(data)).find((r) => r.id === "signature").matched;
}

let bad = 0;
for (const directory of directories) {
  const digest = JSON.parse(readFileSync(directory + "/datapackage-digest.json", "utf8"));
  const hash = "sha256:" + createHash("sha256").update(readFileSync(directory + "/datapackage.json")).digest("hex");
  const data = digest.signedData;
  const same = digest.hash === hash && (data.hash === hash || verify !== bySpecification);
  const good = same && (await verify(data)) === true;
  console.log(`${directory}: ${good ? "verified" : "not verified"}`);
  if (!good) bad = 1;
}
process.exit(bad);
