import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { HAFT, scratch } from "../../../../test/support/haft-process.ts";

const textOf = ({ content }: { content: { text: string }[] }): string => content.map(({ text }) => text).join("");

it("Q13 serves the MCP Inspector: Read and Edit through its command line", { timeout: 60_000 }, async () => {
  using place = scratch();
  place.write("a.txt", "hello\n");
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("@modelcontextprotocol/inspector/package.json");
  const inspector = join(manifest, "..", require(manifest).bin["mcp-inspector"]);
  const inspect = async (...args: string[]) => {
    const server = [process.execPath, ...HAFT, "mcp", "--mode", "acceptEdits", "--cwd", place.cwd];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [inspector, "--cli", ...server, "--method", ...args],
      {
        env: place.env,
        cwd: place.cwd,
      },
    );
    return JSON.parse(stdout);
  };
  const call = (tool: string, ...args: string[]) =>
    inspect("tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]));
  expect(textOf(await call("Read", "file_path=a.txt"))).toContain("hello");
  await call("Edit", "file_path=a.txt", "old_string=hello", "new_string=goodbye");
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("goodbye\n");
});
