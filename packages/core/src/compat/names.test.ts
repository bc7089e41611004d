import { expect, expectTypeOf, it } from "vitest";
import * as core from "../index.ts";
import type { AgentToolUpdateCallback, AnyAgentTool, ToolPolicy } from "./agent-tool/index.ts";
import * as agentTool from "./agent-tool/index.ts";
import type {
  ToolResult as BuiltResult,
  PermissionResult,
  Progress,
  ToolDef,
  ValidationResult,
} from "./build-tool/index.ts";
import * as build from "./build-tool/index.ts";
import type {
  AnyDeclarativeTool,
  ToolResult as DeclarativeResult,
  FunctionDeclaration,
  PartListUnion,
  ToolCallConfirmationDetails,
  ToolConfirmationOutcome,
  ToolLocation,
  ToolResultDisplay,
} from "./declarative/index.ts";
import * as declarative from "./declarative/index.ts";
import * as sema from "./sema/index.ts";
import type {
  BashToolSettings,
  ToolResult as DefinedResult,
  DelegationRequest,
  InitContext,
  RegisteredTool,
  SkillDefinition,
  Step,
  StepType,
  ToolAgentContext,
  ToolAgentEvents,
  ToolAgentResult,
  ToolAgentSettings,
  ToolAgentStep,
  ToolDefinition,
  ToolExecutionContext,
  ToolExecutionResult,
  ToolInitResult,
  ToolMetadata,
  ToolMetadataUpdate,
  ToolParameter,
  ToolSettings,
} from "./tool-define/index.ts";
import * as toolDefine from "./tool-define/index.ts";

it("A47 the shapes' own names are there to import, and each shape has its own ToolResult", () => {
  expectTypeOf<AnyAgentTool | ToolPolicy | AgentToolUpdateCallback>().not.toBeNever();
  expectTypeOf<ToolDef | ValidationResult | PermissionResult | Progress>().not.toBeNever();
  expectTypeOf<AnyDeclarativeTool | FunctionDeclaration | PartListUnion | ToolLocation>().not.toBeNever();
  expectTypeOf<ToolResultDisplay | ToolCallConfirmationDetails | ToolConfirmationOutcome>().not.toBeNever();
  expectTypeOf<ToolMetadata | ToolMetadataUpdate | InitContext | ToolInitResult | SkillDefinition>().not.toBeNever();
  expectTypeOf<ToolAgentContext | ToolAgentEvents | ToolExecutionResult | RegisteredTool>().not.toBeNever();
  expectTypeOf<Step | StepType | ToolAgentStep | ToolAgentResult | DelegationRequest>().not.toBeNever();
  expectTypeOf<ToolExecutionContext | ToolDefinition | ToolParameter | ToolSettings>().not.toBeNever();
  expectTypeOf<BashToolSettings | ToolAgentSettings>().not.toBeNever();
  expectTypeOf<Parameters<NonNullable<ToolAgentEvents["onStepStart"]>>>().toEqualTypeOf<[step: ToolAgentStep]>();
  expectTypeOf<BuiltResult>().not.toEqualTypeOf<DeclarativeResult>();
  expectTypeOf<DefinedResult>().not.toEqualTypeOf<DeclarativeResult>();
});

/** Names that a shape takes from Haft unchanged. */
const SAME: ReadonlySet<string> = new Set([
  ...["lazySchema", "MUTATOR_KINDS"],
  ...["expandToolGroups", "isToolAllowedByPolicy", "normalizeToolName"],
]);

it("A47 none of them is in the root, where ours have those names", () => {
  const foreign = [sema, toolDefine, agentTool, declarative, build].flatMap((shape) => Object.keys(shape));
  expect(foreign).toEqual(
    expect.arrayContaining(["fromSema", "Tool", "fromAgentTool", "BaseDeclarativeTool", "buildTool"]),
  );
  expect(Object.keys(core).filter((name) => !SAME.has(name) && foreign.includes(name))).toEqual([]);
});
