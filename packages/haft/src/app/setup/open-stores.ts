import { createRedactor } from "@haft/core/policy";
import { createClock } from "@haft/core/tool";
import type { TableApprovals } from "../approval/table-approvals.ts";
import type { SpillFiles } from "../host/spill-files.ts";
import type { TableRecord } from "../host/table-record.ts";
import type { Setup } from "./setup.ts";

/** The stores of the host's own that a session uses. */
export interface OwnStores {
  /** The environment of commands. Its secrets must not get into a record. */
  readonly secrets: NodeJS.ProcessEnv;
  readonly record?: TableRecord;
  readonly spill?: SpillFiles;
  approvals?(onIgnored: (text: string) => void): Promise<TableApprovals>;
}

/** @throws HaftError `execution_failed` if a store cannot be read. */
export async function openStores(setup: Setup): Promise<{ readonly setup: Setup; readonly own: OwnStores }> {
  const { options, session } = setup;
  const { record: store, spill, approvals: table } = options;
  const secrets = secretsOf(setup);
  if (!store && !spill && !table) return { setup, own: { secrets } };
  const place = { session: session.id, clock: options.host?.clock ?? createClock() };
  const { tableApprovals } = await import("../approval/table-approvals.ts");
  const { spillFiles } = await import("../host/spill-files.ts");
  const { tableRecord } = await import("../host/table-record.ts");
  const record = store && (await tableRecord({ store, ...place, redact: createRedactor(secrets) }));
  return {
    setup: record ? { ...setup, earlier: record.earlier } : setup,
    own: {
      secrets,
      // With `lookOnly` nothing is written.
      ...(record && !options.lookOnly ? { record } : {}),
      ...(spill ? { spill: spillFiles(spill, place.session, place.clock) } : {}),
      ...(table ? { approvals: (onIgnored) => tableApprovals({ table, ...place, onIgnored }) } : {}),
    },
  };
}

const secretsOf = ({ options, settings }: Setup): NodeJS.ProcessEnv => ({
  ...(options.env ?? process.env),
  ...settings.shell?.env,
  ...options.shell?.env,
});
