import { explainIssues } from "../../schema/explain.ts";
import { type JsonSchema, parse, toSchema } from "../../schema/index.ts";
import { BaseToolInvocation, type ToolInvocation } from "./invocation.ts";
import type { Kind } from "./kind.ts";
import type { MessageBus } from "./message-bus.ts";

/** A tool as declared to the model's API. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: JsonSchema;
}

/** A tool that turns parameters into an invocation. */
export interface ToolBuilder<TParams extends object, TResult> {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly kind: Kind;
  readonly schema: FunctionDeclaration;
  readonly isOutputMarkdown: boolean;
  readonly canUpdateOutput: boolean;
  /** @throws Error when the parameters are invalid. */
  build(params: TParams): ToolInvocation<TParams, TResult>;
}

/** A tool that builds an invocation from its parameters; `BaseDeclarativeTool` validates them first. */
export abstract class DeclarativeTool<TParams extends object, TResult> implements ToolBuilder<TParams, TResult> {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly kind: Kind;
  readonly parameterSchema: JsonSchema;
  readonly isOutputMarkdown: boolean;
  readonly canUpdateOutput: boolean;
  readonly messageBus: MessageBus | undefined;

  constructor(
    name: string,
    displayName: string,
    description: string,
    kind: Kind,
    parameterSchema: JsonSchema,
    isOutputMarkdown = true,
    canUpdateOutput = false,
    messageBus?: MessageBus,
  ) {
    this.name = name;
    this.displayName = displayName;
    this.description = description;
    this.kind = kind;
    this.parameterSchema = parameterSchema;
    this.isOutputMarkdown = isOutputMarkdown;
    this.canUpdateOutput = canUpdateOutput;
    this.messageBus = messageBus;
  }

  get schema(): FunctionDeclaration {
    return { name: this.name, description: this.description, parametersJsonSchema: this.parameterSchema };
  }

  abstract build(params: TParams): ToolInvocation<TParams, TResult>;
}

/** A tool that validates its parameters against its schema before it builds an invocation. */
export abstract class BaseDeclarativeTool<TParams extends object, TResult> extends DeclarativeTool<TParams, TResult> {
  build(params: TParams): ToolInvocation<TParams, TResult> {
    const problem = this.validateToolParams(params);
    if (problem !== null) throw new Error(problem);
    const invocation = this.createInvocation(params, this.messageBus);
    if (invocation instanceof BaseToolInvocation) {
      const { name, kind } = this;
      invocation.home = { name, kind, messageBus: invocation.home.messageBus ?? this.messageBus };
    }
    return invocation;
  }

  /** Why the parameters are invalid; `null` if they are valid. */
  validateToolParams(params: TParams): string | null {
    const schema = toSchema(this.parameterSchema, `tool ${this.name}`);
    const parsed = parse(schema, params);
    // A plain JSON Schema is checked synchronously.
    if (parsed instanceof Promise) return `${this.name} has a schema that cannot be checked synchronously.`;
    if (!parsed.ok) return explainIssues(parsed.issues, params, schema.json, this.name);
    return this.validateToolParamValues(params);
  }

  /** Further checks of a subclass. */
  protected validateToolParamValues(_params: TParams): string | null {
    return null;
  }

  protected abstract createInvocation(params: TParams, messageBus?: MessageBus): ToolInvocation<TParams, TResult>;
}

/** A tool with parameters of any kind, for lists. */
export type AnyDeclarativeTool = DeclarativeTool<object, unknown>;
