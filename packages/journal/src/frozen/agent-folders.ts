import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folder of all frozen copies in an annex. */
export const framesIn = (annex: string): string => join(annex, "frozen");
export const agentsIn = (annex: string): string => join(framesIn(annex), "agents");

/** The folders in which agents work, also those that killed processes left. */
export const agentFolders = (annex: string): readonly string[] =>
  existsSync(agentsIn(annex)) ? readdirSync(agentsIn(annex)).map((name) => join(agentsIn(annex), name)) : [];
