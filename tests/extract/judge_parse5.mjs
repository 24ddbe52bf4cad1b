// SPDX-License-Identifier: Apache-2.0
// Our tokenizer beside parse5's: random tag soup and HTML files, token by token.
//   judge_parse5.mjs TOKENS MODULES [--cases N] [--seed S] [FILE.html …]
// TOKENS is the program tests/extract_tokens, MODULES a node_modules folder with
// parse5-sax-parser. Exit code 77 when that is not there. Prints TAP.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [tokens, modules, ...args] = process.argv.slice(2);
const sax = join(modules ?? "", "parse5-sax-parser/dist/index.js");
if (!modules || !existsSync(sax)) process.exit(77);
const { SAXParser } = await import(pathToFileURL(sax));

let cases = 2000, seed = 1;
const files = [];
for (let i = 0; i < args.length; i++) {
    if (args[i] === "--cases") cases = Number(args[++i]);
    else if (args[i] === "--seed") seed = Number(args[++i]);
    else files.push(args[i]);
}

let state = BigInt(seed) * 0x9e3779b97f4a7c15n & 0xffffffffffffffffn;
function below(n) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(n));
}
const pick = list => list[below(list.length)];

const names = ["a", "A", "p", "div", "br", "img", "title", "textarea", "style", "script", "SCRIPT", "iframe", "xmp",
    "noembed", "noframes", "template", "foreignObject", "desc", "mi", "mtext", "annotation-xml", "table", "td",
    "select", "option", "font", "g", "x-y", "use", "b", "span", "h1"];
const pieces = [" ", "\n", "text", "&amp;", "&amp", "&copy=1", "&notit;", "&notin;", "&#65;", "&#x80;", "&#0;", "&#xD800;",
    "&#1114112;", "&#;", "&bogus;", "&lt", "&Aacute;&", "<", ">", "/", "=", "\"", "'", "<!--", "-->", "--!>", "<!-->",
    "<!--->", "<!", "</", "</>", "<?xml ?>", "<!DOCTYPE html>", "<!doctype>", "<![CDATA[", "]]>", "\r\n", "\r", "\t", "\f",
    "é", "日本", "-", "--", "<!-- <script>", "</script", "</title >", "</style/", "<3", "a<b", "&&", "&lt;x", "😀"];
const attrs = ["href", "HREF", "src", "a", "b", "style", "encoding", "color", "data-x", "xlink:href", "é", "\"", "<", "'"];
const values = ["x", "\"x y\"", "'q'", "\"a&amp;b&copy=2&lt\"", "text/html", "'a\"b'", "\"\"", "u/", "a=b", "&gt;x", "\"\r\n\"", "`"];

function tag() {
    let s = "<" + (below(3) ? "" : "/") + pick(names);
    for (let n = below(4); n > 0; n--) {
        s += pick([" ", "\n", "/", "  "]) + pick(attrs);
        if (below(3)) s += pick(["=", " = ", "=\n"]) + pick(values);
    }
    return s + pick([">", ">", ">", ">", "/>", " />", " ", ""]);
}
// SVG and MathML as they should be: parse5-sax-parser follows broken ones less closely than its own tree
// builder does, so those are left to the other judge. noscript is raw text to it, because it has scripting on.
const inSvg = ["<style>a&amp;b</style>", "<![CDATA[<p>&amp;]]>", "<script>1&lt;2</script>", "<g a=b>", "</g>", "<use href='#a'/>",
    "<title>t&lt;<b>u</b></title>", "<foreignObject><div><style></g></style></div></foreignObject>", "<desc><title><i></title></desc>",
    "<svg><title>x</title></svg>", "<image xlink:href=x />", "<foreignObject/>", " text ", "<!-- <g> -->"];
const inMath = ["<mi>x<title><b></title></mi>", "<mo/>", "<style>&lt;</style>", "<![CDATA[x<y]]>", "<mtext><b>a</b></mtext>", "<annotation-xml><style>&gt;</style></annotation-xml>"];
function island() {
    const [name, inside] = below(2) ? ["svg", inSvg] : ["math", inMath];
    let s = `<${name}>`;
    for (let n = below(6); n > 0; n--) s += pick(inside);
    return s + `</${name}>`;
}
function soup() {
    let s = "";
    for (let n = 1 + below(25); n > 0; n--) s += below(2) ? tag() : pick(pieces);
    return below(4) ? s : Array.from({ length: 3 }, () => island() + pick(pieces)).join("<!-- -->");
}

const escaped = s => Array.from(Buffer.from(s), b => {
    const c = String.fromCharCode(b);
    return /[A-Za-z0-9]/.test(c) ? c : "%" + b.toString(16).toUpperCase().padStart(2, "0");
}).join("");

function judge(page) {
    const out = [], parser = new SAXParser();
    let text = "";
    const flush = () => { if (text) out.push("T " + escaped(text)); text = ""; };
    parser.on("text", t => { text += t.text; });
    parser.on("startTag", t => {
        flush();
        out.push(["S", escaped(t.tagName.toLowerCase()), t.selfClosing ? 1 : 0,
            ...t.attrs.map(a => escaped(((a.prefix ? a.prefix + ":" : "") + a.name).toLowerCase()) + "=" + escaped(a.value))].join(" "));
    });
    parser.on("endTag", t => { flush(); out.push("E " + escaped(t.tagName.toLowerCase())); });
    parser.on("comment", t => { flush(); out.push("C " + escaped(t.text)); });
    parser.on("doctype", t => { flush(); out.push("D " + escaped(t.name ?? "")); });
    parser.end(page);
    flush();
    return out;
}

const pages = files.map(f => readFileSync(f).toString("utf8").replace(/noscript/gi, "noscripx"));
for (let i = 0; i < cases; i++) pages.push(soup());
const input = Buffer.concat(pages.flatMap(p => { const b = Buffer.from(p); return [Buffer.from(b.length + "\n"), b]; }));
const run = spawnSync(tokens, [], { input, maxBuffer: 1 << 30 });
if (run.status !== 0) { console.log("not ok 1 - " + tokens + " failed\n1..1"); process.exit(1); }
const answers = [[]];
for (const line of run.stdout.toString().split("\n"))
    if (line === ".") answers.push([]);
    else if (line) answers.at(-1).push(line);
// parse5-sax-parser drops a line feed somewhere behind pre and textarea: line feeds in text are not compared.
const plain = lines => lines.map(l => l.startsWith("T ") ? l.replaceAll("%0A", "") : l).filter(l => l !== "T ");

let bad = 0, shown = 0, seen = 0;
pages.forEach((page, i) => {
    const ours = plain(answers[i]), theirs = plain(judge(page));
    seen += theirs.length;
    if (ours.join("\n") === theirs.join("\n")) return;
    bad++;
    if (shown++ >= 10) return;
    let at = 0;
    while (ours[at] === theirs[at]) at++;
    console.log("# " + (files[i] ?? JSON.stringify(page)) + "\n#   ours   " + ours[at]?.slice(0, 200) + "\n#   parse5 " + theirs[at]?.slice(0, 200));
});
console.log((bad ? "not ok" : "ok") + ` 1 - ${pages.length} pages, ${seen} tokens, ${bad} pages differ\n1..1`);
process.exit(bad ? 1 : 0);
