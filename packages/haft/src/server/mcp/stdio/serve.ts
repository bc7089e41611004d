import type { Server } from "@modelcontextprotocol/server";
import { type StdioServerHandle, StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { tellChange } from "../server.ts";
import type { Serving } from "../serving.ts";
import { listenedIn } from "../subscriptions.ts";
import { openFastPath } from "./fast-path.ts";
import { inOneGo } from "./in-one-go.ts";

export interface ServeOptions {
  /** The name of the client's profile. */
  readonly client?: string;
  /** Called for errors outside the protocol. */
  readonly onError?: (error: Error) => void;
}

export interface StdioServing extends StdioServerHandle {
  /** Resolves when reading has ended, on either side. */
  readonly ended: Promise<void>;
}

/**
 * Serves on standard input and output, in both eras of the protocol. Every call goes through the whole pipeline under
 * this process's policy; the client cannot loosen it. Nothing else may write to standard output.
 */
export function serveMcp(serving: Serving, { client: name = "stdio", onError }: ServeOptions = {}): StdioServing {
  const client = serving.client(name);
  const live = new Set<Server>();
  const unwatch = serving.watch((change) => {
    for (const server of live) tellChange(server, change);
  });
  const out = inOneGo(process.stdout, process.stdin);
  const express = openFastPath(process.stdin, out.write, onError);
  const transport = new StdioServerTransport(express.rest, out.stream);
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
      transport,
      ...(onError ? { onerror: onError } : {}),
    },
  );
  const { onclose, onmessage } = transport;
  const listening = new Map<unknown, readonly string[]>();

  /** The SDK does not expose the subscriptions of a client of the newer protocol, or their ends. */
  function follow(message: unknown): void {
    const wanted = listenedIn(message);
    const { id, method, params } = (message ?? {}) as Heard;
    const ended = method === "notifications/cancelled" ? params?.requestId : undefined;
    for (const uri of listening.get(ended) ?? []) client.follows.end(uri);
    listening.delete(ended);
    if (!wanted) return;
    listening.set(id, []);
    for (const uri of wanted)
      void client.follows.start(uri).then((isFollowed) => {
        const before = listening.get(id);
        if (!isFollowed) return;
        if (before) listening.set(id, [...before, uri]);
        else client.follows.end(uri);
      });
  }

  transport.onmessage = (message) => {
    follow(message);
    onmessage?.(message);
  };
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  return {
    ended,
    async close() {
      unwatch();
      client.close();
      await handle.close();
    },
  };
}

interface Heard {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}
