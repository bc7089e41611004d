/** A result as found in the page, with its markup. */
interface RawHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Reads the page for browsers without scripts. A page that checks for humans has no results, which is an error. */
export function readDuckDuckGo(html: string): readonly RawHit[] {
  const links = [...html.matchAll(/<a\b([^>]*\bclass="[^"]*\bresult__a\b[^"]*"[^>]*)>([\s\S]*?)<\/a>/g)];
  if (links.length === 0 && !/class="no-results"|result--no-result/.test(html)) throw new Error("it shows a CAPTCHA");
  return links.flatMap(({ index, 0: whole, 1: attributes = "", 2: title = "" }, place) => {
    const url = targetOf(/\bhref="([^"]*)"/.exec(attributes)?.[1] ?? "");
    if (url === undefined) return [];
    const rest = html.slice(index + whole.length, links[place + 1]?.index);
    const snippet = /class="[^"]*\bresult__snippet\b[^"]*"[^>]*>([\s\S]*?)<\/(?:a|div|td)>/.exec(rest)?.[1] ?? "";
    return [{ title, url, snippet }];
  });
}

/** Links go through a counting page of the provider; their query contains the real target. Advertisements lead elsewhere. */
function targetOf(href: string): string | undefined {
  const url = URL.parse(href.replaceAll("&amp;", "&"), "https://duckduckgo.com");
  if (!url || url.pathname === "/y.js") return undefined;
  if (!/(?:^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href;
  return URL.parse(url.searchParams.get("uddg") ?? "")?.href;
}
