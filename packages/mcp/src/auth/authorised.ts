import type { McpOAuthSettings } from "@haft/core/policy";
import { HaftError } from "@haft/core/tool";
import { haftErrorIn } from "@haft/host/net";
import type { FetchLike } from "@modelcontextprotocol/client";
import type { Browser } from "./browser.ts";
import { logIn } from "./log-in.ts";
import { logInAsClient, logsInByItself } from "./log-in-as-client.ts";
import { authRequired, type LoginNeed } from "./need.ts";
import { withoutSecrets } from "./secrets.ts";
import { sharePromise } from "./share-promise.ts";
import type { Login, TokenStore } from "./token-store.ts";

interface AuthorisedParts {
  readonly name: string;
  readonly url: string;
  readonly settings: McpOAuthSettings;
  readonly store: TokenStore;
  /** Absent: no person can be asked to log in. */
  readonly browser?: Browser;
  /** Guarded, for requests to the server itself. */
  readonly fetch: FetchLike;
  /** The same for authorization servers; follows no redirect to another origin. */
  readonly strict: FetchLike;
}

/** Requests to a server on behalf of the user. */
export interface Authorised {
  /** Carries the token of the last login and refreshes it if that helps. Rejects with `auth_required` if only a person can help. */
  readonly fetch: FetchLike;
  /** Whether `logIn` can do anything. */
  readonly canLogIn: boolean;
  logIn(need: LoginNeed, signal: AbortSignal): Promise<void>;
}

/** Milliseconds before its expiry at which a token is no longer used, if it lives much longer. Also the timeout of the refresh request. */
const EARLY_MS = 30_000;
const REFRESH_MS = 30_000;

export function authorised(parts: AuthorisedParts): Authorised {
  const { name, url, store, browser, fetch } = parts;
  const { origin } = new URL(url);
  const byItself = logsInByItself(parts.settings);
  let refreshing: Promise<string | undefined> | undefined;
  const logInOnce = sharePromise((need: LoginNeed, signal) => {
    const request = { ...parts, fetch: parts.strict };
    return byItself || !browser ? logInAsClient(request, need, signal) : logIn({ ...request, browser }, need, signal);
  });

  /** One refresh at a time: this promise guards this process, and the store's lock guards all processes. */
  function refreshed(used: Login): Promise<string | undefined> {
    refreshing ??= store
      .locked(() => refresh(parts, used))
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  }

  async function currentToken(): Promise<string | undefined> {
    const login = store.find(url);
    return login && isOver(login) ? refreshed(login) : login?.tokens.access_token;
  }

  async function authorisedFetch(input: Parameters<FetchLike>[0], init?: RequestInit): Promise<Response> {
    // No other origin ever gets the token, whatever led us there.
    if (new URL(input instanceof Request ? input.url : input).origin !== origin) return fetch(input, init);
    const token = await currentToken();
    const answer = await fetch(input, withToken(init, token));
    const need = await needIn(answer);
    if (!need) return answer;
    await answer.body?.cancel();
    if (need.isMore) throw authRequired(name, need);
    const login = store.find(url);
    const fresh = login && (login.tokens.access_token === token ? await refreshed(login) : login.tokens.access_token);
    if (fresh === undefined) throw authRequired(name, need);
    const again = await fetch(input, withToken(init, fresh));
    const stillNeeded = await needIn(again);
    if (!stillNeeded) return again;
    await again.body?.cancel();
    throw authRequired(name, stillNeeded);
  }

  return {
    fetch: authorisedFetch,
    canLogIn: browser !== undefined || byItself,
    logIn(need, signal) {
      // A person who was asked for these scopes already is not asked again: the server wants them but does not accept them.
      const isAsked = need.isMore === true && covers(store.find(url)?.scope, need.scope);
      if (isAsked || !(browser || byItself)) return Promise.reject(authRequired(name, need));
      return logInOnce(need, signal);
    },
  };
}

const covers = (asked: string | undefined, wanted: string | undefined): boolean =>
  (wanted ?? "").split(/\s+/).every((scope) => asked?.split(/\s+/).includes(scope));

/** A short-lived token is used for half its lifetime: a refresh per request would flood the server. */
function isOver({ tokens, at }: Login): boolean {
  const lifeMs = (tokens.expires_in ?? 0) * 1_000;
  // A server that issues expired tokens gives no usable lifetime; the MCP server will say when the token is invalid.
  if (tokens.refresh_token === undefined || !(lifeMs > 0)) return false;
  return Date.now() > at + lifeMs - Math.min(EARLY_MS, lifeMs / 2);
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  return { ...init, headers };
}

/** The login that a refusal requires, or a login with further scopes. Any other answer requires nothing. */
async function needIn(answer: Response): Promise<LoginNeed | undefined> {
  if (answer.status !== 401 && answer.status !== 403) return undefined;
  const { extractWWWAuthenticateParams } = await import("../sdk/sdk.ts");
  const { scope, error, resourceMetadataUrl } = extractWWWAuthenticateParams(answer);
  if (answer.status === 403 && error !== "insufficient_scope") return undefined;
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadata: resourceMetadataUrl.href }),
    ...(answer.status === 403 ? { isMore: true } : {}),
  };
}

/**
 * A new token for an expired one. `undefined`: only a person can get one, and the old one is removed. A token that another process
 * refreshed meanwhile is used. If an authorization server is merely unreachable, the login is kept.
 */
async function refresh({ name, url, store, strict }: AuthorisedParts, used: Login): Promise<string | undefined> {
  const login = store.find(url);
  if (!login || login.tokens.access_token !== used.tokens.access_token) return login?.tokens.access_token;
  const refreshToken = login.tokens.refresh_token;
  if (refreshToken === undefined) return undefined;
  const sdk = await import("../sdk/sdk.ts");
  try {
    const tokens = await sdk.refreshAuthorization(login.issuer, {
      ...(login.authorizationServer ? { metadata: login.authorizationServer } : {}),
      clientInformation: login.client,
      refreshToken,
      ...(login.resource === undefined ? {} : { resource: login.resource as unknown as URL }),
      fetchFn: (input, init) => strict(input, { ...init, signal: AbortSignal.timeout(REFRESH_MS) }),
    });
    store.keep({ ...login, tokens, at: Date.now() });
    return tokens.access_token;
  } catch (thrown) {
    if (thrown instanceof sdk.OAuthError && FINAL.has(thrown.code)) {
      store.forget(url);
      return undefined;
    }
    const secrets = [refreshToken, login.tokens.access_token, login.client.client_secret ?? ""];
    const why = haftErrorIn(thrown)?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
    throw new TypeError("refresh", {
      cause: new HaftError({
        code: "mcp_error",
        message: `The login at the MCP server "${name}" could not be refreshed: ${withoutSecrets(why, secrets)}`,
        hint: `Try again, or log in again with haft mcp login ${name}.`,
      }),
    });
  }
}

/** Answers after which a refresh token is useless. */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
]);
