import {
  type CallContext,
  type Content,
  counted,
  defineTool,
  display,
  type Effect,
  type EffectContext,
  fail,
  HaftError,
  type LanguagePlace,
  languageOperations,
  type OfferContext,
  type Problem,
  read,
  run,
  text,
} from "@haft/core/tool";
import { namedPath } from "../support/named-path.ts";
import { lspText } from "./lsp/lsp-text.ts";
import type { LspOutput, LspPlace } from "./lsp/output.ts";

/** Most places that are shown, and characters of a source line. */
const MOST_SHOWN = 100;
const LINE_CHARS = 200;

/** Operations about the symbol at a position. */
const NEEDS_POSITION: readonly string[] = [
  "goToDefinition",
  "findReferences",
  "hover",
  "goToImplementation",
  "prepareCallHierarchy",
  "incomingCalls",
  "outgoingCalls",
];

const input = {
  type: "object",
  properties: {
    operation: {
      type: "string",
      enum: languageOperations,
      description:
        "About the symbol at line and character: goToDefinition, findReferences, hover (type and documentation), goToImplementation, prepareCallHierarchy, incomingCalls, outgoingCalls. About the file: documentSymbol, diagnostics. About the project: workspaceSymbol.",
    },
    filePath: {
      type: "string",
      format: "path",
      description: "The file. For workspaceSymbol: any file of the language.",
    },
    line: { type: "integer", minimum: 1, description: "The line of the symbol, from 1, as Read and Grep show it." },
    character: { type: "integer", minimum: 1, description: "The column of a character of the symbol, from 1." },
    query: { type: "string", description: "workspaceSymbol: part of the name. Default: all symbols." },
  },
  required: ["operation", "filePath"],
  additionalProperties: false,
} as const;

interface LspInput {
  readonly operation: (typeof languageOperations)[number];
  readonly filePath: string;
  readonly line?: number;
  readonly character?: number;
  readonly query?: string;
}

/** LSP: asks a language server about code. */
export const lsp = defineTool({
  name: "LSP",
  aliases: ["lsp"],
  title: "Ask a language server",
  searchHint: "language server definition references hover type symbols call hierarchy diagnostics errors",
  description: ({ ports }: OfferContext) =>
    ports.has("language")
      ? "Asks a language server about code: definitions, references, types, symbols, calls and errors. It knows scopes and types, so it finds what Grep confuses. The first call starts the server and may take some seconds. Positions count from 1."
      : "Asks a language server about code.",
  input,
  offer: "deferred",
  can: ["read", "run"],
  autoExecute: true,
  limits: { resultChars: 30_000 },
  when: ({ ports }) =>
    ports.has("language")
      ? true
      : {
          absent:
            "no language server was found: install typescript-language-server, pyright, gopls, rust-analyzer or clangd, or set one under lsp in the settings",
        },
  validate: (wish, ctx): Problem | undefined => problemOf(wish, ctx),
  effects: ({ filePath }, ctx) => effectsOf(namedPath(ctx, filePath), ctx),
  observe: ({ filePath }, ctx) => ({ path: namedPath(ctx, filePath) }),
  describe: ({ operation, filePath, line }) => {
    const title = ["LSP", operation, filePath && (line === undefined ? filePath : `${filePath}:${line}`)]
      .filter(Boolean)
      .join(" ");
    return { title, activity: title };
  },
  run: (wish, ctx): Promise<LspOutput> => ask(wish, ctx),
  toModel: (output): readonly Content[] => [text(lspText(output))],
  toDisplay: (output) => {
    const { places, total = 0, diagnostics } = output;
    if (!places || places.length === 0 || diagnostics) return { kind: "text", text: lspText(output) };
    const matches = places.map(({ path, line, source, name = "" }) => ({ path, line, text: source ?? name }));
    return { kind: "matches", matches, ...(total > places.length ? { more: total - places.length } : {}) };
  },
});

function problemOf({ operation, filePath, line, character }: LspInput, ctx: EffectContext): Problem | undefined {
  if (NEEDS_POSITION.includes(operation) && (line === undefined || character === undefined))
    return {
      code: "validation_failed",
      message: `${operation} needs line and character.`,
      hint: "Find the symbol with Grep or documentSymbol first.",
    };
  const { language } = ctx.ports;
  if (language && language.serverFor(namedPath(ctx, filePath)) === undefined) {
    const known = language.list().flatMap(({ extensions }) => extensions);
    return {
      code: "tool_unavailable",
      message: `No language server knows ${filePath}.`,
      hint: `Use Grep. There are servers for ${[...new Set(known)].join(" ")}.`,
    };
  }
  return undefined;
}

/** The server reads the whole project. Its start is an effect unless somebody agreed to it before. */
function effectsOf(path: string, { cwd, ports }: EffectContext): Effect[] {
  const server = ports.language?.serverFor(path);
  const reads = [read(path), read(server?.cwd ?? cwd, { tree: true })];
  if (!server?.needsConsent || server.isRunning) return reads;
  const { argv } = server;
  return [...reads, run({ argv, text: argv.join(" "), cwd: server.cwd })];
}

async function ask({ operation, filePath, line, character, query }: LspInput, ctx: CallContext): Promise<LspOutput> {
  const { language, files } = ctx.ports;
  if (!language) return fail("tool_unavailable", "There is no language server here.", "Use Grep.");
  const path = namedPath(ctx, filePath);
  const { text: source } = await files.text(path);
  const count = source.split("\n").length;
  if (line !== undefined && line > count)
    return fail("invalid_input", `${filePath} has ${counted(count, "line")}, so there is no line ${line}.`, "Read it.");
  const reply = await language.ask(
    {
      ...{ operation, path, text: source },
      ...(line === undefined ? {} : { line }),
      ...(character === undefined ? {} : { character }),
      ...(query === undefined ? {} : { query }),
    },
    { signal: ctx.signal },
  );
  const { places, ...rest } = reply;
  const common = { ...rest, operation, file: display(ctx.cwd, path) };
  return places ? { ...common, ...(await shown(places, ctx)) } : common;
}

/** The places that the call may see, each with its line. */
async function shown(all: readonly LanguagePlace[], ctx: CallContext): Promise<Pick<LspOutput, "places" | "closed">> {
  const places: LspPlace[] = [];
  let closed = 0;
  for (const place of all.slice(0, MOST_SHOWN)) {
    const source = await sourceLine(place, ctx);
    if (source === false) closed += 1;
    else places.push({ ...place, path: display(ctx.cwd, place.path), ...(source === undefined ? {} : { source }) });
  }
  return { places, ...(closed > 0 ? { closed } : {}) };
}

/** The line of a place; `false` if a rule closes its file, `undefined` if the call cannot read it. */
async function sourceLine({ path, line }: LanguagePlace, { ports }: CallContext): Promise<string | undefined | false> {
  try {
    const { lines } = await ports.files.lines(path, { first: line, limit: 1, maxLineChars: LINE_CHARS });
    return lines[0]?.trim();
  } catch (thrown) {
    return HaftError.is(thrown) && thrown.code === "sandbox_denied" ? false : undefined;
  }
}
