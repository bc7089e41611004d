/** The usage of `haft mcp add`, for a program and for an address. */
export const ADD_USAGE: readonly string[] = [
  "mcp add NAME [--scope local|project|user] [--env KEY=VALUE]... [--sandbox] [--trusted] [--timeout MS] -- COMMAND [ARGS...]",
  'mcp add NAME [--scope SCOPE] [--header "KEY: VALUE"]... [--transport http|sse] [--trusted] [--timeout MS]\n' +
    "           [--client-id ID] [--client-secret SECRET] [--callback-port PORT] URL",
  "mcp add SERVER[@VERSION] | server.json | FILE.mcpb [--env KEY=VALUE]... [--from npm|pypi|oci|remote] [--name NAME]\n" +
    "           [--scope SCOPE] [--unconfined] [--yes]",
];
