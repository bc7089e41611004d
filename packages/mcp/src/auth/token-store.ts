import { HaftError } from "@haft/core/tool";
import { withFileLock } from "@haft/host";
import { openStateFile, type StateFile, type StateFileOptions } from "@haft/service";
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";

/** The result of a login: valid for one server, at one authorization server. */
export interface Login {
  /** The MCP server's address. Its token is sent nowhere else. */
  readonly server: string;
  /** Its issuer. Its refresh token and client secret are sent nowhere else. */
  readonly issuer: string;
  readonly resource?: string;
  readonly authorizationServer: AuthorizationServerMetadata | undefined;
  readonly client: OAuthClientInformationMixed;
  /** The redirect address; the client is registered with it. */
  readonly redirectUrl: string;
  /** All requested scopes. */
  readonly scope?: string;
  readonly tokens: OAuthTokens;
  /** Time of issue, in milliseconds since 1970. */
  readonly at: number;
}

/** The logins of this user, shared by all sessions. */
export interface TokenStore {
  /** The latest login for a server, as currently on disk. */
  find(server: string): Login | undefined;
  /** A client that is registered with this authorization server for this redirect address. */
  client(issuer: string, redirectUrl: string): OAuthClientInformationMixed | undefined;
  /** @throws HaftError `mcp_error` for a token that a request cannot carry. */
  keep(login: Login): void;
  /** Forgets the logins for a server, and returns them. */
  forget(server: string): readonly Login[];
  /** Runs `work` while no other process of this user refreshes or logs in. */
  locked<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Stores logins in a file that only the user can read, replaced as a whole. Without a path they live as long as the object. An unreadable
 * file is left unchanged: logins then last for the session. A login in a read-only file is not refreshed: the new token would be lost, and
 * a refresh token works only once.
 */
export function openTokenStore(path: string | undefined, { readOnly = false }: StateFileOptions = {}): TokenStore {
  const memory = openStateFile<Login>(readOnly ? path : undefined, { readOnly });
  // Opened for each use: another session may have logged in, or refreshed, since.
  function file(): StateFile<Login> {
    if (path === undefined || readOnly) return memory;
    const kept = openStateFile<Login>(path);
    return kept.isBroken ? memory : kept;
  }
  const keyOf = ({ issuer, resource, server }: Login): string => JSON.stringify([issuer, resource ?? "", server]);
  const all = () =>
    file()
      .entries()
      .filter(([, login]) => isToken(login?.tokens?.access_token) && typeof login.client?.client_id === "string")
      .map(([key, login]) => [key, readOnly ? withoutRefresh(login) : login] as const);
  const latest = (logins: readonly Login[]) => logins.toSorted((a, b) => b.at - a.at)[0];

  return {
    find: (server) => latest(all().flatMap(([, login]) => (login.server === server ? [login] : []))),
    client: (issuer, redirectUrl) =>
      latest(
        all().flatMap(([, login]) => (login.issuer === issuer && login.redirectUrl === redirectUrl ? [login] : [])),
      )?.client,
    keep(login) {
      if (!isToken(login.tokens.access_token)) throw noToken(login.issuer);
      file().set(keyOf(login), login);
    },
    forget(server) {
      const gone = all().filter(([, login]) => login.server === server);
      for (const [key] of gone) file().delete(key);
      return gone.map(([, login]) => login);
    },
    locked: (work) => withFileLock(path === undefined || readOnly ? undefined : `${path}.lock`, work),
  };
}

/**
 * Asserts that logins can be stored in a file, and read from it.
 *
 * @throws HaftError `validation_failed` for a file that exists and cannot be read.
 */
export function assertTokenFile(path: string): void {
  if (!openStateFile<Login>(path, { readOnly: true }).isBroken) return;
  throw new HaftError({
    code: "validation_failed",
    message: `The file with your logins cannot be read and was not changed: ${path}`,
    hint: "Correct it, or move it away and log in again.",
  });
}

/** The characters that a header can carry; the header's own error would reveal the token. */
const isToken = (text: unknown): text is string => typeof text === "string" && /^[\x21-\x7e]+$/.test(text);

const noToken = (issuer: string): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `The authorization server ${issuer} returned a token that is not valid in a request header.`,
    hint: "Ask its operator to fix that, or set an Authorization header in the server's settings.",
  });

function withoutRefresh({ tokens: { refresh_token: _, ...tokens }, ...login }: Login): Login {
  return { ...login, tokens };
}
