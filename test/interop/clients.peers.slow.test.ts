// Clients that others have written, against `haft mcp` on stdio and over HTTP: list, call, an error, a picture, a long result.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiStdio } from "@ai-sdk/mcp/mcp-stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAFT } from "../../packages/haft/test/support/haft-process.ts";
import { type ServedHaft, servedHaft } from "../support/served-haft.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LIMIT_MS = 60_000;

let served: ServedHaft;
beforeAll(async () => {
  served = await servedHaft();
  served.place.write("a.txt", "hello\n");
  served.place.write("long.txt", Array.from({ length: 40_000 }, (_, at) => `line ${at}`).join("\n"));
  writeFileSync(join(served.place.cwd, "p.png"), Buffer.from(PIXEL, "base64"));
}, LIMIT_MS);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly mimeType?: string }[];
}

/** The operations of every client. `call` returns the result as the client's user sees it. */
interface Peer {
  list(): Promise<string[]>;
  call(tool: string, args: Record<string, string | number>): Promise<Called>;
  close?(): Promise<void>;
}

const require = createRequire(import.meta.url);
const bin = (name: string, path: string) => join(require.resolve(`${name}/package.json`), "..", path);
const INSPECTOR = bin("@modelcontextprotocol/inspector", "clients/launcher/build/index.js");
const stdio = () => ({
  command: process.execPath,
  args: [...HAFT, "mcp"],
  cwd: served.place.cwd,
  env: served.place.env,
});
const bearer = () => ({ Authorization: `Bearer ${served.token}` });

/** Runs a program of a client to its end. A failure of a tool may make it end with an error; what it printed counts. */
function run(program: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: served.place.cwd, env: served.place.env, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
}

function inspector(...target: string[]): Peer {
  const inspect = async (...args: string[]) =>
    JSON.parse((await run(INSPECTOR, ["--cli", ...target, "--method", ...args])).stdout);
  return {
    list: async () => (await inspect("tools/list")).tools.map(({ name }: { name: string }) => name),
    call: (tool, args) =>
      inspect(
        "tools/call",
        "--tool-name",
        tool,
        ...Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]),
      ),
  };
}

async function sdkV1(transport: StdioV1 | HttpV1): Promise<Peer> {
  const client = new ClientV1({ name: "v1", version: "1" });
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as Called,
    close: () => client.close(),
  };
}

async function aiSdk(transport: Parameters<typeof createMCPClient>[0]["transport"]): Promise<Peer> {
  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  return {
    list: async () => Object.keys(tools),
    call: async (name, args) =>
      (await tools[name]?.execute?.(args, { toolCallId: "1", messages: [], context: undefined } as never)) as Called,
    close: () => client.close(),
  };
}

function mcporter(config: object): Peer {
  const file = served.place.write(
    `mcporter-${crypto.randomUUID()}.json`,
    JSON.stringify({ mcpServers: { haft: config } }),
  );
  const program = fileURLToPath(new URL("./cli.js", import.meta.resolve("mcporter")));
  return {
    async list() {
      const { stdout } = await run(program, ["--config", file, "list", "haft", "--json"]);
      return JSON.parse(stdout).tools.map(({ name }: { name: string }) => name);
    },
    async call(tool, args) {
      const { stdout } = await run(program, [
        "--config",
        file,
        "call",
        `haft.${tool}`,
        "--args",
        JSON.stringify(args),
        "--output",
        "json",
      ]);
      return JSON.parse(stdout);
    },
  };
}

const peers: Record<string, () => Peer | Promise<Peer>> = {
  "Inspector, stdio": () => inspector(stdio().command, ...stdio().args, "--cwd", served.place.cwd),
  "Inspector, HTTP": () =>
    inspector(served.url, "--transport", "http", "--header", `Authorization: ${bearer().Authorization}`),
  "SDK v1, stdio": () => sdkV1(new StdioV1({ ...stdio(), stderr: "ignore" })),
  "SDK v1, HTTP": () => sdkV1(new HttpV1(new URL(served.url), { requestInit: { headers: bearer() } })),
  "AI SDK, stdio": () => aiSdk(new AiStdio(stdio())),
  "AI SDK, HTTP": () => aiSdk({ type: "http", url: served.url, headers: bearer() }),
  "mcporter, stdio": () => mcporter(stdio()),
  "mcporter, HTTP": () => mcporter({ baseUrl: served.url, headers: bearer() }),
};

const textOf = ({ content }: Called): string => content.map(({ text = "" }) => text).join("\n");

describe.each(Object.keys(peers))("Q13 a foreign client: %s", (name) => {
  it(
    "Q13 lists, calls, hears what went wrong, sees a picture, and is told where the whole of a long result is",
    async () => {
      const peer = await peers[name]!();
      expect(await peer.list()).toEqual(expect.arrayContaining(["Read", "Edit", "Bash", "Grep"]));
      expect(textOf(await peer.call("Read", { file_path: "a.txt" }))).toContain("hello");
      const wrong = await peer.call("Read", { file_path: "a.tx" });
      expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining("a.txt")]);
      const refused = await peer.call("Write", { file_path: "b.txt", content: "x" });
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining("--allow")]);
      const picture = await peer.call("Read", { file_path: "p.png" });
      expect(picture.content.map(({ type }) => type)).toContain("image");
      const grep = { pattern: "line", path: "long.txt", output_mode: "content", head_limit: 40_000 };
      const long = await peer.call("Grep", grep);
      expect(textOf(long)).toContain("The whole result is in");
      expect(JSON.stringify(long)).toContain("haft://results/");
      await peer.close?.();
    },
    LIMIT_MS,
  );
});

describe("Q13 the Inspector's portability lint", () => {
  const strict = (...args: string[]) =>
    run(INSPECTOR, ["--cli", process.execPath, ...HAFT, "mcp", ...args, "--method", "tools/list", "--strict"]);

  it("Q13 has nothing against our own tools", async () => {
    const { code, stderr } = await strict();
    expect([code, stderr.includes("Suggestion:")]).toEqual([0, false]);
  });

  it("Q13 would have: it objects to schemas that clients stumble over", async () => {
    const module = fileURLToPath(new URL("./odd-tool.mjs", import.meta.url));
    expect((await strict("--module", module)).code).toBe(6);
  });
});
