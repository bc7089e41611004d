import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HaftError } from "@haft/core/tool";
import type { Browser, Visit } from "./browser.ts";

/** Milliseconds that a person has to log in. */
const PERSON_MS = 10 * 60_000;

/** The path at which people come back. */
const PATH = "/callback";

/**
 * Sends a person to their web browser, and receives them at a local port that is open until they return. `show` opens the address, prints
 * it, or both.
 */
export function loopbackBrowser(show: (address: URL) => void | Promise<void>): Browser {
  return {
    async open(preferred): Promise<Visit> {
      const { createServer } = await import("node:http");
      const server = createServer();
      const redirectUrl = await listen(server, preferred);
      return {
        redirectUrl,
        async go(address, signal) {
          const back = receive(server, AbortSignal.any([signal, AbortSignal.timeout(PERSON_MS)]));
          // A page that fails to open must not cause an unhandled rejection.
          back.catch(() => {});
          await show(address);
          return back;
        },
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
}

/** The port that a client is registered with, if free; otherwise any. */
async function listen(server: Server, preferred: string | undefined): Promise<string> {
  const wanted = Number(preferred === undefined ? 0 : new URL(preferred).port);
  for (const port of new Set([wanted, 0])) {
    server.listen(port, "127.0.0.1");
    const isOpen = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (isOpen) return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  }
  throw new HaftError({
    code: "mcp_error",
    message: "No local port can be opened for the redirect after the login.",
    hint: "Allow Haft to listen on 127.0.0.1, or set an Authorization header in the server's settings.",
  });
}

/** Resolves with the first request that carries an answer. Other requests (icons, other pages) get a refusal. */
function receive(server: Server, signal: AbortSignal): Promise<URL> {
  return new Promise((resolve, reject) => {
    server.on("request", ({ url = "/", method }, response) => {
      const address = new URL(url, "http://127.0.0.1");
      const isAnswer =
        address.pathname === PATH && (address.searchParams.has("code") || address.searchParams.has("error"));
      if (method !== "GET" || !isAnswer) return say(response, 404, "Nothing here.");
      say(response, 200, "You can close this page and go back to Haft.");
      resolve(address);
    });
    const onEnd = (): void =>
      reject(
        signal.reason instanceof Error && signal.reason.name === "TimeoutError"
          ? new HaftError({ code: "timeout", message: "The login was not completed in time.", hint: "Log in again." })
          : signal.reason,
      );
    if (signal.aborted) onEnd();
    else signal.addEventListener("abort", onEnd, { once: true });
  });
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    // The answer is in this page's address; nobody else needs to see it.
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Haft</title><p>${text}</p>`);
}
