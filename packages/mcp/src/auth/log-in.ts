import { randomBytes, timingSafeEqual } from "node:crypto";
import type { McpOAuthSettings } from "@haft/core/policy";
import { HaftError } from "@haft/core/tool";
import { haftErrorIn, rootOf } from "@haft/host/net";
import type {
  FetchLike,
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import type { Browser } from "./browser.ts";
import type { LoginNeed } from "./need.ts";
import { withoutSecrets } from "./secrets.ts";
import type { TokenStore } from "./token-store.ts";

export interface LoginRequest {
  /** Its name for people. */
  readonly name: string;
  readonly url: string;
  readonly settings: McpOAuthSettings;
  readonly store: TokenStore;
  readonly browser: Browser;
  /** The guarded fetch that follows no redirect to another origin. */
  readonly fetch: FetchLike;
}

/** Our name when we register a client. */
const CLIENT_NAME = "Haft";

/**
 * Brings a person through the login of a server: the server's metadata about its authorization server, a client there (from the settings,
 * else our metadata document, else a registration), the visit with PKCE, and the tokens into the store.
 *
 * @throws HaftError `mcp_error` with the reason and the fix; `cancelled` when the person gave up.
 */
export async function logIn(request: LoginRequest, need: LoginNeed, signal: AbortSignal): Promise<void> {
  const { url, settings, store, browser, fetch } = request;
  const sdk = await import("../sdk/sdk.ts");
  const before = store.find(url);
  await using visit = await browser.open(preferredRedirect(settings, before?.redirectUrl));
  const scope = sdk.computeScopeUnion(need.isMore ? before?.scope : undefined, need.scope) ?? settings.scope;
  const flow = new LoginFlow(request, visit.redirectUrl);
  const bounded: FetchLike = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)]) });
  const options = {
    serverUrl: url,
    fetchFn: bounded,
    ...(scope === undefined ? {} : { scope }),
    ...(need.resourceMetadata === undefined ? {} : { resourceMetadataUrl: new URL(need.resourceMetadata) }),
  };
  try {
    await sdk.auth(flow.provider, options);
    const address = flow.address();
    if (address) {
      signal.throwIfAborted();
      assertSafePage(address);
      const back = await visit.go(address, signal);
      const { code, iss } = answerIn(back, flow.state, flow.expectedIssuer(), sdk.validateAuthorizationResponseIssuer);
      flow.sawSecret(code);
      await sdk.auth(flow.provider, { ...options, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
    }
    const asked = scope ?? address?.searchParams.get("scope") ?? undefined;
    await store.locked(async () => store.keep(flow.login(asked)));
  } catch (thrown) {
    signal.throwIfAborted();
    throw explained(request.name, thrown, flow.secrets());
  }
}

/** Timeout in milliseconds for one request to an authorization server. */
const STEP_MS = 30_000;

const preferredRedirect = ({ callbackPort }: McpOAuthSettings, last: string | undefined): string | undefined =>
  callbackPort === undefined ? last : `http://127.0.0.1:${callbackPort}/callback`;

/** The SDK's state for one login. Nothing is stored until the tokens arrive. */
class LoginFlow {
  readonly #url: string;
  readonly #settings: McpOAuthSettings;
  readonly #store: TokenStore;
  readonly #redirectUrl: string;
  readonly state = randomBytes(24).toString("base64url");
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;
  #resource: string | undefined;
  #client: { readonly issuer: string; readonly information: OAuthClientInformationMixed } | undefined;
  #tokens: OAuthTokens | undefined;
  #address: URL | undefined;
  readonly #codes: string[] = [];
  readonly provider: OAuthClientProvider;

  constructor({ name, url, settings, store }: LoginRequest, redirectUrl: string) {
    this.#url = url;
    this.#settings = settings;
    this.#store = store;
    this.#redirectUrl = redirectUrl;
    this.provider = {
      redirectUrl,
      clientMetadata: {
        client_name: CLIENT_NAME,
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
      ...(settings.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: settings.clientMetadataUrl }),
      state: () => this.state,
      clientInformation: (context) => {
        const at = context?.issuer ?? this.#issuer() ?? "";
        if (settings.issuer !== undefined && !isSameIssuer(settings.issuer, at)) throw wrongIssuer(name, at, settings);
        if (settings.clientId !== undefined) return ownClient(settings, settings.clientId, at);
        const known = this.#client?.issuer === at ? this.#client.information : store.client(at, redirectUrl);
        return known && { ...known, issuer: at };
      },
      saveClientInformation: (information, context) => {
        this.#client = { issuer: context?.issuer ?? this.#issuer() ?? "", information };
      },
      // A login is required: the existing tokens are insufficient, and refreshing happens elsewhere.
      tokens: () => undefined,
      saveTokens: (given) => {
        this.#tokens = given;
      },
      redirectToAuthorization: (to) => {
        this.#address = to;
      },
      saveCodeVerifier: (text) => {
        this.#verifier = text;
      },
      codeVerifier: () => this.#verifier,
      saveResourceUrl: (text) => {
        this.#resource = text;
      },
      saveDiscoveryState: (found) => {
        this.#discovery = found;
      },
      discoveryState: () => this.#discovery,
      invalidateCredentials: (what) => {
        if (what === "client" || what === "all") this.#client = undefined;
      },
    };
  }

  address(): URL | undefined {
    return this.#address;
  }

  expectedIssuer() {
    return this.#discovery?.authorizationServerMetadata;
  }

  sawSecret(code: string): void {
    this.#codes.push(code);
  }

  secrets(): readonly string[] {
    return [
      this.#verifier,
      this.state,
      ...this.#codes,
      ...[
        this.#settings.clientSecret,
        this.#client?.information.client_secret,
        this.#tokens?.access_token,
        this.#tokens?.refresh_token,
      ].filter((text) => text !== undefined),
    ];
  }

  login(scope: string | undefined) {
    const at = this.#issuer();
    const information =
      this.#settings.clientId === undefined
        ? this.#client?.information
        : ownClient(this.#settings, this.#settings.clientId, at ?? "");
    const used = information ?? (at === undefined ? undefined : this.#store.client(at, this.#redirectUrl));
    if (!this.#tokens || at === undefined || !used) throw new Error("The authorization server returned no token.");
    return {
      server: this.#url,
      issuer: at,
      ...(this.#resource === undefined ? {} : { resource: this.#resource }),
      authorizationServer: this.#discovery?.authorizationServerMetadata,
      client: used,
      redirectUrl: this.#redirectUrl,
      ...(scope === undefined ? {} : { scope }),
      tokens: this.#tokens,
      at: Date.now(),
    };
  }

  #issuer(): string | undefined {
    return this.#discovery?.authorizationServerMetadata?.issuer ?? this.#discovery?.authorizationServerUrl;
  }
}

const ownClient = ({ clientSecret }: McpOAuthSettings, id: string, issuer: string) => ({
  client_id: id,
  ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  issuer,
});

/** A person is only sent to a web page, never to an address that the system would open with another program. */
function assertSafePage(address: URL): void {
  const isLocal = address.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(address.hostname);
  if (address.protocol === "https:" || isLocal) return;
  throw new HaftError({
    code: "address_blocked",
    message: `The authorization server wants to open ${address.protocol}//${address.host}, which is not an https page.`,
    hint: "Ask the operator of the server to correct its authorization metadata.",
  });
}

/** The code with which a person came back. The issuer is checked before any other part of the answer is trusted. */
function answerIn(
  back: URL,
  state: string,
  metadata: OAuthDiscoveryState["authorizationServerMetadata"],
  checkIssuer: typeof import("../sdk/sdk.ts").validateAuthorizationResponseIssuer,
): { readonly code: string; readonly iss: string | undefined } {
  const given = back.searchParams;
  if (!isSame(given.get("state") ?? "", state))
    throw new Error("the answer does not belong to this login (its state differs)");
  const iss = given.get("iss") ?? undefined;
  checkIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const code = given.get("code");
  if (code !== null && code !== "") return { code, iss };
  throw new Error(`the authorization server refused: ${given.get("error_description") ?? given.get("error") ?? "why"}`);
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, "") === b.replace(/\/$/, "");

const wrongIssuer = (name: string, at: string, { issuer }: McpOAuthSettings): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `The MCP server "${name}" names the authorization server ${at}, but its settings say ${issuer}.`,
    hint: "Nothing was sent there. If it has moved, correct oauth.issuer in its settings.",
  });

function explained(name: string, thrown: unknown, secrets: readonly string[]): HaftError {
  const own = haftErrorIn(thrown);
  if (own) return own;
  const message = withoutSecrets(reasonOf(thrown), secrets);
  return new HaftError({
    code: "mcp_error",
    message: `The login at the MCP server "${name}" failed: ${message}`,
    hint: `Try haft mcp login ${name} again, or set its own client in oauth.clientId.`,
  });
}

/** Describes an answer of the wrong shape, and for a failed request its underlying cause. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return "the authorization server's answer is not JSON";
  const { issues } = (thrown ?? {}) as { readonly issues?: readonly { path: PropertyKey[]; message: string }[] };
  if (!Array.isArray(issues)) return rootOf(thrown);
  const wrong = issues.map(({ path, message }) => [path.map(String).join("."), message].filter(Boolean).join(": "));
  return `the authorization server's answer is invalid (${wrong.join("; ")})`;
}
