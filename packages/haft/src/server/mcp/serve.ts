import { Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import { type StdioServerHandle, StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { openExpressLane } from "./express.ts";
import { tellChange } from "./server.ts";
import type { Serving } from "./serving.ts";

export interface ServeOptions {
  /** Under whose profile the client works. */
  readonly client?: string;
  /** Hears what went wrong beside the protocol. */
  readonly onError?: (error: Error) => void;
}

/**
 * Serves on standard input and output, in both eras of the protocol. Every call goes through the whole pipeline under
 * this process's policy; the client cannot loosen it. Nothing else may write to standard output.
 */
export function serveMcp(serving: Serving, { client: name = "stdio", onError }: ServeOptions = {}): StdioServerHandle {
  const client = serving.client(name);
  const live = new Set<Server>();
  const unwatch = serving.watch((change) => {
    for (const server of live) tellChange(server, change);
  });
  const out = inOneGo(process.stdout);
  const express = openExpressLane(process.stdin, (line) => void out.write(line));
  const handle = serveStdio(
    ({ era }) => {
      const served = serving.server(client);
      const { server } = served;
      live.add(server);
      server.onclose = () => {
        live.delete(server);
        if (era === "legacy") express.close();
      };
      if (era === "legacy") express.open(served);
      return server;
    },
    {
      transport: new StdioServerTransport(express.rest, out),
      ...(onError ? { onerror: onError } : {}),
    },
  );
  return {
    async close() {
      unwatch();
      client.close();
      await handle.close();
    },
  };
}

/** Answers that are ready together leave together: a write to a pipe costs more than most calls. */
function inOneGo(out: Writable): Writable {
  let isHeld = false;
  const together = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => void out.write(chunk, done),
    writev: (chunks, done) => void out.write(chunks.map(({ chunk }) => chunk as string).join(""), done),
  });
  const write = together.write.bind(together) as (chunk: string) => boolean;
  together.write = (chunk: string) => {
    if (!isHeld) {
      isHeld = true;
      together.cork();
      setImmediate(() => {
        isHeld = false;
        together.uncork();
      });
    }
    return write(chunk);
  };
  return together;
}
