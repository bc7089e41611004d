import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { McpOAuthSettings } from "@haft/core/policy";
import { HaftError } from "@haft/core/tool";
import { haftErrorIn } from "@haft/host/net";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { LoginRequest } from "./log-in.ts";
import type { LoginNeed } from "./need.ts";
import { withoutSecrets } from "./secrets.ts";

/** Whether the settings say that the client logs in without a person. */
export const logsInByItself = ({ grant }: McpOAuthSettings): boolean => grant === "client_credentials";

/** Timeout in milliseconds for one request to the authorization server. */
const STEP_MS = 30_000;

/**
 * Fetches a token with the client's own credentials (`client_credentials`): a secret, or an assertion signed by its key. Only the issuer
 * from the settings receives them, whatever the server names.
 *
 * @throws HaftError `mcp_error` with the reason and the fix.
 */
export async function logInAsClient(
  { name, url, settings, store, fetch }: Omit<LoginRequest, "browser">,
  need: LoginNeed,
  signal: AbortSignal,
): Promise<void> {
  const { clientId, issuer, clientSecret } = settings;
  if (clientId === undefined || issuer === undefined) throw incomplete(name, "clientId and issuer");
  const sdk = await import("../sdk/sdk.ts");
  const scope = sdk.computeScopeUnion(need.isMore ? store.find(url)?.scope : undefined, need.scope) ?? settings.scope;
  const common = { clientId, clientName: "Haft", expectedIssuer: issuer, ...(scope === undefined ? {} : { scope }) };
  const provider: OAuthClientProvider =
    settings.privateKeyFile === undefined
      ? new sdk.ClientCredentialsProvider({ ...common, clientSecret: clientSecret ?? missingSecret(name) })
      : new sdk.PrivateKeyJwtProvider({ ...common, ...signingKey(name, settings.privateKeyFile) });
  let found: OAuthDiscoveryState | undefined;
  let resource: string | undefined;
  provider.saveDiscoveryState = (state) => {
    found = state;
  };
  provider.saveResourceUrl = (text) => {
    resource = text;
  };
  // The credentials belong to the user: a refusal is not a reason to drop them.
  provider.invalidateCredentials = () => {};
  try {
    await sdk.auth(provider, {
      serverUrl: url,
      fetchFn: (input, init) =>
        fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)]) }),
      ...(scope === undefined ? {} : { scope }),
      ...(need.resourceMetadata === undefined ? {} : { resourceMetadataUrl: new URL(need.resourceMetadata) }),
    });
    const tokens = await provider.tokens();
    if (!tokens) throw new Error("The authorization server returned no token.");
    await store.locked(async () =>
      store.keep({
        ...{ server: url, issuer, authorizationServer: found?.authorizationServerMetadata, tokens, at: Date.now() },
        // Its secret stays in the settings.
        client: { client_id: clientId },
        redirectUrl: "",
        ...(resource === undefined ? {} : { resource }),
        ...(scope === undefined ? {} : { scope }),
      }),
    );
  } catch (thrown) {
    signal.throwIfAborted();
    const own = haftErrorIn(thrown);
    if (own) throw own;
    const why = withoutSecrets(thrown instanceof Error ? thrown.message : String(thrown), [clientSecret ?? ""]);
    throw new HaftError({
      code: "mcp_error",
      message: `The client ${clientId} could not log in at the MCP server "${name}": ${why}`,
      hint: "Look at clientId, issuer and clientSecret or privateKeyFile below oauth in its settings.",
    });
  }
}

const incomplete = (name: string, what: string): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `The settings of the MCP server "${name}" set grant client_credentials but not ${what}.`,
    hint: 'Write oauth: { grant: "client_credentials", clientId, issuer, clientSecret or privateKeyFile }.',
  });

function missingSecret(name: string): never {
  throw incomplete(name, "clientSecret or privateKeyFile");
}

/** The algorithm that belongs to a key. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  rsa: "RS256",
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
  ed25519: "EdDSA",
};

function signingKey(name: string, file: string): { readonly privateKey: Uint8Array; readonly algorithm: string } {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(file));
  } catch (thrown) {
    // A parser error may quote the key.
    const why = (thrown as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "is not a PEM private key";
    throw new HaftError({
      code: "mcp_error",
      message: `The private key of the MCP server "${name}", ${file}, ${why}.`,
      hint: "Correct oauth.privateKeyFile in its settings.",
    });
  }
  const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? "";
  const algorithm = ALGORITHMS[kind];
  // As bytes: for a key given as text the SDK accepts only RSA and the NIST curves.
  if (algorithm !== undefined)
    return { privateKey: new TextEncoder().encode(key.export({ type: "pkcs8", format: "pem" }) as string), algorithm };
  throw new HaftError({
    code: "mcp_error",
    message: `The private key of the MCP server "${name}" has the type ${kind}, which cannot sign tokens.`,
    hint: `Use a key of one of these types: ${Object.keys(ALGORITHMS).join(", ")}.`,
  });
}
