import { createHash, type KeyObject, randomUUID, verify } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

/** Peculiarities of an authorization server. They may be changed while it runs. */
export interface AuthQuirks {
  /** Seconds that an access token is said to live. */
  expiresIn?: number;
  /** Answers to refreshes: a status that is no verdict, or the verdict that the login is over. */
  refresh?: "unavailable" | "over";
  /** Target of a redirect of the server's description. */
  metadataAt?: string;
  /** The state that people come back with, instead of the one that they left with. */
  state?: string;
  /** The credentials of the client "machine", which logs in by itself. */
  client?: { readonly secret?: string; readonly publicKey?: KeyObject };
  /** The name that it gives as its own when people come back. */
  iss?: string;
  /** The token that it gives in place of a good one. */
  accessToken?: string;
  /** Further or other claims about itself: of the authorization server, and of the MCP server. */
  metadata?: { readonly issuer?: string; readonly resource?: string };
  /** The MCP server takes no token at all. */
  takesNone?: boolean;
}

/**
 * A real MCP server that wants a login, with its authorization server on the same port: registration, PKCE, refresh
 * tokens that are good for one use and end the whole login when they come a second time.
 */
export async function oauthServer(quirks: AuthQuirks = {}) {
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const access = new Set<string>();
  const refreshes = new Map<string, "good" | "used">();
  const counts = {
    registered: 0,
    authorised: 0,
    exchanged: 0,
    refreshed: 0,
    revoked: 0,
    reused: 0,
    byClient: 0,
    refused: 0,
  };
  const secrets: string[] = [];
  let url = "";

  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "locked", version: "1" }, { capabilities: {} });
    server.registerTool("hello", { description: "Greet." }, () => ({ content: [{ type: "text", text: "come in" }] }));
    return server;
  });

  const secret = (): string => {
    const made = randomUUID();
    secrets.push(made);
    return made;
  };

  function grant(): object {
    const tokens = { access_token: quirks.accessToken ?? secret(), refresh_token: secret() };
    access.add(tokens.access_token);
    refreshes.set(tokens.refresh_token, "good");
    return {
      ...tokens,
      token_type: "Bearer",
      ...(quirks.expiresIn === undefined ? {} : { expires_in: quirks.expiresIn }),
    };
  }

  /** A token for a client that knows its secret, or has signed who it is with a key. There is nothing to refresh. */
  function tokenForClient(form: URLSearchParams, authorization: string): readonly [number, object] {
    const assertion = form.get("client_assertion");
    const basic = `Basic ${Buffer.from(`machine:${quirks.client?.secret}`).toString("base64")}`;
    const isKnown =
      assertion === null ? authorization === basic : hasSigned(assertion, quirks.client?.publicKey, "machine");
    if (!isKnown) return [401, { error: "invalid_client" }];
    counts.byClient += 1;
    const { refresh_token: _none, ...tokens } = grant() as { readonly refresh_token: string };
    return [200, { ...tokens, scope: form.get("scope") ?? "" }];
  }

  function token(form: URLSearchParams, authorization: string): readonly [number, object] {
    if (form.get("grant_type") === "client_credentials") return tokenForClient(form, authorization);
    if (form.get("grant_type") === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      const hash = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (!code || code.challenge !== hash || code.redirect !== form.get("redirect_uri"))
        return [400, { error: "invalid_grant" }];
      codes.delete(form.get("code") ?? "");
      counts.exchanged += 1;
      return [200, grant()];
    }
    if (quirks.refresh === "unavailable") return [503, { error: "server_error", error_description: "out for lunch" }];
    const given = form.get("refresh_token") ?? "";
    if (refreshes.get(given) === "used") counts.reused += 1;
    if (quirks.refresh === "over" || refreshes.get(given) !== "good") return [400, { error: "invalid_grant" }];
    refreshes.set(given, "used");
    counts.refreshed += 1;
    return [200, grant()];
  }

  function authorise(query: URLSearchParams, response: ServerResponse): void {
    counts.authorised += 1;
    const code = secret();
    codes.set(code, { challenge: query.get("code_challenge") ?? "", redirect: query.get("redirect_uri") ?? "" });
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", quirks.state ?? query.get("state") ?? "");
    if (quirks.iss !== undefined) back.searchParams.set("iss", quirks.iss);
    response.writeHead(302, { location: back.href }).end();
  }

  const metadata = () => ({
    issuer: quirks.metadata?.issuer ?? url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    revocation_endpoint: `${url}/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: quirks.client ? ["client_secret_basic", "private_key_jwt"] : ["none"],
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    const body = await textOf(request);
    const json = (status: number, value: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        if (quirks.metadataAt !== undefined) return void response.writeHead(302, { location: quirks.metadataAt }).end();
        return json(200, {
          resource: quirks.metadata?.resource ?? `${url}/mcp`,
          authorization_servers: [url],
          scopes_supported: ["tools"],
        });
      case "/.well-known/oauth-authorization-server":
        return json(200, metadata());
      case "/register":
        counts.registered += 1;
        return json(201, { ...(JSON.parse(body) as object), client_id: `client-${counts.registered}` });
      case "/authorize":
        return authorise(searchParams, response);
      case "/token":
        return json(...token(new URLSearchParams(body), request.headers.authorization ?? ""));
      case "/revoke":
        counts.revoked += 1;
        return json(200, {});
      case "/mcp":
        return serve(request, response, body);
      default:
        return json(404, {});
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    if (quirks.takesNone || !access.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
      counts.refused += 1;
      const where = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp", scope="tools"`;
      return void response.writeHead(401, { "www-authenticate": where }).end();
    }
    const headers = new Headers(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const method = request.method ?? "GET";
    const result = await handler.fetch(
      new Request(`${url}/mcp`, { method, headers, ...(method === "POST" ? { body } : {}) }),
    );
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(Buffer.from(await result.arrayBuffer()));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${url}/mcp`,
    counts,
    quirks,
    /** Every credential that was ever given out. */
    secrets: secrets as readonly string[],
    /** No access token is good any more; refresh tokens are. */
    expire: () => access.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

/** Whether an assertion (ES256) is signed by this key, in the name of this client. */
function hasSigned(assertion: string, key: KeyObject | undefined, client: string): boolean {
  const [head = "", body = "", signature = ""] = assertion.split(".");
  if (!key) return false;
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString()) as { readonly alg: string };
  const isSigned = verify(
    alg === "EdDSA" ? null : `sha${alg.slice(2)}`,
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  const { iss, sub } = JSON.parse(Buffer.from(body, "base64url").toString()) as Readonly<Record<string, unknown>>;
  return isSigned && iss === client && sub === client;
}
