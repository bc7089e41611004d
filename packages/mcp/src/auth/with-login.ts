import { HaftError } from "@haft/core/tool";
import { type LoginNeed, loginNeedIn } from "./need.ts";

/** The most logins that one request may ask of a person: one for the server, and one for further scopes. */
const MOST_LOGINS = 2;

/** Asks a person to log in. */
interface LoginDesk {
  readonly logIn?: (need: LoginNeed, signal: AbortSignal) => Promise<void>;
}

/** Makes a request, and if the server requires a login for it, continues as `afterLogin` does. */
export async function withLogin<T>(at: LoginDesk, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (thrown) {
    return afterLogin(at, signal, request, thrown);
  }
}

/**
 * Makes a failed request again after a login, if the server requires one and somebody can be asked. Nobody is asked for the same login
 * twice. Any other failure is thrown unchanged.
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
    message: "The login worked, but the MCP server does not accept it.",
    hint: "Correct oauth.scope or oauth.issuer in its settings, or set an Authorization header there.",
  });
