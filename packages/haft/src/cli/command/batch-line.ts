import type { CallRequest } from "@haft/core/executor";
import type { ToolError } from "@haft/core/tool";

/** A call as written in a line; the id may still be missing. */
export type WrittenCall = Omit<CallRequest, "id"> & { readonly id?: string };

/** The content of a line of a batch file: the calls of one batch, or why it cannot be parsed. */
export type BatchLine = { readonly calls: readonly WrittenCall[] } | { readonly error: ToolError };

/** Parses a line. A list is one batch; one bad element makes the whole line invalid, so that no half of it runs. */
export function parseBatchLine(line: string): BatchLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (thrown) {
    return unreadable("invalid_json", `This line is not JSON: ${(thrown as Error).message}.`);
  }
  const elements = Array.isArray(value) ? value : [value];
  if (elements.length === 0) return unreadable("invalid_input", "This line is an empty batch.");
  const calls: WrittenCall[] = [];
  for (const [index, element] of elements.entries()) {
    const where = Array.isArray(value) ? `Element ${index + 1} of this line` : "This line";
    const call = readCall(element);
    if (typeof call === "string") return unreadable("invalid_input", `${where} is not a call: ${call}.`);
    calls.push(call);
  }
  return { calls };
}

function readCall(element: unknown): WrittenCall | string {
  if (typeof element !== "object" || element === null || Array.isArray(element)) return "it is not an object";
  const { id, tool, input } = element as Readonly<Record<string, unknown>>;
  if (typeof tool !== "string" || tool === "") return '"tool" must be the name of a tool';
  if (id !== undefined && (typeof id !== "string" || id === "")) return '"id" must be a string';
  return { tool, input: input ?? {}, ...(id === undefined ? {} : { id }) };
}

const unreadable = (code: "invalid_json" | "invalid_input", message: string): BatchLine => ({
  error: { code, message, hint: 'Write one object a line: {"tool": "Read", "input": {"file_path": "a.ts"}}.' },
});
