/** @module A host and stores of one's own: what `createHaft` takes in place of this machine and its disk. */
export { createFiles } from "./create-files.ts";
export { createFilesJournal } from "./files-journal.ts";
export type { FileBasics, HostPorts } from "./host-ports.ts";
export { memoryBasics, memoryHost } from "./memory-host.ts";
export { memoryStores } from "./memory-stores.ts";
export type {
  ApprovalTable,
  RecordEntry,
  RecordStore,
  SpillStore,
  StoredApproval,
  UndoJournal,
  UndoResult,
} from "./stores.ts";
