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

/** Something that a server offers has changed. */
export type ContentChange =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** On whose behalf something is asked for. */
export interface Visit {
  /** Haft as this client may use it. */
  readonly haft: Haft;
  readonly caller: Caller;
  /** A call for the client, through the whole pipeline. */
  call(tool: string, input: unknown): Promise<Result>;
}

/** Prompts and resources that a server offers beside its tools. Everything is asked for at the time of the request. */
export interface McpContent {
  prompts?(): readonly Prompt[] | Promise<readonly Prompt[]>;
  /** `undefined`: there is no such prompt here. */
  prompt?(
    name: string,
    args: Readonly<Record<string, string>>,
    visit: Visit,
  ): GetPromptResult | undefined | Promise<GetPromptResult | undefined>;
  resources?(haft: Haft): readonly Resource[] | Promise<readonly Resource[]>;
  templates?(haft: Haft): readonly ResourceTemplateType[] | Promise<readonly ResourceTemplateType[]>;
  /** `undefined`: there is no such resource here. */
  read?(uri: string, visit: Visit): ReadResourceResult | undefined | Promise<ReadResourceResult | undefined>;
  /** Values for an argument; `undefined`: the prompt or template is not known here. */
  complete?(params: CompleteRequestParams): readonly string[] | undefined | Promise<readonly string[] | undefined>;
  /**
   * Asks to hear of changes of one resource, by way of `watch`, until the returned function is called. `undefined`: nobody
   * here tells of it, or not this client. Absent: `watch` tells of all by itself.
   */
  follow?(uri: string, haft: Haft): (() => void) | undefined | Promise<(() => void) | undefined>;
  /** Tells of changes until the returned function is called. */
  watch?(listener: (change: ContentChange) => void): () => void;
}

/** What a JavaScript module may export for `haft mcp --module FILE`. */
export interface ServedModule extends McpContent {
  readonly tools?: readonly ToolLike[];
}

/** Several contents as one, the first that knows something answers for it. A list that fails leaves the others whole. */
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
