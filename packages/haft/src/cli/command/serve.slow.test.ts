import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

beforeEach(() => {
  place = scratch();
});
afterEach(() => place[Symbol.dispose]());

/** Starts `haft serve --json`, and stops it when the work is done. */
async function serving(args: readonly string[], work: (url: string, token: string) => Promise<void>): Promise<void> {
  const child = place.start(["serve", "--json", ...args]);
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    await work(url, token);
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  }
}

it(
  "E04 haft serve --json prints one line with address and token when it is ready, and ends with Ctrl-C",
  {
    timeout: 60_000,
    tags: ["smoke"],
  },
  () =>
    serving([], async (url, token) => {
      const about = (key: string) => fetch(`${url}/api/about`, { headers: { Authorization: `Bearer ${key}` } });
      expect((await about(`${token}x`)).status).toBe(401);
      expect(await (await about(token)).json()).toMatchObject({ cwd: place.cwd, hasQueue: false });
    }),
);

it("with --queue its sessions need the key of the queue, and say so", { timeout: 60_000 }, () =>
  serving(["--queue", "redis://127.0.0.1:1"], async (url, token) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const about = await fetch(`${url}/api/about`, { headers });
    expect(await about.json()).toMatchObject({ hasQueue: true });
    const started = await fetch(`${url}/api/sessions`, { method: "POST", headers, body: "{}" });
    expect(await started.json()).toMatchObject({ error: { message: expect.stringContaining("key") } });
  }),
);
