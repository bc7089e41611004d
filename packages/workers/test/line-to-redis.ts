import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import type { TestRedis } from "../../../test/support/redis-server.ts";

/** A line to Redis that can be cut: nothing passes, and nobody is told. */
export async function lineTo({ port }: TestRedis) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  let loses: RegExp | undefined;
  let lost = Promise.withResolvers<void>();
  const server = createServer((near) => {
    const far = connectSocket(port, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair)
      socket.on("error", () => {}).on("close", () => pair.forEach((one) => void one.destroy()));
    if (isCut) return;
    near.pipe(far);
    near.on("data", (text: Buffer) => {
      if (!loses?.test(text.toString("latin1"))) return;
      loses = undefined;
      // Redis executes it, and the line breaks before the answer comes.
      far.unpipe(near);
      far.once("data", () => void near.destroy()).resume();
      near.once("close", lost.resolve);
    });
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Breaks the line instead of passing the next answer to such a command. Resolves when that has happened. */
    async lose(commands: RegExp): Promise<void> {
      lost = Promise.withResolvers();
      loses = commands;
      await lost.promise;
    },
    cut() {
      isCut = true;
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
        far.pause();
      }
    },
    /** Lets new connections through; the old ones are gone. */
    mend() {
      isCut = false;
      for (const [near] of pairs) near.destroy();
    },
    close: () => server.close(),
  };
}
