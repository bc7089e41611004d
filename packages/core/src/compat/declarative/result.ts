import {
  type Content,
  contentText,
  type Display,
  type ErrorCode,
  errorCodes,
  type Result,
  type Todo,
  text,
} from "../../tool/index.ts";

/** Part of what the model reads. */
export type Part =
  | string
  | { readonly text: string }
  | { readonly inlineData: { readonly data: string; readonly mimeType: string } };

/** What the model gets: one part, or several. */
export type PartListUnion = Part | readonly Part[];

/** A changed file: the difference, and both contents. `null`: the file is new. */
export interface FileDiff {
  readonly fileDiff: string;
  readonly fileName: string;
  readonly originalContent: string | null;
  readonly newContent: string;
}

/** Output of a terminal, line by line, each a list of pieces. */
export type AnsiOutput = readonly (readonly { readonly text: string }[])[];

/** A list of things to do, with how far they are. */
export interface TodoList {
  readonly todos: readonly { readonly description: string; readonly status: Todo["status"] | "cancelled" }[];
}

/** What a person gets to see of a result. */
export type ToolResultDisplay = string | FileDiff | AnsiOutput | TodoList;

/** Why a call failed: our codes in capitals, and the two names of this shape that have no code of their own. */
export type ToolErrorType = Uppercase<ErrorCode> | "INVALID_TOOL_PARAMS" | "DISCOVERED_TOOL_EXECUTION_ERROR";

/** The error types by name. */
export const ToolErrorType = {
  ...(Object.fromEntries(errorCodes.map((code) => [code.toUpperCase(), code.toUpperCase()])) as {
    readonly [C in Uppercase<ErrorCode>]: C;
  }),
  INVALID_TOOL_PARAMS: "INVALID_TOOL_PARAMS",
  DISCOVERED_TOOL_EXECUTION_ERROR: "DISCOVERED_TOOL_EXECUTION_ERROR",
} as const;

/** What a call gives: content for the model, a display for people, and an error where it failed. */
export interface ToolResult {
  readonly llmContent: PartListUnion;
  readonly returnDisplay: ToolResultDisplay;
  readonly error?: { readonly message: string; readonly type?: ToolErrorType };
}

const OTHER_NAMES: Readonly<Partial<Record<ErrorCode, ToolErrorType>>> = {
  invalid_input: "INVALID_TOOL_PARAMS",
  discovered_tool_failed: "DISCOVERED_TOOL_EXECUTION_ERROR",
  denied_by_rule: "PERMISSION_DENIED",
  denied_by_mode: "PERMISSION_DENIED",
  denied_by_user: "PERMISSION_DENIED",
  denied_by_hook: "PERMISSION_DENIED",
};

/** One of our codes as an error type. */
export const toErrorType = (code: ErrorCode): ToolErrorType =>
  OTHER_NAMES[code] ?? (code.toUpperCase() as Uppercase<ErrorCode>);

/** An error type as one of our codes; one that nobody knows is a failure like any other. */
export function toErrorCode(type: string | undefined): ErrorCode {
  if (type === "INVALID_TOOL_PARAMS") return "invalid_input";
  if (type === "DISCOVERED_TOOL_EXECUTION_ERROR") return "discovered_tool_failed";
  return errorCodes.find((code) => code.toUpperCase() === type) ?? "execution_failed";
}

/** The end of a call in this shape. */
export function toToolResult({ content, display, error }: Result): ToolResult {
  const llmContent = content.map(
    (block): Part =>
      block.type === "image" || block.type === "audio" || block.type === "document"
        ? { inlineData: { data: block.data, mimeType: block.mediaType } }
        : { text: contentText(block) },
  );
  const shown = content.map(contentText).join("\n");
  return {
    llmContent,
    returnDisplay: display ? fromDisplay(display, shown) : shown,
    ...(error ? { error: { message: error.message, type: toErrorType(error.code) } } : {}),
  };
}

function fromDisplay(display: Display, otherwise: string): ToolResultDisplay {
  switch (display.kind) {
    case "text":
    case "markdown":
      return display.text;
    case "diff":
      return {
        fileDiff: display.unified,
        fileName: display.path,
        originalContent: display.before,
        newContent: display.after,
      };
    case "todos":
      return { todos: display.todos.map(({ content, status }) => ({ description: content, status })) };
    case "terminal":
      return display.text.split("\n").map((line) => [{ text: line }]);
    default:
      return otherwise;
  }
}

/** What the model reads, as our content. */
export function toContents(parts: PartListUnion): readonly Content[] {
  const list: readonly Part[] = typeof parts === "string" || !Array.isArray(parts) ? [parts as Part] : parts;
  return list.map((part) => {
    if (typeof part === "string") return text(part);
    if ("text" in part) return text(part.text);
    const { data, mimeType } = part.inlineData;
    const type = mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "audio" : "document";
    return { type, data, mediaType: mimeType };
  });
}

/** What people see, as our display. */
export function toDisplay(shown: ToolResultDisplay, isMarkdown: boolean): Display {
  if (typeof shown === "string") return { kind: isMarkdown ? "markdown" : "text", text: shown };
  if ("fileDiff" in shown) return diffOf(shown);
  if ("todos" in shown)
    return {
      kind: "todos",
      todos: shown.todos.map(({ description, status }) => ({
        content: description,
        status: status === "cancelled" ? "completed" : status,
      })),
    };
  const lines = shown.map((line) => line.map((piece) => piece.text).join(""));
  return { kind: "terminal", text: lines.join("\n") };
}

/** A file's change, with its lines counted from the diff. */
export function diffOf({ fileDiff, fileName, originalContent, newContent }: FileDiff): Display {
  const lines = fileDiff.split("\n");
  const count = (mark: string) =>
    lines.filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length;
  return {
    kind: "diff",
    path: fileName,
    before: originalContent ?? "",
    after: newContent,
    added: count("+"),
    removed: count("-"),
    unified: fileDiff,
  };
}
