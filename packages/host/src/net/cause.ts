import { HaftError } from "@haft/core/tool";

/** The HaftError in the cause chain of another error. */
export function haftErrorIn(thrown: unknown): HaftError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1)
    if (HaftError.is(error)) return error as HaftError;
  return undefined;
}

/** The message of the innermost cause: "connect ECONNREFUSED" says more than the outer "fetch failed". */
export function rootOf(thrown: unknown): string {
  let root = thrown;
  for (let depth = 0; depth < 8 && root instanceof Error && root.cause instanceof Error; depth += 1) root = root.cause;
  const { message, code } = root as { readonly message?: string; readonly code?: unknown };
  return message || (typeof code === "string" ? code : String(thrown));
}
