/** The used parts of `@anthropic-ai/sandbox-runtime`: one instance for a process. */
export interface Runtime {
  checkDependencies(ripgrep: { readonly command: string }): { readonly errors: readonly string[] };
  initialize(config: RuntimeConfig): Promise<void>;
  /** The path inside on which its proxy listens. */
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

/** The permissions of one program, in the format of the runtime. */
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

/** Starts the runtime of this process unless it runs. Rejects with an error that says what is missing, and a hint. */
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

/** Call once for every `openRuntime`: the last call ends the runtime. */
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
  // It looks for ripgrep in PATH although it gets the path.
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
