/**
 * The part of the thread's program that takes out what surrounds the main text: lists of links and cards before and after
 * it, labels of advertisements, cookie notices, invitations to subscribe or share, and repeated captions. It goes by the
 * shape of blocks and by the usual words, and never by a site. A page without enough prose stays as it is.
 */
export const TRIM_SCRIPT = String.raw`
const BLOCKS = "p,li,h1,h2,h3,h4,h5,h6,blockquote,pre,table,figure,dl,div,section,article,ul,ol,aside,details,math";
const SOLID = new Set(["pre", "table", "figure", "math", "dl", "details", "video", "audio", "iframe"]);
const CHROME = {
  // A block that is nothing but one of these.
  label: /^(?:advert(?:s|isements?|isement feature|ising)?|ads?|sponsored(?: content| links?)?|promoted|iklan|anzeige|werbung|publicidade|publicidad|pubblicit\u00e0|publicit\u00e9|reklam[ae]?|\u5e7f\u544a|\u5e83\u544a|\uad11\uace0|\u0440\u0435\u043a\u043b\u0430\u043c\u0430|share(?: this)?(?: (?:article|story|page|post))?|tweet|print|e-?mail|copy link|subscribe(?: now)?|sign up|log ?in|close|caption|replay|yes no|story continues below advertisement|(?:post|leave|view|show|hide)?\s*(?:a )?comments?|loading|skip to (?:main )?content|scroll to continue|back to top|follow us|you are at|breaking(?: news)?|(?:jump|back) to top|enlarge image|get short url|report error|like this article|keep reading|recommended|trending(?: now)?)$/i,
  // The beginning of a short block that asks for something, or tells about the page and not about its subject.
  invitation: /^(?:(?:sign|signing) up (?:for our|for the|to|now|here)|subscribe (?:to (?:our|the)|now|here)|click here to (?:subscribe|sign|join|share|read more)|(?:get|join) (?:our|the) [^.]{0,50}(?:newsletter|mailing list|push notifications)|(?:want|get) (?:more|the latest|breaking|unlimited)[^.]{0,60}(?:newsletter|inbox|notifications)|(?:like|follow) us on|share (?:this|on) |(?:do you have|already have) an? [^.]{0,40}account|are you sure you want to|(?:©|\(c\)|copyright)\s|all rights reserved|comments powered by|advertisement\b)/i,
  // The beginning of a short heading or link that leads elsewhere.
  pointer: /^(?:filed under|posted in|tags?\s*:|topics?\s*:|categories\s*:|more (?:from|on|news|stories|in)\b|related (?:articles?|stories|posts|topics|content|news|coverage|links)|read (?:more|next|also)\b|(?:our|the) latest (?:stories|news)|you (?:may|might) also|recommended (?:for you|articles?|stories|reading|videos?|posts?)|most (?:read|popular|viewed)|trending|first published|follow )/i,
  // A notice about cookies names them, the site or the reader's act, and what is agreed to.
  cookies: [/\bcookies?\b/i, /\b(?:we|our|this (?:web)?site|by (?:using|continuing|clicking))\b/i, /\b(?:consent|accept|agree|preferences|experience|polic(?:y|ies)|personali[sz]ed?|improve)\b/i],
  related: /^(?:related|more (?:from|on|news|stories|in|great)|most (?:read|popular|viewed|shared)|popular|trending|recommended|you (?:may|might)|(?:our |the )?latest|must (?:watch|read)|read (?:more|next|also)|what to read|top stories|blogroll|meta|categor|archives?|recent (?:posts|comments|articles)|follow|share|tags?$|more:?$)/i,
};
const KEPT_LISTS = /\b(?:references?|sources?|links?|see also|further reading|resources?|bibliography|footnotes?|notes|contents?|citations?|documentation|next steps|learn more|what's next)\b/i;

const wordsIn = (text) => text.split(/\s+/).filter(Boolean).length;
const textOf = (element) => (element.textContent ?? "").replace(/\s+/g, " ").trim();

const isSolid = (element) => SOLID.has(element.localName);
function isInSolid(element) {
  for (let around = element.parentElement; around !== null; around = around.parentElement) if (isSolid(around)) return true;
  return false;
}

/** The innermost blocks in order, each with what it is. A large page has thousands: a selector for each of them takes longer than all else. */
function blocksOf(root) {
  const found = [];
  const blocks = root.querySelectorAll(BLOCKS);
  const holders = new Set();
  for (const { parentElement } of blocks)
    for (let holder = parentElement; holder && !holders.has(holder); holder = holder.parentElement) holders.add(holder);
  for (const element of blocks) {
    const solid = isSolid(element);
    if (!solid && isInSolid(element)) continue;
    if (!solid && holders.has(element)) {
      if (element.tagName === "LI" || element.tagName === "BLOCKQUOTE") continue;
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
      if (!own) continue;
      // Text beside other blocks: never taken out as a whole.
      found.push({ element, text: "", kind: "mixed", share: 0 });
      continue;
    }
    const text = textOf(element);
    found.push({ element, text, ...kindOf(element, text, solid) });
  }
  return found;
}

function kindOf(element, text, solid) {
  if (solid) return { kind: text === "" && element.querySelector("img,video,audio,iframe") === null ? "empty" : "solid", share: 0 };
  const links = [...element.getElementsByTagName("a")].filter((link) => link.hasAttribute("href"));
  if (text === "") return { kind: element.querySelector("img,math,svg,input") === null ? "empty" : "image", share: 0 };
  const linked = links.reduce((sum, link) => sum + textOf(link).length, 0);
  const share = linked / text.length;
  if (/^H[1-6]$/.test(element.tagName)) return { kind: "heading", share, isLink: share > 0.9 };
  if (links.length > 0 && share > 0.8) return { kind: "link", share };
  const wide = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(text);
  const long = text.length >= (wide ? 30 : 80);
  if (long && share < 0.5 && /[.!?…:;。！？।؟]/.test(text)) return { kind: "prose", share };
  return { kind: /\p{L}/u.test(text) ? "short" : "mark", share };
}

/** Whether a block is not part of the text. A heading with text below it is: documentation has sections such as "Close". */
function isChrome({ kind, text, share }, next) {
  if (kind === "solid" || kind === "mixed") return false;
  if (kind === "heading" && next !== undefined && ["prose", "solid", "mixed"].includes(next.kind)) return false;
  if (CHROME.label.test(text.replace(/^[\s|•·+()\-]+|[\s|•·:!?.+()\-]+$/g, ""))) return true;
  if (text.length >= 220) return false;
  return CHROME.invitation.test(text) || ((kind === "heading" || share > 0.5) && CHROME.pointer.test(text));
}

const isCookieNotice = ({ kind, text }) => kind !== "solid" && text.length < 900 && CHROME.cookies.every((words) => words.test(text));

/** Takes out what stands around the main text of a document made of the main text alone. */
function trim(root) {
  const all = blocksOf(root);
  const sizeOf = (wanted) => all.filter(({ kind }) => kind === wanted).reduce((sum, { text }) => sum + text.length, 0);
  const prose = sizeOf("prose");
  if (prose < 500 || prose < sizeOf("link")) return;
  const gone = new Set();
  const drop = (block) => gone.add(block);
  dropRepeated(all, drop);
  const hasNotice = all.filter(({ text }) => CHROME.cookies[0].test(text)).length <= 3;
  for (const [at, block] of all.entries())
    if (isChrome(block, all[at + 1]) || (hasNotice && isCookieNotice(block))) drop(block);
  dropLists(all, gone, drop);
  dropEdges(all, gone, drop);
  for (const { element, kind } of gone) if (kind !== "mixed") remove(element, root);
}

/** A caption that stands there twice, once in a list, a heading or a gallery. */
function dropRepeated(all, drop) {
  let last = all[0];
  for (const block of all) {
    if (block.kind !== "prose") continue;
    if (block !== last && block.text === last.text && [block, last].some(({ element }) => element.closest("li,figcaption,h1,h2,h3,h4"))) drop(block);
    last = block;
  }
}

/** Lists of nothing but links, before the first and after the last prose, and under headings such as "Most read". */
function dropLists(all, gone, drop) {
  const isText = (block) => !gone.has(block) && (block.kind === "prose" || block.kind === "solid" || block.kind === "mixed");
  const first = all.findIndex(isText);
  const last = all.findLastIndex(isText);
  for (let from = 0; from < all.length; from += 1) {
    let to = from;
    while (to < all.length && (all[to].kind === "link" || all[to].kind === "image" || all[to].kind === "empty" || gone.has(all[to]))) to += 1;
    const run = all.slice(from, to).filter(({ kind }) => kind === "link");
    if (run.length === 0) continue;
    const start = all.indexOf(run[0]);
    const heading = all.slice(Math.max(0, start - 2), start).findLast(({ kind }) => kind === "heading");
    const words = run.reduce((sum, { text }) => sum + wordsIn(text), 0) / run.length;
    const isKept = heading !== undefined && KEPT_LISTS.test(heading.text);
    const isOutside = (to <= first && (heading === undefined || words >= 4)) || (from > last && words >= 4);
    const isRelated = heading !== undefined && CHROME.related.test(heading.text);
    if (!isKept && (isRelated || (isOutside && run.length >= 2))) {
      for (const block of all.slice(from, to)) drop(block);
      if (heading && (isRelated || isOutside)) drop(heading);
    }
    from = to;
  }
}

/** Links of a list are judged together, and those below "See also" and the like stay. */
const isListed = ({ element, kind }, before) =>
  kind === "link" && (element.closest("li") !== null || (before?.kind === "heading" && KEPT_LISTS.test(before.text)));

/** From both ends: links, marks, images alone, headings with nothing below them, and cards (a heading that is a link, and its teaser). */
function dropEdges(all, gone, drop) {
  for (let at = all.length - 1, cards = []; at >= 0; at -= 1) {
    const block = all[at];
    if (gone.has(block) || block.kind === "empty" || block.kind === "image") continue;
    if (block.kind === "heading" && block.isLink) {
      for (const card of cards.splice(0)) drop(card);
      drop(block);
    } else if (cards.length < 3 && block.text.length < 300 && all.slice(Math.max(0, at - 4), at).some(({ kind, isLink }) => kind === "heading" && isLink)) cards.push(block);
    else if (cards.length > 0) break;
    else if (isListed(block, all[at - 1])) break;
    else if (block.kind === "link" || block.kind === "mark" || block.kind === "heading") drop(block);
    else break;
  }
  for (const block of all) {
    if (gone.has(block) || ["empty", "image", "heading"].includes(block.kind)) continue;
    if (block.kind !== "link" && block.kind !== "mark") break;
    drop(block);
  }
}

/** Removes an element, and the elements around it that are empty then. */
function remove(element, root) {
  let top = element;
  while (top.parentElement && top.parentElement !== root && textOf(top.parentElement) === textOf(top) && !top.parentElement.querySelector("img,table,pre,video")) top = top.parentElement;
  top.remove();
}
`;
