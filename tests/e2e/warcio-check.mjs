// SPDX-License-Identifier: Apache-2.0
// warcio-check.mjs MODULES FILE...: read every record of every file with npm's
// warcio, take the digests again, and compare with what the file says. One line
// of TAP per file.
import fs from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const [modules, ...files] = process.argv.slice(2);
const { WARCParser } = createRequire(path.join(path.resolve(modules), 'x.cjs'))('warcio');

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
function base32(bytes) {
  let bits = 0, value = 0, out = '';
  for (const b of bytes) {
    value = (value << 8 | b) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) out += BASE32[value >> bits - 5 & 31];
  }
  return bits ? out + BASE32[value << 5 - bits & 31] : out;
}
function digest(said, bytes) {
  const kind = said.split(':')[0];
  const hash = createHash(kind).update(bytes).digest();
  return kind + ':' + (kind === 'sha1' ? base32(hash) : hash.toString('hex'));
}

async function bytesOf(record) {
  const parts = [];
  for await (const chunk of record) parts.push(chunk);
  return Buffer.concat(parts);
}

// warcio hands out payloads without their chunk framing and content coding, and
// blocks as they are when it is not asked for HTTP heads: read the file twice.
async function each(file, parseHttp, fn) {
  const parser = new WARCParser(fs.createReadStream(file), { parseHttp, keepHeadersCase: true });
  for await (const record of parser) await fn(record, parser);
}

async function check(file) {
  const problems = [], ids = new Set();
  let records = 0;
  const field = (record, name) => record.warcHeader(name) ?? null;
  await each(file, false, async record => {
    records++;
    const block = await bytesOf(record);
    const said = field(record, 'WARC-Block-Digest');
    if (!said || digest(said, block) !== said) problems.push(`record ${records}: block digest ${said}`);
    if (block.length !== Number(field(record, 'Content-Length'))) problems.push(`record ${records}: length`);
    const id = field(record, 'WARC-Record-ID');
    if (ids.has(id)) problems.push(`record ${records}: id twice`);
    ids.add(id);
    if (record.warcType === 'revisit')
      for (const name of ['WARC-Profile', 'WARC-Refers-To', 'WARC-Refers-To-Target-URI', 'WARC-Refers-To-Date', 'WARC-Payload-Digest'])
        if (!field(record, name)) problems.push(`record ${records}: revisit without ${name}`);
  });
  await each(file, true, async record => {
    const said = field(record, 'WARC-Payload-Digest');
    if (!said || record.warcType === 'revisit') return;
    const payload = await bytesOf(record);
    if (digest(said, payload) !== said) problems.push(`${record.warcType} ${record.warcTargetURI}: payload digest`);
  });
  if (records === 0) problems.push('no record');
  return { records, problems };
}

let n = 0, bad = 0;
for (const file of files) {
  let result;
  try {
    result = await check(file);
  } catch (e) {
    result = { records: 0, problems: [String(e)] };
  }
  const ok = result.problems.length === 0;
  bad += !ok;
  console.log(`${ok ? 'ok' : 'not ok'} ${++n} - warcio reads ${result.records} records of ${path.basename(file)}`);
  for (const p of result.problems.slice(0, 20)) console.log('# ' + p);
}
process.exit(bad ? 1 : 0);
