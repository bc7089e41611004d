import type { Environment } from "./environment.ts";

/** A program on this machine that serves models. */
export interface LocalProvider {
  /** The first part of the names of its models. */
  readonly id: string;
  readonly title: string;
  /** The variable with another address. */
  readonly variable: string;
  readonly port: number;
  /** The path of the list of its models. */
  readonly list: string;
  /** The models in that list; `undefined` if the answer is not from this program. */
  read(answer: unknown): readonly LocalModel[] | undefined;
}

/** A model of a local program. */
export interface LocalModel {
  readonly name: string;
  /** Its size and form in words. */
  readonly about?: string;
}

type Plain = Readonly<Record<string, unknown>>;
const isPlain = (value: unknown): value is Plain => typeof value === "object" && value !== null;
/** The objects in a list of an answer. */
export const objectsIn = (answer: unknown, key: string): readonly Plain[] | undefined => {
  const list = isPlain(answer) ? answer[key] : undefined;
  return Array.isArray(list) ? list.filter(isPlain) : undefined;
};
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const words = (...parts: readonly (string | undefined)[]): Pick<LocalModel, "about"> => {
  const about = parts.filter((part) => part !== undefined).join(", ");
  return about === "" ? {} : { about };
};
const gigabytes = (bytes: unknown): string | undefined =>
  typeof bytes === "number" && bytes > 0 ? `${(bytes / 1e9).toFixed(1)} GB` : undefined;
const context = (tokens: unknown): string | undefined =>
  typeof tokens === "number" && tokens > 0 ? `context ${tokens.toLocaleString("en")}` : undefined;

/** The programs that are looked for. */
export const LOCAL_PROVIDERS: readonly LocalProvider[] = [
  {
    ...{ id: "ollama", title: "Ollama", variable: "OLLAMA_HOST", port: 11434, list: "/api/tags" },
    read: (answer) =>
      objectsIn(answer, "models")?.flatMap(({ name, size, details }) => {
        const { parameter_size, quantization_level } = isPlain(details) ? details : ({} as Plain);
        const known = text(name);
        return known
          ? [{ name: known, ...words(text(parameter_size), text(quantization_level), gigabytes(size)) }]
          : [];
      }),
  },
  {
    ...{ id: "lmstudio", title: "LM Studio", variable: "LMSTUDIO_BASE_URL", port: 1234, list: "/api/v0/models" },
    read: (answer) =>
      objectsIn(answer, "data")
        ?.filter(({ type }) => type !== "embeddings")
        .flatMap(({ id, quantization, state, max_context_length }) => {
          const name = text(id);
          return name
            ? [{ name, ...words(text(quantization), context(max_context_length), text(state)?.replace("-", " ")) }]
            : [];
        }),
  },
  {
    ...{ id: "llama", title: "llama-server", variable: "LLAMA_BASE_URL", port: 8080, list: "/v1/models" },
    read: (answer) =>
      objectsIn(answer, "data")
        ?.filter(({ owned_by }) => owned_by === "llamacpp")
        .flatMap(({ id, meta }) => {
          const { n_ctx_train, size } = isPlain(meta) ? meta : ({} as Plain);
          const path = text(id);
          // A path of a file is a poor name for people, and the server takes any name.
          const name = path?.slice(path.lastIndexOf("/") + 1);
          return name ? [{ name, ...words(gigabytes(size), context(n_ctx_train)) }] : [];
        }),
  },
];

/** The address of a local program, from its variable or the usual port on this machine. */
export function localAddress({ variable, port }: LocalProvider, env: Environment): string {
  const said = env[variable]?.trim();
  if (!said) return `http://127.0.0.1:${port}`;
  const url = URL.parse(/^https?:\/\//i.test(said) ? said : `http://${said}`);
  if (!url) return said;
  // Ollama's own variable may name all addresses of the machine, to listen on.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]" || url.hostname === "") url.hostname = "127.0.0.1";
  if (url.port === "" && !/:\d+(?:\/|$)/.test(said) && !/^https?:/i.test(said)) url.port = String(port);
  return `${url.origin}${url.pathname.replace(/\/(?:v1\/?)?$/, "")}`;
}

/** The answer of one local program. */
export interface LocalServer {
  readonly provider: LocalProvider;
  readonly address: string;
  readonly models: readonly LocalModel[];
  /** Why there is no list, in words. */
  readonly problem?: string;
}

/** Milliseconds for an answer of a program on this machine. */
const ANSWER_MS = 1_000;
/** A larger list is not read. */
const MOST_BYTES = 2_000_000;

/** Asks every local program for its models, all at the same time. Never rejects. */
export const findLocalServers = (env: Environment, ask: typeof fetch = fetch): Promise<readonly LocalServer[]> =>
  Promise.all(LOCAL_PROVIDERS.map((provider) => askServer(provider, env, ask)));

async function askServer(provider: LocalProvider, env: Environment, ask: typeof fetch): Promise<LocalServer> {
  const address = localAddress(provider, env);
  const none = (problem: string): LocalServer => ({ provider, address, models: [], problem });
  try {
    const answer = await ask(`${address}${provider.list}`, {
      redirect: "error",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!answer.ok) return none(`another program uses this port (status ${answer.status})`);
    const models = provider.read(await listIn(answer));
    if (!models) return none("another program uses this port");
    return { provider, address, models };
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "TimeoutError") return none("no answer");
    return none(thrown instanceof SyntaxError ? "another program uses this port" : "not running");
  }
}

/** The JSON of an answer. @throws SyntaxError for another one, and for one that is too long. */
export async function listIn(answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new SyntaxError("the list is too long");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** A model that can be chosen now. */
export interface ReachableModel {
  /** `provider/name`. */
  readonly name: string;
  readonly about: string;
}

/** The models of local programs as names for `--model`. */
export const localModels = (servers: readonly LocalServer[]): readonly ReachableModel[] =>
  servers.flatMap(({ provider, models }) =>
    models.map(({ name, about }) => ({
      name: `${provider.id}/${name}`,
      about: about === undefined ? provider.title : `${provider.title}, ${about}`,
    })),
  );
