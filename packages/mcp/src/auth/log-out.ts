import type { FetchLike } from "@modelcontextprotocol/client";
import { type McpServer, reachOf } from "../server.ts";
import { assertTokenFile, type Login, openTokenStore } from "./token-store.ts";

/** Timeout in milliseconds for an authorization server to revoke its tokens. */
const REVOKE_MS = 10_000;

/** The result of a logout. */
interface LoggedOut {
  /** How many logins were forgotten. */
  readonly forgotten: number;
  /** How many of them their authorization server has revoked. The others expire. */
  readonly revoked: number;
}

/**
 * Forgets the logins for a server, and asks their issuers to revoke them (RFC 7009).
 *
 * @throws HaftError `validation_failed` for a file of logins that cannot be read.
 */
export async function logOut(
  tokenFile: string,
  server: McpServer,
  at: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<LoggedOut> {
  const reach = reachOf(server, at);
  if (reach.kind === "stdio") return { forgotten: 0, revoked: 0 };
  assertTokenFile(tokenFile);
  const store = openTokenStore(tokenFile);
  const address = new URL(reach.url);
  const gone = await store.locked(async () => store.forget(address.href));
  const { guardedFetch, strictFetch } = await import("../net/guarded-fetch.ts");
  const guard = guardedFetch({ server: address, isVouched: reach.isVouched });
  try {
    const answers = await Promise.all(gone.map((login) => revoke(login, strictFetch(guard.fetch))));
    return { forgotten: gone.length, revoked: answers.filter(Boolean).length };
  } finally {
    await guard.close();
  }
}

async function revoke({ authorizationServer, client, tokens }: Login, fetch: FetchLike): Promise<boolean> {
  const { revocation_endpoint: endpoint } = (authorizationServer ?? {}) as { readonly revocation_endpoint?: unknown };
  if (typeof endpoint !== "string") return false;
  const { client_id: id, client_secret: secret } = client;
  const body = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    token_type_hint: tokens.refresh_token === undefined ? "access_token" : "refresh_token",
    client_id: id,
  });
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret ?? "")}`).toString("base64");
  try {
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(secret === undefined ? {} : { authorization: `Basic ${basic}` }),
      },
      body: body.toString(),
      signal: AbortSignal.timeout(REVOKE_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // The logins are forgotten here all the same, and the count says the rest.
    return false;
  }
}
