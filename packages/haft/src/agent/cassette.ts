import { type Content, contentsText, fail } from "@haft/core/tool";
import { z } from "zod";
import type { Message } from "./message.ts";
import type { ModelEvent } from "./model.ts";

/** The version that is written. A reader refuses what it does not know. */
export const CASSETTE_VERSION = 1;

export type ResultStatus = "ok" | "error" | "denied" | "cancelled";

export interface RecordedResult {
  readonly callId: string;
  readonly tool: string;
  readonly status: ResultStatus;
  /** The beginning of what the model was told, see `toldText`. Recordings of before have none. */
  readonly text?: string;
}

/** Characters of a result that are recorded and compared. */
const TEXT_CHARS = 8_000;

/** What a result told the model, as a cassette keeps it: without secrets, for cassettes lie in repositories. */
export const toldText = (content: readonly Content[], redact: (text: string) => string): string =>
  redact(contentsText(content)).slice(0, TEXT_CHARS);

/** One message of the model, and what came of it. */
export interface RecordedTurn {
  /** Complete parts in order, and how the message ended. Deltas are not kept. */
  readonly events: readonly ModelEvent[];
  readonly results: readonly RecordedResult[];
  /** What people said after it, before the next request. */
  readonly said?: readonly Message[];
}

/** One answer that a person gave. */
export interface RecordedApproval {
  readonly callId: string;
  readonly tool: string;
  readonly answer: {
    readonly behavior: "allow" | "deny";
    readonly message?: string;
    readonly interrupt?: boolean;
    readonly input?: unknown;
  };
}

/** A session that can be replayed without a model and without a person. Plain JSON without absolute paths. */
export interface Cassette {
  readonly format: "haft-cassette";
  readonly version: typeof CASSETTE_VERSION;
  /** The model that was recorded. */
  readonly model: string;
  /** The conversation before the first request: usually one message of the user. */
  readonly opening: readonly Message[];
  readonly turns: readonly RecordedTurn[];
  readonly approvals: readonly RecordedApproval[];
}

const status = z.enum(["ok", "error", "denied", "cancelled"]);
const content = z.looseObject({ type: z.string() });
const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("reasoning"), text: z.string() }),
  z.looseObject({ type: z.literal("tool-call"), id: z.string(), tool: z.string(), input: z.unknown() }),
]);
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.array(content) }),
  z.object({ role: z.literal("assistant"), parts: z.array(part) }),
  z.object({
    role: z.literal("results"),
    results: z.array(z.object({ callId: z.string(), tool: z.string(), status, content: z.array(content) })),
  }),
]);
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("part"), key: z.string(), part }),
  z.looseObject({ type: z.literal("finish"), reason: z.enum(["stop", "calls", "length", "filtered", "other"]) }),
  z.object({ type: z.literal("error"), error: z.unknown() }),
]);
const schema = z.object({
  format: z.literal("haft-cassette"),
  version: z.literal(CASSETTE_VERSION),
  model: z.string(),
  opening: z.array(message),
  turns: z.array(
    z.object({
      events: z.array(event),
      results: z.array(z.object({ callId: z.string(), tool: z.string(), status, text: z.string().optional() })),
      said: z.array(message).optional(),
    }),
  ),
  approvals: z.array(
    z.object({
      callId: z.string(),
      tool: z.string(),
      answer: z.object({
        behavior: z.enum(["allow", "deny"]),
        message: z.string().optional(),
        interrupt: z.boolean().optional(),
        input: z.unknown().optional(),
      }),
    }),
  ),
});

/** The text of a cassette's file. */
export const formatCassette = (cassette: Cassette): string => `${JSON.stringify(cassette, null, 2)}\n`;

/**
 * A cassette from the text of its file.
 *
 * @throws HaftError `validation_failed` when it is no cassette, or one of another version.
 */
export function parseCassette(source: string, name = "The cassette"): Cassette {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (thrown) {
    fail("validation_failed", `${name} is not JSON: ${(thrown as Error).message}.`, "Record it again.");
  }
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof version === "number" && version !== CASSETTE_VERSION) {
    fail(
      "validation_failed",
      `${name} has version ${version}; this Haft reads ${CASSETTE_VERSION}.`,
      "Record it again.",
    );
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) fail("validation_failed", `${name} cannot be read:\n${z.prettifyError(parsed.error)}`);
  return parsed.data as Cassette;
}

/** Stands for the folder in which the session took place. */
const FOLDER = "{{cwd}}";

/** A copy without the folder's absolute path, wherever it occurs in a text. */
export const withoutFolder = <T>(value: T, cwd: string): T =>
  cwd === "/" ? value : mapStrings(value, (text) => replacePath(text, cwd));

/** The opposite: the recording, as if it had been made in `cwd`. */
export const withFolder = <T>(value: T, cwd: string): T =>
  mapStrings(value, (text) => text.replaceAll(FOLDER, () => cwd));

/** Only whole path segments: `/work/app` is not in `/work/app2`. */
function replacePath(text: string, cwd: string): string {
  let rest = text;
  let done = "";
  for (let at = rest.indexOf(cwd); at >= 0; at = rest.indexOf(cwd)) {
    const next = rest[at + cwd.length];
    const isWhole = next === undefined || !/[\w.-]/.test(next);
    done += rest.slice(0, at) + (isWhole ? FOLDER : cwd);
    rest = rest.slice(at + cwd.length);
  }
  return done + rest;
}

function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)])) as T;
}
