// A well-behaved MCP server on the SDK, in both eras of the protocol; with the argument "legacy" only in the older one.
import { inputRequired, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const isLegacy = process.argv[2] === "legacy";
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** With a character that nobody sees. */
const INSTRUCTIONS = "Call add for sums.\nNever\u{200b} guess.";

function create() {
  const server = new McpServer(
    { name: "friendly", version: "1.0.0" },
    { capabilities: { logging: {} }, instructions: INSTRUCTIONS },
  );
  const said = (text, more = {}) => ({ content: [{ type: "text", text }], ...more });

  server.registerTool(
    "echo",
    {
      description: "Say it again.",
      icons: [{ src: "https://icons.example/echo.png", mimeType: "image/png" }],
      inputSchema: z.object({ text: z.string() }),
    },
    ({ text }) => said(text),
  );
  server.registerTool(
    "add",
    {
      description: "Add two numbers.",
      annotations: { readOnlyHint: true },
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => said(JSON.stringify({ sum: a + b }), { structuredContent: { sum: a + b } }),
  );
  server.registerTool("fail", { description: "Fail politely." }, () => said("no such issue: 7", { isError: true }));
  server.registerTool(
    "fail-at-length",
    { description: "Fail with many words and a picture.", inputSchema: z.object({ chars: z.number() }) },
    ({ chars }) => ({
      content: [
        ...(chars === 0 ? [] : said("x".repeat(chars)).content),
        { type: "image", data: PIXEL, mimeType: "image/png" },
      ],
      isError: true,
    }),
  );
  server.registerTool("media", { description: "Give one block of each kind." }, () => ({
    content: [
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "test://note", mimeType: "text/plain", text: "a note" } },
      { type: "resource", resource: { uri: "test://bytes", mimeType: "application/pdf", blob: "JVBERi0=" } },
      { type: "resource_link", uri: "test://later", name: "later", description: "for later" },
    ],
    structuredContent: { kinds: 5 },
  }));
  server.registerTool(
    "picture",
    { description: "Give a picture.", inputSchema: z.object({ width: z.number(), height: z.number() }) },
    async ({ width, height }) => {
      const { default: sharp } = await import("sharp");
      const picture = sharp({ create: { width, height, channels: 3, background: "navy" } });
      const data = (await picture.jpeg().toBuffer()).toString("base64");
      return { content: [{ type: "image", data, mimeType: "image/png" }, ...said("a picture").content] };
    },
  );
  server.registerTool(
    "slow",
    { description: "Take some time.", inputSchema: z.object({ steps: z.number(), ms: z.number() }) },
    async ({ steps, ms }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let step = 1; step <= steps; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (ctx.mcpReq.signal.aborted) process.stderr.write("cancelled by the client\n");
        if (progressToken !== undefined) {
          const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
          await ctx.mcpReq.notify({ method: "notifications/progress", params });
        }
      }
      return said("done");
    },
  );
  server.registerTool("where", { description: "Tell the roots." }, async (ctx) => {
    const answer = isLegacy ? await server.server.listRoots() : ctx.mcpReq.inputResponses?.roots;
    if (answer === undefined) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    return said(answer.roots.map(({ uri }) => uri).join(" "));
  });
  server.registerTool("confirm", { description: "Ask the person." }, async (ctx) => {
    const requestedSchema = {
      type: "object",
      properties: { size: { type: "string", enum: ["S", "M"], default: "M" } },
      required: ["size"],
    };
    const question = { mode: "form", message: "Which size?", requestedSchema };
    const answer = isLegacy ? await ctx.mcpReq.elicitInput(question) : ctx.mcpReq.inputResponses?.size;
    if (answer === undefined) return inputRequired({ inputRequests: { size: inputRequired.elicit(question) } });
    return said(JSON.stringify(answer));
  });
  server.registerTool(
    "pay",
    { description: "Send the person to a page.", inputSchema: z.object({ url: z.string() }) },
    async ({ url }, ctx) => {
      const question = { mode: "url", message: "Pay here.", url, elicitationId: "pay-1" };
      const answer = isLegacy ? await ctx.mcpReq.elicitInput(question) : ctx.mcpReq.inputResponses?.page;
      if (answer === undefined) return inputRequired({ inputRequests: { page: inputRequired.elicitUrl(question) } });
      return said(JSON.stringify(answer));
    },
  );
  server.registerTool("think", { description: "Ask the model." }, async (ctx) => {
    const messages = [{ role: "user", content: { type: "text", text: "What is a haft?" } }];
    const params = { messages, maxTokens: 5 };
    const answer = isLegacy ? await ctx.mcpReq.requestSampling(params) : ctx.mcpReq.inputResponses?.thought;
    if (answer === undefined) return inputRequired({ inputRequests: { thought: inputRequired.createMessage(params) } });
    return said(JSON.stringify(answer));
  });
  server.registerTool("grow", { description: "Get one more tool." }, () => {
    server.registerTool("grown", { description: "New." }, () => said("I am new"));
    return said("grown");
  });

  server.registerPrompt(
    "review",
    {
      title: "Review",
      description: "Review a file.",
      argsSchema: z.object({ file: z.string().describe("Which file."), tone: z.string().optional() }),
      icons: [
        { src: "https://icons.example/review.png", mimeType: "image/png", sizes: ["16x16"] },
        { src: "javascript:alert(1)" },
      ],
    },
    ({ file, tone }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Review ${file}${tone ? `, ${tone}` : ""}.` } }],
    }),
  );

  server.registerResource("note", "test://note", { mimeType: "text/plain", description: "A note." }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "read me" }],
  }));
  server.registerResource("pixel", "test://pixel", { mimeType: "image/png" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PIXEL }],
  }));
  server.registerResource("item", new ResourceTemplate("test://item/{id}", {}), {}, (uri) => ({
    contents: [{ uri: uri.href, text: "an item" }],
  }));
  return server;
}

if (isLegacy) await create().connect(new StdioServerTransport());
else serveStdio(create);
