import type { JsonSchema } from "../../schema/index.ts";
import {
  type CallContext,
  type Display,
  defineTool,
  HaftError,
  type Tool as HaftTool,
  type Objection,
  type TerminalRef,
  type ToolDefinition,
} from "../../tool/index.ts";
import { CLAIMABLE, claimedEffects, type Trust, urlsIn } from "../claims.ts";
import { isBaseInvocation, overridesConfirm } from "./base-mark.ts";
import type { ToolCallConfirmationDetails } from "./confirmation.ts";
import type { BaseToolInvocation, ShellExecutionConfig, ToolInvocation } from "./invocation.ts";
import { diffOf, type ToolResult, toContents, toDisplay, toErrorCode } from "./result.ts";
import type { ToolBuilder } from "./tool.ts";

/**
 * Converts a tool of the class route to one of ours. Its effects follow from kind and locations; `more` may declare
 * them exactly. A claim asks even if it only reads; with `trust: true` a call that only reads the workspace does not. An
 * exception of the classes becomes the call's error: invalid parameters, a refusal, a failure.
 */
export function fromDeclarative<TParams extends object>(
  tool: ToolBuilder<TParams, ToolResult>,
  { trust, ...more }: Pick<Partial<ToolDefinition<JsonSchema, ToolResult>>, "effects" | "can"> & Trust = {},
): HaftTool<unknown, ToolResult> {
  const { name, displayName, description, kind, schema } = tool;
  const build = (input: unknown) => tool.build(input as TParams);
  return defineTool<JsonSchema, ToolResult>({
    name,
    title: displayName,
    description,
    input: schema.parametersJsonSchema,
    can: CLAIMABLE,
    effects(input) {
      const invocation = build(input);
      const paths = invocation.toolLocations().map(({ path }) => path);
      return claimedEffects({ kind, paths, urls: urlsIn(input), text: invocation.getDescription() });
    },
    ...(trust ? { autoExecute: true } : {}),
    ...more,
    override: { kind, because: "the tool states its kind" },
    validate(input) {
      try {
        build(input);
        return undefined;
      } catch (thrown) {
        return { code: "invalid_input", message: thrown instanceof Error ? thrown.message : String(thrown) };
      }
    },
    object: (input) => ownObjection(build(input)),
    preview: (input) => previewOf(build(input)),
    describe(input) {
      return { title: build(input).getDescription() };
    },
    run: (input, ctx) => execute(build(input), tool.canUpdateOutput, ctx),
    toModel: ({ llmContent }) => toContents(llmContent),
    toDisplay: ({ returnDisplay }) => toDisplay(returnDisplay, tool.isOutputMarkdown),
  });
}

async function execute(
  invocation: ToolInvocation<object, ToolResult>,
  canUpdateOutput: boolean,
  { signal, progress, terminal }: CallContext,
): Promise<ToolResult> {
  const update = canUpdateOutput ? (output: string) => progress({ output }) : undefined;
  const result = await invocation.execute(signal, update, shellConfigOf(terminal));
  if (!result.error) return result;
  const { message, type } = result.error;
  throw new HaftError({ code: toErrorCode(type), message }, { output: result });
}

const shellConfigOf = ({ columns, rows, pager, color }: TerminalRef = {}): ShellExecutionConfig => ({
  ...(columns === undefined ? {} : { terminalWidth: columns }),
  ...(rows === undefined ? {} : { terminalHeight: rows }),
  ...(pager === undefined ? {} : { pager }),
  ...(color === undefined ? {} : { showColor: color }),
});

/** A class that overrides when to ask can ask; for all other classes the policy decides. It can only tighten. */
async function ownObjection(invocation: ToolInvocation<object, ToolResult>): Promise<Objection | undefined> {
  if (!overridesConfirm(invocation)) return undefined;
  try {
    const details = await invocation.shouldConfirmExecute(new AbortController().signal);
    return details ? { behavior: "ask", reason: `${details.title}: the tool asks for confirmation.` } : undefined;
  } catch (thrown) {
    return { behavior: "deny", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The content of the class's own dialog. */
function previewOf(invocation: ToolInvocation<object, ToolResult>): Display {
  const details = isBaseInvocation(invocation)
    ? (invocation as BaseToolInvocation<object, ToolResult>).getConfirmationDetails()
    : undefined;
  return details ? shown(details) : { kind: "text", text: invocation.getDescription() };
}

function shown(details: ToolCallConfirmationDetails): Display {
  switch (details.type) {
    case "edit":
      return details.fileDiff === ""
        ? { kind: "text", text: details.title }
        : diffOf({ ...details, fileName: details.filePath });
    case "exec":
      return { kind: "terminal", text: "", command: details.command };
    case "mcp":
      return { kind: "text", text: `${details.toolDisplayName} on ${details.serverName}` };
    default:
      return { kind: "text", text: [details.prompt, ...(details.urls ?? [])].join("\n") };
  }
}
