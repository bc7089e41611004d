// An MCP server with user interfaces (MCP Apps): the page of `ui://sales` calls its tool `add`; `chart` has a page of its own.
import { createInterface } from "node:readline";

const page = `<!doctype html><title>Sales app</title><h1>Sales app</h1><p id="out">connecting</p><script>
let id = 0; const open = new Map();
const ask = (method, params) => new Promise((resolve) => { open.set(++id, resolve); parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*"); });
addEventListener("message", ({ data }) => open.get(data.id)?.(data));
(async () => {
  const { result } = await ask("ui/initialize", { appInfo: { name: "sales", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" });
  parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*");
  const own = await ask("tools/call", { name: "add", arguments: { a: 2, b: 3 } });
  const other = await ask("tools/call", { name: "Read", arguments: { file_path: "x" } });
  document.querySelector("#out").textContent = [result.protocolVersion, own.result.content[0].text, other.error.message].join("; ");
})();
</script>`;
const chart = `<!doctype html><title>Chart</title><h1>Chart</h1><p id="input">no input</p><p id="result">no result</p><script>
const tell = (method, more) => parent.postMessage({ jsonrpc: "2.0", method, ...more }, "*");
addEventListener("message", ({ data: { id, result, method, params } }) => {
  if (id === "start") { document.title = result.hostContext.toolInfo.tool.name; tell("ui/notifications/initialized"); }
  if (method === "ui/notifications/tool-input") document.querySelector("#input").textContent = "input " + JSON.stringify(params.arguments);
  if (method === "ui/notifications/tool-result") document.querySelector("#result").textContent = "result " + params.structuredContent.total;
});
tell("ui/initialize", { id: "start", params: { appInfo: { name: "chart", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" } });
</script>`;
const ui = (resourceUri, visibility) => ({ _meta: { ui: { resourceUri, ...(visibility ? { visibility } : {}) } } });
const pages = { "ui://sales": page, "ui://chart": chart };
const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "sales", version: "1" },
  }),
  "tools/list": () => ({
    tools: [
      { name: "add", inputSchema: { type: "object" } },
      { name: "chart", inputSchema: { type: "object" }, ...ui("ui://chart") },
      { name: "lost", inputSchema: { type: "object" }, ...ui("ui://gone") },
      { name: "refresh", inputSchema: { type: "object" }, ...ui(undefined, ["app"]) },
      { name: "count", inputSchema: { type: "object" }, ...ui(undefined, ["model"]) },
    ],
  }),
  "tools/call": ({ name, arguments: { a, b } }) => ({
    content: [{ type: "text", text: name === "add" ? `sum ${a + b}` : `${name} of ${a}` }],
    ...(name === "chart" ? { structuredContent: { total: a } } : {}),
  }),
  "resources/list": () => ({ resources: [{ uri: "ui://sales", name: "sales" }] }),
  "resources/read": ({ uri }) => ({
    contents: [
      Object.hasOwn(pages, uri)
        ? {
            ...{ uri, mimeType: "text/html;profile=mcp-app", text: pages[uri] },
            _meta: { ui: { csp: { connectDomains: ["https://api.example.com", "*; script-src *"] } } },
          }
        : { uri, mimeType: "text/plain", text: "plain" },
    ],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
});
