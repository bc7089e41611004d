import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { HAFT, scratch } from "../../../test/support/haft-process.ts";

const GUARD = { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: "exit 1" }] }] };

type Message = { readonly level: string; readonly data: unknown; readonly logger?: string };

it.each(["legacy", "modern"] as const)(
  "Q13 E24 a notice for the person is a log message to a client of the %s protocol that wants it, each once",
  async (era) => {
    using place = scratch();
    place.write("a.txt", "one\n");
    place.write(".haft/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } }));
    const settings = place.write("guard.json", JSON.stringify({ hooks: GUARD }));
    const pinned = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
    const client = new Client({ name: "test", version: "1" }, era === "modern" ? pinned : {});
    const heard: Message[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params));
    const args = [...HAFT, "mcp", "--settings", settings];
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args, cwd: place.cwd, env: place.env },
      stderr: "pipe",
    });
    let told = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      told += chunk;
    });
    await client.connect(transport);
    const read = (_meta?: Record<string, unknown>) =>
      client.callTool({ name: "Read", arguments: { file_path: "a.txt" }, ...(_meta ? { _meta } : {}) });
    await read();
    expect(heard).toEqual([]);
    const wants = { "io.modelcontextprotocol/logLevel": "notice" };
    if (era === "legacy") await client.setLoggingLevel("notice");
    await read(era === "modern" ? wants : undefined);
    await expect.poll(() => heard.length).toBe(3);
    expect(heard.map(({ level, logger }) => [level, logger])).toEqual([
      ["notice", "haft"],
      ["warning", "haft"],
      ["warning", "haft"],
    ]);
    expect(String(heard[0]?.data)).toMatch(/settings\.json.*not trusted.*haft trust/);
    expect(String(heard[2]?.data)).toMatch(/PreToolUse hook "exit 1"/);
    // The server's log still has it.
    expect(told.match(/PreToolUse hook "exit 1"/g)).toHaveLength(2);
    expect(told).toMatch(/settings\.json.*not trusted/);
    await client.close();
  },
);
