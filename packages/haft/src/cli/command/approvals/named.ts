import { homedir } from "node:os";
import { stateFolder } from "@haft/service";
import { everyApproval, type FoundApproval, findApprovals } from "../../../app/approval/find.ts";
import { real } from "../../../app/workspace.ts";
import { UsageError } from "../../exit-code.ts";
import { sessionOf } from "../../open-haft.ts";
import type { CommonOptions } from "../../options.ts";

/** The questions of every session of this user, or of the named session in this folder. */
export function approvalsHere(common: CommonOptions): readonly FoundApproval[] {
  const state = stateFolder(real(homedir()));
  const session = sessionOf(common);
  return session === undefined ? everyApproval(state) : findApprovals(state, real(common.cwd), session);
}

/**
 * Finds the question for an id, or for the start of one.
 *
 * @throws UsageError if it matches none or several.
 */
export function approvalNamed(common: CommonOptions, id: string | undefined): FoundApproval {
  if (id === undefined)
    throw new UsageError("Which approval?", "Give its id, or the beginning of it: haft approvals list.");
  const all = approvalsHere(common);
  const found = all.filter(({ record }) => record.request.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0 ? `There is no approval "${id}".` : `"${id}" is the beginning of several ids.`,
    found.length === 0 ? "See haft approvals list --all." : "Give more characters of the id.",
  );
}
