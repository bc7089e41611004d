/**
 * What we use of the MCP SDK, which is loaded at the first server. It is built into the package from here, without the rest:
 * as one file it loads in half the time that its hundred take, and a session's first list of tools waits for it.
 */
export {
  auth,
  Client,
  ClientCredentialsProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isSpecType,
  OAuthError,
  PrivateKeyJwtProvider,
  refreshAuthorization,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  specTypeSchemas,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
