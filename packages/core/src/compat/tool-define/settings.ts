/** The settings of tools in an app of this shape. Settings files of Haft have the same keys. */
export interface ToolSettings {
  readonly enableToolCalls: boolean;
  readonly tools: Readonly<Record<string, { readonly enabled: boolean; readonly autoExecute: boolean }>>;
  readonly bash?: BashToolSettings;
  readonly toolAgentSettings?: ToolAgentSettings;
}

/** The settings of commands. */
export interface BashToolSettings {
  readonly enableSandbox: boolean;
  readonly defaultWorkingDirectory?: string;
  readonly allowedDirectories: readonly string[];
  readonly confirmDangerousCommands: boolean;
  readonly dangerousCommandWhitelist: readonly string[];
}

/** The settings of agents that a tool starts. */
export interface ToolAgentSettings {
  readonly autoConfirmDangerous?: boolean;
  readonly maxToolCalls?: number;
  readonly timeoutMs?: number;
  readonly providerId?: string;
  readonly model?: string;
}

/** A provider of models, with its keys. */
export type ProviderConfig = Readonly<Record<string, unknown>>;
