import { AsyncLocalStorage } from "node:async_hooks";
import { PassThrough } from "node:stream";
import { fail } from "@haft/core/tool";
import { expect, it } from "vitest";
import { type Methods, openPeer } from "./peer.ts";

function pair(methods: Methods) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const near = openPeer({ input: back, output: there });
  const far = openPeer({ input: there, output: back, methods });
  return { near, far, there, back };
}

it("answers with values and errors, and calls functions back while a call runs", async () => {
  const { near } = pair({
    twice: (value: number) => value * 2,
    refuse: () => fail("file_changed", "It has changed.", "Read it again."),
    each: async (tell: (word: string) => Promise<string>) => [await tell("a"), await tell("b")],
  });
  expect(await near.call("twice", 21)).toBe(42);
  expect(await near.call("each", async (word: string) => `${word}!`)).toEqual(["a!", "b!"]);
  await expect(near.call("refuse")).rejects.toMatchObject({ code: "file_changed", hint: "Read it again." });
  await expect(near.call("constructor")).rejects.toMatchObject({ message: /no constructor/ });
});

it("aborts on the other side, also a call that began with an aborted signal", async () => {
  const { near } = pair({
    wait: ({ signal }: { signal: AbortSignal }) =>
      new Promise((resolve) =>
        signal.aborted ? resolve("at once") : signal.addEventListener("abort", () => resolve("later")),
      ),
  });
  const controller = new AbortController();
  const waiting = near.call("wait", { signal: controller.signal });
  await near.call("wait", { signal: AbortSignal.abort() }).then((said) => expect(said).toBe("at once"));
  controller.abort();
  expect(await waiting).toBe("later");
});

it("runs a call from within a callback in the context of the code that called back", async () => {
  const current = new AsyncLocalStorage<string>();
  const { near } = pair({
    within: (name: string, act: () => Promise<unknown>) => current.run(name, act),
    where: () => current.getStore() ?? "nowhere",
  });
  const inside = (name: string) =>
    near.call("within", name, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return near.call("where");
    });
  expect(await Promise.all([inside("a"), inside("b"), near.call("where")])).toEqual(["a", "b", "nowhere"]);
});

it("ends all calls with the connection, and tells code of a callback that it is stale", async () => {
  const lost = new AbortController();
  const { near, there, back } = pair({
    hang: (signal: AbortSignal) => new Promise(() => signal.addEventListener("abort", () => lost.abort())),
    back: (act: () => Promise<unknown>) => act(),
  });
  const stale = Promise.withResolvers<boolean>();
  const hanging = near.call("hang", new AbortController().signal);
  const calling = near.call("back", async () => {
    back.destroy();
    there.destroy();
    await near.closed;
    stale.resolve(near.isStale());
  });
  await expect(hanging).rejects.toMatchObject({ message: /lost/ });
  await expect(calling).rejects.toMatchObject({ message: /lost/ });
  expect([await stale.promise, near.isStale(), near.isClosed, lost.signal.aborted]).toEqual([true, false, true, true]);
  await expect(near.call("hang")).rejects.toMatchObject({ message: /lost/ });
});

it("ends the connection at words that are no message", async () => {
  const { near, back } = pair({});
  back.write("hello\n");
  await near.closed;
  expect(near.isClosed).toBe(true);
});
