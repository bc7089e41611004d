// A server whose resources change: NAME. `touch` says that one has, `grow` that there are more, and `subscribed` tells what
// is subscribed to; `lists` how often it was asked for its lists; `crash` ends it. A second argument makes it speak the newer protocol.
import { createInterface } from "node:readline";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [, , name, isModern] = process.argv;
const subscribed = new Set();
const tools = ["touch", "subscribed", "lists", "grow", "crash"].map((tool) => ({
  name: tool,
  inputSchema: { type: "object", properties: { uri: { type: "string" }, count: { type: "integer" } } },
  annotations: { readOnlyHint: true },
}));
const resources = [`note://shared`, `note://of-${name}`].map((uri) => ({ uri, name: uri }));
let lists = 0;
const listed = (list) => {
  lists += 1;
  return list;
};
const capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };

const answersWith = (notify) => ({
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities, serverInfo: { name, version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call"({ name: tool, arguments: { uri } }) {
    if (tool === "touch") notify({ method: "notifications/resources/updated", params: { uri } });
    if (tool === "crash") process.exit(1);
    if (tool === "grow") notify({ method: "notifications/resources/list_changed" });
    return { content: [{ type: "text", text: tool === "lists" ? `${lists}` : [...subscribed].join(" ") }] };
  },
  "resources/list": () => listed({ resources }),
  "resources/templates/list": () =>
    listed({ resourceTemplates: [{ uriTemplate: `page://${name}/{number}`, name: "page" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: "text" }] }),
  "resources/subscribe"({ uri }) {
    subscribed.add(uri);
    return {};
  },
  "resources/unsubscribe"({ uri }) {
    subscribed.delete(uri);
    return {};
  },
});

if (isModern) {
  serveStdio(() => {
    const server = new Server({ name, version: "1" }, { capabilities });
    const answers = answersWith((notice) => void server.notification(notice));
    for (const [method, answer] of Object.entries(answers))
      if (/^(tools|resources)\/(list|call|read|templates)/.test(method))
        server.setRequestHandler(method, ({ params }) => answer(params));
    return server;
  });
} else {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answers = answersWith(send);
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    send({ id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } }) });
  });
}
