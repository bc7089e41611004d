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

/** A part of the content for the model. */
export type Part =
  | string
  | { readonly text: string }
  | { readonly inlineData: { readonly data: string; readonly mimeType: string } };

/** The content for the model: one part, or several. */
export type PartListUnion = Part | readonly Part[];

/** A changed file: the diff, and both contents. `null`: the file is new. */
export interface FileDiff {
  readonly fileDiff: string;
  readonly fileName: string;
  readonly originalContent: string | null;
  readonly newContent: string;
}

/** Output of a terminal, line by line, each a list of pieces. */
export type AnsiOutput = readonly (readonly { readonly text: string }[])[];

/** A list of todos with their progress. */
export interface TodoList {
  readonly todos: readonly { readonly description: string; readonly status: Todo["status"] | "cancelled" }[];
}

/** The display of a result for people. */
export type ToolResultDisplay = string | FileDiff | AnsiOutput | TodoList;

/** The error type of a failed call: our codes in capitals, and the two names of this shape without a code of ours. */
export type ToolErrorType = Uppercase<ErrorCode> | "INVALID_TOOL_PARAMS" | "DISCOVERED_TOOL_EXECUTION_ERROR";

/** The error types by name. */
export const ToolErrorType = {
  ...(Object.fromEntries(errorCodes.map((code) => [code.toUpperCase(), code.toUpperCase()])) as {
    readonly [C in Uppercase<ErrorCode>]: C;
  }),
  INVALID_TOOL_PARAMS: "INVALID_TOOL_PARAMS",
  DISCOVERED_TOOL_EXECUTION_ERROR: "DISCOVERED_TOOL_EXECUTION_ERROR",
} as const;

/** The result of a call: content for the model, a display for people, and an error if it failed. */
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

/** An error type as one of our codes; an unknown one becomes a general failure. */
export function toErrorCode(type: string | undefined): ErrorCode {
  if (type === "INVALID_TOOL_PARAMS") return "invalid_input";
  if (type === "DISCOVERED_TOOL_EXECUTION_ERROR") return "discovered_tool_failed";
  return errorCodes.find((code) => code.toUpperCase() === type) ?? "execution_failed";
}

/** Converts a result to this shape. */
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

/** Converts the content for the model to ours. */
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

/** Converts the display for people to ours. */
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
