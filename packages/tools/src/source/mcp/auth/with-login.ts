import { HaftError } from "@haft/core/tool";
import { type LoginNeed, loginNeedIn } from "./need.ts";

/** Logins that one request may bring a person to: for the server, and for what it wants beyond. No more. */
const MOST_LOGINS = 2;

/** Who can be asked to log in. */
interface LoginDesk {
  readonly logIn?: (need: LoginNeed, signal: AbortSignal) => Promise<void>;
}

/** Makes a request, and where the server wants a login for it, as `afterLogin` does. */
export async function withLogin<T>(at: LoginDesk, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (thrown) {
    return afterLogin(at, signal, request, thrown);
  }
}

/**
 * Makes a request that has failed again after a login, where the server wants one and somebody can be asked. Nobody is
 * asked for the same login twice. Whatever else it failed of is thrown as it is.
 */
export async function afterLogin<T>(
  at: LoginDesk,
  signal: AbortSignal,
  request: () => Promise<T>,
  failure: unknown,
): Promise<T> {
  let thrown = failure;
  for (let logins = 0; ; logins += 1) {
    const need = loginNeedIn(thrown);
    if (!need || !at.logIn || logins >= MOST_LOGINS) throw thrown;
    if (logins > 0 && !need.isMore) throw notTaken();
    await at.logIn(need, signal);
    try {
      return await request();
    } catch (again) {
      thrown = again;
    }
  }
}

const notTaken = (): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: "The login has worked, but the MCP server does not take it.",
    hint: "Correct oauth.scope or oauth.issuer in its settings, or set an Authorization header there.",
  });
