// An MCP server with the tool `tell`: it tells its arguments, its variables, and what it may read and reach.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const readable = (path) => {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    return error.code;
  }
};
const reachable = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve("reached")).on("error", (error) => resolve(error.code));
  });

async function answer({ method, params }) {
  if (method === "initialize")
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "told", version: "1" } };
  if (method === "tools/list")
    return { tools: [{ name: "tell", description: "Tells.", inputSchema: { type: "object" } }] };
  if (method !== "tools/call") return undefined;
  const { file, port } = params.arguments ?? {};
  const said = {
    args: process.argv.slice(2),
    token: process.env.TOKEN ?? null,
    place: process.env.CLAUDE_PLUGIN_OPTION_PLACE ?? null,
    ...(file ? { file: readable(file) } : {}),
    ...(port ? { port: await reachable(port) } : {}),
  };
  return { content: [{ type: "text", text: JSON.stringify(said) }] };
}

let rest = "";
process.stdin.on("data", async (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    const result = await answer(message);
    const outcome = result ? { result } : { error: { code: -32601, message: "no" } };
    console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
  }
});
