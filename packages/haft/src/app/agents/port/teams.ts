import { join } from "node:path";
import { fail } from "@haft/core/tool";
import { openTasks } from "@haft/service/session";
import type { AgentNode, Team } from "../node.ts";

/** The teams of a session. */
export class Teams {
  readonly #teams = new Map<string, Team>();
  readonly #dir: string | undefined;

  /** `dir`: the folder of the session; without one, nothing is written down. */
  constructor(dir: string | undefined) {
    this.#dir = dir;
  }

  all(): readonly Team[] {
    return [...this.#teams.values()];
  }

  /** @throws HaftError `invalid_input` when no team has this name. */
  named(name: string): Team {
    return (
      this.#teams.get(name) ??
      fail(
        "invalid_input",
        `There is no team "${name}".`,
        `Teams: ${[...this.#teams.keys()].join(", ") || "none; make one with TeamCreate"}.`,
      )
    );
  }

  create(name: string, lead: AgentNode): void {
    if (this.#teams.has(name)) fail("conflict", `There is a team "${name}" already.`, "Choose another name.");
    const tasks = openTasks(this.#dir && join(this.#dir, "teams", name, "tasks.jsonl"));
    this.#teams.set(name, { name, lead, tasks });
  }

  /** Removes a team in which no agent works any more. */
  remove(name: string, agents: readonly AgentNode[]): void {
    const team = this.named(name);
    const working = agents.filter((one) => one.team === team && one.run?.report.status === "running");
    if (working.length > 0)
      fail(
        "conflict",
        `${working.map(({ ref }) => ref.name ?? ref.id).join(", ")} are still working in ${name}.`,
        "Wait for them, or stop them.",
      );
    this.#teams.delete(name);
  }
}
