import { fail } from "@haft/core/tool";

/** Refuses an archive. Nothing of it was written. */
export const refuseArchive = (why: string): never =>
  fail("validation_failed", `This archive cannot be unpacked: ${why}.`, "Nothing was written.");
