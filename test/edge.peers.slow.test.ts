// `@haft/core/edge` in Cloudflare's own runtime, without its compatibility layer for Node.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsdown";
import { expect, it } from "vitest";

// Its package has no types.
const workerd: string = createRequire(import.meta.url)("workerd").default;

const WORKER = `
import { defineTool, effects } from "@haft/core";
import { createEdgeHaft } from "@haft/core/edge";
import { z } from "zod";

const Note = defineTool({
  name: "Note", description: "Adds a note.", input: z.object({ line: z.string() }), can: ["write"],
  effects: () => [effects.write("notes.md")],
  run: async ({ line }, { ports }) => { await ports.files.write("notes.md", line); return "noted " + line; },
});
export default {
  async fetch() {
    const haft = createEdgeHaft({ tools: [Note], ask: async () => ({ behavior: "allow" }) });
    const message = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Note", input: { line: "one" } }] };
    const results = await haft.for("anthropic").run(message);
    const silent = await createEdgeHaft({ tools: [Note] }).call("Note", { line: "two" });
    const { changed } = await haft.undo();
    return Response.json({ results, refused: silent.error?.code, undone: changed.map(({ path }) => path) });
  },
};`;

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "main", esModule = embed "worker.mjs")], compatibilityDate = "2025-09-01"))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`;

it("A45 an edge Haft runs tools, asks and undoes in workerd", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-edge-"));
  writeFileSync(join(folder, "entry.mjs"), WORKER);
  await build({
    ...{
      config: false,
      entry: { worker: join(folder, "entry.mjs") },
      outDir: folder,
      clean: false,
      dts: false,
      fixedExtension: true,
    },
    // The configuration below embeds one module.
    outputOptions: { codeSplitting: false },
    ...{ format: "esm", platform: "neutral", logLevel: "silent", deps: { alwaysBundle: [/.*/] } },
    inputOptions: {
      resolve: {
        conditionNames: ["haft-source", "import", "default"],
        modules: [join(import.meta.dirname, "../node_modules")],
      },
    },
  });
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  const server = spawn(workerd, ["serve", "--control-fd=3", join(folder, "config.capnp")], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
      server.stdio[3]!.on("data", (data: Buffer) => {
        for (const line of String(data)
          .split("\n")
          .filter((text) => text !== "")) {
          const said = JSON.parse(line);
          if (said.event === "listen") resolve(said.port);
        }
      });
    });
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.json()).toMatchObject({
      results: { content: [{ type: "tool_result", tool_use_id: "t1", content: [{ text: "noted one" }] }] },
      refused: "needs_approval",
      undone: ["/work/notes.md"],
    });
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
