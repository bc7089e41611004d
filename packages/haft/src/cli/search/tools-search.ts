import { readFile } from "node:fs/promises";
import { createToolIndex, type SearchableTool, searchableEntry, type ToolIndex } from "@haft/core/registry/deferral";
import type { JsonSchema } from "@haft/core/schema";
import type { Haft } from "../../app/haft.ts";
import { drawDisplay } from "../../draw/display.ts";
import { EXIT, type ExitCode, UsageError } from "../exit-code.ts";
import { readLines } from "../json-text.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { lineWriter } from "../terminal/line-writer.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ToolsSearch {
  readonly index: ToolIndex<SearchableTool>;
  readonly terminal: Terminal;
  /** The words of the single query; empty with `jsonl`. */
  readonly words: readonly string[];
  /** A file of lines `{"query": "..."}` or `"..."`, or `-`. */
  readonly jsonl?: string | undefined;
  readonly json: boolean;
}

/** `haft tools search QUERY`, or many with `--jsonl`: shows the ranking that ToolSearch uses. Loads nothing. */
export async function searchTools({ index, terminal, words, jsonl, json }: ToolsSearch): Promise<ExitCode> {
  if (jsonl !== undefined) return searchLines(index, terminal, jsonl);
  const query = words.join(" ");
  if (json) {
    await terminal.print(`${JSON.stringify(answer(index, query))}\n`);
    return EXIT.ok;
  }
  const rows = index.search(query).hits.map(({ tool, score }) => [tool.name, tool.server ?? "", score.toFixed(1)]);
  const table = drawDisplay({ kind: "table", columns: ["tool", "from", "score"], rows }, terminal.style);
  await terminal.print(rows.length === 0 ? "No tools found.\n" : `${table}\n`);
  return EXIT.ok;
}

/** Refuses invalid arguments before anything is read. */
export function checkSearch(words: readonly string[], jsonl: string | undefined): void {
  if (jsonl !== undefined && words.length > 0)
    throw new UsageError(`"${words[0]}" and --jsonl cannot be combined.`, "With --jsonl, each line has its own query.");
  if (jsonl === undefined && words.length === 0)
    throw new UsageError("Search for what?", "Usage: haft tools search QUERY, or --jsonl FILE|-.");
}

/** The tools of a session, in the order of the offer; with `absentToo` those that are not offered as well. */
export async function offeredIndex(haft: Haft, absentToo: boolean): Promise<ToolIndex<SearchableTool>> {
  const { tools } = await haft.offer();
  const offered = new Map(tools.map(({ name, description }) => [name, description]));
  const entries = haft.registry.entries().filter(({ tool }) => absentToo || offered.has(tool.name));
  return createToolIndex(
    entries.map((entry) => {
      const description = offered.get(entry.tool.name);
      return { ...searchableEntry(entry), ...(description === undefined ? {} : { description }) };
    }),
  );
}

/**
 * The tools of a file: a JSON array of `{server, name, description, inputSchema}`. Only the name is required.
 *
 * @throws UsageError when the file cannot be read or has another content.
 */
export async function catalogIndex(file: string): Promise<ToolIndex<SearchableTool>> {
  const cure = "Give a file with a JSON array of {server, name, description, inputSchema}.";
  let tools: unknown;
  try {
    tools = JSON.parse(await readFile(file, "utf8"));
  } catch (thrown) {
    throw new UsageError(`${file} cannot be read: ${(thrown as Error).message}`, cure);
  }
  if (!Array.isArray(tools)) throw new UsageError(`${file} does not contain an array.`, cure);
  return createToolIndex(
    tools.map((tool, at) => {
      const read = readTool(tool);
      if (!read) throw new UsageError(`Tool ${at + 1} of ${file} has no name.`, cure);
      return read;
    }),
  );
}

async function searchLines(index: ToolIndex<SearchableTool>, terminal: Terminal, source: string): Promise<ExitCode> {
  using interrupt = onInterrupt();
  const writer = lineWriter((text) => terminal.print(text));
  let number = 0;
  let code: ExitCode = EXIT.ok;
  try {
    for await (const line of readLines(source, interrupt.signal)) {
      number++;
      if (line.trim() === "") continue;
      const query = queryOf(line);
      if (query === undefined) code = EXIT.usage;
      await writer.write(JSON.stringify(query === undefined ? unreadable(number) : answer(index, query)));
    }
  } catch (thrown) {
    if (!interrupt.signal.aborted) throw thrown;
  } finally {
    await writer.flush();
  }
  return interrupt.signal.aborted ? EXIT.interrupted : code;
}

const answer = (index: ToolIndex<SearchableTool>, query: string) => ({
  query,
  results: index.search(query).hits.map(({ tool, score }) => ({ name: tool.name, server: tool.server ?? "", score })),
});

const unreadable = (line: number) => ({
  line,
  status: "error",
  error: { code: "invalid_json", message: "The line is not a search.", hint: 'Write {"query": "words"} or "words".' },
});

function queryOf(line: string): string | undefined {
  try {
    const said: unknown = JSON.parse(line);
    const query = typeof said === "object" ? (said as { readonly query?: unknown } | null)?.query : said;
    return typeof query === "string" ? query : undefined;
  } catch {
    return undefined;
  }
}

function readTool(tool: unknown): SearchableTool | undefined {
  if (typeof tool !== "object" || tool === null) return undefined;
  const { name, server, title, description, inputSchema } = tool as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "") return undefined;
  return {
    name,
    ...(typeof server === "string" ? { server } : {}),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof inputSchema === "object" && inputSchema !== null ? { inputSchema: inputSchema as JsonSchema } : {}),
  };
}
