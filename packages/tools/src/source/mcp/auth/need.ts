import { HaftError } from "@haft/core/tool";

/** What a server asked for when it refused a request. */
export interface LoginNeed {
  /** Scopes that it named. */
  readonly scope?: string;
  /** Where it describes itself and its authorization server. */
  readonly resourceMetadata?: string;
  /** The login that we have is good, but not for this. */
  readonly isMore?: boolean;
}

const REASON = "auth_required";

/** A server that wants a login, as an error with its cure. */
export function authRequired(server: string, need: LoginNeed): HaftError {
  const what = need.isMore
    ? `wants further rights${need.scope === undefined ? "" : ` (${need.scope})`}`
    : `wants a login (${REASON})`;
  return new HaftError({
    code: "mcp_error",
    message: `The MCP server "${server}" ${what}.`,
    hint: `Log in with haft mcp login ${server}, or set an Authorization header in its settings.`,
    details: { reason: REASON, ...need },
  });
}

/** What a failed request needs, however deep other errors have wrapped it. */
export function loginNeedIn(thrown: unknown): LoginNeed | undefined {
  const details = haftErrorIn(thrown)?.details;
  return details?.reason === REASON ? (details as LoginNeed) : undefined;
}

/** The error of our own that lies behind another program's. */
export function haftErrorIn(thrown: unknown): HaftError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1)
    if (HaftError.is(error)) return error as HaftError;
  return undefined;
}

/** What went wrong at the bottom: "connect ECONNREFUSED" says more than "fetch failed", which stands above it. */
export function rootOf(thrown: unknown): string {
  let root = thrown;
  for (let depth = 0; depth < 8 && root instanceof Error && root.cause instanceof Error; depth += 1) root = root.cause;
  const { message, code } = root as { readonly message?: string; readonly code?: unknown };
  return message || (typeof code === "string" ? code : String(thrown));
}
