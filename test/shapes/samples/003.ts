import { BaseDeclarativeTool, BaseToolInvocation, Kind, type ToolResult } from "@haft/core/compat/declarative";

interface MyToolParams {
  input: string;
}

class MyToolInvocation extends BaseToolInvocation<MyToolParams, ToolResult> {
  getDescription(): string {
    return `Processing: ${this.params.input}`;
  }

  async execute(_signal: AbortSignal): Promise<ToolResult> {
    const result = `Processed: ${this.params.input}`;
    return { llmContent: result, returnDisplay: result };
  }
}

export class MyTool extends BaseDeclarativeTool<MyToolParams, ToolResult> {
  constructor() {
    super("my_custom_tool", "My Custom Tool", "A custom tool", Kind.Other, {
      type: "object",
      properties: { input: { type: "string", description: "Input text" } },
      required: ["input"],
    });
  }

  protected createInvocation(params: MyToolParams): MyToolInvocation {
    return new MyToolInvocation(params);
  }
}
