import { HaftError } from "@haft/core/tool";
import { haftErrorIn } from "../../../host/net/cause.ts";

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
