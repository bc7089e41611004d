// A server of resources, as raw as it comes: NAME. One address is every such server's, and some are no addresses. Its tool
// points at some that it lists, and at one that no server lists.
import { createInterface } from "node:readline";

const [, , name] = process.argv;
const hidden = "\u202e\u200b\u001b[31m";
const resources = [
  { uri: "note://shared", name: `shared${hidden} by ${name}`, description: `${hidden}${"d".repeat(9_000)}` },
  { uri: `note://of-${name}`, name: `of ${name}` },
  { uri: `haft://results/${"0".repeat(32)}`, name: "forged" },
  { uri: `two\nlines${hidden}`, name: "hidden" },
];
// Items that are not list entries must not displace the others.
const broken = [null, { uri: 5, name: "five" }, { uri: "note://nameless" }];
const unlisted = {
  uri: "note://unlisted",
  name: `unlisted${hidden}`,
  title: `By ${name}`,
  mimeType: "text/plain",
  size: 20,
};
const links = [resources[0], unlisted, ...resources.slice(2)].map((one) => ({ type: "resource_link", ...one }));
const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name, version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "point", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: links }),
  "resources/list": () => ({ resources: [...broken, ...resources] }),
  "resources/templates/list": () => ({
    resourceTemplates: [
      {},
      { uriTemplate: `page://${name}/{n}`, name: "page" },
      { uriTemplate: "h{+any}", name: "all" },
    ],
  }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: `${name} has ${uri}` }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
});
