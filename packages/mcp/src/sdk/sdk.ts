/**
 * The parts of the MCP SDK that we use, loaded at the first server. The build bundles them from here, without the rest. As one file they
 * load in half the time of the SDK's hundred, and a session's first list of tools waits for them.
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
