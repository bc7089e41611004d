import { HaftError } from "@haft/core/tool";
import { haftErrorIn } from "@haft/host/net";

/** The login that a server asked for when it refused a request. */
export interface LoginNeed {
  /** Scopes that it named. */
  readonly scope?: string;
  /** The address at which it describes itself and its authorization server. */
  readonly resourceMetadata?: string;
  /** The login is valid, but does not cover this request. */
  readonly isMore?: boolean;
}

const REASON = "auth_required";

/** The error for a server that requires a login, with its fix. */
export function authRequired(server: string, need: LoginNeed): HaftError {
  const what = need.isMore
    ? `requires more rights${need.scope === undefined ? "" : ` (${need.scope})`}`
    : `requires a login (${REASON})`;
  return new HaftError({
    code: "mcp_error",
    message: `The MCP server "${server}" ${what}.`,
    hint: `Log in with haft mcp login ${server}, or set an Authorization header in its settings.`,
    details: { reason: REASON, ...need },
  });
}

/** The login that a failed request needs, however deep other errors have wrapped it. */
export function loginNeedIn(thrown: unknown): LoginNeed | undefined {
  const details = haftErrorIn(thrown)?.details;
  return details?.reason === REASON ? (details as LoginNeed) : undefined;
}
