import { HaftError } from "@haft/core/tool";
import { type LoginNeed, loginNeedIn } from "./need.ts";

/** Logins that one request may bring a person to: for the server, and for what it wants beyond. No more. */
const MOST_LOGINS = 2;

/**
 * Makes a request, and makes it again after a login where the server wants one and somebody can be asked. Nobody is asked
 * for the same login twice.
 */
export async function withLogin<T>(
  at: { readonly logIn?: (need: LoginNeed, signal: AbortSignal) => Promise<void> },
  signal: AbortSignal,
  request: () => Promise<T>,
): Promise<T> {
  for (let logins = 0; ; logins += 1) {
    try {
      return await request();
    } catch (thrown) {
      const need = loginNeedIn(thrown);
      if (!need || !at.logIn || logins >= MOST_LOGINS) throw thrown;
      if (logins > 0 && !need.isMore) throw notTaken();
      await at.logIn(need, signal);
    }
  }
}

const notTaken = (): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: "The login has worked, but the MCP server does not take it.",
    hint: "Correct oauth.scope or oauth.issuer in its settings, or set an Authorization header there.",
  });
