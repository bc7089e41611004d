import { defineTool, fail, run, type Tool, text } from "@haft/core/tool";

/** A tool as a discovery program declares it. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** Most tools of one program. */
const MOST_TOOLS = 500;

/** Milliseconds for one call. */
const CALL_MS = 600_000;

/**
 * Reads the declarations that a discovery program printed: an array of them, or of objects that hold them under
 * `function_declarations`, `functionDeclarations` or `function`. Entries that cannot be read are named in `problems`.
 */
export function declarationsIn(output: string): {
  readonly tools: readonly DeclaredTool[];
  readonly problems: readonly string[];
} {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (thrown) {
    return { tools: [], problems: [`its output is not JSON (${(thrown as Error).message.slice(0, 200)})`] };
  }
  const found = listOf(value);
  if (found === undefined) return { tools: [], problems: ["its output is not a list of tools"] };
  const tools: DeclaredTool[] = [];
  const problems: string[] = [];
  for (const [at, entry] of found.slice(0, MOST_TOOLS).entries()) {
    const tool = declared(entry);
    if (tool) tools.push(tool);
    else problems.push(`entry ${at + 1} has no valid name, or no parameters object`);
  }
  if (found.length > MOST_TOOLS) problems.push(`it declares ${found.length} tools; only ${MOST_TOOLS} are used`);
  return { tools, problems };
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return isRecord(value) ? nested(value) : undefined;
  return value.flatMap((entry) => (isRecord(entry) ? (nested(entry) ?? [entry]) : [entry]));
}

const nested = (entry: Entry): readonly unknown[] | undefined => {
  const inner = entry.function_declarations ?? entry.functionDeclarations;
  return Array.isArray(inner) ? inner : isRecord(entry.function) ? [entry.function] : undefined;
};

function declared(entry: unknown): DeclaredTool | undefined {
  if (!isRecord(entry) || typeof entry.name !== "string" || !/^[A-Za-z][\w.-]{0,63}$/.test(entry.name))
    return undefined;
  const parameters = entry.parametersJsonSchema ?? entry.parameters ?? entry.inputSchema ?? { type: "object" };
  if (!isRecord(parameters)) return undefined;
  return { name: entry.name, description: typeof entry.description === "string" ? entry.description : "", parameters };
}

/** A declared tool: a call starts the call command with the tool's name, and the input as JSON on its standard input. */
export const discoveredTool = ({ name, description, parameters }: DeclaredTool, argv: readonly string[]): Tool =>
  defineTool({
    name,
    description,
    input: parameters as never,
    can: ["run"],
    effects: (_, { cwd }) => [run({ argv: [...argv, name], text: [...argv, name].map(shellWord).join(" "), cwd })],
    describe: () => ({ title: `${name} (discovered)`, activity: `Running ${name}` }),
    limits: { timeoutMs: CALL_MS },
    async run(input, { ports, cwd, signal }) {
      const outcome = await ports.processes.run({
        command: scriptOf([...argv, name], input),
        cwd,
        signal,
        timeoutMs: CALL_MS,
      });
      const { exitCode, stdout, stderr, timedOut, cancelled } = outcome;
      if (exitCode === 0) return stdout;
      const how = timedOut ? "did not end in time" : cancelled ? "was cancelled" : `ended with exit code ${exitCode}`;
      return fail(
        "discovered_tool_failed",
        `${name} ${how}.\nStdout: ${stdout || "(empty)"}\nStderr: ${stderr || "(empty)"}`,
      );
    },
    toModel: (output) => [text(String(output))],
  }) as Tool;

/** The program with each word quoted, and its input as a document that no shell expands. */
function scriptOf(argv: readonly string[], input: unknown): string {
  // JSON has no line breaks of its own, so no line of it can end the document.
  return `${argv.map(shellWord).join(" ")} <<'HAFT_INPUT'\n${JSON.stringify(input)}\nHAFT_INPUT\n`;
}

const shellWord = (word: string): string =>
  /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

type Entry = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
