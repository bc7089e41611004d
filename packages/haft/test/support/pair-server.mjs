// A server of the newer protocol that asks only when two calls are in progress: each of them, for itself.
import { inputRequired, inputResponse, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const waiting = [];
const both = () =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 2) for (const go of waiting.splice(0)) go();
  });
const tool = { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const requestedSchema = { type: "object", properties: { size: { type: "string" } } };

serveStdio(() => {
  const server = new Server({ name: "pair", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
  server.setRequestHandler("tools/call", async (_, ctx) => {
    const { inputResponses } = ctx.mcpReq;
    if (inputResponses) {
      const { content } = inputResponse(inputResponses, "q").kind === "elicit" ? inputResponses.q : {};
      return { content: [{ type: "text", text: JSON.stringify(content ?? "nobody") }] };
    }
    await both();
    return inputRequired({
      inputRequests: { q: inputRequired.elicit({ message: "Which?", requestedSchema }) },
    });
  });
  return server;
});
