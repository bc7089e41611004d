import type { McpServerSettings } from "@haft/core/policy";
import type { PluginOption } from "@haft/plugins";
import {
  type Answers,
  filledIn,
  isPlain,
  listIn,
  optionsOfInput,
  type Plain,
  type ServerJson,
  textOf,
  textOfInput,
} from "./server-json.ts";

/** One way to reach a server: a package that is started here, a bundle, or an address. */
export interface Way {
  /** `npm`, `pypi`, `oci`, `nuget`, `mcpb` or `remote`. */
  readonly kind: string;
  /** The package or the address. */
  readonly title: string;
  readonly options: readonly PluginOption[];
  /** A bundle to download, and its digest. */
  readonly bundle?: { readonly url: string; readonly sha256: string };
  /** The server with the answers filled in. */
  server(answers: Answers): McpServerSettings;
}

/** A way that cannot be taken, and why. */
export interface NoWay {
  readonly title: string;
  readonly why: string;
}

/** The programs that start packages of one kind. The first is used unless the server.json names another of them. */
interface Runner {
  readonly programs: readonly string[];
  readonly first: readonly string[];
  readonly identifier: RegExp;
  named(identifier: string, version: string): string;
}

const VERSION = /^[\w.+-]*$/;
const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    ...{ programs: ["npx", "bunx"], first: ["-y"], identifier: /^(?:@[\w][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/ },
    named: (identifier, version) => (version === "" ? identifier : `${identifier}@${version}`),
  },
  pypi: {
    ...{ programs: ["uvx"], first: [], identifier: /^[A-Za-z0-9][\w.-]*$/ },
    named: (identifier, version) => (version === "" ? identifier : `${identifier}@${version}`),
  },
  nuget: {
    ...{ programs: ["dnx"], first: ["--yes"], identifier: /^[A-Za-z0-9][\w.-]*$/ },
    named: (identifier, version) => (version === "" ? identifier : `${identifier}@${version}`),
  },
  oci: {
    ...{ programs: ["docker", "podman"], first: ["run", "-i", "--rm"] },
    identifier: /^[a-z0-9][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/,
    named: (identifier, version) =>
      version === "" || /[:@][^/]*$/.test(identifier) ? identifier : `${identifier}:${version}`,
  },
};

/** The ways of a server.json: addresses last, because a package runs here. */
export const waysOf = ({ packages, remotes }: ServerJson): readonly (Way | NoWay)[] => [
  ...packages.map(packageWay),
  ...remotes.map(remoteWay),
];

export const isWay = (way: Way | NoWay): way is Way => "kind" in way;

function packageWay(written: Plain): Way | NoWay {
  const { registryType, identifier, version, runtimeHint, transport } = written;
  const kind = textOf(registryType);
  const title = `${kind} ${textOf(identifier)} ${textOf(version)}`.trim();
  const not = (why: string): NoWay => ({ title, why });
  if (kind === "mcpb") return bundleWay(written, title);
  const runner = Object.hasOwn(RUNNERS, kind) ? RUNNERS[kind] : undefined;
  if (!runner) return not("unknown kind of package");
  if (isPlain(transport) && transport.type !== undefined && transport.type !== "stdio")
    return not(`it is a server at ${textOf(transport.type)} that has to be started by hand`);
  if (!runner.identifier.test(textOf(identifier)) || !VERSION.test(textOf(version)))
    return not("its identifier or version cannot be used");
  const program = textOf(runtimeHint) || runner.programs[0]!;
  if (!runner.programs.includes(program)) return not(`it has to be started with ${JSON.stringify(runtimeHint)}`);
  const before = listIn(written.runtimeArguments);
  const after = listIn(written.packageArguments);
  const variables = listIn(written.environmentVariables).filter((one) => /^[A-Za-z_]\w*$/.test(textOf(one.name)));
  return {
    ...{ kind, title },
    options: [
      ...argumentOptions(before),
      ...variables.flatMap((one) => optionsOfInput(textOf(one.name), one)),
      ...argumentOptions(after),
    ],
    server(answers) {
      const env = valuesOf(variables, answers);
      const given = argumentsOf(before, answers);
      // A container gets only the variables that it is started with.
      const passed = kind === "oci" ? Object.keys(env).flatMap((name) => ["-e", name]) : [];
      const first = runner.first.filter((word) => !given.includes(word));
      const name = runner.named(textOf(identifier), textOf(version));
      return {
        command: program,
        args: [...first, ...given, ...passed, name, ...argumentsOf(after, answers)],
        ...(Object.keys(env).length > 0 ? { env } : {}),
      };
    },
  };
}

function bundleWay({ identifier, fileSha256 }: Plain, title: string): Way | NoWay {
  const [url, sha256] = [textOf(identifier), textOf(fileSha256)];
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    return { title, why: "it does not give the address of its file" };
  if (!/^[0-9a-f]{64}$/.test(sha256)) return { title, why: "it does not give the digest of its file" };
  return { kind: "mcpb", title, options: [], bundle: { url, sha256 }, server: () => ({}) };
}

function remoteWay({ type, url, headers, variables }: Plain): Way | NoWay {
  const address = textOf(url);
  const title = `remote ${address}`;
  if (!/^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(address))
    return { title, why: "its address is not https" };
  const places = isPlain(variables) ? variables : {};
  const named = listIn(headers).filter((one) => /^[\w!#$%&'*+.^`|~-]+$/.test(textOf(one.name)));
  return {
    ...{ kind: "remote", title },
    options: [
      ...optionsOfInput("", { value: address, variables: places }),
      ...named.flatMap((one) => optionsOfInput(textOf(one.name), one)),
    ],
    server(answers) {
      const filled = valuesOf(named, answers);
      return {
        type: type === "sse" ? "sse" : "http",
        url: filledIn(address, places, answers) ?? address,
        ...(Object.keys(filled).length > 0 ? { headers: filled } : {}),
      };
    },
  };
}

const valuesOf = (inputs: readonly Plain[], answers: Answers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inputs.flatMap((input) => {
      const text = textOfInput(textOf(input.name), input, answers);
      return text === undefined ? [] : [[textOf(input.name), text]];
    }),
  );

/** The key by which a person answers an argument. */
const keyOf = (input: Plain, at: number): string =>
  textOf(input.valueHint) || textOf(input.name).replace(/^-+/, "") || `argument${at + 1}`;

const argumentOptions = (inputs: readonly Plain[]): readonly PluginOption[] =>
  inputs.flatMap((input, at) => optionsOfInput(keyOf(input, at), input));

function argumentsOf(inputs: readonly Plain[], answers: Answers): readonly string[] {
  return inputs.flatMap((input, at): readonly string[] => {
    const text = textOfInput(keyOf(input, at), input, answers);
    if (text === undefined) return [];
    const name = textOf(input.name);
    if (input.type !== "named" || name === "") return [text];
    if (input.format === "boolean") return text === "true" ? [name] : [];
    return name.startsWith("--") ? [`${name}=${text}`] : [name, text];
  });
}
