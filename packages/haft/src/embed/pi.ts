/** @module Haft's tools for pi's agent (`pi-agent-core`). Does not import it. */
import { hostCalls, isFile, resultParts } from "@haft/core/adapter";
import { toParameters } from "@haft/core/schema";
import { flatRoot } from "@haft/core/schema/dialect";
import { errorText } from "@haft/core/tool";
import type { Haft } from "../app/haft.ts";

/** An entry of an agent's `tools`. */
export interface PiTool {
  name: string;
  label: string;
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: pi types it as a schema of TypeBox, which JSON Schema is at run time
  parameters: any;
  execute(id: string, input: unknown, signal?: AbortSignal): Promise<PiResult>;
}

/** A result: content for the model, details for the host. */
interface PiResult {
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  details: unknown;
}

/** Haft's tools for an agent of pi: `{ initialState: { tools: pi(haft).tools } }`. A failed call throws, as pi expects. */
export function pi(haft: Pick<Haft, "toolbox">): { tools: PiTool[] } {
  const calls = hostCalls(haft.toolbox);
  const tools = calls.tools().map(
    ({ name: tool, wireName: name, title, description, input: schema }): PiTool => ({
      ...{ name, label: title ?? name, description, parameters: flatRoot(toParameters(schema.json)) },
      async execute(id, input, signal) {
        const result = await calls.run({ id, tool, input, signal });
        if (result.error) throw new Error(errorText(result.error));
        const content = resultParts(result).map((part) => {
          if (!isFile(part)) return part;
          if (part.type === "image") return { type: "image" as const, data: part.data, mimeType: part.mediaType };
          return { type: "text" as const, text: `[${part.name ?? "document"}, ${part.mediaType}]` };
        });
        return { content, details: result.output };
      },
    }),
  );
  return { tools };
}
