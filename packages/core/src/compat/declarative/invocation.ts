import { urlsIn } from "../claims.ts";
import { base } from "./base-mark.ts";
import type { ToolCallConfirmationDetails, ToolConfirmationOutcome } from "./confirmation.ts";
import { Kind, UNCONFIRMED_KINDS } from "./kind.ts";
import { askMessageBus, type MessageBus, type MessageBusDecision } from "./message-bus.ts";

/** A place in a file that a call touches. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

/** Settings of the shell, for tools that start programs. */
export interface ShellExecutionConfig {
  readonly terminalWidth?: number;
  readonly terminalHeight?: number;
  readonly pager?: string;
  readonly showColor?: boolean;
}

/** One call with validated parameters. */
export interface ToolInvocation<TParams extends object, TResult> {
  readonly params: TParams;
  getDescription(): string;
  toolLocations(): ToolLocation[];
  shouldConfirmExecute(signal?: AbortSignal): Promise<ToolCallConfirmationDetails | false>;
  execute(
    signal: AbortSignal,
    updateOutput?: (output: string) => void,
    shellConfig?: ShellExecutionConfig,
  ): Promise<TResult>;
}

/** An invocation's data about the tool that built it. */
export interface InvocationHome {
  readonly name: string;
  readonly kind: Kind;
  readonly messageBus?: MessageBus | undefined;
}

/** The base class of invocations. A subclass describes its action and runs it. */
export abstract class BaseToolInvocation<TParams extends object, TResult> implements ToolInvocation<TParams, TResult> {
  static readonly [base] = true;
  readonly params: TParams;
  /** Set by the tool that builds the invocation. */
  home: InvocationHome = { name: "", kind: Kind.Other };
  /** The person's choice, once made. */
  outcome: ToolConfirmationOutcome | undefined;

  constructor(params: TParams, messageBus?: MessageBus) {
    this.params = params;
    if (messageBus) this.home = { ...this.home, messageBus };
  }

  abstract getDescription(): string;

  abstract execute(
    signal: AbortSignal,
    updateOutput?: (output: string) => void,
    shellConfig?: ShellExecutionConfig,
  ): Promise<TResult>;

  toolLocations(): ToolLocation[] {
    return [];
  }

  /**
   * The content of the dialog, or `false` if nobody has to be asked. Without a bus the kind alone decides.
   *
   * @throws Error when the policy refuses the call.
   */
  async shouldConfirmExecute(_signal?: AbortSignal): Promise<ToolCallConfirmationDetails | false> {
    if (!this.home.messageBus && UNCONFIRMED_KINDS.includes(this.home.kind)) return false;
    const decision = await this.getMessageBusDecision();
    if (decision === "ALLOW") return false;
    if (decision === "DENY") throw new Error(`The policy refuses this call of ${this.home.name}.`);
    return this.getConfirmationDetails();
  }

  /** The policy's decision. Never an allow if nobody has decided. */
  protected getMessageBusDecision(): Promise<MessageBusDecision> {
    const { name, messageBus } = this.home;
    return askMessageBus(messageBus, { toolName: name, params: this.params });
  }

  /** The content of a dialog. A subclass with more information (the diff of an edit) shows more. */
  getConfirmationDetails(): ToolCallConfirmationDetails {
    const { name, kind } = this.home;
    const title = this.getDescription();
    const common = { title, onConfirm: (outcome: ToolConfirmationOutcome) => this.confirmed(outcome) };
    const [location] = this.toolLocations();
    if (kind === Kind.Execute) {
      return { ...common, type: "exec", command: title, rootCommand: title.trim().split(/\s+/, 1)[0] ?? name };
    }
    if (kind === Kind.Edit && location) {
      const filePath = location.path;
      const fileName = filePath.slice(filePath.lastIndexOf("/") + 1);
      return { ...common, type: "edit", fileName, filePath, fileDiff: "", originalContent: null, newContent: "" };
    }
    const urls = urlsIn(this.params);
    return { ...common, type: "info", prompt: title, ...(urls.length > 0 ? { urls } : {}) };
  }

  /** Keeps the first choice; a second one is ignored. */
  protected async confirmed(outcome: ToolConfirmationOutcome): Promise<void> {
    this.outcome ??= outcome;
  }
}
