import { type Effect, fail, HaftError, read, write } from "../../tool/index.ts";
import { runningCall } from "./running.ts";
import type { ToolContext } from "./types.ts";

/** A question that a tool asks while it runs. */
export interface PermissionRequest {
  /** The subject of the question, e.g. `bash_command`. */
  readonly type: string;
  /** The pattern that an "always" would cover, e.g. `git commit *`. */
  readonly pattern?: string | undefined;
  readonly sessionId: string;
  readonly messageId?: string | undefined;
  readonly callId: string | undefined;
  readonly title: string;
}

/**
 * Asks the person or program that answers for this session. Everything but a yes is `deny`: a no, nobody there, and a
 * call that does not run (any more).
 *
 * @throws HaftError `cancelled` when the call is cancelled meanwhile.
 */
async function ask({ type, pattern, sessionId, callId, title }: PermissionRequest): Promise<"allow" | "deny"> {
  const ctx = runningCall(sessionId, callId);
  if (!ctx) return "deny";
  try {
    await ctx.ask({ title, show: { kind: "text", text: pattern === undefined ? title : `${type}: ${pattern}` } });
    return "allow";
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code !== "cancelled") return "deny";
    throw thrown;
  }
}

/** The function for asking from within a tool, under its name in this shape. */
export const Permission = { ask };

/** The operation on a file. */
export type FileOperation = "read" | "write" | "edit" | "create" | "delete";

const EFFECTS: Readonly<Record<FileOperation, (path: string) => Effect>> = {
  read: (path) => read(path),
  write: (path) => write(path),
  edit: (path) => write(path),
  create: (path) => write(path, "create"),
  delete: (path) => write(path, "delete"),
};

/**
 * Returns the real location of a path if the rules let the tool use it. Inside the boundary that is immediate. Outside
 * it a person has to agree, who sees the path and the operation.
 *
 * @throws HaftError `denied_by_rule`, `denied_by_user` or `needs_approval`; the path must not be used then.
 */
export async function checkFileAccess(
  filePath: string,
  { sessionId, toolCallId, workingDirectory }: Pick<ToolContext, "sessionId" | "toolCallId" | "workingDirectory">,
  operation: FileOperation,
): Promise<string> {
  const ctx = runningCall(sessionId, toolCallId);
  if (!ctx) return fail("needs_approval", `Cannot ask about ${filePath}: no such call is running.`);
  const absolute = filePath.startsWith("/") ? filePath : `${workingDirectory ?? ctx.cwd}/${filePath}`;
  const { path } = await ctx.ports.files.locate(absolute);
  const title = `${operation} ${path}`;
  await ctx.ask({ title, show: { kind: "text", text: title }, effects: [EFFECTS[operation](path)] });
  return path;
}
