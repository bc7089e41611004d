import { TRIM_SCRIPT } from "./trim-script.ts";

/**
 * The program of the thread that reads web pages, as text. A thread starts from a file or from a text. A file would
 * have to be found next to the sources, in the package and in the bundle alike. The program knows only its data and
 * its messages: it receives `{ id, html, url, encoding, part }`, with the HTML as bytes, and answers `{ id, page }` or `{ id, failed }`. It has no network.
 */
export const WORKER_SCRIPT = `
${TRIM_SCRIPT}
const { parentPort, workerData } = require("node:worker_threads");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const refuse = () => Promise.reject(new Error("A page is read without network."));
globalThis.fetch = refuse;
globalThis.WebSocket = undefined;
// Libraries log what they stumble over; nobody reads it.
for (const name of ["log", "warn", "error", "info", "debug"]) console[name] = () => {};

// A document takes up to 70 times its bytes, and V8 would keep that of the last page while it reads the next.
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
setFlagsFromString("--no-expose-gc");
const collect = (bytes) => bytes > 256 * 1024 && collectGarbage();

const loaded = Promise.all(Object.values(workerData.modules).map((module) => import(module)));

// A larger page is converted without the search for its main text: a page of 1 MB may take half a second. In the same time as an
// element, the rest takes so many characters.
const MOST_ELEMENTS = 4800;
const CHARS_PER_ELEMENT = 350;
const isLarge = ({ elements, visibleChars }) => elements + visibleChars / CHARS_PER_ELEMENT > MOST_ELEMENTS;
// The same for elements inside each other: looking at all that is around or in each of them takes the square, too.
const MOST_DEPTH = 400;
const HIDDEN = /(?:^|;)\\s*(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden|font-size\\s*:\\s*0(?:px|em|rem|%)?\\s*(?:;|!|$))/i;
const NOISE = "script,style,noscript,template,nav,aside,footer,header,form,iframe,svg,object,embed,dialog,[role=navigation],[role=banner],[role=contentinfo],[role=search]";

const BESIDE = new Set(["nav", "aside", "footer", "form"]);
const isHidden = (element) => element.hasAttribute("hidden") || HIDDEN.test(element.getAttribute("style") ?? "");

function factsOf(document) {
  const body = document.body ?? document.documentElement;
  const unseen = [...body.querySelectorAll("script,style,noscript,template")].map((element) => length(element.textContent));
  const data = [...document.querySelectorAll('script[type="application/ld+json"]')].map((script) => script.textContent).join();
  return {
    elements: document.querySelectorAll("*").length,
    visibleChars: Math.max(0, length(body.textContent) - unseen.reduce((sum, chars) => sum + chars, 0)),
    scripts: document.querySelectorAll("script:not([type='application/ld+json'])").length,
    noscript: [...document.querySelectorAll("noscript")].map((one) => one.textContent).join(" ").replace(/<[^>]*>/g, " ").replace(/\\s+/g, " ").trim().slice(0, 500),
    hasPassword: document.querySelector("input[type=password]") !== null,
    refresh: refreshOf(document),
    isPaid: /"isAccessibleForFree"\\s*:\\s*"?false/i.test(data),
  };
}

/** The address to which the page sends a browser by itself. */
function refreshOf(document) {
  const meta = [...document.querySelectorAll("meta[http-equiv]")].find((one) => /^refresh$/i.test(one.getAttribute("http-equiv")));
  return /^[\\s\\d.]*[;,]\\s*url\\s*=\\s*["']?([^"']+)/i.exec(meta?.getAttribute("content") ?? "")?.[1].trim();
}

const length = (text) => (text ?? "").replace(/\\s+/g, " ").trim().length;

/** How many elements are inside each other at most. */
function depthOf(root) {
  let depth = 0;
  for (let level = [root]; level.length > 0; level = level.flatMap((element) => [...element.children])) depth += 1;
  return depth;
}

// Servers often declare UTF-8 or windows-1252 and send the other one.
function decode(bytes, encoding) {
  if (encoding !== undefined && !["utf-8", "windows-1252"].includes(encoding)) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const text = encoding === "utf-8" ? new TextDecoder().decode(bytes) : "";
    return /[^\\p{ASCII}\\ufffd]/u.test(text) ? text : new TextDecoder("windows-1252").decode(bytes);
  }
}

async function read({ html, url, encoding, part }) {
  const [{ Defuddle }, { createMarkdownContent }, { parseHTML }] = await loaded;
  // The document is out of reach before its text is parsed again for Markdown.
  const { main, about, title, facts } = await mainOf(Defuddle, parseHTML, decode(html, encoding), url);
  collect(html.byteLength);
  const markdown = createMarkdownContent(main, url).trim();
  const heading = [title && "# " + title, about && "*" + about + "*"].filter(Boolean).map((line) => line + "\\n\\n").join("");
  const text = (heading + markdown).trimEnd();
  const { from, chars } = part ?? { from: 0, chars: text.length };
  return { title, heading, text: text.slice(from, from + chars), total: text.length, facts: { ...facts, start: markdown.slice(0, 500) } };
}

async function mainOf(Defuddle, parseHTML, html, url) {
  const document = parse(parseHTML, html);
  const facts = factsOf(document);
  const isDeep = depthOf(document.documentElement) > MOST_DEPTH;
  const prose = isDeep ? [] : longestProse(document);
  const title = (document.querySelector("title")?.textContent ?? "").trim();
  const main = isDeep || isLarge(facts) ? undefined : await Defuddle(document, url, { useAsync: false, fetch: refuse, language: "en" });
  // Main text that is far less than what stands on the page, or that lacks its longest prose, is likely the wrong part of it.
  const isMain = main && length(plainText(main.content)) * 20 >= facts.visibleChars && holds(parseHTML, main.content, prose);
  // The search for the main text changes the document.
  const root = isMain ? bodyOf(parseHTML, main.content) : plain(main ? parse(parseHTML, html) : document);
  trim(root);
  return {
    title: main?.title || title,
    main: root.innerHTML,
    about: [main?.author && "by " + main.author, main?.published, main?.site].filter(Boolean).join(", "),
    facts,
  };
}

function parse(parseHTML, html) {
  const { document } = parseHTML(/<html[\\s>]/i.test(html) ? html : "<!doctype html><html><body>" + html + "</body></html>");
  for (const element of [...document.querySelectorAll("[hidden],[style]")]) if (isHidden(element)) element.remove();
  return document;
}

const plainText = (html) => html.replace(/<[^>]*>/g, " ");

/** Whether an element is in a part of the page beside its text. */
function isBeside(element) {
  for (let around = element; around !== null; around = around.parentElement)
    if (BESIDE.has(around.localName) || /comment/.test(around.className + " " + around.id)) return true;
  return false;
}
/** The paragraphs that stand together and have the most text. */
function longestProse(document) {
  const groups = new Map();
  for (const paragraph of document.querySelectorAll("p")) {
    const text = textOf(paragraph);
    if (text.length < 80 || isBeside(paragraph) || kindOf(paragraph, text, false).kind !== "prose") continue;
    const group = groups.get(paragraph.parentElement) ?? [];
    group.push(text);
    groups.set(paragraph.parentElement, group);
  }
  const size = (group) => group.reduce((sum, text) => sum + text.length, 0);
  return [...groups.values()].reduce((best, group) => (size(group) > size(best) ? group : best), []);
}

/** Whether some of these paragraphs are in the HTML. */
function holds(parseHTML, html, paragraphs) {
  if (paragraphs.length < 3) return true;
  const text = textOf(bodyOf(parseHTML, html));
  return paragraphs.filter((one) => text.includes(one.slice(0, 60))).length * 3 >= paragraphs.length;
}

const bodyOf = (parseHTML, html) => parseHTML("<!doctype html><html><body>" + html + "</body></html>").document.body;

function plain(document) {
  const root = document.querySelector("main,article,[role=main],#content,#main") ?? document.body ?? document.documentElement;
  for (const element of root.querySelectorAll(NOISE)) element.remove();
  return root;
}

parentPort.on("message", ({ id, ...page }) => {
  read(page).then(
    (page) => parentPort.postMessage({ id, page }),
    (error) => parentPort.postMessage({ id, failed: String(error?.message ?? error).slice(0, 300) }),
  ).then(() => collect(page.html.byteLength));
});
`;
