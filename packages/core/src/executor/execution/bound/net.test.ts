import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Grant } from "../../../policy/index.ts";
import { type Effect, effects, HaftError, type NetHop } from "../../../tool/index.ts";
import { boundNet } from "./net.ts";

const hosts = fc.constantFrom("a.example", "A.EXAMPLE.", "b.example", "a.example.evil.example", "[::1]");
const ports = fc.constantFrom("", ":80", ":443", ":8080", ":9090");
const urls = fc
  .tuple(fc.constantFrom("http", "https"), hosts, ports)
  .map(([s, host, port]) => `${s}://${host}${port}/x`);
const connects: fc.Arbitrary<Effect> = fc.oneof(
  fc.tuple(urls, fc.boolean()).map(([url, sends]) => effects.connect(url, { sends })),
  fc
    .tuple(fc.constantFrom("a.example", "b.example"), fc.boolean())
    .map(([host, sends]) => effects.connect(host, { sends })),
  fc.constant(effects.read("/a.example")),
);

/** The promise, written out a second time: same host, same port or both usual, and sending only where that was granted. */
function isGranted(list: readonly Effect[], url: URL, sends: boolean): boolean {
  const plain = (host: string) => host.toLowerCase().replace(/\.$/, "").replace(/[[\]]/g, "");
  const port = (at: URL) => at.port || (at.protocol === "https:" ? "443" : "80");
  return list.some((effect) => {
    if (effect.do !== "connect" || plain(effect.host) !== plain(url.hostname) || (sends && !effect.sends)) return false;
    if (effect.url === undefined) return true;
    const wanted = port(new URL(effect.url));
    return wanted === port(url) || [wanted, port(url)].every((one) => one === "80" || one === "443");
  });
}

it("M01 law: a request is made if and only if a connect effect covers it, and so is each hop", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(connects, { maxLength: 3 }),
      urls,
      urls,
      fc.boolean(),
      async (list, first, next, sends) => {
        const asked: string[] = [];
        let within: ((hop: NetHop) => boolean) | undefined;
        const net = boundNet(
          {
            async fetch(url, request) {
              asked.push(String(url));
              within = request?.within;
              return new Response("");
            },
          },
          "T",
          { effects: list, holes: [] } as Grant,
        );
        const code = await net.fetch(first, sends ? { method: "POST" } : {}).then(
          () => "made",
          (thrown: unknown) => (HaftError.is(thrown) ? thrown.code : String(thrown)),
        );
        const granted = isGranted(list, new URL(first), sends);
        expect([code, asked.length]).toEqual(granted ? ["made", 1] : ["undeclared_effect", 0]);
        if (granted) expect(within?.({ url: new URL(next), sends })).toBe(isGranted(list, new URL(next), sends));
      },
    ),
  );
});
