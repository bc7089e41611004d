import type { CallContext } from "@haft/core/tool";
import { closedByRobots } from "./outcome.ts";

/** Most bytes of a robots.txt to read: the least that RFC 9309 asks for. */
const MOST_BYTES = 500 * 1024;
const CACHE_MS = 15 * 60_000;

/**
 * Refuses an address that the site's robots.txt closes, if the user's settings ask for it. As RFC 9309 says, a site whose
 * robots.txt has a server error is closed, and one without a robots.txt is open.
 *
 * @throws HaftError with the outcome `robots`.
 */
export async function obeyRobots(url: string, { ports: { net, documents }, signal }: CallContext): Promise<void> {
  if (!documents?.allows) return;
  const place = new URL("/robots.txt", url).href;
  // A server that cannot be reached says so for the page itself.
  const answer = await net.fetch(place, { signal, maxBytes: MOST_BYTES, cacheMs: CACHE_MS }).catch(() => undefined);
  if (!answer) return;
  const { status, headers } = answer;
  const robots = await answer.text();
  const isOpen = status === 200 ? await documents.allows(robots, url) : status < 500;
  if (!isOpen) throw closedByRobots({ url, status, headers });
}
