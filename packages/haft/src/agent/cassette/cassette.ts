import { type Content, contentsText, fail } from "@haft/core/tool";
import { z } from "zod";
import type { Message } from "../message.ts";
import type { ModelEvent } from "../model.ts";

/** The format version that is written. A reader refuses an unknown version. */
export const CASSETTE_VERSION = 1;

export type ResultStatus = "ok" | "error" | "denied" | "cancelled";

export interface RecordedResult {
  readonly callId: string;
  readonly tool: string;
  readonly status: ResultStatus;
  /** The beginning of the text that the model received, see `toldText`. Older recordings lack it. */
  readonly text?: string;
}

/** Most characters of a result to record and compare. */
const TEXT_CHARS = 8_000;

/** The text of a result as a cassette stores it: without secrets, because cassettes are committed to repositories. */
export const toldText = (content: readonly Content[], redact: (text: string) => string): string =>
  redact(contentsText(content)).slice(0, TEXT_CHARS);

/** One message of the model, with the results of its calls. */
export interface RecordedTurn {
  /** Complete parts in order, and how the message ended, without deltas. */
  readonly events: readonly ModelEvent[];
  readonly results: readonly RecordedResult[];
  /** Messages of people after it, before the next request. */
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

/** A session that can be replayed without a model and a person. Plain JSON without absolute paths. */
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

/** Built at the first cassette: the library is loaded with it. */
function cassetteSchema() {
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
  return z.object({
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
}

/** The text of a cassette's file. */
export const formatCassette = (cassette: Cassette): string => `${JSON.stringify(cassette, null, 2)}\n`;

/**
 * Parses the text of a cassette file.
 *
 * @throws HaftError `validation_failed` when it is not a cassette, or has another version.
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
  const parsed = cassetteSchema().safeParse(value);
  if (!parsed.success) fail("validation_failed", `${name} cannot be read:\n${z.prettifyError(parsed.error)}`);
  return parsed.data as Cassette;
}

/** Placeholder for the folder of the session. */
const FOLDER = "{{cwd}}";

/** A copy in which the placeholder replaces the folder's absolute path in every text. */
export const withoutFolder = <T>(value: T, cwd: string): T =>
  cwd === "/" ? value : mapStrings(value, (text) => replacePath(text, cwd));

/** The inverse: a recording as if it had been made in `cwd`. */
export const withFolder = <T>(value: T, cwd: string): T =>
  mapStrings(value, (text) => text.replaceAll(FOLDER, () => cwd));

/** Replaces only whole path segments: `/work/app` is not in `/work/app2`. */
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
