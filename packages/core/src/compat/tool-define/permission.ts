import { type Effect, fail, HaftError, read, write } from "../../tool/index.ts";
import { runningCall } from "./running.ts";
import type { ToolContext } from "./types.ts";

/** A question that a tool asks while it runs. */
export interface PermissionRequest {
  /** What it is about, e.g. `bash_command`. */
  readonly type: string;
  /** What an "always" would cover, e.g. `git commit *`. */
  readonly pattern?: string | undefined;
  readonly sessionId: string;
  readonly messageId?: string | undefined;
  readonly callId: string | undefined;
  readonly title: string;
}

/**
 * Asks whoever answers for this session. Everything but a yes is `deny`: a no, nobody there, and a call that does not
 * run (any more).
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

/** Asking from within a tool, under the name that this shape knows. */
export const Permission = { ask };

/** What is to be done with a file. */
export type FileOperation = "read" | "write" | "edit" | "create" | "delete";

const EFFECTS: Readonly<Record<FileOperation, (path: string) => Effect>> = {
  read: (path) => read(path),
  write: (path) => write(path),
  edit: (path) => write(path),
  create: (path) => write(path, "create"),
  delete: (path) => write(path, "delete"),
};

/**
 * Where a path really leads, when the rules let a tool go there: inside the boundary at once, outside it when a person
 * says so, who sees the path and the operation.
 *
 * @throws HaftError `denied_by_rule`, `denied_by_user` or `needs_approval`; nothing may be done with the path then.
 */
export async function checkFileAccess(
  filePath: string,
  { sessionId, toolCallId, workingDirectory }: Pick<ToolContext, "sessionId" | "toolCallId" | "workingDirectory">,
  operation: FileOperation,
): Promise<string> {
  const ctx = runningCall(sessionId, toolCallId);
  if (!ctx) return fail("needs_approval", `Nobody can be asked about ${filePath}: no such call is running.`);
  const absolute = filePath.startsWith("/") ? filePath : `${workingDirectory ?? ctx.cwd}/${filePath}`;
  const { path } = await ctx.ports.files.locate(absolute);
  const title = `${operation} ${path}`;
  await ctx.ask({ title, show: { kind: "text", text: title }, effects: [EFFECTS[operation](path)] });
  return path;
}
