import { HaftError } from "@haft/core/tool";

/** The HaftError in the cause chain of another error. */
export function haftErrorIn(thrown: unknown): HaftError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1)
    if (HaftError.is(error)) return error as HaftError;
  return undefined;
}

/** The message of the innermost cause: "connect ECONNREFUSED" says more than the outer "fetch failed". */
export function rootOf(thrown: unknown): string {
  const { message, code } = innermost(thrown);
  return message || (typeof code === "string" ? code : String(thrown));
}

/** Whether a body could not be decompressed. */
export function isBadCompression(thrown: unknown): boolean {
  const { code } = innermost(thrown);
  return typeof code === "string" && /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ZSTD)/.test(code);
}

function innermost(thrown: unknown): { readonly message?: string; readonly code?: unknown } {
  let root = thrown;
  for (let depth = 0; depth < 8 && root instanceof Error && root.cause instanceof Error; depth += 1) root = root.cause;
  return (root ?? {}) as { readonly message?: string; readonly code?: unknown };
}
