import { createHash } from "node:crypto";
import type { JsonSchema } from "@haft/core/schema";
import { type Icon, iconsOf } from "./icons.ts";
import { cappedText } from "./plain-text.ts";
import { plainSchema } from "./schema-repair.ts";

/** A tool as its server defines it, made safe to show. */
export interface Definition {
  /** The server's own name for it, exactly. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly hints: Hints;
  readonly icons?: readonly Icon[];
  /** The page that shows its calls (MCP Apps). */
  readonly page?: ToolPage;
  /** It runs as a task: it answers at once, and has its result later. */
  readonly asTask?: "required" | "optional";
  /** SHA-256 over the original name, title, description, schema and hints. */
  readonly hash: string;
}

/** A server's hints about its tool. Untrusted. */
interface Hints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  /** A person must be asked before each call, whatever the rules allow. */
  readonly needsPerson?: true;
}

/** The user interface of a tool: `_meta.ui` of MCP Apps. */
export interface ToolPage {
  /** A `ui://` resource of the same server. Absent: the tool serves the pages of other tools. */
  readonly uri?: string;
  /** The allowed callers of the tool: the model, and the pages of its server. */
  readonly isForModel: boolean;
  readonly isForPages: boolean;
}

/** A definition, or why it cannot be used. */
type ReadDefinition =
  | { readonly definition: Definition; readonly repaired?: string }
  | { readonly name: string; readonly problem: string };

/** Characters of a description and a title that a model gets, and bytes of a schema. */
const DESCRIPTION_CHARS = 4_096;
const TITLE_CHARS = 120;
const SCHEMA_BYTES = 256 * 1024;

/** The longest name in the specification. */
const NAME_CHARS = 128;

/** Reads one entry of a server's tool list. A problem affects this tool only. */
export function readDefinition(candidate: unknown): ReadDefinition {
  if (typeof candidate !== "object" || candidate === null) return { name: "?", problem: "It is not an object." };
  try {
    return read(candidate);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    const { name } = candidate as { readonly name?: unknown };
    return { name: cappedText(String(name), NAME_CHARS), problem: "It is nested too deeply." };
  }
}

function read(candidate: object): ReadDefinition {
  const { name, description, inputSchema, annotations, icons, ...rest } = candidate as Record<string, unknown>;
  const title = rest.title ?? (annotations as { title?: unknown } | undefined)?.title;
  if (typeof name !== "string" || name === "") return { name: "?", problem: "It has no name." };
  const shown = cappedText(name, NAME_CHARS);
  if (name.length > NAME_CHARS) return { name: shown, problem: `It has a name of more than ${NAME_CHARS} characters.` };
  if (shown !== name) return { name: shown, problem: "It has a name with invisible characters." };
  const bytes = JSON.stringify(inputSchema ?? {}).length;
  if (bytes > SCHEMA_BYTES)
    return { name, problem: `It has a schema of ${bytes} bytes; at most ${SCHEMA_BYTES} are read.` };
  const schema = plainSchema(inputSchema, name);
  if ("problem" in schema) return { name, problem: schema.problem };
  const label = labelOf(title);
  const pictures = iconsOf(icons);
  const page = pageOf(rest._meta);
  const mark = needsPerson(rest._meta) ? { needsPerson: true as const } : {};
  return {
    definition: {
      name,
      ...(label === undefined ? {} : { title: label }),
      description: typeof description === "string" ? cappedText(description, DESCRIPTION_CHARS) : "",
      inputSchema: schema.json,
      hints: { ...hintsOf(annotations), ...mark },
      ...(pictures.length > 0 ? { icons: pictures } : {}),
      ...(page ? { page } : {}),
      ...taskSupportOf(rest.execution),
      hash: createHash("sha256")
        .update(JSON.stringify([name, title, description, inputSchema, { ...hintsOf(annotations), ...mark }]))
        .digest("hex"),
    },
    ...(schema.repaired === undefined ? {} : { repaired: schema.repaired }),
  };
}

function labelOf(title: unknown): string | undefined {
  const plain = typeof title === "string" ? cappedText(title, TITLE_CHARS).replaceAll(/\s+/g, " ") : "";
  return plain === "" ? undefined : plain;
}

function hintsOf(annotations: unknown): Hints {
  const { readOnlyHint, destructiveHint } = (annotations ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof readOnlyHint === "boolean" ? { readOnly: readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
  };
}

/** The mark is Anthropic's, and other clients honour it. */
const needsPerson = (meta: unknown): boolean =>
  (meta as Readonly<Record<string, unknown>> | undefined)?.["anthropic/requiresUserInteraction"] === true;

const PAGE_ADDRESS = /^ui:\/\/[\x21-\x7e]{1,2048}$/;

/** Servers of before 2026 write the address as `ui/resourceUri`. */
function pageOf(meta: unknown): ToolPage | undefined {
  const { ui, "ui/resourceUri": early } = (meta ?? {}) as Readonly<Record<string, unknown>>;
  const { resourceUri = early, visibility } = (ui ?? {}) as Readonly<Record<string, unknown>>;
  const uri = typeof resourceUri === "string" && PAGE_ADDRESS.test(resourceUri) ? resourceUri : undefined;
  const isFor = (name: string): boolean => !Array.isArray(visibility) || visibility.includes(name);
  if (uri === undefined && !Array.isArray(visibility)) return undefined;
  return { ...(uri === undefined ? {} : { uri }), isForModel: isFor("model"), isForPages: isFor("app") };
}

function taskSupportOf(execution: unknown): Pick<Definition, "asTask"> {
  const { taskSupport } = (execution ?? {}) as { readonly taskSupport?: unknown };
  return taskSupport === "required" || taskSupport === "optional" ? { asTask: taskSupport } : {};
}
