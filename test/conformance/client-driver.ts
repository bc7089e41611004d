// The conformance suite runs this as the client under test: `node client-driver.ts URL`. Everything is Haft's own: a
// session with its MCP manager, tools out of the registry, calls through the pipeline, questions through approvals. Only
// the person is a script: it answers questions with what they propose, and "logs in" by following redirects.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, type Haft, type HaftOptions } from "haft";

type Browser = NonNullable<HaftOptions["browser"]>;

const SERVER = "suite";
const url = process.argv.at(-1)!;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
};

/** A person without a screen: goes where they are sent, and is sent back at once. */
const follower: Browser = {
  open: async (preferred) => ({
    redirectUrl: preferred ?? "http://127.0.0.1:3917/callback",
    async go(address, signal) {
      const answer = await fetch(address, { redirect: "manual", signal });
      const back = answer.headers.get("location");
      if (back === null) throw new Error(`The authorization server answered ${answer.status} and sent nobody back.`);
      return new URL(back, address);
    },
    [Symbol.asyncDispose]: async () => {},
  }),
};

/** The settings of a client that logs in by itself: the issuer of its tokens, and the file of its key. */
async function ownCredentials() {
  const where = new URL(`/.well-known/oauth-protected-resource${new URL(url).pathname}`, url);
  const { authorization_servers: issuers } = (await (await fetch(where)).json()) as {
    readonly authorization_servers: readonly string[];
  };
  const metadata = new URL("/.well-known/oauth-authorization-server", issuers[0]);
  const { issuer } = (await (await fetch(metadata)).json()) as { readonly issuer: string };
  const grant = { grant: "client_credentials", issuer } as const;
  if (context.private_key_pem === undefined) return grant;
  const privateKeyFile = join(mkdtempSync(join(tmpdir(), "haft-key-")), "key.pem");
  writeFileSync(privateKeyFile, context.private_key_pem, { mode: 0o600 });
  return { ...grant, privateKeyFile };
}

async function callAll(haft: Haft): Promise<void> {
  const calls = context.toolCalls?.map(({ name, arguments: input }) => ({ tool: nameOf(haft, name), input }));
  for (const { tool, input } of calls ?? toolsOf(haft).map((name) => ({ tool: name, input: sampleFor(haft, name) }))) {
    const { error } = await haft.call(tool, input);
    process.stdout.write(`${tool}: ${error ? `${error.code}: ${error.message}` : "ok"}\n`);
  }
}

/** Something for every field that must be given, by its type: the scripted model of this session. */
function sampleFor(haft: Haft, tool: string): Record<string, unknown> {
  const { properties = {}, required = [] } = schemaOf(haft, tool);
  const samples: Readonly<Record<string, unknown>> = {
    integer: 5,
    number: 5,
    string: "text",
    boolean: true,
    array: [],
  };
  // One tool of the suite wants to be told the schema of another, as it arrived here.
  const object = haft.registry.get(nameOf(haft, "json_schema_2020_12_tool"))?.tool.input.json ?? {};
  return Object.fromEntries(required.map((name) => [name, samples[properties[name]?.type ?? ""] ?? object]));
}

const schemaOf = (haft: Haft, tool: string) =>
  haft.registry.get(tool)?.tool.input.json as {
    readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
    readonly required?: readonly string[];
  };

const toolsOf = (haft: Haft): readonly string[] =>
  haft.registry.entries().flatMap(({ tool, source }) => (source.name === SERVER ? [tool.name] : []));

/** The registered name of the server's tool. */
const nameOf = (haft: Haft, name: string): string =>
  toolsOf(haft).find((tool) => tool === `mcp__${SERVER}__${name}`) ?? name;

await using haft = await createHaft({
  settings: false,
  stateDir: false,
  rules: { allow: [`mcp__${SERVER}`] },
  ask: async () => ({ behavior: "allow" }),
  browser: follower,
});
haft.mcp.add({
  name: SERVER,
  url,
  oauth: {
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    ...(context.client_id === undefined ? {} : { clientId: context.client_id }),
    ...(context.client_secret === undefined ? {} : { clientSecret: context.client_secret }),
    ...(scenario.startsWith("auth/client-credentials") ? await ownCredentials() : {}),
  },
});
await haft.mcp.settled(30_000);
const [status] = haft.mcp.list();
process.stdout.write(`${scenario}: ${status?.state} ${status?.era ?? ""} ${status?.error?.message ?? ""}\n`);
if (status?.state === "ready") await callAll(haft);
