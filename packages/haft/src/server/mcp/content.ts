import type { Caller, Result, ToolLike } from "@haft/core/tool";
import type {
  CompleteRequestParams,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Haft } from "../../app/haft.ts";

/** A change in the content of a server. */
export type ContentChange =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** The client behind a request. */
export interface Visit {
  /** Haft with the permissions of this client. */
  readonly haft: Haft;
  readonly caller: Caller;
  /** Calls a tool for the client, through the whole pipeline. */
  call(tool: string, input: unknown): Promise<Result>;
}

/** Prompts and resources that a server offers in addition to its tools. Everything is looked up at request time. */
export interface McpContent {
  prompts?(): readonly Prompt[] | Promise<readonly Prompt[]>;
  /** `undefined`: the prompt does not exist here. */
  prompt?(
    name: string,
    args: Readonly<Record<string, string>>,
    visit: Visit,
  ): GetPromptResult | undefined | Promise<GetPromptResult | undefined>;
  resources?(haft: Haft): readonly Resource[] | Promise<readonly Resource[]>;
  templates?(haft: Haft): readonly ResourceTemplateType[] | Promise<readonly ResourceTemplateType[]>;
  /** `undefined`: the resource does not exist here. */
  read?(uri: string, visit: Visit): ReadResourceResult | undefined | Promise<ReadResourceResult | undefined>;
  /** Completions for an argument; `undefined`: the prompt or template is unknown here. */
  complete?(params: CompleteRequestParams): readonly string[] | undefined | Promise<readonly string[] | undefined>;
  /**
   * Subscribes to changes of one resource, which `watch` reports, until the returned function is called. `undefined`:
   * changes are not reported, or not to this client. Absent: `watch` reports all changes anyway.
   */
  follow?(uri: string, haft: Haft): (() => void) | undefined | Promise<(() => void) | undefined>;
  /** Reports changes until the returned function is called. */
  watch?(listener: (change: ContentChange) => void): () => void;
}

/** The possible exports of a JavaScript module for `haft mcp --module FILE`. */
export interface ServedModule extends McpContent {
  readonly tools?: readonly ToolLike[];
}

/**
 * Combines several contents; the first that knows an item answers for it. A failing list does not affect the others.
 */
export function allContent(parts: readonly McpContent[]): Required<McpContent> {
  const lists = async <T>(ask: (part: McpContent) => readonly T[] | Promise<readonly T[]> | undefined) => {
    const found = await Promise.allSettled(parts.map(async (part) => (await ask(part)) ?? []));
    return found.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  };
  const first = async <T>(ask: (part: McpContent) => T | undefined | Promise<T | undefined>) => {
    for (const part of parts) {
      const found = await ask(part);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    prompts: () => lists((part) => part.prompts?.()),
    prompt: (name, args, visit) => first((part) => part.prompt?.(name, args, visit)),
    resources: (haft) => lists((part) => part.resources?.(haft)),
    templates: (haft) => lists((part) => part.templates?.(haft)),
    read: (uri, visit) => first((part) => part.read?.(uri, visit)),
    complete: (params) => first((part) => part.complete?.(params)),
    async follow(uri, haft) {
      const followed = await first((part) => part.follow?.(uri, haft));
      return followed ?? (parts.some(({ watch, follow }) => watch && !follow) ? () => {} : undefined);
    },
    watch(listener) {
      const ends = parts.flatMap((part) => part.watch?.(listener) ?? []);
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
