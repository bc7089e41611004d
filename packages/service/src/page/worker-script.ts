/**
 * The program of the thread that reads web pages, as text. A thread starts from a file or from a text. A file would
 * have to be found next to the sources, in the package and in the bundle alike. The program knows only its data and
 * its messages: it receives `{ id, html, url }` and answers `{ id, page }` or `{ id, failed }`. It has no network.
 */
export const WORKER_SCRIPT = `
const { parentPort, workerData } = require("node:worker_threads");
const refuse = () => Promise.reject(new Error("A page is read without network."));
globalThis.fetch = refuse;
globalThis.WebSocket = undefined;
// Libraries log what they stumble over; nobody reads it.
for (const name of ["log", "warn", "error", "info", "debug"]) console[name] = () => {};

const loaded = Promise.all(Object.values(workerData.modules).map((module) => import(module)));

// A page with more elements is converted without the search for its main text, which takes time with the square of them.
const MOST_ELEMENTS = 6000;
const HIDDEN = /(?:^|;)\\s*(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden|font-size\\s*:\\s*0(?:px|em|rem|%)?\\s*(?:;|!|$))/i;
const NOISE = "script,style,noscript,template,nav,aside,footer,header,form,iframe,svg,object,embed,dialog,[role=navigation],[role=banner],[role=contentinfo],[role=search]";

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
    isPaid: /"isAccessibleForFree"\\s*:\\s*"?false/i.test(data),
  };
}

const length = (text) => (text ?? "").replace(/\\s+/g, " ").trim().length;

async function read({ html, url }) {
  const [{ Defuddle }, { createMarkdownContent }, { parseHTML }] = await loaded;
  const document = parse(parseHTML, html);
  const facts = factsOf(document);
  const title = (document.querySelector("title")?.textContent ?? "").trim();
  const main = facts.elements > MOST_ELEMENTS ? undefined : await Defuddle(document, url, { useAsync: false, fetch: refuse, language: "en" });
  // Main text that is far less than what stands on the page is likely the wrong part of it.
  const isMain = main && length(main.content.replace(/<[^>]*>/g, " ")) * 20 >= facts.visibleChars;
  // The search for the main text changes the document.
  const whole = isMain ? main.content : plain(main ? parse(parseHTML, html) : document);
  return {
    title: main?.title || title,
    markdown: createMarkdownContent(whole, url),
    ...(main?.author ? { author: main.author } : {}),
    ...(main?.published ? { published: main.published } : {}),
    ...(main?.site ? { site: main.site } : {}),
    facts,
  };
}

function parse(parseHTML, html) {
  const { document } = parseHTML(/<html[\\s>]/i.test(html) ? html : "<!doctype html><html><body>" + html + "</body></html>");
  for (const element of [...document.querySelectorAll("[hidden],[style]")]) if (isHidden(element)) element.remove();
  return document;
}

function plain(document) {
  const root = document.querySelector("main,article,[role=main],#content,#main") ?? document.body ?? document.documentElement;
  for (const element of root.querySelectorAll(NOISE)) element.remove();
  return root.innerHTML;
}

parentPort.on("message", ({ id, ...page }) => {
  read(page).then(
    (page) => parentPort.postMessage({ id, page }),
    (error) => parentPort.postMessage({ id, failed: String(error?.message ?? error).slice(0, 300) }),
  );
});
`;
