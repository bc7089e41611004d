// The network has one guarded client. Every other file that opens a socket is listed here, with the reason.
import { expect, test } from "vitest";
import { isTest, packageFolders, readSources } from "./support/sources.ts";

const ALLOWED: Readonly<Record<string, string>> = {
  "packages/core/src/executor/execution/bound/net.ts": "the guarded client, bound to a call",
  "packages/core/src/tool/port/net.ts": "the guarded client as a port",
  "packages/haft/src/cli/json-text.ts": "reads a named pipe, which Node does as a socket",
  "packages/host/src/net/": "the guarded client, its checks, and the proxy that uses them",
  "packages/mcp/src/net/": "the guarded client for one MCP server",
  "packages/mcp/src/auth/loopback.ts": "listens on this machine for the end of a login",
  "packages/sandbox/src/network/inward.ts":
    "a program in the sandbox: passes what the publisher accepts to a server there",
  "packages/sandbox/src/network/relay.ts": "a program in the sandbox: its only way out is the socket of the proxy",
  "packages/sandbox/src/network/publisher.ts": "listens for what a confined server publishes",
  "packages/plugins/src/hook/run/http.ts":
    "posts events to the address that the user's settings name; follows no redirect",
  "packages/haft/src/server/mcp/http/": "Haft as a server: listens",
  "packages/haft/src/server/start.ts": "the server of the console: listens",
};
/** Modules that open connections. */
const MODULES = /^(?:node:)?(?:net|tls|http|https|http2|dgram|dns|dns\/promises)$|^(?:undici|ws|axios|got)$/;

const sources = [...readSources(...packageFolders.map((name) => `packages/${name}/src`))].filter(
  ([path]) => !isTest(path),
);
const outside = sources.filter(([path]) => !Object.keys(ALLOWED).some((prefix) => path.startsWith(prefix)));

/** Values that a file takes from modules that open connections; types and classes for streams do no harm. */
function opened(text: string): string[] {
  const found = [...text.matchAll(/^import (?!type)(.*?) from "([^"]+)";/gms)].flatMap(([, names = "", from = ""]) =>
    MODULES.test(from) && !/^\{\s*(?:(?:type \w+|isIP|Socket),?\s*)+\}$/.test(names) ? [from] : [],
  );
  const lazy = [...text.matchAll(/\bimport\(([^)]*)\)/g)].flatMap(([, from = ""]) =>
    [...from.matchAll(/"([^"]+)"/g)].flatMap(([, name = ""]) => (MODULES.test(name) ? [name] : [])),
  );
  const bare = BARE.test(withoutComments(text)) ? ["fetch"] : [];
  return [...found, ...lazy, ...bare];
}

/** Calls of the global client, the client as a value, and modules that no `import` names. */
const BARE =
  /(?<![.\w])fetch\(|globalThis\.fetch\b(?! = )|(?<![.\w])fetch (?:as|satisfies) |= fetch;|new (?:WebSocket|EventSource)\(|getBuiltinModule\(\s*"(?:node:)?(?:net|tls|https?|http2|dgram|dns)\b|\brequire\("(?:node:)?(?:net|tls|https?|http2|dgram|dns|undici|ws)\b/;

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");

/** Files in which `fetch` is a parameter: the guarded one, handed down. */
const HANDED_DOWN = /^packages\/mcp\/src\/auth\/(?:log-in|log-in-as-client|log-out|authorised)\.ts$/;

test("M01 nothing opens a connection beside the guarded client", () => {
  const found = outside.flatMap(([path, text]) =>
    opened(text)
      .filter((what) => !(what === "fetch" && HANDED_DOWN.test(path)))
      .map((what) => `${path}: ${what}`),
  );
  expect(found).toEqual([]);
});

test("M01 every exception is one", () => {
  for (const prefix of Object.keys(ALLOWED))
    expect(
      sources.filter(([path, text]) => path.startsWith(prefix) && opened(text).length > 0),
      prefix,
    ).not.toEqual([]);
});

test.each([
  'import { request } from "node:https";',
  'import http from "http";',
  'const { connect } = await import("node:net");',
  'import { fetch as get } from "undici";',
  "const answer = await fetch(url);",
  'globalThis.fetch("x")',
  "new WebSocket(url)",
  "const get = globalThis.fetch;",
  "const get: Fetch = fetch;",
  'import net from "node:net";\nnet.connect(80, host);',
  'import * as tls from "tls";',
  'process.getBuiltinModule("node:net").connect(80)',
  'const { request } = createRequire(import.meta.url)("x"); require("https").get(url);',
])("M01 %s is noticed", (line) => {
  expect(opened(line)).not.toEqual([]);
});

test.each([
  'import { isIP } from "node:net";',
  'import { Socket } from "node:net";',
  'import type { Server } from "node:http";',
  "ports.net.fetch(url)",
  "// fetch(url)",
  "globalThis.fetch = refuse;",
])("M01 %s is not", (line) => {
  expect(opened(line)).toEqual([]);
});
