import { fail } from "@haft/core/tool";

/** The messages of A2UI 0.8. */
const KINDS = ["surfaceUpdate", "dataModelUpdate", "beginRendering", "deleteSurface"] as const;
const MOST_MESSAGES = 2_000;

/** Reads JSON lines as A2UI messages. Nothing is pushed if one of them is wrong. */
export function a2uiMessages(lines: string): readonly object[] {
  const messages = lines
    .split(/\r?\n/)
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== "")
    .map(({ line, number }) => messageOf(line, number));
  if (messages.length === 0) fail("invalid_input", "There is no message in jsonl.", HINT);
  if (messages.length > MOST_MESSAGES)
    fail("invalid_input", `There are ${messages.length} messages; at most ${MOST_MESSAGES} are read.`, "Push less.");
  return messages;
}

const HINT = `Write one JSON object per line, with one of: ${KINDS.join(", ")}.`;

function messageOf(line: string, number: number): object {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return fail("invalid_input", `Line ${number} is not JSON. Nothing was pushed.`, HINT);
  }
  if (typeof message === "object" && message !== null && KINDS.some((kind) => Object.hasOwn(message, kind)))
    return message;
  return fail("invalid_input", `Line ${number} is not an A2UI message. Nothing was pushed.`, HINT);
}
