import { existsSync } from "node:fs";
import { fail } from "@haft/core/tool";
import type { Ledger } from "../ledger.ts";
import type { Held } from "../store/record.ts";
import type { Undone } from "../undo/perform.ts";
import { commitView } from "./commit.ts";

/** Applies changes that were held back. With `force` also where others have changed the same paths. */
export async function applyHeld(
  ledger: Ledger,
  held: Held,
  { force = false }: { readonly force?: boolean } = {},
): Promise<Undone> {
  if (!existsSync(held.view)) {
    ledger.settle(held.id);
    fail("file_not_found", "The changes that were held back are gone.", "Run the command again.");
  }
  const { session, tool, turn } = held;
  const call = { id: held.call, session, tool, turn };
  const only = held.reason === "conflict" ? { only: held.paths } : {};
  const view = { folder: held.view, root: held.root, variant: held.variant };
  const committed = await commitView(ledger, call, view, { ...only, force });
  // What is still in conflict has been held anew.
  ledger.settle(held.id);
  const why = "others changed it while the command ran; --force puts the command's version in its place";
  return {
    kind: "redo",
    calls: [{ id: held.call, tool, session }],
    changed: committed.applied,
    kept: committed.held.map((path) => ({ path, call: held.call, why })),
    losses: committed.losses,
  };
}
