/** The parts of `@anthropic-ai/sandbox-runtime` that are used: there is one for a process. */
export interface Runtime {
  checkDependencies(ripgrep: { readonly command: string }): { readonly errors: readonly string[] };
  initialize(config: RuntimeConfig): Promise<void>;
  /** Where its proxy listens, as programs inside find it. */
  getLinuxHttpSocketPath(): string | undefined;
  getLinuxSocksSocketPath(): string | undefined;
  wrapWithSandboxArgv(
    command: string,
    shell: string,
    config: RuntimeConfig,
    signal: undefined,
    cwd: string,
    options: { readonly commandId: string; readonly commandText: string },
  ): Promise<{ readonly argv: readonly string[] }>;
  cleanupAfterCommand(): void;
  reset(): Promise<void>;
}

/** A path that is never read as a pattern. */
export interface Literal {
  readonly path: string;
  readonly literal: true;
}

/** What one program may do, in the words of the runtime. */
export interface RuntimeConfig {
  readonly network: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] };
  readonly filesystem: {
    readonly denyRead: readonly Literal[];
    readonly allowRead: readonly Literal[];
    readonly allowWrite: readonly Literal[];
    readonly denyWrite: readonly Literal[];
  };
  readonly ripgrep?: { readonly command: string };
}

export const NOTHING: RuntimeConfig = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] },
};

let opened: Promise<Runtime> | undefined;
let users = 0;

/** Starts the runtime of this process, if nobody has yet. Rejects with an error that says what is missing, and the cure. */
export async function openRuntime(): Promise<Runtime> {
  opened ??= start();
  try {
    const runtime = await opened;
    users += 1;
    return runtime;
  } catch (thrown) {
    opened = undefined;
    throw thrown;
  }
}

/** To be told by everybody who has opened it: with the last it ends. */
export async function closeRuntime(runtime: Runtime): Promise<void> {
  users -= 1;
  if (users > 0) return;
  opened = undefined;
  await runtime.reset();
}

async function start(): Promise<Runtime> {
  const runtime = await load();
  const ripgrep = { command: await ripgrepPath() };
  const { errors } = runtime.checkDependencies(ripgrep);
  // It is told where ripgrep is, and looks for it in PATH all the same.
  const missing = errors.filter((error) => !/ripgrep/i.test(error) || ripgrep.command === "rg");
  if (missing.length > 0)
    throw new Error(
      `The sandbox runtime cannot start: ${missing.join("; ")}. Install what it names (socat, bubblewrap).`,
    );
  await runtime.initialize({ ...NOTHING, ripgrep });
  return runtime;
}

const PACKAGE = "@anthropic-ai/sandbox-runtime";

async function load(): Promise<Runtime> {
  try {
    const { SandboxManager } = (await import(PACKAGE)) as { readonly SandboxManager: Runtime };
    return SandboxManager;
  } catch {
    throw new Error(`The package ${PACKAGE} is not installed. Install it beside Haft: npm install ${PACKAGE}`);
  }
}

async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return "rg";
  }
}
