import { isDeepStrictEqual } from "node:util";
import type { Registration, Registry, Source } from "@haft/core/registry";
import type { Definition } from "./definition/definition.ts";
import type { ToolList } from "./definition/list.ts";
import type { RemoteTool } from "./remote-tool.ts";
import type { Spellings } from "./tool-name.ts";

interface MemberToolsParts {
  /** The server's name. */
  readonly name: string;
  readonly source: Source;
  readonly registry: Registry;
  readonly spellings: Spellings;
  toolOf(definition: Definition): RemoteTool;
  /** Called when the list has changed. */
  onChange(): void;
  /** Called when the spellings of these servers' tools have another meaning. */
  refreshOthers(names: readonly string[]): void;
}

/** The tools of one server, as they are in the registry. */
export interface MemberTools {
  /** Applies a list from the server; an equal list changes nothing. */
  take(next: ToolList): void;
  /** Registers them again. */
  register(): void;
  withdraw(): void;
  /** The first of the tools in an offer, which carries the server's instructions. */
  spokesman(offered: ReadonlySet<string>): string | undefined;
  /** The names that are in the registry. */
  names(): readonly string[];
  problems(): readonly string[];
}

const NONE: ToolList = { definitions: [], problems: [] };

export function createMemberTools(parts: MemberToolsParts): MemberTools {
  const { name, source, registry, spellings } = parts;
  const spokesmen = new WeakMap<ReadonlySet<string>, string | undefined>();
  let list = NONE;
  let registration: Registration | undefined;

  function register(): void {
    registration?.remove();
    registration = registry.add(
      source,
      list.definitions.map((definition) => parts.toolOf(definition)),
    );
  }

  return {
    take(next) {
      const isKnown = registration !== undefined && isSame(next, list);
      list = next;
      if (isKnown) return;
      const names = next.definitions.map((definition) => definition.name);
      const touched = spellings.set(name, names);
      register();
      parts.refreshOthers(touched);
      parts.onChange();
    },
    register,
    withdraw() {
      registration?.remove();
      registration = undefined;
      list = NONE;
      parts.refreshOthers(spellings.set(name, []));
    },
    spokesman(offered) {
      if (!spokesmen.has(offered))
        spokesmen.set(
          offered,
          registration?.added.find((added) => offered.has(added)),
        );
      return spokesmen.get(offered);
    },
    names: () => registration?.added ?? [],
    problems: () => [...list.problems, ...(registration?.refused ?? []).map(({ message }) => message)],
  };
}

/** The hash only covers the pinned parts of a tool. */
const isSame = (one: ToolList, other: ToolList): boolean =>
  one.definitions.length === other.definitions.length &&
  one.definitions.every(({ hash, icons, asTask }, index) => {
    const before = other.definitions[index]!;
    return before.hash === hash && before.asTask === asTask && isDeepStrictEqual(before.icons, icons);
  });
