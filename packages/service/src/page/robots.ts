type Parse = (url: string, robots: string) => { isAllowed(url: string, agent: string): boolean | undefined };

/** Whether a robots.txt (RFC 9309) lets Haft fetch an address. */
export async function allowsByRobots(robots: string, url: string): Promise<boolean> {
  // Its types are those of an ES module, although it is CommonJS.
  const parse = (await import("robots-parser")).default as unknown as Parse;
  return parse(new URL("/robots.txt", url).href, robots).isAllowed(url, "Haft") !== false;
}
