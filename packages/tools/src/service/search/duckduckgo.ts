/** A result as it stands in the page, with its marks. */
interface RawHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Reads the page for browsers without scripts. A page that checks for people has no results: that is an error. */
export function readDuckDuckGo(html: string): readonly RawHit[] {
  const links = [...html.matchAll(/<a\b([^>]*\bclass="[^"]*\bresult__a\b[^"]*"[^>]*)>([\s\S]*?)<\/a>/g)];
  if (links.length === 0 && !/class="no-results"|result--no-result/.test(html))
    throw new Error("it shows a check for people");
  return links.flatMap(({ index, 0: whole, 1: attributes = "", 2: title = "" }, place) => {
    const url = targetOf(/\bhref="([^"]*)"/.exec(attributes)?.[1] ?? "");
    if (url === undefined) return [];
    const rest = html.slice(index + whole.length, links[place + 1]?.index);
    const snippet = /class="[^"]*\bresult__snippet\b[^"]*"[^>]*>([\s\S]*?)<\/(?:a|div|td)>/.exec(rest)?.[1] ?? "";
    return [{ title, url, snippet }];
  });
}

/** Links lead over a page of the provider that counts them; what stands in it is where they lead. Advertisements lead elsewhere. */
function targetOf(href: string): string | undefined {
  const url = URL.parse(href.replaceAll("&amp;", "&"), "https://duckduckgo.com");
  if (!url || url.pathname === "/y.js") return undefined;
  if (!/(?:^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href;
  return URL.parse(url.searchParams.get("uddg") ?? "")?.href;
}
