import { readFileSync } from "node:fs";
import { defineTool, read, write } from "@haft/core/tool";
import { memoryPorts } from "./memory.ts";
import { testToolbox } from "./toolbox.ts";

/** Answers of providers: whole, and as streams with one event a line. */
const fileOf = (name: string) => readFileSync(new URL(`../cases/wire/${name}`, import.meta.url), "utf8");

export const whole = <T>(name: string): T => JSON.parse(fileOf(name));

export const events = <T>(name: string): T[] =>
  fileOf(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** The events as a stream; between them something to wait for. */
export async function* stream<T extends object>(steps: readonly (T | (() => Promise<unknown>))[]): AsyncGenerator<T> {
  for (const step of steps) {
    if (typeof step === "function") await step();
    else yield step;
  }
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const file_path = { type: "string", description: "A path." } as const;

const Read = defineTool({
  name: "Read",
  description: "Reads a file.",
  input: {
    type: "object",
    properties: { file_path, limit: { type: "integer", minimum: 1, description: "How many lines." } },
    required: ["file_path"],
  } as const,
  can: ["read"],
  effects: ({ file_path }) => [read(file_path)],
  run: async ({ file_path }, { ports, cwd }) => `1\t${(await ports.files.text(`${cwd}/${file_path}`)).text}`,
  toModel: (text) => [
    { type: "text", text },
    { type: "image", data: PIXEL, mediaType: "image/png" },
  ],
});

const Write = defineTool({
  name: "Write",
  description: "Writes a file.",
  input: {
    type: "object",
    properties: { file_path, content: { type: "string", description: "The text." } },
    required: ["file_path", "content"],
  } as const,
  can: ["write"],
  effects: ({ file_path }) => [write(file_path)],
  async run({ file_path, content }, { ports, cwd }) {
    await ports.files.write(`${cwd}/${file_path}`, content);
    return `wrote ${file_path}`;
  },
});

/** The two tools of the recorded answers, over a small disk. */
export function wireBox() {
  const disk = new Map([
    ["/w/src/a.ts", "export const a = 1\n"],
    ["/w/src/b.ts", "export const b = 2\n"],
  ]);
  const { toolbox, events: seen } = testToolbox([Read, Write], { ports: memoryPorts(disk, { delayMs: 0 }) });
  const started = () => seen.filter(({ type }) => type === "tool:execution:start").map(({ call }) => call.tool);
  return { toolbox, disk, started };
}

export const WRITTEN = 'line "1"\n✓';
